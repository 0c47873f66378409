// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// Lets go of large values on a thread of low priority. To take millions of items apart takes a tenth of a second,
/// which the threads that read requests and write frames have not.
package final class Disposal: Sendable {
  private struct State {
    var pending = 0
    /// Started with the first value.
    var thread: ComputingThread?
  }

  /// More values do not wait: what nobody is charged for any more must not gather.
  private static let most = 16

  private let state = Mutex(State())

  package init() {}

  /// Values that wait to be let go of, or are just taken apart.
  package var pending: Int { state.withLock { $0.pending } }

  /// Lets go of a value, soon; where too many wait, at once.
  ///
  /// - Parameter value: its memory is free once nobody else refers to it.
  package func letGo(of value: consuming some Sendable) {
    guard let thread = reserve() else { return }
    drop(Remains(value), on: thread)
  }

  /// Lets go of a value that others refer to as well, once they have had the time to let go of it. The last
  /// reference is the one that costs.
  package func letGo(of value: consuming some Sendable, after delay: Duration) {
    guard let thread = reserve() else { return }
    let remains = Remains(value)
    let delay = DispatchTimeInterval.nanoseconds(Int(delay / .nanoseconds(1)))
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + delay) {
      self.drop(remains, on: thread)
    }
  }

  /// The thread, for one more value; nil = too many wait.
  private func reserve() -> ComputingThread? {
    state.withLock { state in
      guard state.pending < Self.most else { return nil }
      state.pending += 1
      let thread = state.thread ?? ComputingThread()
      state.thread = thread
      return thread
    }
  }

  private func drop(_ remains: Remains<some Sendable>, on thread: ComputingThread) {
    thread.run {
      remains.drop()
      self.state.withLock { $0.pending -= 1 }
    }
  }
}

/// A value that can be dropped before the closure that refers to it.
private final class Remains<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: consuming Value) { self.value = Mutex(value) }

  func drop() {
    // Not under the lock, since it takes long.
    var dropped: Value?
    value.withLock { swap(&dropped, &$0) }
  }
}
