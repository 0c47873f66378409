// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutProtocol
internal import LayoutSession

/// One request of the client: an acknowledgement, then an event.
struct SessionInput: Sendable {
  enum Event: Sendable {
    case event(SessionEvent, seq: UInt64)
    /// An event that could not be read, or exceeded the rate.
    case refused(LayoutProblem, seq: UInt64)
    /// New credentials, which are in force already.
    case renewed(seq: UInt64)
  }

  /// Frame 0 = no acknowledgement; the request still shows that the client is alive.
  var ack: FrameAck
  /// nil = a bare acknowledgement.
  var event: Event?
  /// The memory of the decoded request, roughly.
  var byteCount: Int
  /// Whether it was so large on the wire that processing it may take long.
  var isLarge: Bool

  /// - Parameter wireByteCount: the size of a layout in the request.
  init(
    ack: FrameAck = FrameAck(sequence: 0),
    event: Event? = nil,
    wireByteCount: Int = 0,
    isLarge: Bool = false
  ) {
    self.ack = ack
    self.event = event
    self.isLarge = isLarge
    byteCount = Self.byteCount(of: event) + wireByteCount * Self.layoutExpansion
  }

  /// Merges a later request into this one if nothing is lost: two acknowledgements, or two viewport
  /// changes, become one. An acknowledgement may move ahead of a viewport change, never ahead of
  /// another event.
  ///
  /// - Returns: false = both have to stay; then nothing has changed.
  mutating func merge(_ newer: SessionInput) -> Bool {
    guard !isLarge, !newer.isLarge, let ack = ack.merged(with: newer.ack) else { return false }
    switch (event, newer.event) {
    case (nil, nil), (.event(.viewport, _), nil): break
    case (nil, let event?): self.event = event
    case (.event(.viewport(let older), let olderSeq), .event(.viewport(let change), let seq)):
      guard seq > olderSeq else { return false }
      event = .event(.viewport(older.merged(with: change)), seq: seq)
    default: return false
    }
    self.ack = ack
    byteCount = max(byteCount, newer.byteCount, Self.byteCount(ofViewportIn: event))
    return true
  }
}

/// What else a session has to look at, beside its client's requests.
struct SessionMarks: OptionSet, Sendable {
  let rawValue: UInt8

  /// Batches were committed to its collection.
  static let collectionChanged = SessionMarks(rawValue: 1)
  static let collectionDeleted = SessionMarks(rawValue: 2)
  /// The server is going away.
  static let draining = SessionMarks(rawValue: 4)
  /// Named layouts of its collection were changed.
  static let layoutsChanged = SessionMarks(rawValue: 8)
  /// The awaited layout was made, or failed.
  static let layoutSettled = SessionMarks(rawValue: 16)
  /// Somebody waits for a data version of its collection.
  static let versionAwaited = SessionMarks(rawValue: 32)
  /// The store lacks commits that the session has shown.
  static let collectionRewound = SessionMarks(rawValue: 64)
}

/// How the stream of requests ended.
enum RequestsEnd: Sendable {
  case finished
  case failed(any Error)
}

/// What the worker takes out of the mailbox at once.
struct SessionMail: Sendable {
  /// In the order of arrival.
  var inputs: Deque<SessionInput> = []
  var marks: SessionMarks = []
  /// nil = more requests may come.
  var requestsEnd: RequestsEnd?

  var isEmpty: Bool { inputs.isEmpty && marks.isEmpty && requestsEnd == nil }

  /// Whether it has a request to close the session for good, without a resume.
  var discards: Bool {
    inputs.contains { input in
      if case .event(.close(discard: true), _) = input.event { true } else { false }
    }
  }
}

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

extension FrameAck {
  /// Both acknowledgements as one; nil if the newer one does not say all that both say.
  func merged(with newer: FrameAck) -> FrameAck? {
    if newer.saysNothing { return self }
    if saysNothing { return newer }
    guard !isRejected, !newer.isRejected, newer.sequence >= sequence,
      stateChecksum == nil || newer.stateChecksum != nil
    else { return nil }
    return newer
  }

  private var saysNothing: Bool { sequence == 0 && stateChecksum == nil && !isRejected }
}

extension ViewportChange {
  /// Both changes as one: what the newer one leaves unset is as in this one.
  func merged(with newer: ViewportChange) -> ViewportChange {
    var merged = newer
    if newer.offset == nil, let offset {
      merged.offset = offset
      // It belongs to the offset.
      merged.observedFrame = observedFrame
    }
    merged.size = newer.size ?? size
    merged.insets = newer.insets ?? insets
    merged.velocity = newer.velocity ?? velocity
    merged.traits = newer.traits ?? traits
    merged.safeAreaInsets = newer.safeAreaInsets ?? safeAreaInsets
    merged.layoutMargins = newer.layoutMargins ?? layoutMargins
    merged.readableContentWidth = newer.readableContentWidth ?? readableContentWidth
    merged.sectionOffsets = sectionOffsets.merging(newer.sectionOffsets) { $1 }
    return merged
  }
}
