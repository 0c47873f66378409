// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// Items of equal width, stacked in columns (masonry).
///
/// An item with a width and a height keeps their ratio. One with a height alone keeps that height,
/// and one with neither is a square. If the layout scrolls horizontally, the columns are rows, and
/// widths and heights change places.
public struct WaterfallLayout: Hashable, Sendable {
  /// How the number of columns is determined.
  public enum Columns: Hashable, Sendable {
    /// This many columns, from 1 to `maximumColumnCount`.
    case count(Int)
    /// As many columns as fit if each is at least this wide in points, but at least one. They share
    /// the remaining room.
    case minimumWidth(Double)
  }

  /// How the column of the next item is chosen.
  public enum Order: UInt8, Hashable, Sendable, CaseIterable {
    /// The shortest column; of equally short ones the nearest to the leading edge.
    case shortestFirst
    /// The columns in turn from the leading edge, whatever their lengths.
    case leadingToTrailing
    /// The columns in turn from the trailing edge, whatever their lengths.
    case trailingToLeading
  }

  /// More columns than anybody can see. It bounds the memory that an item takes.
  public static let maximumColumnCount = 1024

  /// The axis along which columns grow. Default: vertical.
  public var scrollAxis: ScrollAxis
  /// How the number of columns is determined.
  public var columns: Columns
  /// The distance between columns, in points; at least 0. Default 0.
  public var columnSpacing: Double
  /// The distance between the items of a column, in points; at least 0. Default 0.
  public var itemSpacing: Double
  /// Room around the columns of a section, in points. Default 0.
  public var sectionInset: EdgeInsets
  /// The length of section headers along the scroll axis, in points; 0, the default, = no header.
  public var headerHeight: Double
  /// The length of section footers along the scroll axis, in points; 0, the default, = no footer.
  public var footerHeight: Double
  /// How the column of the next item is chosen. Default: the shortest.
  public var order: Order
  /// Whether a header stays at the start of the visible bounds while its section passes. Default
  /// false.
  public var headersPinToVisibleBounds: Bool

  /// Makes a waterfall; the defaults leave no room between items.
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
  /// An edit moves all items behind it.
  public var hasDrafts: Bool { true }
  /// And so their marks, too.
  public var sharesUnchangedParts: Bool { false }

  /// "waterfall".
  public var kindName: String { "waterfall" }

  /// Items are visited in order, whatever their columns.
  public var appendsInOrder: Bool { true }

  /// Headers and footers.
  public var elementKinds: [String] { SectionSurroundings.elementKinds }

  /// Pinned elements, if headers pin; otherwise nothing.
  public var scrollDependence: ScrollDependence {
    headersPinToVisibleBounds ? .pinnedElements : .none
  }

  /// The distance between the items of a column, in points.
  public var pageSpacing: Double { itemSpacing }

  /// Stacks the items of a section.
  ///
  /// - Complexity: O(items · columns), or O(1) if all items have one length.
  public func solve(
    _ section: SectionContents,
    at index: Int,
    plan: Void,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    wrap(section, in: environment) { ColumnsBody(section.items, rule: $0, work: work) }
  }

  /// Stacks items again from the first edited one on, unless metrics changed: then all items.
  public func update(
    _ solved: SolvedSection,
    to section: SectionContents,
    by change: SectionUpdate,
    at index: Int,
    plan: Void,
    in environment: SectionEnvironment,
    work: LayoutWork
  ) -> SolvedSection {
    guard !change.metricsChanged else {
      return solve(section, at: index, plan: plan, in: environment, work: work)
    }
    return wrap(section, in: environment) {
      $0.updated(solved.body, to: section.items, by: change, work: work)
        ?? ColumnsBody(section.items, rule: $0, work: work)
    }
  }

  /// The section around a body.
  ///
  /// - Parameter body: makes the body of items with different lengths.
  private func wrap(
    _ section: SectionContents,
    in environment: SectionEnvironment,
    body: (WaterfallRule) -> any SectionBody
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
    let uniform = UniformColumnsBody(section.items, rule: rule)
    let solved: (any SectionBody)? =
      section.items.isEmpty ? nil : uniform as (any SectionBody)? ?? body(rule)
    return surroundings.section(
      solved,
      itemCount: section.items.count,
      isShareable: uniform != nil,
      in: environment
    )
  }

  /// Rejects numbers of columns beyond the limits, widths that are not greater than 0, and spacings
  /// and lengths that are negative or not finite. Warns if there is no room for the columns.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    switch columns {
    case .count(0):
      findings.reject("column_count", "is missing; it or minimum_column_width is needed")
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
    if case .count(let count) = columns, (Double(count) - 1) * columnSpacing >= room {
      findings.warn("column_spacing", "leaves no width for \(count) columns in \(room)")
    }
  }
}
