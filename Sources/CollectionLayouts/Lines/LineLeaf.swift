// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Consecutive whole lines, in the tree of a body's lines. Positions are relative to the leaf, so
/// that versions share leaves wherever those move.
struct LineLeaf: SummarizedElement {
  enum Storage: Sendable {
    /// Lines of equally many items with equal lengths: (items of a line, line and spacing).
    case run(itemsPerLine: Int, pitch: Double)
    case table(LineTable)
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

  init(_ table: LineTable, items: Int, lines: Int, length: Double) {
    storage = .table(table)
    summary = LineSummary(
      items: items,
      lines: lines,
      length: length,
      byteCount: Self.overhead + table.byteCount
    )
  }

  /// Its place in the tree and its share of the nodes above, in bytes.
  private static let overhead = 84

  /// The items of a line, counted from the leaf's first.
  func items(ofLine line: Int) -> Range<Int> {
    switch storage {
    case .run(let itemsPerLine, _): line * itemsPerLine ..< (line + 1) * itemsPerLine
    case .table(let table):
      table.start(ofLine: line)
        ..< (line + 1 < summary.lines
          ? table.start(ofLine: line + 1) : summary.items)
    }
  }

  /// Where a line starts, from the leaf's start.
  func offset(ofLine line: Int) -> Double {
    switch storage {
    case .run(_, let pitch): Double(line) * pitch
    case .table(let table): line < summary.lines ? table.offsets[line] : summary.length
    }
  }

  /// The line that holds an item, counted from the leaf's first.
  func line(ofItem item: Int) -> Int {
    switch storage {
    case .run(let itemsPerLine, _): item / itemsPerLine
    case .table(let table): table.line(ofItem: item)
    }
  }

  /// The line that starts with an item; nil if none does.
  func line(startingAt item: Int) -> Int? {
    let line = line(ofItem: item)
    return items(ofLine: line).lowerBound == item ? line : nil
  }

  /// The first line whose end, with the spacing after it, does not lie before a place.
  func firstLine(endingAt offset: Double) -> Int {
    switch storage {
    case .run(_, let pitch):
      guard pitch > 0 else { return 0 }
      let line = (offset / pitch).rounded(.down) - 1
      return line > 0 ? min(Int(min(line, 0x1p52)), summary.lines - 1) : 0
    case .table(let table):
      var low = 0
      var high = summary.lines - 1
      while low < high {
        let middle = (low + high) / 2
        if table.offsets[middle + 1] < offset { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }
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

/// Where each line of a leaf starts.
final class LineTable: Sendable {
  /// The first item of each line, counted from the leaf's; empty = one item in each.
  let starts: [UInt16]
  /// From the leaf's start.
  let offsets: Offsets

  /// Single precision where that is exact: half the memory.
  enum Offsets: Sendable {
    case floats([Float])
    case doubles([Double])

    init(_ offsets: ArraySlice<Double>) {
      var floats: [Float] = []
      floats.reserveCapacity(offsets.count)
      for offset in offsets {
        let float = Float(offset)
        guard Double(float) == offset else {
          self = .doubles(Array(offsets))
          return
        }
        floats.append(float)
      }
      self = .floats(floats)
    }

    subscript(index: Int) -> Double {
      switch self {
      case .floats(let offsets): Double(offsets[index])
      case .doubles(let offsets): offsets[index]
      }
    }
  }

  init(starts: [UInt16], offsets: ArraySlice<Double>) {
    self.starts = starts
    self.offsets = Offsets(offsets)
  }

  func start(ofLine line: Int) -> Int { starts.isEmpty ? line : Int(starts[line]) }

  func line(ofItem item: Int) -> Int {
    if starts.isEmpty { return item }
    var low = 0
    var high = starts.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if Int(starts[middle]) <= item { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// The object, the headers of its arrays, and what those hold.
  var byteCount: Int {
    let offsetBytes =
      switch offsets {
      case .floats(let offsets): offsets.count * 4
      case .doubles(let offsets): offsets.count * 8
      }
    return 120 + starts.count * 2 + offsetBytes
  }
}
