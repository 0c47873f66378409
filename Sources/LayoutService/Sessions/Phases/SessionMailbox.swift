// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// What waits for a session while somebody works on it, bounded in count and bytes.
///
/// A request is always accepted; if the mailbox is full afterwards, the stream is not read until
/// there is room. So the mailbox exceeds its limits by one request at most.
struct SessionMailbox: Sendable {
  private(set) var mail = SessionMail()
  private var waiting = Charge()
  /// Taken out and not yet processed.
  private var taken = Charge()
  private let limit: Charge

  private struct Charge: Sendable {
    var count = 0
    var bytes = 0
  }

  init(countLimit: Int, byteLimit: Int) {
    limit = Charge(count: max(1, countLimit), bytes: max(1, byteLimit))
  }

  var isEmpty: Bool { mail.isEmpty }

  /// Whether its only content is the mark that the collection changed.
  var hasOnlyCommits: Bool {
    mail.marks == .collectionChanged && mail.inputs.isEmpty && mail.requestsEnd == nil
  }

  /// Whether the stream must wait until something is processed.
  var isFull: Bool {
    waiting.count + taken.count >= limit.count || waiting.bytes + taken.bytes >= limit.bytes
  }

  mutating func append(_ input: SessionInput) {
    let last = mail.inputs.count - 1
    if last >= 0 {
      let before = mail.inputs[last].byteCount
      if mail.inputs[last].merge(input) {
        waiting.bytes += mail.inputs[last].byteCount - before
        return
      }
    }
    mail.inputs.append(input)
    waiting.count += 1
    waiting.bytes += input.byteCount
  }

  mutating func note(_ marks: SessionMarks) { mail.marks.formUnion(marks) }

  /// Only the first end counts.
  mutating func end(_ end: RequestsEnd) {
    if mail.requestsEnd == nil { mail.requestsEnd = end }
  }

  /// Takes everything out. It counts until `finishedInput`.
  mutating func take() -> SessionMail {
    defer {
      // A session at rest keeps no room.
      mail = SessionMail()
      taken.count += waiting.count
      taken.bytes += waiting.bytes
      waiting = Charge()
    }
    return mail
  }

  /// All that was taken out is processed.
  mutating func finishedInput() { taken = Charge() }
}
