// SPDX-License-Identifier: Apache-2.0

/// A section: its items in order and what it says about itself. Copying is O(1).
public struct SectionContents: Sendable {
  /// Unique in the collection; "" = none.
  public var key: String
  public var metrics: SectionMetrics
  /// The name of one of a compositional layout's sections; "" = by position.
  public var layoutName: String
  public var items: ItemSequence

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

  /// - Complexity: O(items)
  /// - Precondition: the blocks are valid.
  public init(
    key: String = "",
    metrics: SectionMetrics = SectionMetrics(),
    layoutName: String = "",
    blocks: [ItemBlock]
  ) {
    self.init(key: key, metrics: metrics, layoutName: layoutName, items: ItemSequence(blocks))
  }
}
