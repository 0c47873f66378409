// SPDX-License-Identifier: Apache-2.0

/// Builds and checks the contents of a collection from parts as they arrive.
///
///     var builder = ContentsBuilder(cellKindNames: names)
///     try builder.addSection(key: "today")
///     try builder.addItems(block)
///     let contents = try builder.finish()
///
/// Paths in errors count from the contract's CollectionContents on:
/// "sections[2].blocks[0].widths[7]". Discard the builder once it has thrown an error.
public struct ContentsBuilder: Sendable {
  private struct OpenSection: Sendable {
    var key: String
    var metrics: SectionMetrics
    var layoutName: String
    var outline: OutlineExpansion?
    var assembly = ChunkAssembly()
    var blockCount = 0
  }

  /// The number of items added so far.
  public private(set) var itemCount = 0
  private let cellKindNames: [String]
  private let limits: ContentsLimits
  private var entries: [SectionEntry] = []
  private var open: OpenSection?
  private var sectionKeys: Set<ExactText> = []

  /// Starts with no sections.
  ///
  /// - Parameter cellKindNames: empty = one unnamed kind.
  /// - Parameter limits: what the finished contents and each part of them are checked against.
  public init(cellKindNames: [String] = [], limits: ContentsLimits = .standard) {
    self.cellKindNames = cellKindNames.isEmpty ? [""] : cellKindNames
    self.limits = limits
  }

  /// Begins a section. The items that are added next belong to it.
  ///
  /// - Parameter key: "" = none. Either all sections have a key or none has.
  /// - Parameter layoutName: the name of an entry of a compositional layout or a layout of
  ///   sections; "" = by position.
  /// - Parameter outline: who decides which items are expanded; nil = the section is not an
  ///   outline.
  /// - Throws: `Refusal` if there are too many sections, or the key or the metrics are invalid.
  public mutating func addSection(
    key: String = "",
    metrics: SectionMetrics = SectionMetrics(),
    layoutName: String = "",
    outline: OutlineExpansion? = nil
  ) throws(Refusal) {
    try closeSection()
    var violations = Violations()
    let index = entries.count
    let path = "sections[\(index)]"
    if index >= limits.sections {
      violations.add(
        .quotaSections,
        "sections",
        "more than \(limits.sections) sections, which is the most"
      )
    }
    checkSectionKey(key, limits: limits, path: "\(path).key", into: &violations)
    metrics.check(path: "\(path).metrics", into: &violations)
    if index > 0 && key.isEmpty != sectionKeys.isEmpty {
      violations.add(
        .fieldInvalid,
        "\(path).key",
        "\(key.isEmpty ? "empty" : "\"\(key)\""); either all sections have a key or none"
      )
    } else if !key.isEmpty && !sectionKeys.insert(ExactText(key)).inserted {
      violations.add(
        .fieldInvalid,
        "\(path).key",
        "\"\(key)\" is the key of another section; must be unique"
      )
    }
    try violations.throwIfAny()
    open = OpenSection(
      key: key,
      metrics: metrics,
      layoutName: layoutName,
      outline: outline
    )
  }

  /// Adds items to the section begun last; begins an unnamed section if there is none yet.
  ///
  /// - Complexity: O(values of the block)
  /// - Throws: `Refusal` if there are too many items or a value is invalid.
  public mutating func addItems(_ block: ItemBlock) throws(Refusal) {
    if open == nil { try addSection() }
    let section = entries.count
    let index = open?.blockCount ?? 0
    var violations = Violations()
    block.check(
      kindCount: cellKindNames.count,
      limits: limits,
      path: "sections[\(section)].blocks[\(index)]",
      into: &violations
    )
    try violations.throwIfAny()
    guard block.count <= limits.items - itemCount else {
      throw Refusal(
        .quotaItems,
        field: "sections[\(section)].blocks[\(index)].count",
        "\(itemCount) items before and \(block.count) here; at most \(limits.items)"
      )
    }
    open?.assembly.append(ChunkSlice(ItemChunk(block, in: 0 ..< block.count)))
    open?.blockCount += 1
    itemCount += block.count
  }

  /// Checks that keys are unique and returns the contents.
  ///
  /// - Complexity: O(items with keys + sections)
  /// - Throws: `Refusal` naming up to 16 items that have the key of an earlier item.
  public mutating func finish() throws(Refusal) -> CollectionContents {
    try closeSection()
    let contents = CollectionContents(entries: entries, cellKindNames: cellKindNames)
    var violations = Violations()
    contents.checkItemKeys(path: "sections", into: &violations)
    try violations.throwIfAny()
    // Computed here, where the work is expected, and not when the first viewer comes.
    if contents.hasOutlines { _ = contents.rows }
    return contents
  }

  private mutating func closeSection() throws(Refusal) {
    guard var section = open else { return }
    open = nil
    let contents = SectionContents(
      key: section.key,
      metrics: section.metrics,
      layoutName: section.layoutName,
      outline: section.outline,
      items: ItemSequence(numbering: section.assembly.finish())
    )
    var violations = Violations()
    contents.checkOutline(path: "sections[\(entries.count)]", into: &violations)
    try violations.throwIfAny()
    // `addSection` refuses sections beyond the limit, so the index is below it. The limit is far
    // below 2³², so the serial is not cut off.
    let index = entries.count
    entries.append(
      SectionEntry(
        contents,
        serial: UInt32(truncatingIfNeeded: index),
        label: OrderLabels.label(ofNew: index, of: limits.sections)
      )
    )
  }
}

extension CollectionContents {
  /// Reports items that have the key of an earlier item.
  ///
  /// - Parameter path: the path of the list of sections, for the report.
  /// - Complexity: O(items with keys); the contents keep the key index that this builds.
  func checkItemKeys(path: String, into violations: inout Violations) {
    guard hasItemKeys else { return }
    for (earlier, later) in keyIndex.index(of: self).duplicates {
      violations.add(
        .fieldInvalid,
        "\(path)[\(later.section)].blocks",
        "item \(later) has the key \"\(key(at: later) ?? "")\" of item \(earlier); keys must be "
          + "unique"
      )
    }
  }

  /// Contents of the given sections, which are checked.
  ///
  /// - Parameter cellKindNames: empty = one unnamed kind.
  /// - Complexity: O(values)
  /// - Throws: `Refusal` whose paths count from the contract's CollectionContents on.
  public init(
    validating sections: [SectionBlocks],
    cellKindNames: [String] = [],
    limits: ContentsLimits = .standard
  ) throws(Refusal) {
    var builder = ContentsBuilder(cellKindNames: cellKindNames, limits: limits)
    for section in sections {
      try builder.addSection(
        key: section.key,
        metrics: section.metrics,
        layoutName: section.layoutName,
        outline: section.outline
      )
      for block in section.blocks { try builder.addItems(block) }
    }
    self = try builder.finish()
  }
}
