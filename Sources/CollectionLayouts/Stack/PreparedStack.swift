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
      spacing: 1
    )
    visibleDepth = min(max(0, layout.visibleDepth), StackLayout.maximumVisibleDepth, line.count)
    depthOffset = layout.depthOffset
    depthScale = max(0, layout.depthScale)
  }

  /// A card is shown by having it on top, whatever position is asked for.
  func scrollOffset(
    showing key: ElementKey,
    position: ScrollPosition,
    viewport: Viewport
  ) -> Point? {
    line.offset(centering: key, viewport: viewport)
  }

  /// The card on top and how far it has slid off. Beyond both ends the pile stays as it is.
  func position(atOffset offset: Double) -> Double {
    min(max(line.position(atOffset: offset), 0), Double(max(0, line.count - 1)))
  }

  /// The top card, those that are seen behind it, and one to spare at each end.
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
    // From the card's place in the line to the middle of the viewport.
    let main = offset - Double(ordinal) * line.step
    var attributes = LayoutAttributes(
      frame: line.frame(of: ordinal),
      zIndex: Int(position) - ordinal,
      isHidden: depth <= -1 || depth >= deepest
    )
    if depth < 0 {
      // Once the next card is on top, this one has left the viewport.
      let gone = (line.viewportExtent + line.extent) / 2
      attributes.transform = transform(scale: 1, main: main + depth * gone, cross: 0)
    } else {
      // The deepest card comes up from nothing while the top one slides off.
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
