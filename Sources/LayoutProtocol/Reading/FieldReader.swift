// SPDX-License-Identifier: Apache-2.0

package import CollectionModel

/// Reads a message from outside into values, and notes every field at fault with its path.
///
/// Reading goes on after a fault with a harmless value in its place, so that one answer tells all
/// faults; `finish()` then throws. Nothing is allocated for fields that are in order: the path is
/// kept as names and put together only for a refusal.
package struct FieldReader {
  /// The largest magnitude of any length or position, in points: sums and products of a few such
  /// numbers stay exact enough and far from infinity.
  package static let maxMagnitude = 1_099_511_627_776.0

  /// Elements that one event may name: more than a client ever holds.
  package static let maxNamedElements = 65_536

  /// Sections that one background may name.
  static let maxBackgroundSections = 65_536

  /// More violations than this are counted, not told: an answer must fit into trailers.
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

  /// The largest magnitude that is read. A server's answers may go beyond `maxMagnitude`: ten million
  /// items of the largest length are longer together.
  let limit: Double

  /// - Parameters:
  ///   - prefix: where the message lies, seen from the event or request: "batch".
  ///   - limit: of lengths and positions, in points.
  package init(prefix: String = "", limit: Double = FieldReader.maxMagnitude) {
    self.limit = limit
    if !prefix.isEmpty { path.append(.prefix(prefix)) }
  }

  /// Whether nothing was refused yet.
  package var isClean: Bool { invalid.isEmpty && outOfRange.isEmpty && otherProblem == nil }

  /// The invalid fields noted so far.
  package var violations: [FieldViolation] { invalid + outOfRange }

  /// Throws what was noted: another problem before invalid fields before indices out of range.
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
  /// Reads a message in the field `name` of the current one.
  @inline(__always)
  package mutating func within<Value>(
    _ name: StaticString,
    _ read: (inout FieldReader) -> Value
  ) -> Value {
    path.append(.field(name))
    defer { path.removeLast() }
    return read(&self)
  }

  /// Reads a message in the repeated field `name` of the current one.
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
  /// Notes that a field is invalid.
  ///
  /// - Parameters:
  ///   - name: a field of the current message; nil = the message itself.
  ///   - index: of the value at fault in a repeated field.
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

  /// Notes that a field, named from the current message on by others, is invalid.
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

  /// Notes that a field names a place that cannot exist.
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

  /// Notes a fault that has a reason of its own; the first one counts.
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
