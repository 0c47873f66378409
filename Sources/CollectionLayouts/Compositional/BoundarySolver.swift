// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// Places the boundary supplementary items of a section, or of the whole layout.
///
/// Corners belong to the edges at which the section starts and ends. Elements at one of those edges
/// stand side by side if there is room, otherwise one behind the other in their order.
struct BoundarySolver: Sendable {
  /// The edge of the content at which an element is placed.
  enum Edge: Hashable {
    /// Where the section starts along the scroll axis.
    case start
    /// Where the section ends along the scroll axis.
    case end
    /// Beside the content, at its leading edge (at its top if the layout scrolls horizontally).
    case leading
    /// Beside the content, at its trailing edge (at its bottom if the layout scrolls horizontally).
    case trailing
    /// In the middle of the content.
    case center
  }

  /// A boundary supplementary item with its size and its place at an edge.
  struct Element {
    var item: BoundarySupplementaryItem
    /// Index into `SectionedLayout.elementKinds`.
    var kind: Int
    var edge: Edge
    var size: Size
    /// Where it starts across the scroll axis, in points.
    var cross: Double
    /// Among the elements at its edge for which content makes room, the distance from where the first
    /// of them starts, in points.
    var shelf = 0.0
    /// The same distance among the pinned elements at its edge.
    var pinnedShelf = 0.0
  }

  /// Working memory while elements are added: the room taken at either edge, by elements that make
  /// room and by pinned ones.
  private struct Shelves {
    var start = BoundaryShelves()
    var end = BoundaryShelves()
    var pinnedStart = BoundaryShelves()
    var pinnedEnd = BoundaryShelves()
  }

  private(set) var elements: [Element] = []
  private let axis: ScrollAxis
  private let crossStart: Double
  private let crossLength: Double
  private let pixelGrid: PixelGrid?
  /// The room taken before the content, in points along the scroll axis.
  private(set) var head = 0.0
  /// The room taken after the content, in points along the scroll axis.
  private(set) var tail = 0.0
  /// The room taken beside the content, in points across the scroll axis.
  private(set) var sides = (start: 0.0, end: 0.0)
  /// The room that pinned elements take at the start of the visible bounds.
  private(set) var pinnedHead = 0.0
  /// The room that pinned elements take at the end of the visible bounds.
  private(set) var pinnedTail = 0.0

  /// Places items between two places across the scroll axis.
  ///
  /// - Parameter kinds: indices of the layout's element kinds by name; items of other kinds are left
  ///   out.
  init(
    _ items: [BoundarySupplementaryItem],
    kinds: [String: Int],
    crossStart: Double,
    crossLength: Double,
    environment: SectionEnvironment
  ) {
    self.init(
      axis: environment.axis,
      crossStart: crossStart,
      crossLength: max(0, crossLength),
      pixelGrid: environment.pixelGrid
    )
    let container = axis.size(main: environment.mainLength, cross: self.crossLength)
    var shelves = Shelves()
    for item in items.prefix(CompositionalLayout.Limit.boundaryItems) {
      guard let kind = kinds[item.kind] else { continue }
      add(item, kind: kind, size: DimensionResolver.size(item.size, in: container), &shelves)
    }
  }

  private init(
    axis: ScrollAxis,
    crossStart: Double,
    crossLength: Double,
    pixelGrid: PixelGrid?
  ) {
    self.axis = axis
    self.crossStart = crossStart
    self.crossLength = crossLength
    self.pixelGrid = pixelGrid
  }

  /// The same elements with measured lengths instead of estimated ones. The room beside the content
  /// stays as wide as estimated.
  ///
  /// - Parameter size: returns the measured size of elements of a kind; nil = nothing was measured.
  func measured(_ size: (String) -> Size?) -> BoundarySolver {
    var result = BoundarySolver(
      axis: axis,
      crossStart: crossStart,
      crossLength: crossLength,
      pixelGrid: pixelGrid
    )
    var shelves = Shelves()
    for element in elements {
      var length = element.size
      if let known = size(element.item.kind) {
        let own = element.item.size
        if own.width.isEstimated { length.width = DimensionResolver.length(known.width) }
        if own.height.isEstimated { length.height = DimensionResolver.length(known.height) }
      }
      result.add(element.item, kind: element.kind, size: length, &shelves)
    }
    return result
  }

  /// Adds an element.
  ///
  /// - Complexity: O(log n)
  private mutating func add(
    _ item: BoundarySupplementaryItem,
    kind: Int,
    size: Size,
    _ shelves: inout Shelves
  ) {
    let size = pixelGrid?.round(size) ?? size
    let places = (item.alignment ?? .top).places
    let (main, cross) =
      axis == .vertical
      ? (places.vertical, places.horizontal) : (places.horizontal, places.vertical)
    let edge: Edge =
      switch (main, cross) {
      case (.start, _): .start
      case (.end, _): .end
      case (.middle, .start): .leading
      case (.middle, .end): .trailing
      case (.middle, .middle): .center
      }
    let left = crossLength - axis.cross(size)
    let position: Double =
      switch cross {
      case .start: 0
      case .middle: left / 2
      case .end: left
      }
    var element = Element(
      item: item,
      kind: kind,
      edge: edge,
      size: size,
      cross: crossStart + position
    )
    let length = axis.main(size)
    let span = BoundaryShelves.Span(start: element.cross, length: axis.cross(size))
    func shelf(in shelves: inout BoundaryShelves) -> Double {
      let distance = shelves.distance(of: span)
      shelves.add(span, at: cross, reach: distance + length)
      return distance
    }
    if item.extendsBoundary {
      if edge == .start { element.shelf = shelf(in: &shelves.start) }
      if edge == .end { element.shelf = shelf(in: &shelves.end) }
      switch edge {
      case .start: head = max(head, element.shelf + length)
      case .end: tail = max(tail, element.shelf + length)
      case .leading: sides.start = max(sides.start, axis.cross(size))
      case .trailing: sides.end = max(sides.end, axis.cross(size))
      case .center: break
      }
    }
    if item.pinToVisibleBounds {
      if edge == .start { element.pinnedShelf = shelf(in: &shelves.pinnedStart) }
      if edge == .end { element.pinnedShelf = shelf(in: &shelves.pinnedEnd) }
      switch edge {
      case .start: pinnedHead = max(pinnedHead, element.pinnedShelf + length)
      case .end: pinnedTail = max(pinnedTail, element.pinnedShelf + length)
      default: break
      }
    }
    elements.append(element)
  }

  /// The memory that the elements take, in bytes: an estimate.
  var byteCount: Int { elements.count * MemoryLayout<Element>.stride }

  /// The elements around the content, relative to the start of the section.
  ///
  /// - Parameter contentLength: the length of the content, its insets included, in points.
  /// - Parameter distances: what pinned elements of the whole layout take at the edges of the
  ///   visible bounds, in points.
  /// - Parameter promotion: added to the z-indices of items that have none of their own.
  func sectionElements(
    contentLength: Double,
    distances: (start: Double, end: Double),
    promotion: Int32 = 0
  ) -> [SectionElement] {
    let contentEnd = head + contentLength
    return elements.map { element in
      let item = element.item
      let length = axis.main(element.size)
      let middle = head + (contentLength - length) / 2
      let main: Double =
        switch element.edge {
        case .start: item.extendsBoundary ? element.shelf : head
        case .end: item.extendsBoundary ? contentEnd + element.shelf : contentEnd - length
        case .leading, .trailing, .center: middle
        }
      var cross = element.cross
      // Elements beside the content for which it made room lie in that room.
      if element.edge == .leading, item.extendsBoundary {
        cross = crossStart
      } else if element.edge == .trailing, item.extendsBoundary {
        cross = crossStart + crossLength - axis.cross(element.size)
      }
      let offset = Point(
        x: DimensionResolver.distance(item.absoluteOffset.x),
        y: DimensionResolver.distance(item.absoluteOffset.y)
      )
      let frame = AxisRect(
        main: main + axis.main(offset),
        cross: cross + axis.cross(offset),
        mainLength: length,
        crossLength: axis.cross(element.size)
      )
      return SectionElement(
        kind: element.kind,
        frame: frame,
        zIndex: zIndex(of: item, promotion: promotion),
        pin: item.pinToVisibleBounds
          ? pin(element, natural: frame.main, contentEnd: contentEnd, distances: distances) : nil
      )
    }
  }

  private func zIndex(of item: BoundarySupplementaryItem, promotion: Int32) -> Int32 {
    if let zIndex = item.zIndex { return Int32(clamping: zIndex) }
    return (item.pinToVisibleBounds ? 10 : 1) + promotion
  }

  /// Keeps headers in front of the elements at the section's end, and footers behind those at its
  /// start, with room for other pinned elements between.
  private func pin(
    _ element: Element,
    natural: Double,
    contentEnd: Double,
    distances: (start: Double, end: Double)
  ) -> SectionPin {
    let length = axis.main(element.size)
    switch element.edge {
    case .end:
      let behind = max(0, pinnedTail - element.pinnedShelf - length)
      return SectionPin(
        edge: .end,
        min: min(natural, head + element.pinnedShelf),
        max: natural,
        distance: distances.end + behind
      )
    case .start:
      let behind = max(0, pinnedHead - element.pinnedShelf - length)
      return SectionPin(
        edge: .start,
        min: natural,
        max: contentEnd - behind - length,
        distance: distances.start + element.pinnedShelf
      )
    case .leading, .trailing, .center:
      return SectionPin(
        edge: .start,
        min: natural,
        max: contentEnd - length,
        distance: distances.start + pinnedHead
      )
    }
  }
}

extension RectAlignment {
  /// A place on one axis.
  enum Place {
    case start
    case middle
    case end
  }

  /// The places on both axes.
  var places: (horizontal: Place, vertical: Place) {
    switch self {
    case .top: (.middle, .start)
    case .topLeading: (.start, .start)
    case .leading: (.start, .middle)
    case .bottomLeading: (.start, .end)
    case .bottom: (.middle, .end)
    case .bottomTrailing: (.end, .end)
    case .trailing: (.end, .middle)
    case .topTrailing: (.end, .start)
    case .center: (.middle, .middle)
    }
  }
}
