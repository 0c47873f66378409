// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession

/// Numbers in columns are within ±2³⁰, so that the difference of two fits 32 bits.
let maxPacked: Int64 = 1 << 30

/// The edges of an element's frame in units. Edges are rounded and lengths computed from the
/// rounded edges, so that no gaps appear between neighbours.
struct PackedEdges {
  let left: Int64
  let top: Int64
  let width: Int64
  let height: Int64

  @inline(__always)
  init(_ frame: Rect, _ units: Double) {
    left = StateChecksum.quantized(frame.minX, units)
    top = StateChecksum.quantized(frame.minY, units)
    // The differences wrap for edges that are 2⁶³ units or more apart; `PackedColumns.fits` refuses
    // the negative lengths that result.
    width = StateChecksum.quantized(frame.maxX, units) &- left
    height = StateChecksum.quantized(frame.maxY, units) &- top
  }

  /// Whether the edges, and their sums with other numbers of a column, are exact as doubles.
  var isExact: Bool { max(left.magnitude, top.magnitude) < 1 << 50 }
}

/// The values of one element in the columns.
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
  /// The index of the element and its key in the frame's upserts.
  var index: Int32
  var isHidden: Bool
  var scrollsAcross: Bool
  var outline: OutlineMark
}

/// Collects elements row by row and writes them column by column.
struct PackedColumns: ~Copyable {
  let units: Double
  /// Whether there is a column for elements that the client scrolls with their section.
  private let scrollsSections: Bool
  private var rows: TemporaryRows<PackedRow>
  /// The position of the first element, to which all others are relative; nil = there are no rows.
  private var origin: (x: Int64, y: Int64)?

  /// - Parameter scrollsSections: whether the client scrolls sections itself.
  /// - Parameter rows: has capacity for all elements of a frame.
  init(
    unitsPerPoint: Int,
    scrollsSections: Bool,
    rows: consuming TemporaryRows<PackedRow>
  ) {
    units = Double(unitsPerPoint)
    self.scrollsSections = scrollsSections
    self.rows = rows
  }

  private var count: Int { rows.count }

  /// Whether an element can be written in columns: it has no rarer attributes, and all of its
  /// numbers are small enough.
  func fits(_ element: FrameElement, _ edges: PackedEdges, extra: ElementExtra?) -> Bool {
    let value = element.element
    guard extra == nil || extra == ElementExtra(), scrollsSections || !value.scrollsAcross
    else { return false }
    guard Int64(element.slot) < maxPacked, Int64(value.indexPath.section) < maxPacked,
      Int64(value.indexPath.item ?? 0) < maxPacked - 1,
      Int64(value.zIndex).magnitude < UInt64(maxPacked)
    else { return false }
    guard (0 ... maxPacked).contains(edges.width), (0 ... maxPacked).contains(edges.height),
      edges.isExact
    else { return false }
    guard let origin else { return true }
    // Both edges are exact, so below 2⁵⁰ in magnitude: the differences do not overflow.
    return (edges.left - origin.x).magnitude < UInt64(maxPacked)
      && (edges.top - origin.y).magnitude < UInt64(maxPacked)
  }

  /// Adds an element as a row.
  ///
  /// - Precondition: `fits` returned true for it, so none of the conversions here loses bits.
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
        isHidden: value.isHidden,
        scrollsAcross: value.scrollsAcross,
        outline: value.outline
      )
    )
  }

  /// Alpha as 0 ... 65535; NaN becomes 0.
  private static func packed(alpha: Double) -> UInt32 {
    alpha > 0 ? UInt32((min(alpha, 1) * 65535).rounded()) : 0
  }

  /// Writes all columns and removes the rows.
  mutating func write(to writer: inout WireWriter, keys: [String], data: [String]) {
    guard count > 0 else { return }
    if let width = gridWidth, count >= Self.minGridRows * width { orderByColumns(of: width) }
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
    if !keys.isEmpty { texts(18, &writer) { isOfSection($0) ? "" : text($0, keys) } }
    if hasOutline {
      let start = writer.begin(21)
      differences(1, &writer) { Int32($0.outline.level) }
      differences(2, &writer) { $0.outline.stateNumber }
      writer.end(start)
    }
    if !keys.isEmpty { writeSectionKeys(keys, to: &writer) }
    if scrollsSections { plain(31, &writer, default: 0) { $0.scrollsAcross ? 1 : 0 } }
    if !data.isEmpty { texts(32, &writer) { text($0, data) } }
    rows.removeAll()
    origin = nil
  }

  /// Whether some row has a place in an outline that must be sent.
  private var hasOutline: Bool {
    for row in 0 ..< count where rows[row].outline != .none { return true }
    return false
  }

  // MARK: - Grids

  /// Grids of this many rows or more are written column by column, which makes them smaller.
  private static let minGridRows = 4

  /// The number of elements in each row of a grid; nil = the elements do not form a grid.
  ///
  /// They form a grid if they are consecutive items of one section, in rows with the same x
  /// coordinates, which increase or decrease along each row. The last row may be shorter.
  private var gridWidth: Int? {
    guard count >= 2 * Self.minGridRows, rows[1].y == rows[0].y else { return nil }
    var width = 1
    while width < count, rows[width].x != rows[0].x { width += 1 }
    guard width > 1, Self.minGridRows * width <= count else { return nil }
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

  /// Reorders a grid down its first column, up the second, and so on. Between neighbours one
  /// coordinate then stays and the other changes by the same step, which takes fewer bytes than
  /// going along the rows.
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

  /// Writes a column of differences: nothing if all values are 0, one value if all are equal,
  /// otherwise the difference of each value from the one before.
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

  /// Writes a column of runs of differences; nothing if all values are 0, because the number of
  /// rows is written separately.
  @inline(__always)
  private func runs(_ field: Int, _ writer: inout WireWriter, _ value: (PackedRow) -> Int32) {
    if isUniform(value), value(rows[0]) == 0 { return }
    var runs = RunWriter(field: field, to: &writer)
    for row in 0 ..< count { runs.append(value(rows[row]), to: &writer) }
    runs.end(&writer)
  }

  /// Writes a column of plain values: nothing if all are the default, one value if all are equal,
  /// otherwise all of them.
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

  /// Writes a plain column of texts with "" as its default.
  private func texts(_ field: Int, _ writer: inout WireWriter, _ text: (PackedRow) -> String) {
    let first = text(rows[0])
    var isUniform = true
    // Compared byte for byte: strings are equal where their characters look the same.
    for row in 1 ..< max(count, 1) where !text(rows[row]).utf8.elementsEqual(first.utf8) {
      isUniform = false
      break
    }
    if isUniform, first.isEmpty { return }
    for row in 0 ..< (isUniform ? 1 : count) { writer.present(field, text(rows[row])) }
  }

  /// Writes the keys of sections, one for each element that has no item, or one for all of these.
  private func writeSectionKeys(_ keys: [String], to writer: inout WireWriter) {
    var first: String?
    var isUniform = true
    for row in 0 ..< count where isOfSection(rows[row]) {
      let key = text(rows[row], keys)
      if let first, first != key { isUniform = false }
      first = first ?? key
    }
    guard let first, !(isUniform && first.isEmpty) else { return }
    if isUniform { return writer.present(30, first) }
    for row in 0 ..< count where isOfSection(rows[row]) {
      writer.present(30, text(rows[row], keys))
    }
  }

  /// Whether an element belongs to a section as a whole.
  private func isOfSection(_ row: PackedRow) -> Bool { row.item == 0 }

  private func text(_ row: PackedRow, _ texts: [String]) -> String {
    let index = Int(row.index)
    return index < texts.count ? texts[index] : ""
  }
}
