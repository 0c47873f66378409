// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// One axis of a viewport over its content, counted in reading direction: from the right edge if
/// reading runs from right to left.
struct ScrollLine {
  let axis: ScrollAxis
  let startInset: Double
  let endInset: Double
  /// The extent of the viewport, the parts under its insets included, in points.
  let extent: Double
  /// Where a viewport within the content may start: the least and the greatest place.
  let legalStarts: (least: Double, greatest: Double)
  private let contentExtent: Double
  let isReversed: Bool
  private let viewport: Viewport

  init(_ axis: ScrollAxis, viewport: Viewport, contentSize: Size) {
    self.axis = axis
    self.viewport = viewport
    startInset = axis.mainStart(viewport.insets)
    endInset = axis.mainEnd(viewport.insets)
    let extent = axis.main(viewport.size)
    let contentExtent = axis.main(contentSize)
    let isReversed = axis == .horizontal && viewport.isRightToLeft
    self.extent = extent
    self.contentExtent = contentExtent
    self.isReversed = isReversed
    let legal = viewport.legalOffsets(contentSize: contentSize)
    let (low, high) = (axis.main(legal.min), axis.main(legal.max))
    legalStarts =
      isReversed ? (contentExtent - high - extent, contentExtent - low - extent) : (low, high)
  }

  /// The extent that the insets leave of the viewport, in points.
  var visibleExtent: Double { extent - startInset - endInset }

  /// Where a viewport at this offset starts.
  func start(_ offset: Point) -> Double {
    isReversed ? contentExtent - axis.main(offset) - extent : axis.main(offset)
  }

  /// The offset at which a viewport starts at `start`. The other axis is unchanged.
  func offset(_ offset: Point, start: Double) -> Point {
    let value = isReversed ? contentExtent - start - extent : start
    return axis == .vertical ? Point(x: offset.x, y: value) : Point(x: value, y: offset.y)
  }

  /// The change of a viewport's start, from that of its offset.
  func velocity(_ velocity: Point) -> Double {
    isReversed ? -axis.main(velocity) : axis.main(velocity)
  }

  /// Whether some legal start is within a bound.
  func hasLegalStart(within bound: RestingRule.Bound) -> Bool {
    bound.admits(legalStarts.least) || bound.admits(legalStarts.greatest)
  }

  /// The place at a part of what the insets leave of a viewport: 0 = its leading edge, 1 = its
  /// trailing one.
  func place(ofPart part: Double, startingAt start: Double) -> Double {
    start + startInset + part * visibleExtent
  }

  /// Where a frame starts, and its extent.
  func span(of frame: Rect) -> (start: Double, length: Double) {
    let rect = isReversed ? frame.mirrored(inWidth: contentExtent) : frame
    return (axis.main(rect.origin), axis.main(rect.size))
  }

  /// The rect with its extent along this axis replaced.
  func rect(_ rect: Rect, from low: Double, to high: Double) -> Rect {
    let start = isReversed ? contentExtent - high : low
    return axis == .vertical
      ? Rect(x: rect.x, y: start, width: rect.width, height: high - low)
      : Rect(x: start, y: rect.y, width: high - low, height: rect.height)
  }

  /// Where the viewport starts if it shows an extent at this position.
  func start(
    showing span: (start: Double, length: Double),
    position: ScrollPosition
  ) -> Double {
    let atStart = span.start - startInset
    let atEnd = span.start + span.length - extent + endInset
    switch position {
    case .start: return atStart
    case .end: return atEnd
    case .center: return (atStart + atEnd) / 2
    case .nearest:
      // Between the two starts all of it is visible, or it fills the visible bounds if it is longer
      // than these.
      return min(max(start(viewport.offset), min(atStart, atEnd)), max(atStart, atEnd))
    }
  }
}
