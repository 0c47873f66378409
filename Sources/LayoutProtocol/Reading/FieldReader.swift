// SPDX-License-Identifier: Apache-2.0

package import CollectionModel
internal import LayoutGeometry

/// Validates messages from outside while it reads them into values, and collects every invalid
/// field with its path.
///
/// After an invalid field, reading continues with a harmless value in its place, so that one answer
/// reports all invalid fields; `finish()` then throws. Valid fields cost no allocation: the path is
/// kept as names and becomes a string only for a violation.
package struct FieldReader {
  /// The largest magnitude of any length or position, in points: 2⁴⁰. A double keeps steps of
  /// 1/4096 point there, and sums and products of a few such numbers are far from infinity.
  package static let maxMagnitude = Rect.greatestLength

  /// The most elements that one event may name. Clients hold fewer.
  package static let maxNamedElements = 65_536

  /// The most sections that one background may name.
  static let maxBackgroundSections = 65_536

  /// The most violations of a kind that are reported, because an answer must fit into trailers.
  /// Further ones are only counted.
  static let maxReported = 16

  private enum Step {
    case field(StaticString)
    case element(StaticString, Int)
    case prefix(String)
  }

  private var path: [Step] = []
  private var invalid: [FieldViolation] = []
  private var outOfRange: [FieldViolation] = []
  private var unreported = 0
  private var otherProblem: LayoutProblem?

  /// The largest magnitude that this reader accepts, in points. Clients read answers with a higher
  /// one than `maxMagnitude`, because ten million items of the largest length together exceed that.
  let limit: Double

  /// A reader without violations.
  ///
  /// - Parameters:
  ///   - prefix: the path from the event or request to the message: "batch".
  ///   - limit: the largest magnitude of lengths and positions, in points.
  package init(prefix: String = "", limit: Double = FieldReader.maxMagnitude) {
    self.limit = limit
    if !prefix.isEmpty { path.append(.prefix(prefix)) }
  }

  /// Whether nothing has been refused so far.
  package var isClean: Bool { invalid.isEmpty && outOfRange.isEmpty && otherProblem == nil }

  /// The violations so far: invalid fields, then indices out of range.
  package var violations: [FieldViolation] { invalid + outOfRange }

  /// Throws if anything was refused.
  ///
  /// - Throws: the problem passed to `fail`, otherwise FIELD_INVALID if there are invalid fields,
  ///   otherwise INDEX_OUT_OF_RANGE.
  package func finish() throws(LayoutProblem) {
    if let otherProblem { throw otherProblem }
    guard !isClean else { return }
    var problem: LayoutProblem =
      invalid.isEmpty
      ? .indexOutOfRange(outOfRange) : .fieldsInvalid(invalid + outOfRange)
    if unreported > 0 { problem.metadata["unreportedViolations"] = String(unreported) }
    throw problem
  }
}

// MARK: - Paths

extension FieldReader {
  /// Reads the message in the field `name` of the current message. During `read` it is the current
  /// message.
  @inline(__always)
  package mutating func within<Value>(
    _ name: StaticString,
    _ read: (inout FieldReader) -> Value
  ) -> Value {
    path.append(.field(name))
    defer { path.removeLast() }
    return read(&self)
  }

  /// Reads one message in the repeated field `name` of the current one.
  @inline(__always)
  package mutating func within<Value>(
    _ name: StaticString,
    at index: Int,
    _ read: (inout FieldReader) -> Value
  ) -> Value {
    path.append(.element(name, index))
    defer { path.removeLast() }
    return read(&self)
  }

  /// Reads every message of a repeated field.
  package mutating func each<Message, Value>(
    _ messages: [Message],
    _ name: StaticString,
    _ read: (Message, inout FieldReader) -> Value
  ) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(messages.count)
    for (index, message) in messages.enumerated() {
      values.append(within(name, at: index) { read(message, &$0) })
    }
    return values
  }

  /// The path of the current message, or of a field of it.
  package func path(to name: StaticString? = nil) -> String {
    var text = ""
    func append(_ part: some CustomStringConvertible) {
      if !text.isEmpty { text += "." }
      text += part.description
    }
    for step in path {
      switch step {
      case .field(let name): append(name)
      case .element(let name, let index):
        append(name)
        text += "[\(index)]"
      case .prefix(let prefix): append(prefix)
      }
    }
    if let name { append(name) }
    return text
  }
}

// MARK: - Refusals

extension FieldReader {
  /// Refuses a field as invalid.
  ///
  /// - Parameters:
  ///   - name: a field of the current message; nil = the message itself.
  ///   - index: the index of the invalid value in a repeated field; nil = the field as a whole.
  ///   - description: what was found and what is allowed.
  package mutating func reject(
    _ name: StaticString? = nil,
    at index: Int? = nil,
    _ description: String
  ) {
    guard invalid.count < FieldReader.maxReported else {
      unreported += 1
      return
    }
    invalid.append(violation(name, at: index, description))
  }

  /// Refuses a field as invalid.
  ///
  /// - Parameter field: the path from the current message to the field; "" = the message itself.
  package mutating func reject(path field: String, _ description: String) {
    guard invalid.count < FieldReader.maxReported else {
      unreported += 1
      return
    }
    let path = path()
    invalid.append(
      .init(
        field: path.isEmpty ? field : field.isEmpty ? path : "\(path).\(field)",
        description: description
      )
    )
  }

  /// Refuses an index that no contents can have, as out of range.
  package mutating func rejectIndex(
    _ name: StaticString? = nil,
    at index: Int? = nil,
    _ description: String
  ) {
    guard outOfRange.count < FieldReader.maxReported else {
      unreported += 1
      return
    }
    outOfRange.append(violation(name, at: index, description))
  }

  /// Refuses the request with a problem that has a reason of its own. Only the first one is thrown.
  package mutating func fail(_ problem: LayoutProblem) {
    if otherProblem == nil { otherProblem = problem }
  }

  private func violation(
    _ name: StaticString?,
    at index: Int?,
    _ description: String
  ) -> FieldViolation {
    let field = path(to: name)
    return .init(
      field: index.map { "\(field)[\($0)]" } ?? field,
      description: description
    )
  }
}
