// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// A thread for long computations, one after the other.
///
/// On Linux it runs at a lower priority than the threads that read requests and write frames, so that
/// these run at once when they have something to do, however many computations are in progress. Queues of
/// Dispatch would not do: of their priorities the lower ones are "nice" values of 2, which is too little,
/// and 10, with which computations would hardly run beside busy streams.
///
/// The thread ends when this object does.
final class ComputingThread: Sendable {
  private let inbox: Inbox

  /// Starts a thread.
  init(_ niceness: Niceness = .computation) {
    inbox = Inbox()
    start(niceness)
  }

  deinit { inbox.put(nil) }

  /// Runs a computation after those that were passed in before.
  func run(_ computation: @escaping @Sendable () -> Void) { inbox.put(computation) }

  private func start(_ niceness: Niceness) {
    if startThread(of: inbox, niceness) { return }
    // The process has as many threads as it may. Dispatch shares the ones it has.
    DispatchQueue(label: "layout").async { [inbox] in inbox.serve() }
  }
}

/// What a thread has to do.
private final class Inbox: Serving {
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
