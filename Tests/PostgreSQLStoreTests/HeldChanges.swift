// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import StoreTesting
import Synchronization

/// A log whose changes are counted, and handed out only when it is told to.
final class HeldChanges: ForwardingStorage, SharedLog {
  let memory: MemoryStorage
  let signal = ChangeSignal()
  /// Answers in place of the log; nil = the log does.
  let tails = Mutex<(@Sendable (MemoryStorage) async -> LogTail)?>(nil)
  private let state = Mutex((count: 0, isReleased: true))

  init(_ memory: MemoryStorage) { self.memory = memory }

  var count: Int { state.withLock { $0.count } }

  func changes(since cursor: ChangeCursor?) async -> StoredChanges {
    state.withLock { $0.count += 1 }
    let changes = await memory.changes(since: cursor)
    signal.send()
    await signal.wait { state.withLock { $0.isReleased } }
    return changes
  }

  func tail(after record: CollectionRecord, isDescribed: Bool) async -> LogTail {
    if let tail = tails.withLock({ $0 }) { return await tail(memory) }
    return await memory.tail(after: record, isDescribed: isDescribed)
  }

  func hold(_ isHeld: Bool) {
    state.withLock { $0.isReleased = !isHeld }
    signal.send()
  }
}
