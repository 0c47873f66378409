// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// Items of one width stacked in columns (masonry).
///
/// An item with a width and a height keeps their ratio; one with a height alone keeps the height; one
/// with neither is a square. Scrolling horizontally the columns are rows, and widths and heights
/// change places.
public struct WaterfallLayout: Hashable, Sendable {
  /// How many columns there are.
  public enum Columns: Hashable, Sendable {
    case count(Int)
    /// As many columns as fit, at least one; they share what is left over.
    case minimumWidth(Double)
  }

  /// Which column the next item goes to.
  public enum Order: UInt8, Hashable, Sendable, CaseIterable {
    /// The shortest; of equally short ones the one nearest to the leading edge.
    case shortestFirst
    /// In turn, whatever their lengths.
    case leadingToTrailing
    case trailingToLeading
  }

  /// More columns than anybody can see; keeps the memory of an item bounded.
  public static let maximumColumnCount = 1024

  public var scrollAxis: ScrollAxis
  public var columns: Columns
  public var columnSpacing: Double
  /// Between the items of a column.
  public var itemSpacing: Double
  public var sectionInset: EdgeInsets
  /// Along the scroll axis; 0 = no header.
  public var headerHeight: Double
  /// Along the scroll axis; 0 = no footer.
  public var footerHeight: Double
  public var order: Order
  public var headersPinToVisibleBounds: Bool

  public init(
    scrollAxis: ScrollAxis = .vertical,
    columns: Columns,
    columnSpacing: Double = 0,
    itemSpacing: Double = 0,
    sectionInset: EdgeInsets = .zero,
    headerHeight: Double = 0,
    footerHeight: Double = 0,
    order: Order = .shortestFirst,
    headersPinToVisibleBounds: Bool = false
  ) {
    self.scrollAxis = scrollAxis
    self.columns = columns
    self.columnSpacing = columnSpacing
    self.itemSpacing = itemSpacing
    self.sectionInset = sectionInset
    self.headerHeight = headerHeight
    self.footerHeight = footerHeight
    self.order = order
    self.headersPinToVisibleBounds = headersPinToVisibleBounds
  }
}

extension WaterfallLayout: SectionedLayout {
  public var kindName: String { "waterfall" }

  public var elementKinds: [String] { SectionSurroundings.elementKinds }

  public var scrollDependence: ScrollDependence {
    headersPinToVisibleBounds ? .pinnedElements : .none
  }

  public var pageSpacing: Double { itemSpacing }

  public func solve(
    _ section: SectionContents,
    at index: Int,
    plan: Void,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    wrap(section, in: environment) { WaterfallBody(section.items, rule: $0, work: work) }
  }

  public func update(
    _ solved: SolvedSection,
    to section: SectionContents,
    by change: SectionUpdate,
    at index: Int,
    plan: Void,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    guard !change.metricsChanged, let old = solved.body as? WaterfallBody else {
      return solve(section, at: index, plan: plan, in: environment, work: work)
    }
    return wrap(section, in: environment) { _ in
      old.updated(to: section.items, splices: change.itemSplices, work: work)
    }
  }

  /// The section around a body.
  ///
  /// - Parameter body: gives the body where items differ.
  private func wrap(
    _ section: SectionContents,
    in environment: SectionEnvironment,
    body: (WaterfallRule) -> WaterfallBody
  ) -> SolvedSection {
    // A header's length lies along the scroll axis, whichever that is.
    let header = environment.axis.size(main: headerHeight, cross: 0)
    let footer = environment.axis.size(main: footerHeight, cross: 0)
    let surroundings = SectionSurroundings(
      section.metrics,
      inset: sectionInset,
      headerSize: header,
      footerSize: footer,
      pinsHeader: headersPinToVisibleBounds,
      pinsFooter: false,
      in: environment
    )
    let rule = WaterfallRule(
      self,
      metrics: section.metrics,
      extent: surroundings.crossLength(in: environment),
      environment: environment
    )
    let uniform = WaterfallUniformBody(section.items, rule: rule)
    let solved: (any SectionBody)? =
      section.items.isEmpty ? nil : uniform as (any SectionBody)? ?? body(rule)
    return surroundings.section(
      solved,
      itemCount: section.items.count,
      isShareable: uniform != nil,
      in: environment
    )
  }

  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    switch columns {
    case .count(let count):
      findings.expect(
        (1 ... Self.maximumColumnCount).contains(count),
        "column_count",
        found: count,
        allowed: "1…\(Self.maximumColumnCount)"
      )
    case .minimumWidth(let width): findings.expectPositive(width, "minimum_column_width")
    }
    findings.expectNotNegative(columnSpacing, "column_spacing")
    findings.expectNotNegative(itemSpacing, "item_spacing")
    findings.expectFinite(sectionInset, "section_inset")
    findings.expectNotNegative(headerHeight, "header_height")
    findings.expectNotNegative(footerHeight, "footer_height")
    guard let viewportSize else { return }
    let extent = scrollAxis.cross(viewportSize)
    let room =
      extent - scrollAxis.crossStart(sectionInset) - scrollAxis.crossEnd(sectionInset)
    if case .minimumWidth(let width) = columns, width > room {
      findings.warn(
        "minimum_column_width",
        "is \(width), but there is room for \(room): one narrower column"
      )
    }
    if case .count(let count) = columns, Double(count - 1) * columnSpacing >= room {
      findings.warn("column_spacing", "leaves no width for \(count) columns in \(room)")
    }
  }
}
