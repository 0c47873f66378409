// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Consecutive whole lines: an element in the tree of a body's lines. Positions are relative to the
/// leaf, so that versions can share leaves that have moved.
struct LineLeaf: SummarizedElement {
  /// At most one array, so that reading a leaf waits for memory only once.
  enum Storage: Sendable {
    /// Lines with equally many items and of equal length. The pitch is that length with the spacing
    /// after it.
    case run(itemsPerLine: Int, pitch: Double)
    /// Lines with offsets in single precision, which takes half the memory. Used if that is exact.
    case lines([LineStart<Float>])
    /// Lines with offsets in double precision.
    case preciseLines([LineStart<Double>])
    /// The offsets of lines of one item each, in single precision. Used if that is exact.
    case rows([Float])
    /// The offsets of lines of one item each, in double precision.
    case preciseRows([Double])
    /// Rows whose offsets follow from sums that the items' tree keeps.
    case summed(SummedRows)
  }

  let storage: Storage
  let summary: LineSummary

  /// Makes a leaf of equal lines.
  ///
  /// - Parameter pitch: the length of a line with the spacing after it.
  init(run lineCount: Int, itemsPerLine: Int, pitch: Double) {
    storage = .run(itemsPerLine: itemsPerLine, pitch: pitch)
    summary = LineSummary(
      items: lineCount * itemsPerLine,
      lines: lineCount,
      length: Double(lineCount) * pitch,
      byteCount: Self.overhead
    )
  }

  /// Makes a leaf of different lines.
  ///
  /// - Parameter starts: where its lines start; at least one.
  /// - Parameter items: the number of items in all lines.
  /// - Parameter length: the length of all lines with the spacing after each.
  init(_ starts: ArraySlice<LineStart<Double>>, items: Int, length: Double) {
    storage = items == starts.count ? Self.rows(starts) : Self.lines(starts)
    summary = LineSummary(
      items: items,
      lines: starts.count,
      length: length,
      byteCount: Self.overhead + Self.byteCount(storage)
    )
  }

  /// Makes a leaf of rows whose offsets are not stored.
  init(_ rows: SummedRows) {
    storage = .summed(rows)
    summary = LineSummary(
      items: rows.count,
      lines: rows.count,
      length: rows.length,
      byteCount: Self.overhead + rows.byteCount
    )
  }

  private static func lines(_ starts: ArraySlice<LineStart<Double>>) -> Storage {
    var floats: [LineStart<Float>] = []
    floats.reserveCapacity(starts.count)
    for line in starts {
      let offset = Float(line.offset)
      guard Double(offset) == line.offset else { return .preciseLines(Array(starts)) }
      floats.append(LineStart(offset: offset, item: line.item))
    }
    return .lines(floats)
  }

  private static func rows(_ starts: ArraySlice<LineStart<Double>>) -> Storage {
    var floats: [Float] = []
    floats.reserveCapacity(starts.count)
    for line in starts {
      let offset = Float(line.offset)
      guard Double(offset) == line.offset else { return .preciseRows(starts.map(\.offset)) }
      floats.append(offset)
    }
    return .rows(floats)
  }

  /// Whether the offsets of its lines are computed rather than stored, so that it may have any
  /// number of lines.
  var isClosedForm: Bool {
    switch storage {
    case .run, .summed: true
    case .lines, .preciseLines, .rows, .preciseRows: false
    }
  }

  /// Its own place in the tree and its share of the nodes above, in bytes.
  private static let overhead = 84

  private static func byteCount(_ storage: Storage) -> Int {
    switch storage {
    case .run, .summed: 0
    case .lines(let starts): 32 + starts.count * MemoryLayout<LineStart<Float>>.stride
    case .preciseLines(let starts): 32 + starts.count * MemoryLayout<LineStart<Double>>.stride
    case .rows(let offsets): 32 + offsets.count * 4
    case .preciseRows(let offsets): 32 + offsets.count * 8
    }
  }

  /// Where a line starts, in points from the leaf's start, and its first item, counted from the
  /// leaf's first. The line behind the last starts where the leaf ends.
  @inline(__always)
  func start(ofLine line: Int) -> (offset: Double, item: Int) {
    if line == summary.lines { return (summary.length, summary.items) }
    switch storage {
    case .run(let itemsPerLine, let pitch): return (Double(line) * pitch, line * itemsPerLine)
    case .lines(let starts): return (Double(starts[line].offset), Int(starts[line].item))
    case .preciseLines(let starts): return (starts[line].offset, Int(starts[line].item))
    case .rows(let offsets): return (Double(offsets[line]), line)
    case .preciseRows(let offsets): return (offsets[line], line)
    case .summed(let rows): return (rows.offset(ofRow: line), line)
    }
  }

  /// A line's first item, counted from the leaf's first.
  @inline(__always)
  func firstItem(ofLine line: Int) -> Int {
    if case .summed = storage { line } else { start(ofLine: line).item }
  }

  /// The line that holds an item, counted from the leaf's first.
  func line(ofItem item: Int) -> Int {
    switch storage {
    case .run(let itemsPerLine, _): item / itemsPerLine
    case .rows, .preciseRows, .summed: item
    case .lines(let starts):
      Self.firstLine(in: 0 ..< starts.count - 1) { starts[$0 + 1].item > item }
    case .preciseLines(let starts):
      Self.firstLine(in: 0 ..< starts.count - 1) { starts[$0 + 1].item > item }
    }
  }

  /// The first line that, with the spacing after it, ends at `offset` or behind it; the last line
  /// if none does. In a run of equal lines it may be the line before that one.
  ///
  /// - Parameter offset: in points from the leaf's start.
  func firstLine(endingAt offset: Double) -> Int {
    let last = summary.lines - 1
    switch storage {
    case .run(_, let pitch):
      guard pitch > 0 else { return 0 }
      let line = (offset / pitch).rounded(.down) - 1
      // NaN is not greater than 0, and 2⁵² fits into `Int`, so the conversion cannot trap.
      return line > 0 ? min(Int(min(line, 0x1p52)), last) : 0
    case .lines(let starts):
      return Self.firstLine(in: 0 ..< last) { Double(starts[$0 + 1].offset) >= offset }
    case .preciseLines(let starts):
      return Self.firstLine(in: 0 ..< last) { starts[$0 + 1].offset >= offset }
    case .rows(let offsets):
      return Self.firstLine(in: 0 ..< last) { Double(offsets[$0 + 1]) >= offset }
    case .preciseRows(let offsets):
      return Self.firstLine(in: 0 ..< last) { offsets[$0 + 1] >= offset }
    case .summed(let rows): return rows.firstRow(endingAt: offset).row
    }
  }

  /// The first line of a range for which a monotone condition holds (it also holds for all later
  /// lines); the end of the range if there is none.
  @inline(__always)
  private static func firstLine(in range: Range<Int>, where isReached: (Int) -> Bool) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if isReached(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

/// Where a line of a leaf starts.
struct LineStart<Offset: Sendable>: Sendable {
  /// The distance from the leaf's start along the scroll axis, in points.
  var offset: Offset
  /// The line's first item, counted from the leaf's first.
  var item: UInt16
}

/// A summary of consecutive lines.
struct LineSummary: Hashable, TreeSummary {
  var items: Int
  var lines: Int
  /// The length of the lines with the spacing after each, in points.
  var length: Double
  /// The memory that they take, in bytes.
  var byteCount: Int

  static let zero = LineSummary(items: 0, lines: 0, length: 0, byteCount: 0)

  static func + (a: LineSummary, b: LineSummary) -> LineSummary {
    LineSummary(
      items: a.items + b.items,
      lines: a.lines + b.lines,
      length: a.length + b.length,
      byteCount: a.byteCount + b.byteCount
    )
  }
}
