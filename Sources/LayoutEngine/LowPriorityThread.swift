// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// What a thread does all its life.
protocol Serving: AnyObject, Sendable {
  /// Returns when the thread is to end.
  func serve()
}

/// How much lower than that of requests and frames the priority of a thread is. Where threads compete, a
/// step of these "nice" values is about 25 % of processor time.
enum Niceness: Int32, Sendable {
  /// For computations.
  case computation = 5
  /// For what assists a computation, and gives way to all others.
  case assistance = 10
}

/// Starts a thread that serves, at a low priority.
///
/// - Returns: false = the system allows no further thread.
func startThread(of server: some Serving, _ niceness: Niceness = .computation) -> Bool {
  #if canImport(Glibc)
  var thread: pthread_t = 0
  #else
  var thread: pthread_t?
  #endif
  // Safe: the thread takes over the reference that is retained here, or it is released below.
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
  // Nobody joins it.
  pthread_detach(pthread_self())
  // Safe: `startThread` retained it for this thread.
  let beginning = unsafe Unmanaged<Beginning>.fromOpaque(context).takeRetainedValue()
  #if os(Linux)
  // Lowers the priority of this thread alone. If that fails, no result changes.
  _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, beginning.niceness.rawValue)
  #endif
  beginning.server.serve()
}
