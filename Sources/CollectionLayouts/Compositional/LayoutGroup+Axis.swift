// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

// Here `main` runs along the group's axis and `cross` across it, whichever way the layout scrolls.
extension LayoutGroup.Axis {
  func main(_ size: Size) -> Double { self == .horizontal ? size.width : size.height }

  func cross(_ size: Size) -> Double { self == .horizontal ? size.height : size.width }

  func size(main: Double, cross: Double) -> Size {
    self == .horizontal
      ? Size(width: main, height: cross) : Size(width: cross, height: main)
  }

  func point(main: Double, cross: Double) -> Point {
    self == .horizontal ? Point(x: main, y: cross) : Point(x: cross, y: main)
  }

  func of(_ flags: (width: Bool, height: Bool)) -> Bool {
    self == .horizontal ? flags.width : flags.height
  }

  func across(_ flags: (width: Bool, height: Bool)) -> Bool {
    self == .horizontal ? flags.height : flags.width
  }

  func edges(_ spacing: EdgeSpacing) -> (start: LayoutSpacing, end: LayoutSpacing) {
    self == .horizontal
      ? (spacing.leading, spacing.trailing) : (spacing.top, spacing.bottom)
  }

  func crossEdges(_ spacing: EdgeSpacing) -> (start: LayoutSpacing, end: LayoutSpacing) {
    self == .horizontal
      ? (spacing.top, spacing.bottom) : (spacing.leading, spacing.trailing)
  }
}
