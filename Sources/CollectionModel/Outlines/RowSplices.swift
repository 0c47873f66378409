// SPDX-License-Identifier: Apache-2.0

/// What happens to the rows of a section, collected in order.
struct RowSplices {
  private(set) var map = SpliceMap()
  /// The items that become the new rows of each splice.
  private(set) var sources: [[Range<Int>]] = []
  /// The edit that is being collected; nil = none.
  private var edit: (splice: Splice, items: [Range<Int>])?
  /// The number of rows before the change that have been passed.
  private var oldRow = 0
  /// The number of rows after the change that have been passed.
  private var newRow = 0

  /// Keeps the rows before one.
  ///
  /// - Parameter row: counted before the change.
  mutating func keep(untilRow row: Int) { keep(row - oldRow) }

  /// Keeps some rows.
  mutating func keep(_ count: Int) {
    guard count > 0 else { return }
    finish()
    oldRow += count
    newRow += count
  }

  /// Removes some rows.
  mutating func remove(_ count: Int) {
    var edit = self.edit.take() ?? (Splice(old: oldRow ..< oldRow, new: newRow ..< newRow), [])
    oldRow += count
    edit.splice.old = edit.splice.old.lowerBound ..< oldRow
    self.edit = edit
  }

  /// Inserts rows for some items.
  mutating func insert(_ items: Range<Int>) {
    var edit = self.edit.take() ?? (Splice(old: oldRow ..< oldRow, new: newRow ..< newRow), [])
    newRow += items.count
    edit.splice.new = edit.splice.new.lowerBound ..< newRow
    edit.items.append(items)
    self.edit = edit
  }

  /// Gives rows the values of some items.
  mutating func replace(_ items: Range<Int>, _ kind: SpliceKind) {
    finish()
    let splice = Splice(
      old: oldRow ..< oldRow + items.count,
      new: newRow ..< newRow + items.count
    )
    map.append(splice, kind)
    sources.append([items])
    oldRow += items.count
    newRow += items.count
  }

  /// Ends the edit that is being collected.
  mutating func finish() {
    guard let edit else { return }
    self.edit = nil
    map.append(edit.splice, .edit)
    sources.append(edit.items)
  }
}

extension ItemSequence {
  /// Beyond this many new rows, chunks are shared instead of copied.
  private static let fewRows = 8 * ChunkAssembly.highestCount

  /// Replaces rows by items of the contents that they are rows of. Chunks get no labels of their
  /// own: rows are found by key through all items, which have a key index.
  ///
  /// - Complexity: O(log n + runs + chunks at the ends of runs) for each splice
  mutating func replaceRows(_ splices: RowSplices, from items: ItemSequence) {
    for (splice, sources) in zip(splices.map.splices, splices.sources).reversed() {
      replaceRows(splice.old, with: sources, of: items)
    }
  }

  private mutating func replaceRows(
    _ rows: Range<Int>,
    with sources: [Range<Int>],
    of items: ItemSequence
  ) {
    var first = rows.lowerBound
    var last = chunks.count
    var (head, tail): ([ChunkSlice], [ChunkSlice]) = ([], [])
    if rows.lowerBound < count {
      let place = place(of: rows.lowerBound)
      first = place.index
      if rows.lowerBound > place.start {
        head = [ChunkSlice(place.element.chunk, 0 ..< rows.lowerBound - place.start)]
      }
    } else {
      first = chunks.count
    }
    if rows.upperBound < count {
      let place = place(of: rows.upperBound)
      last = place.index
      if rows.upperBound > place.start {
        let chunk = place.element.chunk
        tail = [ChunkSlice(chunk, rows.upperBound - place.start ..< chunk.count)]
        last += 1
      }
    }
    var assembly = RowAssembly()
    if first > 0, head.isEmpty, chunks[first - 1].chunk.count < ChunkAssembly.lowestCount {
      first -= 1
      head = [ChunkSlice(chunks[first].chunk)]
    }
    for slice in head { assembly.append(slice) }
    for range in sources {
      if range.count <= Self.fewRows {
        for slice in items.slices(in: range) { assembly.append(slice) }
      } else {
        assembly.append(range, of: items)
      }
    }
    for slice in tail { assembly.append(slice) }
    chunks.replaceSubrange(first ..< last, with: assembly.finish())
  }
}

/// Collects rows as chunks, of which long runs are shared with the contents.
private struct RowAssembly {
  private var tree = SummaryTree<ChunkEntry>()
  private var chunks = ChunkAssembly()

  mutating func append(_ slice: ChunkSlice) { chunks.append(slice) }

  /// Appends a long run: its chunks are shared, except for the first and the last.
  mutating func append(_ range: Range<Int>, of items: ItemSequence) {
    let first = items.place(of: range.lowerBound)
    let last = items.place(of: range.upperBound - 1)
    let head = first.element.chunk
    guard first.index < last.index else {
      let upper = range.upperBound - first.start
      chunks.append(ChunkSlice(head, range.lowerBound - first.start ..< upper))
      return
    }
    chunks.append(ChunkSlice(head, range.lowerBound - first.start ..< head.count))
    flush()
    tree.append(contentsOf: items.chunks.prefix(last.index).suffix(from: first.index + 1))
    chunks.append(ChunkSlice(last.element.chunk, 0 ..< range.upperBound - last.start))
  }

  private mutating func flush() {
    for chunk in chunks.finish() { tree.append(ChunkEntry(chunk, label: 0)) }
    chunks = ChunkAssembly()
  }

  mutating func finish() -> SummaryTree<ChunkEntry> {
    flush()
    return tree
  }
}
