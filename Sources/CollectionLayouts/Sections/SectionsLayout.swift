// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Sections of different kinds in one stack: lines, rows, grids, columns and groups.
///
/// Each section is laid out as its own layout would lay it out alone, and starts where the one
/// before it ends. All of them follow each other along one axis.
///
/// ```swift
/// let layout = SectionsLayout(layouts: [
///   SectionLayout(name: "tags", .flow(FlowLayout())),
///   SectionLayout(name: "songs", .list(ListLayout(headerHeight: 30))),
/// ])
/// ```
public struct SectionsLayout: Hashable, Sendable {
  /// The axis along which sections follow each other, and along which all entries scroll. Default:
  /// vertical.
  public var scrollAxis: ScrollAxis
  /// The distance between sections, empty ones included, in points; at least 0. Default 0.
  public var interSectionSpacing: Double
  /// How sections are laid out; at least one entry. Section i takes the entry with its layout name,
  /// or if there is none entry i modulo their number.
  public var layouts: [SectionLayout]

  /// Makes a layout from the entries that its sections take.
  public init(
    scrollAxis: ScrollAxis = .vertical,
    interSectionSpacing: Double = 0,
    layouts: [SectionLayout]
  ) {
    self.scrollAxis = scrollAxis
    self.interSectionSpacing = interSectionSpacing
    self.layouts = layouts
  }

  /// Limits that keep hostile parameters harmless, as in a compositional layout. `validate` reports
  /// what lies beyond them. A layout that was not validated ignores what lies beyond.
  typealias Limit = CompositionalLayout.Limit
}

/// An entry of a layout of sections: how the sections that take it are laid out.
public struct SectionLayout: Hashable, Sendable {
  /// A kind of layout, with its parameters.
  public enum Kind: Hashable, Sendable {
    /// Not given, which is not valid. Sections that take it show nothing.
    case unspecified
    /// Lines of items. They must scroll along the axis of the whole layout.
    case flow(FlowLayout)
    /// Rows, in layouts that scroll vertically.
    case list(ListLayout)
    /// One row of cells for each section, in layouts that scroll vertically. Content that has a row
    /// wider than the container scrolls in both directions.
    case grid(GridLayout)
    /// Columns of items. They must scroll along the axis of the whole layout.
    case waterfall(WaterfallLayout)
    /// Lanes of different widths. They must scroll along the axis of the whole layout.
    case gridLanes(GridLanesLayout)
    /// Groups of items. The entry has the name, so the section must not have one.
    case compositional(CompositionalSection)
  }

  /// The name by which sections of the data choose this entry; "" = they choose it by position
  /// only.
  public var name: String
  /// The kind of layout, with its parameters.
  public var kind: Kind

  /// Makes an entry; without a name it is chosen by position only.
  public init(name: String = "", _ kind: Kind) {
    self.name = name
    self.kind = kind
  }
}
