// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession

/// Numbers stay within ±2³⁰ in columns, so that differences of two fit 32 bits.
let maxPacked: Int64 = 1 << 30

/// A frame's edges in units: edges are rounded, lengths follow, so that neighbours stay seamless.
struct PackedEdges {
  let left: Int64
  let top: Int64
  let width: Int64
  let height: Int64

  @inline(__always)
  init(_ frame: Rect, _ units: Double) {
    left = StateChecksum.quantized(frame.minX, units)
    top = StateChecksum.quantized(frame.minY, units)
    // Wraps around for edges 2⁶³ units apart, to a length below 0 that no column takes.
    width = StateChecksum.quantized(frame.maxX, units) &- left
    height = StateChecksum.quantized(frame.maxY, units) &- top
  }

  /// Whether the edges survive the way through 64-bit floats, whatever is added on the way.
  var isExact: Bool { max(left.magnitude, top.magnitude) < 1 << 50 }
}

/// One element's values in the columns.
struct PackedRow: BitwiseCopyable {
  var slot: Int32
  var category: Int32
  var kind: Int32
  var section: Int32
  var item: Int32
  var x: Int32
  var y: Int32
  var width: Int32
  var height: Int32
  var zIndex: Int32
  var alpha: UInt32
  /// Of the upsert and its item key.
  var index: Int32
  var isHidden: Bool
}

/// Gathers elements row by row and writes them column by column.
struct PackedColumns: ~Copyable {
  let units: Double
  private var rows: TemporaryRows<PackedRow>
  /// Of the first element; all others are told relative to it.
  private var origin: (x: Int64, y: Int64)?

  /// - Parameter rows: room for all elements of a frame.
  init(unitsPerPoint: Int, rows: consuming TemporaryRows<PackedRow>) {
    units = Double(unitsPerPoint)
    self.rows = rows
  }

  private var count: Int { rows.count }

  /// Whether an element can stand in columns: no rarer attributes, and all numbers small enough.
  func fits(_ element: FrameElement, _ edges: PackedEdges, extra: ElementExtra?) -> Bool {
    let value = element.element
    guard extra == nil || extra == ElementExtra() else { return false }
    guard Int64(element.slot) < maxPacked, Int64(value.indexPath.section) < maxPacked,
      Int64(value.indexPath.item ?? 0) < maxPacked - 1,
      Int64(value.zIndex).magnitude < UInt64(maxPacked)
    else { return false }
    guard (0 ... maxPacked).contains(edges.width), (0 ... maxPacked).contains(edges.height),
      edges.isExact
    else { return false }
    guard let origin else { return true }
    return (edges.left - origin.x).magnitude < UInt64(maxPacked)
      && (edges.top - origin.y).magnitude < UInt64(maxPacked)
  }

  /// - Precondition: `fits` said so.
  mutating func append(_ element: FrameElement, _ edges: PackedEdges, index: Int) {
    let value = element.element
    let origin = origin ?? (edges.left, edges.top)
    self.origin = origin
    rows.append(
      PackedRow(
        slot: Int32(truncatingIfNeeded: element.slot),
        category: Int32(value.category.rawValue),
        kind: Int32(value.kind),
        section: Int32(truncatingIfNeeded: value.indexPath.section),
        item: Int32(truncatingIfNeeded: value.indexPath.item.map { $0 + 1 } ?? 0),
        x: Int32(truncatingIfNeeded: edges.left - origin.x),
        y: Int32(truncatingIfNeeded: edges.top - origin.y),
        width: Int32(truncatingIfNeeded: edges.width),
        height: Int32(truncatingIfNeeded: edges.height),
        zIndex: value.zIndex,
        alpha: Self.packed(alpha: value.alpha),
        index: Int32(truncatingIfNeeded: index),
        isHidden: value.isHidden
      )
    )
  }

  /// 0 for what is no number.
  private static func packed(alpha: Double) -> UInt32 {
    alpha > 0 ? UInt32((min(alpha, 1) * 65535).rounded()) : 0
  }

  /// Writes all columns and forgets the rows.
  mutating func write(to writer: inout WireWriter, itemKeys: [String]) {
    guard count > 0 else { return }
    if let width = gridWidth, count >= Self.fewestRows * width { orderByColumns(of: width) }
    writer.uint(1, UInt64(count))
    runs(2, &writer) { $0.slot }
    differences(4, &writer) { $0.category }
    differences(5, &writer) { $0.kind }
    differences(7, &writer) { $0.section }
    runs(8, &writer) { $0.item }
    if let origin {
      writer.sint(9, origin.x)
      writer.sint(10, origin.y)
    }
    differences(11, &writer) { $0.x }
    differences(12, &writer) { $0.y }
    differences(13, &writer) { $0.width }
    differences(14, &writer) { $0.height }
    differences(15, &writer) { $0.zIndex }
    plain(16, &writer, default: 65535) { $0.alpha }
    plain(17, &writer, default: 0) { $0.isHidden ? 1 : 0 }
    if !itemKeys.isEmpty { write(itemKeys, to: &writer) }
    rows.removeAll()
    origin = nil
  }

  // MARK: - Grids

  /// From so many rows on it is worth it to tell a grid column by column.
  private static let fewestRows = 4

  /// How many elements stand side by side in each row of a grid; nil = it is none: rows go one way
  /// and repeat each other, and the items of one section follow each other.
  private var gridWidth: Int? {
    guard count >= 2 * Self.fewestRows, rows[1].y == rows[0].y else { return nil }
    var width = 1
    while width < count, rows[width].x != rows[0].x { width += 1 }
    guard width > 1, Self.fewestRows * width <= count else { return nil }
    for row in 1 ..< count {
      let (before, this) = (rows[row - 1], rows[row])
      guard this.item == before.item + 1, this.section == before.section else { return nil }
      guard (this.y == before.y) == (row % width != 0) else { return nil }
      guard
        row < width
          ? (this.x > before.x) == (rows[1].x > rows[0].x) && this.x != before.x
          : this.x == rows[row - width].x
      else { return nil }
    }
    return width
  }

  /// Down one column and up the next: one coordinate stays and the other changes by the same step,
  /// where along the rows the larger differences would come once an element.
  private mutating func orderByColumns(of width: Int) {
    rows.reorder { byRows, append in
      for column in 0 ..< width {
        let length = (byRows.count - column + width - 1) / width
        for step in 0 ..< length {
          let row = column.isMultiple(of: 2) ? step : length - 1 - step
          append(byRows[column + row * width])
        }
      }
    }
  }

  // MARK: - Columns

  @inline(__always)
  private func isUniform<Value: Equatable>(_ value: (PackedRow) -> Value) -> Bool {
    let first = value(rows[0])
    for row in 1 ..< max(count, 1) where value(rows[row]) != first { return false }
    return true
  }

  /// Nothing for all zeros, one value for all equal ones, else differences.
  @inline(__always)
  private func differences(
    _ field: Int,
    _ writer: inout WireWriter,
    _ value: (PackedRow) -> Int32
  ) {
    let isUniform = isUniform(value)
    if isUniform, value(rows[0]) == 0 { return }
    let start = writer.begin(field)
    var previous: Int32 = 0
    for row in 0 ..< (isUniform ? 1 : count) {
      let next = value(rows[row])
      writer.zigzag(next &- previous)
      previous = next
    }
    writer.end(start)
  }

  /// Runs; nothing for all zeros, as the column's length is known elsewhere.
  @inline(__always)
  private func runs(_ field: Int, _ writer: inout WireWriter, _ value: (PackedRow) -> Int32) {
    if isUniform(value), value(rows[0]) == 0 { return }
    var runs = RunWriter(field: field, to: &writer)
    for row in 0 ..< count { runs.append(value(rows[row]), to: &writer) }
    runs.end(&writer)
  }

  /// Values that have no differences: nothing for all default, one for all equal ones, else all.
  @inline(__always)
  private func plain(
    _ field: Int,
    _ writer: inout WireWriter,
    default: UInt32,
    _ value: (PackedRow) -> UInt32
  ) {
    let isUniform = isUniform(value)
    if isUniform, value(rows[0]) == `default` { return }
    let start = writer.begin(field)
    for row in 0 ..< (isUniform ? 1 : count) { writer.varint(UInt64(value(rows[row]))) }
    writer.end(start)
  }

  /// Like plain columns, of texts; "" = none.
  private func write(_ itemKeys: [String], to writer: inout WireWriter) {
    func key(_ row: Int) -> String {
      let index = Int(rows[row].index)
      return index < itemKeys.count ? itemKeys[index] : ""
    }
    let first = key(0)
    var isUniform = true
    for row in 1 ..< max(count, 1) where key(row) != first {
      isUniform = false
      break
    }
    if isUniform, first.isEmpty { return }
    for row in 0 ..< (isUniform ? 1 : count) { writer.present(18, key(row)) }
  }
}
