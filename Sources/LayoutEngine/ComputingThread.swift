// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// A thread for long computations, which run one after the other.
///
/// On Linux it runs at a lower priority than the threads that read requests and write frames, so
/// that these run at once when they have something to do, however many computations are in
/// progress. Dispatch queues are not suitable: their lower priorities are "nice" values of 2, which
/// is too small, and 10, with which computations would hardly run beside busy streams.
///
/// The thread ends when this object is released.
final class ComputingThread: Sendable {
  private let inbox: Inbox

  /// Starts a thread.
  init(_ niceness: Niceness = .computation) {
    inbox = Inbox()
    start(niceness)
  }

  deinit { inbox.put(nil) }

  /// Runs a computation after those passed in before.
  func run(_ computation: @escaping @Sendable () -> Void) { inbox.put(computation) }

  private func start(_ niceness: Niceness) {
    if startThread(of: inbox, niceness) { return }
    // The process has reached its limit of threads. Dispatch shares the ones it has.
    DispatchQueue(label: "layout").async { [inbox] in inbox.serve() }
  }
}

/// The pending computations of a thread.
private final class Inbox: Serving {
  /// Computations in order; nil ends the thread.
  private let computations = Mutex<[(@Sendable () -> Void)?]>([])
  private let arrivals = DispatchSemaphore(value: 0)

  func put(_ computation: (@Sendable () -> Void)?) {
    computations.withLock { $0.append(computation) }
    arrivals.signal()
  }

  /// Runs computations until it finds the end.
  func serve() {
    while true {
      arrivals.wait()
      // There is an element for each signal.
      guard let next = computations.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        return
      }
      next()
    }
  }
}
