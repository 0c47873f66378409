// SPDX-License-Identifier: Apache-2.0

/// A section as it arrives from outside, not yet checked: the contract's Section.
public struct SectionBlocks: Hashable, Sendable {
  /// Unique in the collection; "" = none.
  public var key: String
  /// The section's items, in order.
  public var blocks: [ItemBlock]
  /// The section's overrides of the layout's metrics.
  public var metrics: SectionMetrics
  /// The name of an entry of a compositional layout or a layout of sections; "" = by position.
  public var layoutName: String
  /// Who decides which items are expanded; nil = the section is not an outline.
  public var outline: OutlineExpansion?

  /// A section with the given values, which are not checked.
  public init(
    key: String = "",
    blocks: [ItemBlock] = [],
    metrics: SectionMetrics = SectionMetrics(),
    layoutName: String = "",
    outline: OutlineExpansion? = nil
  ) {
    self.key = key
    self.blocks = blocks
    self.metrics = metrics
    self.layoutName = layoutName
    self.outline = outline
  }

  /// Checks the section by itself and returns its contents.
  ///
  /// Whether keys are unique and cell kinds are among the collection's is checked when the section
  /// is added to a collection.
  ///
  /// - Complexity: O(values)
  /// - Throws: `Refusal` whose paths count from the section's message on: "blocks[0].widths[3]".
  public func validated(
    limits: ContentsLimits = .standard
  ) throws(Refusal) -> SectionContents {
    var violations = Violations()
    checkSectionKey(key, limits: limits, path: "key", into: &violations)
    metrics.check(path: "metrics", into: &violations)
    checkItemCount(blocks, limits: limits, path: "blocks", into: &violations)
    for (i, block) in blocks.enumerated() where !violations.isFull {
      block.check(
        kindCount: Int(UInt32.max),
        limits: limits,
        path: "blocks[\(i)]",
        into: &violations
      )
    }
    try violations.throwIfAny()
    let section = SectionContents(
      key: key,
      metrics: metrics,
      layoutName: layoutName,
      outline: outline,
      blocks: blocks
    )
    section.checkOutline(path: "", into: &violations)
    try violations.throwIfAny()
    return section
  }
}

/// Reports blocks that together have more items than a collection may have. A client chooses the
/// counts, so their sum stops at `Int.max` instead of overflowing.
func checkItemCount(
  _ blocks: [ItemBlock],
  limits: ContentsLimits,
  path: String,
  into violations: inout Violations
) {
  var count = 0
  for block in blocks {
    let (sum, overflow) = count.addingReportingOverflow(max(block.count, 0))
    count = overflow ? Int.max : sum
  }
  if count > limits.items {
    violations.add(
      .quotaItems,
      path,
      "\(count) items; a collection has at most \(limits.items)"
    )
  }
}
