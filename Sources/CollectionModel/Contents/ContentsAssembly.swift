// SPDX-License-Identifier: Apache-2.0

/// Puts contents together again from the sections and chunks that `forEachDifference` told of, with
/// the numbers and labels that they had, so that differences from then on are small.
///
/// What an error names is a path from the contract's CollectionContents on. Keys are not compared
/// with each other: contents that were taken apart had none twice.
public struct ContentsAssembly: Sendable {
  private let cellKindNames: [String]
  private let limits: ContentsLimits
  private var entries: [SectionEntry] = []
  private var numbers: Set<UInt32> = []
  private var open: (contents: SectionContents, number: UInt32, label: UInt64)?
  private var chunks: [ChunkEntry] = []

  /// - Parameter cellKindNames: empty = one unnamed kind.
  public init(cellKindNames: [String], limits: ContentsLimits) {
    self.cellKindNames = cellKindNames.isEmpty ? [""] : cellKindNames
    self.limits = limits
  }

  /// Begins a section. Chunks from now on are its own.
  ///
  /// - Parameter section: its items are not looked at.
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

  public mutating func finish() -> CollectionContents {
    closeSection()
    var contents = CollectionContents(entries: entries, cellKindNames: cellKindNames)
    contents.nextSerial = numbers.max().map { $0 + 1 } ?? 0
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
