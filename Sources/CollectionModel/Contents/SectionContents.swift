// SPDX-License-Identifier: Apache-2.0

/// A section: its items in order, with its key, metrics and layout name. Copying is O(1).
public struct SectionContents: Sendable {
  /// Unique in the collection; "" = none.
  public var key: String
  /// The section's overrides of the layout's metrics.
  public var metrics: SectionMetrics
  /// The name of an entry of a compositional layout or a layout of sections; "" = by position.
  public var layoutName: String
  /// Who decides which items are expanded; nil = the section is not an outline.
  public var outline: OutlineExpansion?
  /// The items, in order; for an outline in `CollectionContents.rows` only the visible ones.
  public var items: ItemSequence
  /// What a viewer measured of the section's elements, if these are private contents of a session.
  /// It is not part of the data.
  public internal(set) var measured = SectionMeasurements.none
  /// Which items of an outline these are, if they are only the visible ones; nil otherwise.
  public internal(set) var rows: SectionRows?

  /// A section with the given values, which are not checked.
  public init(
    key: String = "",
    metrics: SectionMetrics = SectionMetrics(),
    layoutName: String = "",
    outline: OutlineExpansion? = nil,
    items: ItemSequence = ItemSequence()
  ) {
    self.key = key
    self.metrics = metrics
    self.layoutName = layoutName
    self.outline = outline
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
    outline: OutlineExpansion? = nil,
    blocks: [ItemBlock]
  ) {
    self.init(
      key: key,
      metrics: metrics,
      layoutName: layoutName,
      outline: outline,
      items: ItemSequence(blocks)
    )
  }
}
