// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Wakes any number of tasks, each of which reads its own stream. An unread stream keeps one
/// element.
package final class WakeStreams: Sendable {
  private struct State {
    var readers: [UInt64: AsyncStream<Void>.Continuation] = [:]
    var last: UInt64 = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// A stream of all wakes from now on, which begins with an element.
  package func stream() -> AsyncStream<Void> {
    let (stream, reader) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let id = state.withLock { state in
      state.last += 1
      state.readers[state.last] = reader
      return state.last
    }
    reader.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
    }
    reader.yield()
    return stream
  }

  /// Wakes all readers.
  package func wake() {
    for reader in state.withLock({ Array($0.readers.values) }) { reader.yield() }
  }
}
