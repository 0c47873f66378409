// SPDX-License-Identifier: Apache-2.0

/// A section as it comes from outside, not yet checked: the contract's Section.
public struct SectionBlocks: Hashable, Sendable {
  public var key: String
  public var blocks: [ItemBlock]
  public var metrics: SectionMetrics
  public var layoutName: String

  public init(
    key: String = "",
    blocks: [ItemBlock] = [],
    metrics: SectionMetrics = SectionMetrics(),
    layoutName: String = ""
  ) {
    self.key = key
    self.blocks = blocks
    self.metrics = metrics
    self.layoutName = layoutName
  }

  /// The section's contents, checked by themselves; whether keys are unique and cell kinds within
  /// the collection's names is seen where the section comes into a collection.
  ///
  /// - Throws: `Refusal`, its paths from the section's own message on: "blocks[0].widths[3]".
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
    return SectionContents(key: key, metrics: metrics, layoutName: layoutName, blocks: blocks)
  }
}

/// Reports blocks that together exceed what a collection may hold, before anything is built of them.
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
