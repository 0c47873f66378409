// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// Places the boundary supplementary items of a section around its groups, or those of the whole
/// layout around the sections.
///
/// Let l be the length of an element along the scroll axis, and o its offset along that axis. Only
/// elements that extend the boundary change the extent of the section. At its start they need l − o
/// before the content, at its end l + o behind it, each of them alone: several at one edge lie on
/// top of each other. Between the edges, the content is as long as the longest of them. Across the
/// scroll axis there is never room for them; they lie over the section.
struct BoundarySolver: Sendable {
  /// The edge of the content along the scroll axis to which an element keeps. Corners belong to the
  /// start and the end.
  enum Edge: Hashable {
    case start
    case middle
    case end
  }

  /// A boundary supplementary item with its size and its place across the scroll axis.
  struct Element {
    var item: BoundarySupplementaryItem
    /// Index into `SectionedLayout.elementKinds`.
    var kind: Int
    var edge: Edge
    var size: Size
    /// Where it starts across the scroll axis, in points.
    var cross: Double
    /// How far its offset moves it along the scroll axis, in points.
    var offset: Double
  }

  private(set) var elements: [Element] = []
  private let axis: ScrollAxis
  private let crossStart: Double
  private let crossLength: Double
  private let pixelGrid: PixelGrid?
  /// Room before all elements, in points along the scroll axis.
  private let padding: Double
  /// The room that elements need before the content, in points along the scroll axis.
  private var room = 0.0
  /// The room before the content, in points along the scroll axis.
  var head: Double { padding + room }
  /// The room behind the content, in points along the scroll axis.
  private(set) var tail = 0.0
  /// The least length of the content, in points.
  private(set) var leastContentLength = 0.0
  /// The part of `room` that pinned elements need, which they cover at the start of the visible
  /// bounds.
  private(set) var pinnedHead = 0.0
  /// The part of `tail` that pinned elements need.
  private(set) var pinnedTail = 0.0
  /// How far the end of the last header lies behind the start of the content, in points; nil =
  /// there is no header.
  private var headersEnd: Double?
  /// How far the start of the first footer lies behind the end of the content, in points; nil =
  /// there is no footer.
  private var footersStart: Double?

  /// Places items between two places across the scroll axis.
  ///
  /// - Parameter kinds: indices of the layout's element kinds by name; items of other kinds are
  ///   left out.
  /// - Parameter padding: room before all of them, in points along the scroll axis.
  init(
    _ items: [BoundarySupplementaryItem],
    kinds: KindIndices,
    crossStart: Double,
    crossLength: Double,
    padding: Double = 0,
    environment: SectionEnvironment
  ) {
    self.init(
      axis: environment.axis,
      crossStart: crossStart,
      crossLength: max(0, crossLength),
      padding: padding,
      pixelGrid: environment.pixelGrid
    )
    let container = axis.size(main: environment.mainLength, cross: self.crossLength)
    for item in items.prefix(CompositionalLayout.Limit.boundaryItems) {
      guard let kind = kinds[item.kind] else { continue }
      let size = DimensionResolver.supplementarySize(
        item.size,
        in: container,
        grid: pixelGrid
      )
      add(item, kind: kind, size: size)
    }
  }

  private init(
    axis: ScrollAxis,
    crossStart: Double,
    crossLength: Double,
    padding: Double,
    pixelGrid: PixelGrid?
  ) {
    self.padding = padding
    self.axis = axis
    self.crossStart = crossStart
    self.crossLength = crossLength
    self.pixelGrid = pixelGrid
  }

  /// The same elements with measured lengths instead of estimated ones.
  ///
  /// - Parameter size: returns the measured size of elements of a kind; nil = nothing was measured.
  func measured(_ size: (String) -> Size?) -> BoundarySolver {
    var result = BoundarySolver(
      axis: axis,
      crossStart: crossStart,
      crossLength: crossLength,
      padding: padding,
      pixelGrid: pixelGrid
    )
    func aligned(_ length: Double) -> Double {
      let length = DimensionResolver.length(length)
      return pixelGrid?.round(length) ?? length
    }
    for element in elements {
      var length = element.size
      if let known = size(element.item.kind) {
        let own = element.item.size
        if own.width.isEstimated { length.width = aligned(known.width) }
        if own.height.isEstimated { length.height = aligned(known.height) }
      }
      result.add(element.item, kind: element.kind, size: length)
    }
    return result
  }

  private mutating func add(_ item: BoundarySupplementaryItem, kind: Int, size: Size) {
    let places = (item.alignment ?? .top).places
    let (edge, side) =
      axis == .vertical
      ? (places.vertical, places.horizontal) : (places.horizontal, places.vertical)
    let offset = Point(
      x: DimensionResolver.distance(item.absoluteOffset.x),
      y: DimensionResolver.distance(item.absoluteOffset.y)
    )
    let left = crossLength - axis.cross(size)
    let position: Double =
      switch side {
      case .start: 0
      case .middle: left / 2
      case .end: left
      }
    let element = Element(
      item: item,
      kind: kind,
      edge: edge,
      size: size,
      cross: crossStart + position + axis.cross(offset),
      offset: axis.main(offset)
    )
    elements.append(element)
    if item.extendsBoundary { extend(for: element) }
  }

  /// Makes room for an element.
  private mutating func extend(for element: Element) {
    let length = axis.main(element.size)
    let isPinned = element.item.pinToVisibleBounds
    switch element.edge {
    case .start:
      room = max(room, length - element.offset)
      if isPinned { pinnedHead = max(pinnedHead, length - element.offset) }
      headersEnd = max(headersEnd ?? element.offset, element.offset)
    case .middle:
      leastContentLength = max(leastContentLength, length)
    case .end:
      tail = max(tail, length + element.offset)
      if isPinned { pinnedTail = max(pinnedTail, length + element.offset) }
      footersStart = min(footersStart ?? element.offset, element.offset)
    }
  }

  /// The memory that the elements take, in bytes: an estimate.
  var byteCount: Int { elements.count * MemoryLayout<Element>.stride }

  /// The elements around the content, relative to the start of the section.
  ///
  /// - Parameter contentLength: the length of the content, its insets included, in points; at least
  ///   `leastContentLength`.
  /// - Parameter distances: what pinned elements of the whole layout take at the edges of the
  ///   visible bounds, in points.
  func sectionElements(
    contentLength: Double,
    distances: (start: Double, end: Double)
  ) -> [SectionElement] {
    elements.map { element in
      let frame = AxisRect(
        main: main(of: element, contentLength: contentLength),
        cross: element.cross,
        mainLength: axis.main(element.size),
        crossLength: axis.cross(element.size)
      )
      return SectionElement(
        kind: element.kind,
        frame: frame,
        zIndex: Self.zIndex(of: element.item),
        pin: element.item.pinToVisibleBounds
          ? pin(element.edge, frame, contentLength: contentLength, distances: distances) : nil
      )
    }
  }

  /// Where an element starts along the scroll axis.
  private func main(of element: Element, contentLength: Double) -> Double {
    let length = axis.main(element.size)
    let isInside = !element.item.extendsBoundary
    let place: Double =
      switch element.edge {
      case .start: isInside ? head : head - length
      case .middle: head + (contentLength - length) / 2
      case .end: head + contentLength - (isInside ? length : 0)
      }
    return place + element.offset
  }

  /// As UIKit was recorded to do it: pinned elements lie in front of everything else.
  private static func zIndex(of item: BoundarySupplementaryItem) -> Int32 {
    let own = Int(Int32(clamping: item.zIndex ?? 1))
    return Int32(clamping: item.pinToVisibleBounds ? own + 1_000_000_000 : own)
  }

  /// Stops headers where the footers start, or else at the section's end, and footers where the
  /// headers end, or else at the section's start.
  private func pin(
    _ edge: Edge,
    _ frame: AxisRect,
    contentLength: Double,
    distances: (start: Double, end: Double)
  ) -> SectionPin {
    switch edge {
    case .end:
      return SectionPin(
        edge: .end,
        min: min(frame.main, headersEnd.map { head + $0 } ?? 0),
        max: frame.main,
        distance: distances.end
      )
    case .start, .middle:
      // Elements at no edge stay behind the headers.
      return SectionPin(
        edge: .start,
        min: frame.main,
        max: head + contentLength + (footersStart ?? 0) - frame.mainLength,
        distance: distances.start + (edge == .middle ? pinnedHead : 0)
      )
    }
  }
}

extension RectAlignment {
  /// The edges on both axes.
  var places: (horizontal: BoundarySolver.Edge, vertical: BoundarySolver.Edge) {
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
