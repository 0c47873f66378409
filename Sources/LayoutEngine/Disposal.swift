// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// Releases large values on a thread of low priority. Freeing millions of items takes a tenth of a
/// second, too long for the threads that read requests and write frames.
package final class Disposal: Sendable {
  private struct State {
    var pending = 0
    /// Started for the first value.
    var thread: ComputingThread?
  }

  /// The most pending values; further ones are released at once, because nobody is charged for them
  /// any more and they must not pile up.
  private static let most = 16

  private let state = Mutex(State())

  package init() {}

  /// Values that are pending or being released.
  package var pending: Int { state.withLock { $0.pending } }

  /// Releases a value soon, or at once if too many are pending.
  ///
  /// - Parameter value: its memory is freed when nobody else refers to it.
  package func letGo(of value: consuming some Sendable) {
    guard let thread = reserve() else { return }
    drop(Remains(value), on: thread)
  }

  /// Releases a value after a delay, by which other holders have released theirs: the last
  /// reference is the costly one.
  package func letGo(of value: consuming some Sendable, after delay: Duration) {
    guard let thread = reserve() else { return }
    let remains = Remains(value)
    let delay = DispatchTimeInterval.nanoseconds(Int(delay / .nanoseconds(1)))
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + delay) {
      self.drop(remains, on: thread)
    }
  }

  /// Reserves the thread for one more value; nil = too many are pending.
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

/// A value that is released before the closure that refers to it.
private final class Remains<Value: Sendable>: Sendable {
  private let value: Mutex<Value?>

  init(_ value: consuming Value) { self.value = Mutex(value) }

  func drop() {
    // Outside the lock, because releasing takes long.
    var dropped: Value?
    value.withLock { swap(&dropped, &$0) }
  }
}
