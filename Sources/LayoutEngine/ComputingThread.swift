// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// A thread for long computations, one after the other.
///
/// On Linux it runs at a lower priority than the threads that read requests and write frames, so that
/// these run at once when they have something to do, however many computations are in progress. Threads
/// of Dispatch would not do: they are shared, and a thread may not raise its priority again.
///
/// The thread ends when this object does.
final class ComputingThread: Sendable {
  private let inbox: Inbox

  /// Starts a thread.
  init() {
    inbox = Inbox()
    start()
  }

  deinit { inbox.put(nil) }

  /// Runs a computation after those that were passed in before.
  func run(_ computation: @escaping @Sendable () -> Void) { inbox.put(computation) }

  private func start() {
    // Safe: the thread takes over the reference that is retained here, or it is released below.
    let retained = unsafe Unmanaged.passRetained(inbox)
    if unsafe startThread(retained.toOpaque()) { return }
    unsafe retained.release()
    // The process has as many threads as it may. Dispatch shares the ones it has.
    DispatchQueue(label: "layout").async { [inbox] in inbox.serve() }
  }
}

/// What a thread has to do.
private final class Inbox: Sendable {
  /// Computations in order; nil ends the thread.
  private let computations = Mutex<[(@Sendable () -> Void)?]>([])
  private let arrivals = DispatchSemaphore(value: 0)

  func put(_ computation: (@Sendable () -> Void)?) {
    computations.withLock { $0.append(computation) }
    arrivals.signal()
  }

  /// Runs computations until the end is found.
  func serve() {
    while true {
      arrivals.wait()
      // There is one for each signal.
      guard let next = computations.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        return
      }
      next()
    }
  }
}

/// How much lower the priority of computations is. Where threads compete, a step of these "nice" values is
/// about 25 % of processor time.
private let niceness: Int32 = 5

/// Starts a thread that serves the inbox and releases it at the end.
///
/// - Returns: false = the system allows no further thread; the inbox is not released then.
private func startThread(_ inbox: UnsafeMutableRawPointer) -> Bool {
  #if canImport(Glibc)
  var thread: pthread_t = 0
  #else
  var thread: pthread_t?
  #endif
  var attributes = pthread_attr_t()
  guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
  defer { unsafe pthread_attr_destroy(&attributes) }
  // Nobody joins it.
  unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  let status = unsafe pthread_create(
    &thread,
    &attributes,
    { context in
      unsafe serve(context)
      return nil
    },
    inbox
  )
  return status == 0
}

/// Runs on the new thread.
private func serve(_ inbox: UnsafeMutableRawPointer?) {
  guard let inbox = unsafe inbox else { return }
  #if os(Linux)
  // Lowers the priority of this thread alone. If that fails, no result changes.
  _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
  #endif
  // Safe: `ComputingThread.start` retained it for this thread.
  unsafe Unmanaged<Inbox>.fromOpaque(inbox).takeRetainedValue().serve()
}
