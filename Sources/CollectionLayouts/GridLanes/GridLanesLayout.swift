// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Items stacked in lanes of different widths, some across several lanes: the grid lanes of CSS.
///
/// Each item goes to the lane that ends first, or to the next lane after the last item's if that
/// ends hardly later. An item with a width and a height keeps their ratio. One with a height alone
/// keeps that height, and one with neither is a square. If the layout scrolls horizontally, the
/// lanes are rows, and widths and heights change places.
public struct GridLanesLayout: Hashable, Sendable {
  /// More lanes than anybody can see. It bounds the memory that an item takes.
  public static let maximumLaneCount = 1024
  /// The most placements of one layout.
  public static let maximumPlacementCount = 64
  /// How much later than the first one a lane may end by default, in points: one em of 16 points,
  /// as `flow-tolerance: normal` of CSS.
  public static let normalFlowTolerance = 16.0

  /// The axis along which lanes grow. Default: vertical.
  public var scrollAxis: ScrollAxis
  /// The lanes from the leading edge on; at least one.
  public var lanes: [GridLane]
  /// The distance between lanes, in points; at least 0. Default 0.
  public var laneSpacing: Double
  /// The distance between the items of a lane, in points; at least 0. Default 0.
  public var itemSpacing: Double
  /// How much later than the first one a lane may end and still get the next item, in points; at
  /// least 0. Default: `normalFlowTolerance`.
  public var flowTolerance: Double
  /// Whether the first items lie at the end of a section, and the others before them. Default: no.
  public var fillReverse: Bool
  /// Whether lanes are filled from the trailing edge on. Their numbers stay. Default: no.
  public var trackReverse: Bool
  /// Whether an item goes back to room that items across several lanes have left, if there is
  /// enough. Default: no. Room is given away for the next 512 items; more than 64 lanes are not
  /// packed densely.
  public var isDense: Bool
  /// How cells of some kinds are placed. Of several for one kind the first counts.
  public var placements: [GridLanePlacement]
  /// Room around the lanes of a section, in points. Default 0.
  public var sectionInset: EdgeInsets
  /// The length of section headers along the scroll axis, in points; 0, the default, = no header.
  public var headerHeight: Double
  /// The length of section footers along the scroll axis, in points; 0, the default, = no footer.
  public var footerHeight: Double
  /// Whether headers stay in view for as long as their section is. Default: no.
  public var headersPinToVisibleBounds: Bool

  /// Makes a layout from its parameters. `validate` checks them.
  public init(
    scrollAxis: ScrollAxis = .vertical,
    lanes: [GridLane],
    laneSpacing: Double = 0,
    itemSpacing: Double = 0,
    flowTolerance: Double = GridLanesLayout.normalFlowTolerance,
    fillReverse: Bool = false,
    trackReverse: Bool = false,
    isDense: Bool = false,
    placements: [GridLanePlacement] = [],
    sectionInset: EdgeInsets = .zero,
    headerHeight: Double = 0,
    footerHeight: Double = 0,
    headersPinToVisibleBounds: Bool = false
  ) {
    self.scrollAxis = scrollAxis
    self.lanes = lanes
    self.laneSpacing = laneSpacing
    self.itemSpacing = itemSpacing
    self.flowTolerance = flowTolerance
    self.fillReverse = fillReverse
    self.trackReverse = trackReverse
    self.isDense = isDense
    self.placements = placements
    self.sectionInset = sectionInset
    self.headerHeight = headerHeight
    self.footerHeight = footerHeight
    self.headersPinToVisibleBounds = headersPinToVisibleBounds
  }
}

/// One lane, or several alike.
public struct GridLane: Hashable, Sendable {
  /// How wide a lane may become.
  public enum Size: Hashable, Sendable {
    /// This wide, in points; at least 0.
    case length(Double)
    /// A part of the room that the other lanes leave, in proportion to this number; greater than 0.
    case fraction(Double)
  }

  /// How many lanes there are of a kind.
  public enum Repetition: Hashable, Sendable {
    /// This many, from 1 on.
    case count(Int)
    /// As many as fit, at least one. The lane then needs a minimum or a length.
    case autoFill
  }

  /// The greatest width.
  public var size: Size
  /// The least width, in points, at least 0; nil = that of a length, and 0 of a fraction.
  public var minimum: Double?
  /// How many lanes there are. Default: one.
  public var repetition: Repetition

  /// Makes a lane, or several alike.
  public init(_ size: Size, minimum: Double? = nil, repetition: Repetition = .count(1)) {
    self.size = size
    self.minimum = minimum
    self.repetition = repetition
  }
}

/// How the cells of a kind are placed.
public struct GridLanePlacement: Hashable, Sendable {
  /// The kind of the cells; "" = those without a kind.
  public var cellKind: String
  /// The number of lanes that they take; at least 1. More than there are = all.
  public var span: Int
  /// The first lane that they take, counted from 1; nil = the rule chooses one for each item. If
  /// fewer lanes than the span follow it, they take the last lanes.
  public var lane: Int?

  /// Makes the placement of a kind of cells.
  public init(cellKind: String, span: Int = 1, lane: Int? = nil) {
    self.cellKind = cellKind
    self.span = span
    self.lane = lane
  }
}
