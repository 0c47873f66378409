// SPDX-License-Identifier: Apache-2.0

/// Rebuilds contents from the sections and chunks that `forEachDifference` reported.
///
/// Sections and chunks keep the numbers and labels that they had, so that the next differences are
/// small. Paths in errors count from the contract's CollectionContents on. Whether keys are unique
/// is not checked again: the contents that were stored have been checked.
public struct ContentsAssembly: Sendable {
  private let cellKindNames: [String]
  private let limits: ContentsLimits
  private var entries: [SectionEntry] = []
  /// The numbers of all sections so far.
  private var numbers: Set<UInt32> = []
  /// The section begun last, to which `chunks` belong.
  private var open: (contents: SectionContents, number: UInt32, label: UInt64)?
  private var chunks: [ChunkEntry] = []

  /// Starts with no sections.
  ///
  /// - Parameter cellKindNames: empty = one unnamed kind.
  /// - Parameter limits: what each chunk is checked against.
  public init(cellKindNames: [String], limits: ContentsLimits) {
    self.cellKindNames = cellKindNames.isEmpty ? [""] : cellKindNames
    self.limits = limits
  }

  /// Begins a section. The chunks that are added next belong to it.
  ///
  /// - Parameter section: the section's own properties; its items are ignored.
  /// - Parameter number: unique among the sections, and below 2³² − 1.
  /// - Parameter label: greater than that of the section before, and within 1 ..< 2⁶³.
  /// - Throws: `Refusal` if the number, the label or the metrics are invalid.
  public mutating func addSection(
    _ section: SectionContents,
    number: UInt32,
    label: UInt64
  ) throws(Refusal) {
    closeSection()
    var violations = Violations()
    let path = "sections[\(entries.count)]"
    checkLabel(label, after: entries.last?.label, path: path, into: &violations)
    if number == .max || !numbers.insert(number).inserted {
      violations.add(.fieldInvalid, path, "number \(number) is not free")
    }
    section.metrics.check(path: "\(path).metrics", into: &violations)
    try violations.throwIfAny()
    open = (section, number, label)
  }

  /// Adds a chunk to the section begun last.
  ///
  /// - Parameter block: the chunk's items, at least one.
  /// - Parameter label: greater than that of the chunk before, and within 1 ..< 2⁶³.
  /// - Throws: `Refusal` if no section has been begun, or the label or the items are invalid.
  /// - Complexity: O(values of the block)
  public mutating func addChunk(_ block: ItemBlock, label: UInt64) throws(Refusal) {
    var violations = Violations()
    let path = "sections[\(entries.count)].blocks[\(chunks.count)]"
    checkLabel(label, after: chunks.last?.label, path: path, into: &violations)
    if open == nil || block.count == 0 {
      violations.add(.fieldInvalid, path, "\(block.count) items; a section with items is needed")
    }
    block.check(
      kindCount: cellKindNames.count,
      limits: limits,
      path: path,
      into: &violations
    )
    try violations.throwIfAny()
    chunks.append(ChunkEntry(ItemChunk(block, in: 0 ..< block.count), label: label))
  }

  /// The contents of all sections that were added.
  ///
  /// - Complexity: O(sections)
  public mutating func finish() -> CollectionContents {
    closeSection()
    var contents = CollectionContents(entries: entries, cellKindNames: cellKindNames)
    // `addSection` refuses the number .max, so this does not overflow.
    contents.nextSerial = numbers.max().map { $0 + 1 } ?? 0
    if contents.hasOutlines { _ = contents.rows }
    return contents
  }

  private mutating func closeSection() {
    guard var section = open else { return }
    open = nil
    section.contents.items = ItemSequence(chunks: SummaryTree(chunks))
    chunks.removeAll(keepingCapacity: true)
    entries.append(
      SectionEntry(section.contents, serial: section.number, label: section.label)
    )
  }

  private func checkLabel(
    _ label: UInt64,
    after last: UInt64?,
    path: String,
    into violations: inout Violations
  ) {
    if label <= last ?? 0 || label >= OrderLabels.end {
      violations.add(.fieldInvalid, path, "label \(label) follows \(last ?? 0); labels grow")
    }
  }
}
