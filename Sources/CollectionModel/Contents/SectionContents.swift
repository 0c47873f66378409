// SPDX-License-Identifier: Apache-2.0

/// A section: its items in order, with its key, metrics and layout name. Copying is O(1).
public struct SectionContents: Sendable {
  /// Unique in the collection; "" = none.
  public var key: String
  /// The section's overrides of the layout's metrics.
  public var metrics: SectionMetrics
  /// The name of an entry of a compositional layout or a layout of sections; "" = by position.
  public var layoutName: String
  /// The items, in order.
  public var items: ItemSequence

  /// A section with the given values, which are not checked.
  public init(
    key: String = "",
    metrics: SectionMetrics = SectionMetrics(),
    layoutName: String = "",
    items: ItemSequence = ItemSequence()
  ) {
    self.key = key
    self.metrics = metrics
    self.layoutName = layoutName
    self.items = items
  }

  /// A section with the items of some blocks.
  ///
  /// - Complexity: O(values of the blocks)
  /// - Precondition: each block is valid by itself, and they have fewer than 2⁶³ items together. A
  ///   message cannot hold more: the count of a block has 32 bits there.
  public init(
    key: String = "",
    metrics: SectionMetrics = SectionMetrics(),
    layoutName: String = "",
    blocks: [ItemBlock]
  ) {
    self.init(key: key, metrics: metrics, layoutName: layoutName, items: ItemSequence(blocks))
  }
}
