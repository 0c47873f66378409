// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// The grid by whose cells a spatial layout counts items: a quadtree over the world of a map, or
/// over the plane of points around (0, 0).
///
/// Each position has a key: how far along a Hilbert curve through the whole grid it lies. The keys
/// of a cell are consecutive, as are those of the four cells that it is divided into.
struct ClusterGrid: Sendable {
  /// How often the whole grid is halved: it has 2^level cells on each axis.
  let level: Int
  /// The width and the height of a cell in points.
  let cellWidth: Double
  /// The curve by which positions have their keys. It does not depend on the zoom.
  let curve: CurveGrid
  /// The upper left corner of the whole grid, in content coordinates.
  private let corner: Point
  /// The number of points to a unit of positions.
  private let unit: Double

  /// How often the curve halves the grid.
  private static let finestLevel = CurveGrid.levels
  /// The level of points' cells: 2²³ cells lie on each side of (0, 0).
  private static let levelOfPoints = 24

  /// - Parameter worldWidth: the width of a map's world in points, whose positions are parts of it;
  ///   0 = the positions are points.
  init(_ clusters: SpatialLayout.Clusters, worldWidth: Double) {
    if worldWidth > 0 {
      let least = clusters.leastCellWidth
      // The loops are exact where logarithms would be rounded.
      var (level, width) = (0, worldWidth)
      while level < Self.finestLevel, width / 2 >= least { (level, width) = (level + 1, width / 2) }
      (self.level, cellWidth, corner, unit) = (level, width, .zero, worldWidth)
      curve = .world
    } else {
      let width = clusters.cellWidthOfPoints
      let half = width * Double(1 << (Self.levelOfPoints - 1))
      (level, cellWidth) = (Self.levelOfPoints, width)
      (corner, unit) = (Point(x: -half, y: -half), 1)
      curve = CurveGrid(
        corner: [-half, -half],
        scale: SIMD2(repeating: Double(1 << (Self.finestLevel - Self.levelOfPoints)) / width)
      )
    }
  }

  /// A cell, or a square of 2^k × 2^k cells that one was divided into.
  struct Square: Hashable, Sendable {
    /// How often the whole grid is halved to get squares of this size.
    var level: Int
    /// The number of squares to the left of this one.
    var x: UInt32
    /// The number of squares above this one.
    var y: UInt32

    /// The keys of all positions in the square.
    var keys: ClosedRange<UInt64> {
      let shift = UInt64(ClusterGrid.finestLevel - level)
      let first = HilbertOrder.standard.distance(x << UInt32(shift), y << UInt32(shift))
      let mask = (UInt64(1) << (2 * shift)) &- 1
      return first & ~mask ... first | mask
    }

    /// The four squares that this one is divided into.
    ///
    /// Lazy, because an array would need memory for each square of a query.
    var quarters: some Sequence<Square> {
      let (level, x, y) = (level + 1, x << 1, y << 1)
      return (UInt32(0) ..< 4).lazy.map { Square(level: level, x: x | $0 & 1, y: y | $0 >> 1) }
    }

    /// Which of the four quarters of a larger square this one is along the curve, from 0 to 3.
    ///
    /// - Precondition: it is not the whole grid.
    var placeAlongCurve: Int {
      Int(keys.lowerBound >> UInt64(2 * (ClusterGrid.finestLevel - level)) & 3)
    }

    /// Whether the square contains some of the cells from `first` to `last`.
    func meets(_ first: Square, _ last: Square) -> Bool {
      let shift = UInt32(first.level - level)
      return first.x >> shift <= x && x <= last.x >> shift && first.y >> shift <= y
        && y <= last.y >> shift
    }
  }

  /// The whole grid.
  static let everything = Square(level: 0, x: 0, y: 0)

  /// The keys of all positions in the cell of one of them.
  func keys(around key: UInt64) -> ClosedRange<UInt64> {
    let mask = (UInt64(1) << UInt64(2 * (Self.finestLevel - level))) &- 1
    // A shift by all 64 bits leaves 0, and with it a mask of all bits.
    return key & ~mask ... key | mask
  }

  /// The cell at a position in content coordinates.
  func cell(at position: Point) -> Square {
    let shift = UInt32(Self.finestLevel - level)
    let steps = curve.steps(of: [position.x / unit, position.y / unit])
    return Square(level: level, x: steps.x >> shift, y: steps.y >> shift)
  }

  /// The least and the greatest positions in the cells from one to another.
  func positions(
    from first: Square,
    to last: Square
  ) -> (low: SIMD2<Double>, high: SIMD2<Double>) {
    let steps = Double(UInt64(1) << UInt64(Self.finestLevel - level))
    let edge = UInt32((UInt64(1) << UInt64(level)) - 1)
    var low = SIMD2(Double(first.x), Double(first.y)) * steps / curve.scale + curve.corner
    var high = SIMD2(Double(last.x) + 1, Double(last.y) + 1) * steps / curve.scale + curve.corner
    // What lies outside of the grid is in the cells at its edge.
    if first.x == 0 { low.x = -.infinity }
    if first.y == 0 { low.y = -.infinity }
    if last.x == edge { high.x = .infinity }
    if last.y == edge { high.y = .infinity }
    return (low, high)
  }

  /// The cell with a key.
  ///
  /// - Complexity: O(level)
  func cell(ofKey key: UInt64) -> Square {
    var square = Self.everything
    while square.level < level,
      let quarter = square.quarters.first(where: { $0.keys.contains(key) })
    {
      square = quarter
    }
    return square
  }

  /// Where a cell is, in content coordinates.
  func frame(of cell: Square) -> Rect {
    Rect(
      x: corner.x + Double(cell.x) * cellWidth,
      y: corner.y + Double(cell.y) * cellWidth,
      width: cellWidth,
      height: cellWidth
    )
  }
}

extension CurveGrid {
  /// The curve through a map's world, whose positions are parts of its width.
  static let world = CurveGrid(corner: .zero, scale: SIMD2(repeating: 4_294_967_296))
}

extension SpatialLayout.Clusters {
  /// The least width and height of cells in points, within the limits.
  fileprivate var leastCellWidth: Double {
    min(max(cellSize, Limit.cellSize.lowerBound), Limit.cellSize.upperBound)
  }

  /// The width and height of cells among points: the next power of two.
  var cellWidthOfPoints: Double {
    var width = 1.0
    while width < leastCellWidth { width *= 2 }
    return width
  }
}
