// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// What a scroll bar asks about content: what is where, and how much of it.
public struct ScrollMapRequest: Hashable, Sendable {
  /// The axis of the scroll bar; nil = that along which the layout scrolls, or else the longer one
  /// of the content.
  public var axis: ScrollAxis?
  /// Parts of the way that the content can be scrolled, from 0 to 1.
  public var fractions: [Double]
  /// The number of equal parts of the content's extent whose items are counted; at least 0.
  public var bucketCount: Int
  /// The indices of the sections whose places are wanted. All of them exist.
  public var sections: [Int]

  /// Asks about places, parts and sections.
  public init(
    axis: ScrollAxis? = nil,
    fractions: [Double] = [],
    bucketCount: Int = 0,
    sections: [Int] = []
  ) {
    self.axis = axis
    self.fractions = fractions
    self.bucketCount = bucketCount
    self.sections = sections
  }
}

/// Where things are along one axis of the content.
public struct ScrollMap: Hashable, Sendable {
  /// The axis; horizontally, places count in reading direction.
  public var axis: ScrollAxis
  /// Whether items follow each other along the axis. If not, an item belongs to the bucket in which
  /// it starts.
  public var isInOrder: Bool
  /// One for each fraction, in order.
  public var places: [Place]
  /// One for each section, in order.
  public var sections: [Place]
  /// The parts of the content's extent, in order.
  public var buckets: [Bucket]

  /// Makes a map from what was found.
  public init(
    axis: ScrollAxis,
    isInOrder: Bool,
    places: [Place],
    sections: [Place],
    buckets: [Bucket]
  ) {
    self.axis = axis
    self.isInOrder = isInOrder
    self.places = places
    self.sections = sections
    self.buckets = buckets
  }

  /// A place to scroll to.
  public struct Place: Hashable, Sendable {
    /// The part of the way that the content is scrolled to get there, from 0 to 1; 0 if it cannot
    /// be scrolled.
    public var fraction: Double
    /// The distance from where the content starts, in points.
    public var position: Double
    /// The legal offset of a viewport that shows the place at its leading edge, insets aside, or as
    /// near to it as it can.
    public var offset: Point
    /// The section there; nil = there is none.
    public var section: Int?
    /// The first item in view there; nil = there is none.
    public var item: IndexPath?

    /// Makes a place.
    public init(
      fraction: Double,
      position: Double,
      offset: Point,
      section: Int? = nil,
      item: IndexPath? = nil
    ) {
      self.fraction = fraction
      self.position = position
      self.offset = offset
      self.section = section
      self.item = item
    }
  }

  /// An equal part of the content's extent.
  public struct Bucket: Hashable, Sendable {
    /// The number of items that belong to it. All buckets together have all items that have a
    /// place.
    public var itemCount: Int
    /// The first section that starts in it; nil = none does, or items are in no order.
    public var firstSection: Int?

    /// Makes a part with this many items.
    public init(itemCount: Int, firstSection: Int?) {
      self.itemCount = itemCount
      self.firstSection = firstSection
    }
  }
}

extension LayoutQueries {
  /// What is where along an axis of the content, for scroll bars.
  ///
  /// Pinned elements and scroll effects do not matter, nor does the rounding of frames to pixels.
  /// - Complexity: O((fractions + buckets + sections) · log n) where items follow each other along
  ///   the axis; O((fractions + buckets) · √n) in layouts that place items anywhere and have an
  ///   index; else O(n) for the buckets, and O(n · log fractions) for all fractions together.
  public func scrollMap(_ request: ScrollMapRequest) -> ScrollMap {
    ScrollMapSearch(self, axis: request.axis).map(request)
  }
}
