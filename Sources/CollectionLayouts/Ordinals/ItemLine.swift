// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// All items of a collection in one line with equal steps; the viewport's offset picks one of them.
/// Carousel and stack have it in common.
///
/// Item k's frame is centred in the viewport at the offset k · step. Places are solved from left to
/// right and mirrored at the end.
struct ItemLine: Sendable {
  let axis: ScrollAxis
  /// The size of every item, rounded to whole pixels if the layout is pixel-aligned.
  let itemSize: Size
  /// The distance between the centres of neighbours, in points; from 0 to 2⁸⁰.
  let step: Double
  let contentSize: Size
  let ordinals: ItemOrdinals
  let kinds: CellKinds
  let isRightToLeft: Bool
  /// The viewport's length along the line, in points.
  let viewportExtent: Double

  private let crossCenter: Double
  private let grid: PixelGrid?

  /// Lays out the line.
  ///
  /// - Parameter stepFactor: step = item extent · factor.
  init(_ context: LayoutContext, axis: ScrollAxis, itemSize: Size, stepFactor: Double) {
    let container = context.container
    self.axis = axis
    grid = context.pixelGrid
    self.itemSize = grid?.round(itemSize) ?? itemSize
    // The bound keeps all places, and what is computed from them, finite.
    let length = axis.main(self.itemSize) * stepFactor
    step = length > 0 ? min(length, Self.longestStep) : 0
    ordinals = ItemOrdinals(context.contents)
    kinds = CellKinds(context.contents)
    isRightToLeft = container.isRightToLeft
    viewportExtent = axis.main(container.size)
    // Content coordinates begin inside the insets, so the viewport's middle lies nearer to their
    // origin by the start inset.
    crossCenter = axis.cross(container.size) / 2 - axis.crossStart(container.insets)
    contentSize = axis.size(
      main: viewportExtent + Double(max(0, ordinals.count - 1)) * step,
      cross: axis.cross(container.contentSize)
    )
  }

  /// The greatest step in points: longer than any length that a client may send.
  private static let longestStep = 0x1p80

  var count: Int { ordinals.count }
  /// How far rounding may move a frame, in points.
  var slack: Double { grid.slack }
  var extent: Double { axis.main(itemSize) }
  var byteCount: Int { ordinals.byteCount }

  /// How far the line is scrolled, in points and always counted from left to right.
  func offset(of viewport: Viewport) -> Double {
    let center = axis.main(viewport.rect.center)
    let solved = isReversed ? axis.main(contentSize) - center : center
    return solved - viewportExtent / 2
  }

  /// The item that is in the middle at an offset; a fraction between two items. From −2⁴⁰ to 2⁴⁰,
  /// and 0 for an offset that is not a number.
  ///
  /// An offset within rounding errors of an item gives that item exactly.
  func position(atOffset offset: Double) -> Double {
    guard step > 0 else { return 0 }
    let exact = offset / step
    guard !exact.isNaN else { return 0 }
    let position = min(max(exact, -0x1p40), 0x1p40)
    let nearest = position.rounded()
    return abs(position - nearest) < 1e-9 ? nearest : position
  }

  func frame(of ordinal: Int) -> Rect {
    var frame = axis.rect(
      AxisRect(
        main: viewportExtent / 2 + Double(ordinal) * step - extent / 2,
        cross: crossCenter - axis.cross(itemSize) / 2,
        mainLength: extent,
        crossLength: axis.cross(itemSize)
      )
    )
    if isRightToLeft { frame = frame.mirrored(inWidth: contentSize.width) }
    guard let grid else { return frame }
    return Rect(origin: grid.round(frame.origin), size: itemSize)
  }

  /// How far a place is into the frames of the items.
  func progress(at place: Double) -> ItemProgress {
    let extents = EqualExtents(
      start: viewportExtent / 2 - extent / 2,
      length: extent,
      step: step,
      count: count
    )
    return progress(upTo: extents.first(endingAfter: place))
  }

  /// The progress after this many items.
  func progress(upTo ordinal: Int) -> ItemProgress {
    ItemProgress(
      passed: ordinal,
      item: ordinal < count ? ordinals.indexPath(at: ordinal) : nil
    )
  }

  /// The ordinal of the cell that `key` names; nil if there is no such cell.
  func ordinal(of key: ElementKey) -> Int? {
    kinds.contains(key) ? ordinals.ordinal(of: key.indexPath) : nil
  }

  /// The span of `rect` along the line, from left to right, relative to the middle of the viewport
  /// at an offset.
  func span(of rect: Rect, atOffset offset: Double) -> ClosedRange<Double> {
    let solved = isReversed ? rect.mirrored(inWidth: contentSize.width) : rect
    let start = axis.axisRect(solved).main - offset - viewportExtent / 2
    // The difference of two infinite places is not a number; the rect may be anywhere then.
    guard !start.isNaN else { return -.infinity ... .infinity }
    return start ... max(start, start + axis.main(rect.size))
  }

  /// The offset that centres the nearest item, or one in the direction of a flick; if two are
  /// equally near, the first.
  func restingOffset(
    proposed: Point,
    velocity: Point,
    viewport: Viewport,
    isLimitedToOne: Bool
  ) -> ScrollTarget? {
    guard count > 0 else { return nil }
    var there = viewport
    there.offset = proposed
    let along = axis.main(velocity)
    // In items instead of points.
    let slack = step > 0 ? RestingRule.tolerance / step : 0
    let rule = RestingRule(
      wanted: position(atOffset: offset(of: there)),
      current: min(max(position(atOffset: offset(of: viewport)), 0), Double(count - 1)),
      flick: ScrollFlick(velocity: isReversed ? -along : along),
      isLimitedToOne: isLimitedToOne,
      tolerance: min(slack, 0.25)
    )
    guard let nearest = rule.place(item(nearestTo:within:)) else { return nil }
    let ordinal = nearest.value
    let path = ordinals.indexPath(at: ordinal)
    return ScrollTarget(
      offset: viewport.clamped(
        axis.point(main: offset(centering: ordinal), cross: axis.cross(proposed)),
        contentSize: contentSize
      ),
      element: ElementKey(
        category: .cell,
        kind: kinds.name(at: path),
        indexPath: path
      )
    )
  }

  /// The item nearest to a position, among those within a bound; nil if there is none.
  private func item(
    nearestTo position: Double,
    within bound: RestingRule.Bound?
  ) -> RestingRule.Place<Int>? {
    var nearest = (position - 0.5).rounded(.up)
    switch bound {
    case nil: break
    case .above(let least): nearest = max(nearest, least.rounded(.down) + 1)
    case .below(let most): nearest = min(nearest, most.rounded(.up) - 1)
    }
    // In 0…count − 1, so the conversion cannot trap: `position(atOffset:)` is never NaN.
    let ordinal = min(max(nearest, 0), Double(count - 1))
    guard bound?.admits(ordinal) ?? true else { return nil }
    return RestingRule.Place(offset: ordinal, value: Int(ordinal))
  }

  /// The viewport's offset that centres an item; across the line it stays as it is. nil if there is
  /// no such item.
  func offset(centering key: ElementKey, viewport: Viewport) -> Point? {
    ordinal(of: key).map {
      axis.point(main: offset(centering: $0), cross: axis.cross(viewport.offset))
    }
  }

  /// The viewport's offset along the line that centres an item. In mirrored content frames run from
  /// right to left, so the offset counts from the other end.
  private func offset(centering ordinal: Int) -> Double {
    Double(isReversed ? count - 1 - ordinal : ordinal) * step
  }

  private var isReversed: Bool { isRightToLeft && axis == .horizontal }
}
