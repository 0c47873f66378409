// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Limits on the messages in one request, besides its size in bytes: an empty message of two bytes
/// takes a hundred bytes or more once it is decoded.
package struct DecodingLimits: Hashable, Sendable {
  /// The most messages of any type in one request, including the request itself.
  package var messages: Int
  /// The most values of custom objects and lists (`google.protobuf.Value`) in one request.
  package var customValues: Int
  /// How deep messages may be nested; the request itself has depth 1.
  package var depth: Int
  /// The most bytes of one text, in UTF-8.
  package var textBytes: Int

  /// Limits that the largest valid requests stay below.
  package init(
    messages: Int = 300_000,
    customValues: Int = 20_000,
    depth: Int = 100,
    textBytes: Int = 262_144
  ) {
    self.messages = messages
    self.customValues = customValues
    self.depth = depth
    self.textBytes = textBytes
  }
}

/// Counts the messages in an encoded request before it is decoded. Refuses requests with too many
/// messages, and with texts that would take long to compare.
///
/// Refuses what makes the generated code copy all that it has decoded so far, again and again: a
/// field of one message that is set several times, whose values it merges, and lists of numbers in
/// many pieces, for each of which it moves the list. Protobuf allows both, but no encoder writes
/// them.
///
/// - Complexity: O(bytes), some nanoseconds for each field, without allocating.
struct MessageCensus {
  private let limits: DecodingLimits
  private let shapes: MessageShapes
  /// The messages counted so far.
  private(set) var messages = 0
  /// The memory that texts and lists of numbers take once they are decoded, in bytes, besides their
  /// encoded bytes.
  private(set) var byteCount = 0
  private var customValues = 0
  /// A text in a list, which has room for twice as many.
  private static let textBytes = 32
  /// The object of a text that is not stored in place.
  private static let longTextBytes = 48
  /// The most pieces of lists of numbers in one message, besides the first piece of each list.
  private static let morePieces = 16
  /// The names of the fields on the path to the place where a limit was exceeded, innermost first.
  private var path: [String] = []
  /// FIELD_INVALID if a limit was exceeded; nil = all limits are kept so far.
  private(set) var problem: LayoutProblem?

  init(_ limits: DecodingLimits, shapes: MessageShapes = .standard) {
    self.limits = limits
    self.shapes = shapes
  }

  /// Counts a message and all in it. Stops without a problem at malformed bytes, which the decoder
  /// refuses.
  ///
  /// - Parameter shape: the index of the message's type in the shapes.
  mutating func count(_ bytes: RawSpan, as shape: Int) {
    var cursor = WireCursor(count: bytes.byteCount)
    _ = visit(bytes, &cursor, shape, depth: 1)
  }

  /// Counts one message. The recursion is bounded by `DecodingLimits.depth`.
  ///
  /// - Returns: false = counting ends: a limit is exceeded, or bytes are malformed.
  private mutating func visit(
    _ bytes: RawSpan,
    _ cursor: inout WireCursor,
    _ index: Int,
    depth: Int
  ) -> Bool {
    guard admit(index, depth: depth) else { return false }
    var repeats = Repeats(singular: shapes.shapes[index].singular)
    while let tag = cursor.varint(in: bytes) {
      guard tag & 7 == 2 else {
        guard cursor.skip(wireType: tag & 7, in: bytes) else { return false }
        // A list that is not packed.
        if case .numbers(let size) = shapes.content(of: tag >> 3, in: index) { byteCount += size }
        continue
      }
      guard var part = cursor.part(in: bytes) else { return false }
      let goesOn: Bool
      switch shapes.content(of: tag >> 3, in: index) {
      case .others: continue
      case .texts: goesOn = admit(textAt: part.range, in: bytes)
      case .numbers(let size):
        goesOn = admit(pieceOf: tag >> 3, &repeats)
        if size > 0 { byteCount += size * part.varintCount(in: bytes) }
      case .messages(let next):
        goesOn =
          admit(messageOf: tag >> 3, &repeats) && visit(bytes, &part, next, depth: depth + 1)
      }
      guard goesOn else {
        if problem != nil { path.append(shapes.shapes[index].fields[Int(tag >> 3)] ?? "") }
        if depth == 1 { nameField() }
        return false
      }
    }
    return cursor.isAtEnd
  }

  /// Notes the problem if a text is too long, or has too many marks.
  @inline(__always)
  private mutating func admit(textAt range: Range<Int>, in bytes: RawSpan) -> Bool {
    byteCount += Self.textBytes + (range.count > 15 ? Self.longTextBytes + range.count : 0)
    guard range.count > 2 * TextCensus.marks else { return true }
    return admit(longTextAt: range, in: bytes)
  }

  private mutating func admit(longTextAt range: Range<Int>, in bytes: RawSpan) -> Bool {
    guard range.count <= limits.textBytes else {
      refuse(
        "\(range.count) bytes of text found; at most \(limits.textBytes) are allowed"
      )
      return false
    }
    let text = Span<UInt8>(_bytes: bytes.extracting(range))
    guard !TextCensus.hasTooManyMarks(text) else {
      refuse(
        "more than \(TextCensus.marks) combining marks in a row found; at most \(TextCensus.marks) "
          + "are allowed"
      )
      return false
    }
    return true
  }

  /// Which fields of one message have been found.
  private struct Repeats {
    /// The fields that hold one message.
    let singular: UInt64
    /// The fields found, a bit for each number.
    var found: UInt64 = 0
    /// How many pieces were not the first ones of their lists.
    var pieces = 0
  }

  /// Notes the problem if a field that holds one message is set again.
  @inline(__always)
  private mutating func admit(messageOf field: UInt64, _ repeats: inout Repeats) -> Bool {
    let bit = UInt64(1) << field & repeats.singular
    guard repeats.found & bit == 0 else {
      refuse("is set twice; it may be set once")
      return false
    }
    repeats.found |= bit
    return true
  }

  /// Notes the problem if the lists of numbers of one message have too many pieces.
  @inline(__always)
  private mutating func admit(pieceOf field: UInt64, _ repeats: inout Repeats) -> Bool {
    let bit = UInt64(1) << field
    if repeats.found & bit != 0 { repeats.pieces += 1 }
    repeats.found |= bit
    guard repeats.pieces <= Self.morePieces else {
      refuse(
        "more than \(Self.morePieces) additional pieces of lists of numbers found; at most "
          + "\(Self.morePieces) are allowed in one message"
      )
      return false
    }
    return true
  }

  /// Counts a message, and notes the problem if that exceeds a limit.
  private mutating func admit(_ index: Int, depth: Int) -> Bool {
    messages += 1
    if index == shapes.customValue { customValues += 1 }
    if messages > limits.messages {
      refuse(
        "more than \(limits.messages) messages found; at most \(limits.messages) are allowed in one "
          + "request"
      )
    } else if customValues > limits.customValues {
      refuse(
        "more than \(limits.customValues) custom values found; at most \(limits.customValues) are "
          + "allowed in one request"
      )
    } else if depth > limits.depth {
      refuse(
        "messages nest deeper than \(limits.depth) levels; at most \(limits.depth) are allowed"
      )
    }
    return problem == nil
  }

  private mutating func refuse(_ description: String) {
    problem = .fieldInvalid("", description)
  }

  /// Names the field in the problem, by the first eight names of its path.
  private mutating func nameField() {
    guard let description = problem?.violations.first?.description else { return }
    let names = path.reversed().prefix(8).joined(separator: ".")
    problem = .fieldInvalid(names, description)
  }
}
