// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// A circle of items in closed form: nothing is kept for single items.
struct PreparedCircle: PreparedLayout {
  let context: LayoutContext
  let contentSize: Size

  private let ordinals: ItemOrdinals
  private let kinds: CellKinds
  private let center: Point
  private let radius: Double
  private let startAngle: Double
  private let itemSize: Size
  private let grid: PixelGrid?

  init(_ layout: CircleLayout, _ context: LayoutContext) {
    self.context = context
    let container = context.container
    contentSize = container.contentSize
    ordinals = ItemOrdinals(context.contents)
    kinds = CellKinds(context.contents)
    // At rest the viewport begins outside the content, by the insets.
    let left = container.isRightToLeft ? container.insets.trailing : container.insets.leading
    center = Point(
      x: container.size.width / 2 - left,
      y: container.size.height / 2 - container.insets.top
    )
    radius =
      layout.radiusDivisor > 0
      ? min(container.size.width, container.size.height) / layout.radiusDivisor : 0
    // Angles of many turns would lose the digits that tell items apart.
    startAngle = layout.startAngle.truncatingRemainder(dividingBy: 2 * .pi)
    grid = context.pixelGrid
    itemSize = grid?.round(layout.itemSize) ?? layout.itemSize
  }

  var kindNames: [String] { context.contents.cellKindNames }
  var scrollAxis: ScrollAxis? { nil }
  var byteCount: Int {
    MemoryLayout<PreparedCircle>.stride + context.options.byteCount + ordinals.byteCount
  }

  var defaultAppearing: AppearanceAnimation {
    AppearanceAnimation(alpha: 0, scale: 1, center: .viewportCenter)
  }

  var defaultDisappearing: AppearanceAnimation {
    AppearanceAnimation(alpha: 0, scale: 0.1, center: .viewportCenter)
  }

  func appendElements(in rect: Rect, viewport: Viewport, to buffer: inout ElementBuffer) {
    let (x, y) = (itemSize.width / 2 + grid.slack, itemSize.height / 2 + grid.slack)
    let reach = Rect(
      x: rect.x - x,
      y: rect.y - y,
      width: rect.width + 2 * x,
      height: rect.height + 2 * y
    )
    var end = 0
    for turns in turns(within: reach) {
      // One item more on either side makes up for rounding. Ranges come in order and may overlap,
      // so each starts behind the end of those before it.
      let count = Double(ordinals.count)
      let range = Range(
        from: turns.lowerBound * count - 1,
        through: turns.upperBound * count + 1,
        count: ordinals.count
      )
      let fresh = max(range.lowerBound, end) ..< max(range.upperBound, end)
      end = fresh.upperBound
      ordinals.forEach(in: fresh) { ordinal, path in
        let frame = frame(of: ordinal)
        if frame.meets(rect) {
          buffer.append(
            LayoutElement(
              category: .cell,
              kind: kinds.kind(at: path),
              indexPath: path,
              frame: frame
            )
          )
        }
        return buffer.visit(1) && !buffer.isFull
      }
      if buffer.isFull { return }
    }
  }

  func attributes(of key: ElementKey, viewport: Viewport) -> LayoutAttributes? {
    guard kinds.contains(key), let ordinal = ordinals.ordinal(of: key.indexPath) else { return nil }
    return LayoutAttributes(frame: frame(of: ordinal))
  }

  /// The frame of an item: its angle is start + 2π · i / n, as in the WWDC sample.
  private func frame(of ordinal: Int) -> Rect {
    let angle = startAngle + 2 * .pi * Double(ordinal) / Double(ordinals.count)
    let frame = Rect(
      center: Point(x: center.x + radius * angle.cosine, y: center.y + radius * angle.sine),
      size: itemSize
    )
    guard let grid else { return frame }
    return Rect(origin: grid.round(frame.origin), size: itemSize)
  }

  /// The parts of the circle inside `rect`, in turns from the first item on (0…1), in order.
  ///
  /// The circle crosses the four edge lines of the rect at most eight times. Between two crossings
  /// it is wholly inside or wholly outside.
  private func turns(within rect: Rect) -> [ClosedRange<Double>] {
    let toEdges = [
      (rect.minX - center.x, 0.0), (rect.maxX - center.x, 0.0),
      (rect.minY - center.y, 0.25), (rect.maxY - center.y, 0.25),
    ]
    var cuts: [Double] = [0, 1]
    for (distance, axis) in toEdges where abs(distance) < radius {
      // cos(angle) = distance / radius, where the angle of a horizontal line counts from the y
      // axis, a quarter turn (0.25) further on.
      let cosine = distance / radius
      let sine = max(0, 1 - cosine * cosine).squareRoot()
      let angle = 2 * (sine / (1 + cosine)).arctangent
      for crossing in [angle, -angle] {
        let turn = (crossing - startAngle) / (2 * .pi) + axis
        cuts.append(turn - turn.rounded(.down))
      }
    }
    cuts.sort()
    var arcs: [ClosedRange<Double>] = []
    for (from, to) in zip(cuts, cuts.dropFirst()) {
      let angle = startAngle + (from + to) * .pi
      let middle = Point(x: center.x + radius * angle.cosine, y: center.y + radius * angle.sine)
      guard
        middle.x >= rect.minX, middle.x <= rect.maxX, middle.y >= rect.minY, middle.y <= rect.maxY
      else { continue }
      arcs.append(from ... to)
    }
    return arcs
  }
}
