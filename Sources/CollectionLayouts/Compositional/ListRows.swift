// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The rows of a list in one container: everything about them that does not depend on the data.
struct ListRows: Sendable {
  private let rule: LineRule
  /// nil = rows have none.
  let separators: RowSeparators?

  /// - Parameter crossLength: the width that the section's insets leave, in points.
  /// - Parameter spacing: between rows, in points.
  /// - Parameter kinds: indices of the layout's element kinds by name.
  init(
    _ list: ListConfiguration,
    crossLength: Double,
    spacing: Double,
    kinds: KindIndices,
    environment: SectionEnvironment
  ) {
    let height = environment.pixelAligned(DimensionResolver.length(list.rowHeight))
    rule = LineRule(
      axis: environment.axis,
      // The width of a row is a fraction, which is rounded down.
      extent: environment.pixelGrid?.floor(crossLength) ?? crossLength,
      itemSpacing: 0,
      lineSpacing: spacing,
      defaultSize: environment.axis.size(main: height, cross: 0),
      isList: true,
      pixelGrid: environment.pixelGrid
    )
    separators = Self.separators(list, kinds: kinds, environment: environment)
  }

  private static func separators(
    _ list: ListConfiguration,
    kinds: KindIndices,
    environment: SectionEnvironment
  ) -> RowSeparators? {
    guard list.showsSeparators, let kind = kinds[StandardKind.separator] else { return nil }
    let scale = environment.container.displayScale
    let pixel = scale > 0 && scale.isFinite ? 1 / scale : 1
    let thickness = DimensionResolver.length(list.separatorThickness ?? pixel)
    return RowSeparators(
      kind: kind,
      topKind: kinds[StandardKind.topSeparator],
      thickness: environment.pixelAligned(thickness),
      standard: list.separator.bounded,
      byCellKind: Dictionary(
        list.rowSeparators.prefix(CompositionalLayout.Limit.rowSeparators)
          .map { (ExactText($0.cellKind), $0.separator.bounded) },
        uniquingKeysWith: { first, _ in first }
      ),
      axis: environment.axis
    )
  }

  /// Puts items into rows.
  ///
  /// - Complexity: O(items), or O(chunks) if all rows have one height.
  func body(
    of items: ItemSequence,
    zIndex: Int32,
    work: LayoutWork
  ) -> CompositionalLayout.SectionItems {
    section(
      LinesBody(items, rule: rule, arrangement: .rows(separators, zIndex: zIndex), work: work)
    )
  }

  /// The rows after a change. They share what the change left alone.
  ///
  /// - Complexity: O(edited items + log items) if heights differ, else O(chunks).
  func body(
    _ old: LinesBody,
    with items: ItemSequence,
    _ splices: [Splice],
    zIndex: Int32,
    work: LayoutWork
  ) -> CompositionalLayout.SectionItems {
    let isSame = old.arrangement.isSame(as: .rows(separators, zIndex: zIndex))
    guard isSame, old.rule == rule else { return body(of: items, zIndex: zIndex, work: work) }
    return section(old.updated(to: items, rule: rule, splices: splices, work: work))
  }

  private func section(_ body: LinesBody) -> CompositionalLayout.SectionItems {
    CompositionalLayout.SectionItems(
      body: body.items.count > 0 ? body : nil,
      // A separator may be thicker than the rows around it are high.
      overhang: separators?.overhang ?? .none,
      isShareable: body.isShareable || body.items.count == 0
    )
  }
}

extension ListSeparator {
  /// With finite insets.
  fileprivate var bounded: ListSeparator {
    var separator = self
    separator.topInsets = DimensionResolver.insets(topInsets)
    separator.bottomInsets = DimensionResolver.insets(bottomInsets)
    return separator
  }
}
