// SPDX-License-Identifier: Apache-2.0

package import CollectionModel

/// Reads contents part by part, as they arrive over a stream or from the store.
package struct ContentsReader: Sendable {
  private var builder: ContentsBuilder
  private let kindCount: Int
  /// The number of sections that have begun.
  private var sectionCount = 0

  /// Begins with empty contents.
  ///
  /// - Parameters:
  ///   - cellKindNames: empty = one unnamed kind.
  ///   - limits: checked with each part.
  /// - Throws: FIELD_INVALID
  package init(cellKindNames: [String], limits: ContentsLimits) throws(LayoutProblem) {
    var reader = FieldReader()
    let names = reader.kindNames(cellKindNames, "cell_kind_names")
    try reader.finish()
    builder = ContentsBuilder(cellKindNames: names, limits: limits)
    kindCount = max(1, names.count)
  }

  /// Adds a section, with the items in its message.
  ///
  /// - Throws: FIELD_INVALID, BATCH_INCONSISTENT or a quota; the reader is not used after that.
  package mutating func add(_ message: Wire.Section) throws(LayoutProblem) {
    var reader = FieldReader()
    let section = reader.sectionBlocks(message, kindCount: kindCount)
    try reader.finish()
    defer { sectionCount += 1 }
    try build(depth: 1, section: sectionCount) { (builder) throws(Refusal) in
      try builder.addSection(
        key: section.key,
        metrics: section.metrics,
        layoutName: section.layoutName,
        outline: section.outline
      )
      for block in section.blocks { try builder.addItems(block) }
    }
  }

  /// Adds items to the last section.
  ///
  /// - Throws: FIELD_INVALID, BATCH_INCONSISTENT or a quota; the reader is not used after that.
  package mutating func add(_ message: Wire.ItemBlock) throws(LayoutProblem) {
    var reader = FieldReader()
    let block = reader.block(message, kindCount: kindCount)
    try reader.finish()
    sectionCount = max(1, sectionCount)
    try build(depth: 2, section: sectionCount - 1) { (builder) throws(Refusal) in
      try builder.addItems(block)
    }
  }

  /// Returns the contents, after the last part.
  ///
  /// - Throws: what the model refuses about the contents as a whole. The descriptions name the
  ///   sections, and the paths are empty.
  package mutating func finish() throws(LayoutProblem) -> CollectionContents {
    try build(depth: 1, section: nil) { (builder) throws(Refusal) in try builder.finish() }
  }

  /// - Parameters:
  ///   - depth: how many components of the model's paths, such as "sections[2].blocks[0].keys[7]",
  ///     lead to the message that is being read.
  ///   - section: the section that the message belongs to; nil = none is being read.
  private mutating func build<Value>(
    depth: Int,
    section: Int?,
    _ step: (inout ContentsBuilder) throws(Refusal) -> Value
  ) throws(LayoutProblem) -> Value {
    do throws(Refusal) { return try step(&builder) } catch {
      throw LayoutProblem(error.below(depth, in: section))
    }
  }
}

extension Refusal {
  /// The refusal with paths that begin at the message to which the first `depth` components lead.
  /// Faults of sections that were read before have no path there; their descriptions name them.
  fileprivate func below(_ depth: Int, in section: Int?) -> Refusal {
    let current = section.map { "sections[\($0)]" }
    let others = violations.compactMap { $0.root == current ?? "" ? nil : $0.sectionIndex }
    let found = violations.map { (violation) -> FieldViolation in
      if let index = violation.sectionIndex, violation.root != current ?? "" {
        let description = "section \(index): \(violation.description)"
        return FieldViolation(field: "", description: description)
      }
      let path = violation.field.split(separator: ".").dropFirst(depth).joined(separator: ".")
      return FieldViolation(field: path, description: violation.description)
    }
    var refusal = Refusal(reason, found)
    refusal.metadata = metadata
    if let other = others.first { refusal.metadata["section"] = "\(other)" }
    return refusal
  }
}

extension FieldViolation {
  /// The first component of the path.
  fileprivate var root: Substring { field.prefix { $0 != "." } }

  /// The number in "sections[…]", if the path begins with that.
  fileprivate var sectionIndex: Int? {
    guard root.hasPrefix("sections["), root.hasSuffix("]") else { return nil }
    return Int(root.dropFirst("sections[".count).dropLast())
  }
}
