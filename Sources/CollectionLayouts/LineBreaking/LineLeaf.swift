// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Consecutive whole lines, in the tree of a body's lines. Positions are relative to the leaf, so
/// that versions share leaves wherever those move.
struct LineLeaf: SummarizedElement {
  /// One array at most: who looks into a leaf waits for memory once.
  enum Storage: Sendable {
    /// Lines of equally many items with equal lengths: (items of a line, line and spacing).
    case run(itemsPerLine: Int, pitch: Double)
    /// Offsets in single precision where that is exact: half the memory.
    case lines([LineStart<Float>])
    case preciseLines([LineStart<Double>])
    /// Offsets of lines of one item each.
    case rows([Float])
    case preciseRows([Double])
  }

  let storage: Storage
  let summary: LineSummary

  /// - Parameter pitch: length of a line and the spacing after it.
  init(run lineCount: Int, itemsPerLine: Int, pitch: Double) {
    storage = .run(itemsPerLine: itemsPerLine, pitch: pitch)
    summary = LineSummary(
      items: lineCount * itemsPerLine,
      lines: lineCount,
      length: Double(lineCount) * pitch,
      byteCount: Self.overhead
    )
  }

  /// - Parameter starts: of all lines.
  /// - Parameter items: of all lines together.
  init(_ starts: ArraySlice<LineStart<Double>>, items: Int, length: Double) {
    storage = items == starts.count ? Self.rows(starts) : Self.lines(starts)
    summary = LineSummary(
      items: items,
      lines: starts.count,
      length: length,
      byteCount: Self.overhead + Self.byteCount(storage)
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

  /// Whether it is in closed form.
  var isRun: Bool { if case .run = storage { true } else { false } }

  /// Its place in the tree and its share of the nodes above, in bytes.
  private static let overhead = 84

  private static func byteCount(_ storage: Storage) -> Int {
    switch storage {
    case .run: 0
    case .lines(let starts): 32 + starts.count * MemoryLayout<LineStart<Float>>.stride
    case .preciseLines(let starts): 32 + starts.count * MemoryLayout<LineStart<Double>>.stride
    case .rows(let offsets): 32 + offsets.count * 4
    case .preciseRows(let offsets): 32 + offsets.count * 8
    }
  }

  /// Where a line starts, from the leaf's start, and its first item, counted from the leaf's. After
  /// the last line there is one more that starts where the leaf ends.
  @inline(__always)
  func start(ofLine line: Int) -> (offset: Double, item: Int) {
    if line == summary.lines { return (summary.length, summary.items) }
    switch storage {
    case .run(let itemsPerLine, let pitch): return (Double(line) * pitch, line * itemsPerLine)
    case .lines(let starts): return (Double(starts[line].offset), Int(starts[line].item))
    case .preciseLines(let starts): return (starts[line].offset, Int(starts[line].item))
    case .rows(let offsets): return (Double(offsets[line]), line)
    case .preciseRows(let offsets): return (offsets[line], line)
    }
  }

  /// The line that holds an item, counted from the leaf's first.
  func line(ofItem item: Int) -> Int {
    switch storage {
    case .run(let itemsPerLine, _): item / itemsPerLine
    case .rows, .preciseRows: item
    case .lines(let starts):
      Self.firstLine(in: 0 ..< starts.count - 1) { starts[$0 + 1].item > item }
    case .preciseLines(let starts):
      Self.firstLine(in: 0 ..< starts.count - 1) { starts[$0 + 1].item > item }
    }
  }

  /// The first line whose end, with the spacing after it, does not lie before a place.
  func firstLine(endingAt offset: Double) -> Int {
    let last = summary.lines - 1
    switch storage {
    case .run(_, let pitch):
      guard pitch > 0 else { return 0 }
      let line = (offset / pitch).rounded(.down) - 1
      return line > 0 ? min(Int(min(line, 0x1p52)), last) : 0
    case .lines(let starts):
      return Self.firstLine(in: 0 ..< last) { Double(starts[$0 + 1].offset) >= offset }
    case .preciseLines(let starts):
      return Self.firstLine(in: 0 ..< last) { starts[$0 + 1].offset >= offset }
    case .rows(let offsets):
      return Self.firstLine(in: 0 ..< last) { Double(offsets[$0 + 1]) >= offset }
    case .preciseRows(let offsets):
      return Self.firstLine(in: 0 ..< last) { offsets[$0 + 1] >= offset }
    }
  }

  /// The first line of a range that satisfies a monotone condition; the end of the range if none.
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
  /// From the leaf's start.
  var offset: Offset
  /// The first item, counted from the leaf's.
  var item: UInt16
}

/// Of consecutive lines.
struct LineSummary: Hashable, TreeSummary {
  var items: Int
  var lines: Int
  /// With the spacing after each line.
  var length: Double
  /// What they keep in memory.
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
