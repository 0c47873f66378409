// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// What one request may hold besides its bytes: a message of two bytes takes a hundred or more once
/// it is decoded.
package struct DecodingLimits: Hashable, Sendable {
  /// Messages of any kind in one request, itself included.
  package var messages: Int
  /// Values of custom objects and lists (`google.protobuf.Value`) in one request.
  package var customValues: Int
  /// How deep messages may lie in each other.
  package var depth: Int

  package init(messages: Int = 300_000, customValues: Int = 20_000, depth: Int = 100) {
    self.messages = messages
    self.customValues = customValues
    self.depth = depth
  }
}

/// Counts the messages of an encoded request before anything is decoded, and refuses what holds too
/// many of them.
///
/// - Complexity: O(bytes), some nanoseconds for each field, without allocating.
struct MessageCensus {
  private let limits: DecodingLimits
  private let shapes: MessageShapes
  private var messages = 0
  private var customValues = 0
  /// Where a limit was reached, from the innermost field outwards.
  private var path: [String] = []
  private(set) var problem: LayoutProblem?

  init(_ limits: DecodingLimits, shapes: MessageShapes = .standard) {
    self.limits = limits
    self.shapes = shapes
  }

  /// Counts a message; what is malformed is left to the decoder, which refuses it.
  ///
  /// - Parameter shape: its type, as an index of the shapes.
  mutating func count(_ bytes: RawSpan, as shape: Int) {
    var cursor = WireCursor(count: bytes.byteCount)
    _ = visit(bytes, &cursor, shape, depth: 1)
  }

  /// - Returns: false where counting ends.
  private mutating func visit(
    _ bytes: RawSpan,
    _ cursor: inout WireCursor,
    _ index: Int,
    depth: Int
  ) -> Bool {
    guard admit(index, depth: depth) else { return false }
    while let tag = cursor.varint(in: bytes) {
      guard tag & 7 == 2 else {
        guard cursor.skip(wireType: tag & 7, in: bytes) else { return false }
        continue
      }
      guard var part = cursor.part(in: bytes) else { return false }
      guard let next = shapes.shape(of: tag >> 3, in: index) else { continue }
      guard visit(bytes, &part, next, depth: depth + 1) else {
        if problem != nil { path.append(shapes.shapes[index].fields[Int(tag >> 3)] ?? "") }
        if depth == 1 { nameField() }
        return false
      }
    }
    return cursor.isAtEnd
  }

  private mutating func admit(_ index: Int, depth: Int) -> Bool {
    messages += 1
    if index == shapes.customValue { customValues += 1 }
    if messages > limits.messages {
      refuse("more than \(limits.messages) messages found; so many are allowed in one request")
    } else if customValues > limits.customValues {
      refuse("more than \(limits.customValues) values found; so many are allowed in one request")
    } else if depth > limits.depth {
      refuse("messages nest deeper than \(limits.depth), which is not allowed")
    }
    return problem == nil
  }

  private mutating func refuse(_ description: String) {
    problem = .fieldInvalid("", description)
  }

  /// Puts the path into the problem that was found on it: its first eight names say enough.
  private mutating func nameField() {
    guard let description = problem?.violations.first?.description else { return }
    let names = path.reversed().prefix(8).joined(separator: ".")
    problem = .fieldInvalid(names, description)
  }
}
