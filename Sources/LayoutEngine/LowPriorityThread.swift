// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The body of a thread.
protocol Serving: AnyObject, Sendable {
  /// Runs until the thread has to end.
  func serve()
}

/// How much lower the priority of a thread is than that of requests and frames. When threads
/// compete, a step of these "nice" values is about 25 % of processor time.
enum Niceness: Int32, Sendable {
  /// For computations.
  case computation = 5
  /// For assisting a computation; gives way to all others.
  case assistance = 10
}

/// Starts a thread of low priority that runs `server`.
///
/// - Returns: false = the system allows no more threads.
func startThread(of server: some Serving, _ niceness: Niceness = .computation) -> Bool {
  #if canImport(Glibc)
  var thread: pthread_t = 0
  #else
  var thread: pthread_t?
  #endif
  // Safe: the thread takes over the reference retained here; if it does not start, it is released
  // below.
  let retained = unsafe Unmanaged.passRetained(Beginning(server: server, niceness: niceness))
  let status = unsafe pthread_create(
    &thread,
    nil,
    { context in
      unsafe run(context)
      return nil
    },
    retained.toOpaque()
  )
  guard status == 0 else {
    unsafe retained.release()
    return false
  }
  return true
}

/// What is passed to a new thread.
private final class Beginning: Sendable {
  let server: any Serving
  let niceness: Niceness

  init(server: any Serving, niceness: Niceness) {
    self.server = server
    self.niceness = niceness
  }
}

/// Runs on the new thread.
private func run(_ context: UnsafeMutableRawPointer?) {
  guard let context = unsafe context else { return }
  // No thread joins it.
  pthread_detach(pthread_self())
  // Safe: `startThread` retained it for this thread.
  let beginning = unsafe Unmanaged<Beginning>.fromOpaque(context).takeRetainedValue()
  #if os(Linux)
  // Lowers the priority of this thread only. A failure changes no result.
  _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, beginning.niceness.rawValue)
  #endif
  beginning.server.serve()
}
