// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

/// The boundary elements around some content, each placed by itself with the formulas that were
/// found for UIKit's answers.
struct NaiveBoundary {
  struct Placed {
    var item: BoundarySupplementaryItem
    /// 0 = start, 1 = middle, 2 = end.
    var edge: Int
    /// Relative to the start of the section.
    var frame: AxisRect
  }

  /// The room before the content.
  var head = 0.0
  /// The room behind the content.
  var tail = 0.0
  /// The length of the content, which long elements stretch.
  var content: Double
  var placed: [Placed] = []

  var length: Double { head + content + tail }

  /// - Parameter whole: the size of the container.
  /// - Parameter insets: those that the elements follow across the scroll axis.
  /// - Parameter content: the length of what is inside.
  /// - Parameter measured: what was measured of elements of a kind.
  init(
    _ items: [BoundarySupplementaryItem],
    axis: ScrollAxis,
    whole: Size,
    insets: EdgeInsets,
    content: Double,
    grid: PixelGrid?,
    measured: (String) -> Size? = { _ in nil }
  ) {
    self.content = content
    let start = axis.crossStart(insets)
    let room = max(0, axis.cross(whole) - start - axis.crossEnd(insets))
    let sized = items.map { item in
      (
        item,
        Self.size(
          item,
          in: axis.size(main: axis.main(whole), cross: room),
          grid: grid,
          measured: measured
        ),
        Self.edges(item.alignment ?? .top, axis)
      )
    }
    for (item, size, edges) in sized where item.extendsBoundary {
      let (l, o) = (axis.main(size), axis.main(item.absoluteOffset))
      if edges.main == 0 { head = max(head, l - o) }
      if edges.main == 1 { self.content = max(self.content, l) }
      if edges.main == 2 { tail = max(tail, l + o) }
    }
    for (item, size, edges) in sized {
      let (l, o) = (axis.main(size), axis.main(item.absoluteOffset))
      let main: Double =
        switch (edges.main, item.extendsBoundary) {
        case (0, true): head - l + o
        case (0, false): head + o
        case (2, true): head + self.content + o
        case (2, false): head + self.content - l + o
        default: head + (self.content - l) / 2 + o
        }
      let cross = start + (room - axis.cross(size)) * Double(edges.cross) / 2
      placed.append(
        Placed(
          item: item,
          edge: edges.main,
          frame: AxisRect(
            main: main,
            cross: cross + axis.cross(item.absoluteOffset),
            mainLength: l,
            crossLength: axis.cross(size)
          )
        )
      )
    }
  }

  private static func size(
    _ item: BoundarySupplementaryItem,
    in container: Size,
    grid: PixelGrid?,
    measured: (String) -> Size?
  ) -> Size {
    let solver = NaiveGroup(grid: grid) { _ in (nil, nil) }
    var size = solver.rounded(solver.resolve(item.size, container), item.size)
    if let known = measured(item.kind) {
      if item.size.width.isEstimated { size.width = grid?.round(known.width) ?? known.width }
      if item.size.height.isEstimated { size.height = grid?.round(known.height) ?? known.height }
    }
    return size
  }

  /// The edges along and across the axis, each 0 = start, 1 = middle, 2 = end.
  private static func edges(
    _ alignment: RectAlignment,
    _ axis: ScrollAxis
  ) -> (main: Int, cross: Int) {
    let (x, y) =
      switch alignment {
      case .top: (1, 0)
      case .topLeading: (0, 0)
      case .leading: (0, 1)
      case .bottomLeading: (0, 2)
      case .bottom: (1, 2)
      case .bottomTrailing: (2, 2)
      case .trailing: (2, 1)
      case .topTrailing: (2, 0)
      case .center: (1, 1)
      }
    return axis == .vertical ? (y, x) : (x, y)
  }

  /// Where an element at its edge of the visible bounds starts, relative to the section.
  ///
  /// - Parameter visible: the visible bounds, relative to the section.
  func pinned(_ element: Placed, in visible: (start: Double, end: Double)) -> Double {
    let natural = element.frame.main
    let length = element.frame.mainLength
    func frames(_ edge: Int) -> [AxisRect] {
      placed.filter { $0.edge == edge && $0.item.extendsBoundary }.map(\.frame)
    }
    if element.edge == 2 {
      let headersEnd = frames(0).map(\.mainEnd).max() ?? 0
      return min(natural, max(visible.end - length, headersEnd))
    }
    let footersStart = frames(2).map(\.main).min() ?? self.length
    return max(natural, min(visible.start, footersStart - length))
  }
}
