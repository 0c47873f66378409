// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Synchronization

/// Releases large values on a thread of low priority. Freeing millions of items takes a tenth of a
/// second, too long for the threads that read requests and write frames.
///
/// Nobody is charged for the values any more, so they must not pile up: the bytes of those that
/// wait for the thread are limited, and so are the bytes of those that wait for their delay.
package final class Disposal: Sendable {
  private struct State {
    /// Values that wait for the thread or are being released.
    var pending = Load()
    /// Values whose delay is not over.
    var delayed = Load()
    /// Started for the first value.
    var thread: ComputingThread?
  }

  /// Values, and their bytes together.
  private struct Load {
    var count = 0
    var bytes = 0

    /// Adds a value, unless the values would have more bytes than `most`. A single one may.
    mutating func add(_ value: Int, most: Int) -> Bool {
      // No overflow: `bytes` ≤ most, or it is that of a single value.
      guard count == 0 || bytes <= most && value <= most - bytes else { return false }
      count += 1
      bytes += value
      return true
    }

    mutating func remove(_ value: Int) {
      count -= 1
      bytes -= value
    }
  }

  private let byteLimit: Int
  private let state = Mutex(State())

  /// - Parameter byteLimit: the most bytes that wait for the thread, and for their delay, each; 1
  ///   GiB by default, which is freed in a second or so.
  package init(byteLimit: Int = 1 << 30) { self.byteLimit = byteLimit }

  /// Values that are pending or being released. Those whose delay is not over do not count.
  package var pending: Int { state.withLock { $0.pending.count } }

  /// Releases a value soon, or at once if too many bytes are pending.
  ///
  /// - Parameters:
  ///   - value: its memory is freed when nobody else refers to it.
  ///   - bytes: about how much that is.
  package func letGo(of value: consuming some Sendable, bytes: Int) {
    let bytes = Self.counted(bytes)
    guard let thread = reserve(bytes) else { return }
    drop(Remains(value), bytes, on: thread)
  }

  /// Releases a value after a delay, by which other holders have released theirs: the last
  /// reference is the costly one. If too many bytes are delayed already, it is released soon.
  package func letGo(of value: consuming some Sendable, bytes: Int, after delay: Duration) {
    let counted = Self.counted(bytes)
    guard state.withLock({ $0.delayed.add(counted, most: byteLimit) }) else {
      return letGo(of: value, bytes: bytes)
    }
    let remains = Remains(value)
    let delay = DispatchTimeInterval.nanoseconds(Int(min(delay / .nanoseconds(1), 1e18)))
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + delay) {
      self.state.withLock { $0.delayed.remove(counted) }
      // A thread of this queue delays nobody who reads or writes.
      guard let thread = self.reserve(counted) else { return remains.drop() }
      self.drop(remains, counted, on: thread)
    }
  }

  /// Small values have a price, too, so that their number is limited.
  private static func counted(_ bytes: Int) -> Int { max(bytes, 64 << 10) }

  /// Reserves the thread for one more value; nil = too many bytes are pending.
  private func reserve(_ bytes: Int) -> ComputingThread? {
    state.withLock { state in
      guard state.pending.add(bytes, most: byteLimit) else { return nil }
      let thread = state.thread ?? ComputingThread()
      state.thread = thread
      return thread
    }
  }

  private func drop(_ remains: Remains<some Sendable>, _ bytes: Int, on thread: ComputingThread) {
    thread.run {
      remains.drop()
      self.state.withLock { $0.pending.remove(bytes) }
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
