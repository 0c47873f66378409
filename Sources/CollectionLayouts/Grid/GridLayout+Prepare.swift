// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

extension GridLayout: CollectionLayout {
  /// "grid".
  public var kindName: String { "grid" }

  /// The display scale and the reading direction: the size of the content follows from its items
  /// alone.
  public func significantParts(of container: LayoutContainer) -> LayoutContainer {
    LayoutContainer(
      size: .zero,
      displayScale: container.displayScale,
      isRightToLeft: container.isRightToLeft
    )
  }

  /// Counts the items of every section.
  ///
  /// - Complexity: O(sections)
  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    var rows: [GridRow] = []
    rows.reserveCapacity(context.contents.sectionCount)
    context.contents.forEachSection(in: 0 ..< context.contents.sectionCount) { _, section in
      rows.append(GridRow(itemCount: section.items.count))
      return true
    }
    return PreparedGrid(layout: self, context: context, rows: SummaryTree(rows))
  }

  /// Counts the items of the changed sections.
  ///
  /// - Complexity: O(c · log sections) for c changed sections.
  public func update(
    _ prepared: any PreparedLayout,
    by change: ContentsChange
  ) -> any PreparedLayout {
    var context = prepared.context
    context.contents = change.new
    guard let grid = prepared as? PreparedGrid else { return prepare(context) }
    var rows = grid.rows
    for splice in change.sectionSplices.reversed() {
      rows.replaceSubrange(
        splice.old,
        with: splice.new.map { GridRow(itemCount: change.new.section(at: $0).items.count) }
      )
    }
    for changed in change.changedSections {
      rows[changed.newIndex] = GridRow(
        itemCount: change.new.section(at: changed.newIndex).items.count
      )
    }
    return PreparedGrid(layout: self, context: context, rows: rows)
  }

  /// Rejects sizes and spacings that are negative or not finite.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    findings.expectLengths(itemSize, "item_size")
    findings.expectNotNegative(interitemSpacing, "interitem_spacing")
    findings.expectNotNegative(lineSpacing, "line_spacing")
  }
}

/// A section of a grid in the tree of its rows.
struct GridRow: SummarizedElement {
  let itemCount: Int

  var summary: GridSummary { GridSummary(longestRow: itemCount) }
}

/// A summary of consecutive rows.
struct GridSummary: Hashable, TreeSummary {
  /// The number of items in the longest row; 0 without rows.
  var longestRow: Int

  static let zero = GridSummary(longestRow: 0)

  static func + (a: GridSummary, b: GridSummary) -> GridSummary {
    GridSummary(longestRow: max(a.longestRow, b.longestRow))
  }
}
