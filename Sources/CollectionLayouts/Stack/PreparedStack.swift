// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// A pile of cards in closed form.
struct PreparedStack: PreparedItemLine {
  let context: LayoutContext
  let line: ItemLine

  private let visibleDepth: Int
  private let depthOffset: Point
  private let depthScale: Double

  init(_ layout: StackLayout, _ context: LayoutContext) {
    self.context = context
    line = ItemLine(
      context,
      axis: layout.scrollDirection,
      itemSize: layout.itemSize,
      stepFactor: 1
    )
    visibleDepth = min(max(0, layout.visibleDepth), StackLayout.maximumVisibleDepth, line.count)
    depthOffset = layout.depthOffset
    depthScale = max(0, layout.depthScale)
  }

  /// The offset that puts the card on top, whatever position is asked for.
  func scrollOffset(
    showing key: ElementKey,
    position: ScrollPosition,
    viewport: Viewport
  ) -> Point? {
    line.offset(centering: key, viewport: viewport)
  }

  /// The ordinal of the card on top, and as a fraction how far it has slid off; from 0 to the last
  /// card. Scrolling beyond either end leaves the pile as it is.
  func position(atOffset offset: Double) -> Double {
    min(max(line.position(atOffset: offset), 0), Double(max(0, line.count - 1)))
  }

  /// Cards pass as they slide off the pile.
  func itemProgress(at place: Double, along axis: ScrollAxis, work: LayoutWork) -> ItemProgress? {
    guard axis == line.axis else { return nil }
    let top = position(atOffset: place - axis.mainStart(context.container.insets))
    // From 0 to the last card, so the conversion cannot trap.
    return line.progress(upTo: Int(top))
  }

  /// The top card and those seen behind it, with one to spare at each end.
  func candidates(in rect: Rect, offset: Double, position: Double) -> Range<Int> {
    Range(
      from: position - 1,
      through: position + Double(visibleDepth) + 1,
      count: line.count
    )
  }

  func attributes(of ordinal: Int, offset: Double, position: Double) -> LayoutAttributes {
    let deepest = Double(visibleDepth) + 1
    let depth = min(max(Double(ordinal) - position, -1), deepest)
    // The distance from the card's place in the line to the middle of the viewport.
    let main = offset - Double(ordinal) * line.step
    // `position` is from 0 to the last card, so the conversion cannot trap.
    var attributes = LayoutAttributes(
      frame: line.frame(of: ordinal),
      zIndex: Int(position) - ordinal,
      isHidden: depth <= -1 || depth >= deepest
    )
    if depth < 0 {
      // The distance that takes the top card out of the viewport by the time the next one is on
      // top.
      let gone = (line.viewportExtent + line.extent) / 2
      attributes.transform = transform(scale: 1, main: main + depth * gone, cross: 0)
    } else {
      // The deepest card fades in while the top one slides off.
      attributes.alpha = min(1, deepest - depth)
      attributes.transform = transform(
        scale: min(Double.power(depthScale, depth), 1e6),
        main: main + depth * mainDepthOffset,
        cross: depth * line.axis.cross(depthOffset)
      )
    }
    return attributes
  }

  private var mainDepthOffset: Double { line.axis.main(depthOffset) }

  private func transform(scale: Double, main: Double, cross: Double) -> Transform {
    // Rounding alone must not give the top card a transform.
    let main = abs(main) < 1e-6 ? 0 : main
    guard scale != 1 || main != 0 || cross != 0 else { return .identity }
    let move = line.axis.point(main: main, cross: cross)
    return .affine(
      a: scale,
      b: 0,
      c: 0,
      d: scale,
      tx: line.isRightToLeft ? -move.x : move.x,
      ty: move.y
    )
  }
}
