// SPDX-License-Identifier: Apache-2.0

/// The chunks that an edit put in place of others, for the key index.
struct ChunkReplacement {
  /// Old chunks whose labels may live on.
  var old: [ChunkEntry]
  var new: [ChunkEntry]
}

extension ItemSequence {
  /// - Complexity: O(items)
  /// - Precondition: the blocks are valid.
  public init(_ blocks: [ItemBlock]) {
    self.init(slices: blocks.map { ChunkSlice(ItemChunk($0, in: 0 ..< $0.count)) })
  }

  init(slices: [ChunkSlice]) {
    self.init(numbering: ChunkAssembly.chunks(from: slices))
  }

  init(numbering chunks: [ItemChunk]) {
    self.init(
      chunks: SummaryTree(
        chunks.enumerated().map { ChunkEntry($1, label: OrderLabels.label(ofNew: $0)) }
      )
    )
  }

  /// The items of a range as slices of chunks.
  func slices(in range: Range<Int>) -> [ChunkSlice] {
    var slices: [ChunkSlice] = []
    forEachChunk(in: range) { chunk, start in
      let lower = max(range.lowerBound - start, 0)
      slices.append(ChunkSlice(chunk, lower ..< min(range.upperBound - start, chunk.count)))
      return true
    }
    return slices
  }

  /// Replaces a range of items.
  ///
  /// - Parameter log: nil = nobody wants to know.
  /// - Complexity: O(log n + touched chunks + new items)
  mutating func replace(
    _ range: Range<Int>,
    with slices: [ChunkSlice],
    log: inout [ChunkReplacement]?
  ) {
    guard !chunks.isEmpty else {
      self = ItemSequence(slices: slices)
      log?.append(ChunkReplacement(old: [], new: Array(chunks)))
      return
    }
    let first =
      range.lowerBound < count
      ? position(containing: range.lowerBound) : chunks.position(at: chunks.count - 1)
    let last =
      range.upperBound > first.prefix.items.count + first.element.chunk.count
      ? position(containing: range.upperBound - 1) : first
    var edit = ChunkEdit(
      head: ChunkSlice(first.element.chunk, 0 ..< range.lowerBound - first.prefix.items.count),
      slices: slices,
      tail: ChunkSlice(
        last.element.chunk,
        range.upperBound - last.prefix.items.count ..< last.element.chunk.count
      ),
      chunks: first.index ..< last.index + 1
    )
    edit.includeSmallNeighbours(of: chunks)
    let firstEntry =
      edit.chunks.lowerBound == first.index ? first.element : chunks[edit.chunks.lowerBound]
    let lastEntry =
      edit.chunks.upperBound == last.index + 1 ? last.element : chunks[edit.chunks.upperBound - 1]
    apply(edit, first: firstEntry, last: lastEntry, log: &log)
  }

  private mutating func apply(
    _ edit: ChunkEdit,
    first: ChunkEntry,
    last: ChunkEntry,
    log: inout [ChunkReplacement]?
  ) {
    let range = edit.chunks
    let new = ChunkAssembly.chunks(from: edit.slices)
    if new.count == 1 && range.count == 1 {
      let entry = ChunkEntry(new[0], label: first.label)
      chunks[range.lowerBound] = entry
      log?.append(ChunkReplacement(old: [first], new: [entry]))
      return
    }
    guard let labels = labels(count: new.count, for: edit, first: first.label, last: last.label)
    else {
      chunks.replaceSubrange(range, with: new.map { ChunkEntry($0, label: 0) })
      let start = range.lowerBound
      relabel(around: start ..< start + new.count, log: &log)
      return
    }
    let entries = zip(new, labels).map { ChunkEntry($0, label: $1) }
    chunks.replaceSubrange(range, with: entries)
    if log != nil {
      log?.append(ChunkReplacement(old: range.count > 1 ? [first, last] : [first], new: entries))
    }
  }

  /// Labels for the chunks that an edit leaves; chunks that keep most of their items keep their
  /// label, so that the index need not be told about them. nil = no room.
  private func labels(
    count: Int,
    for edit: ChunkEdit,
    first: UInt64,
    last: UInt64
  ) -> [UInt64]? {
    guard count > 0 else { return [] }
    if count == 1 { return [edit.isHeavyAtEnd ? last : first] }
    if edit.chunks.count > 1 {
      return OrderLabels.labels(count - 2, between: first, and: last).map { [first] + $0 + [last] }
    }
    let isAtStart = edit.chunks.lowerBound == 0
    let isAtEnd = edit.chunks.upperBound == chunks.count
    if isAtStart && !(isAtEnd && !edit.isHeavyAtEnd) {
      return OrderLabels.labels(count - 1, between: nil, and: first).map { $0 + [first] }
    }
    let next = isAtEnd ? nil : chunks[edit.chunks.upperBound].label
    return OrderLabels.labels(count - 1, between: first, and: next).map { [first] + $0 }
  }

  /// Spreads the labels of a neighbourhood, the smallest that has room.
  private mutating func relabel(around range: Range<Int>, log: inout [ChunkReplacement]?) {
    var width = 64
    while true {
      let window = max(range.lowerBound - width, 0) ..< min(range.upperBound + width, chunks.count)
      let low = window.lowerBound == 0 ? 0 : chunks[window.lowerBound - 1].label
      let high =
        window.upperBound == chunks.count ? OrderLabels.end : chunks[window.upperBound].label
      let room = (high - low) / UInt64(window.count + 1)
      if room >= 1 << 20 || window.count == chunks.count {
        var new: [ChunkEntry] = []
        chunks.forEach(in: window) { entry, index, _ in
          let offset = UInt64(index - window.lowerBound + 1)
          new.append(ChunkEntry(entry.chunk, label: low + offset * room))
          return true
        }
        chunks.replaceSubrange(window, with: new)
        log?.append(ChunkReplacement(old: [], new: new))
        return
      }
      width *= 2
    }
  }
}

/// New items with what remains of the chunks around them.
private struct ChunkEdit {
  var slices: [ChunkSlice]
  /// The chunks that are replaced.
  var chunks: Range<Int>
  private var headCount: Int
  private var tailCount: Int

  init(head: ChunkSlice, slices: [ChunkSlice], tail: ChunkSlice, chunks: Range<Int>) {
    self.slices = []
    self.slices.reserveCapacity(slices.count + 2)
    if !head.range.isEmpty { self.slices.append(head) }
    self.slices += slices
    if !tail.range.isEmpty { self.slices.append(tail) }
    headCount = head.count
    tailCount = tail.count
    self.chunks = chunks
  }

  /// Whether more comes from the last of the replaced chunks than from the first.
  var isHeavyAtEnd: Bool { tailCount > headCount }

  /// Takes in a chunk before or after where it or what is left here is small.
  mutating func includeSmallNeighbours(of tree: SummaryTree<ChunkEntry>) {
    let lowest = ChunkAssembly.lowestCount
    let count = slices.reduce(0) { $0 + $1.count }
    let isSmall = count < lowest
    if headCount == 0 || isSmall, chunks.lowerBound > 0, let first = slices.first {
      let neighbour = tree[chunks.lowerBound - 1].chunk
      if isSmall || neighbour.count < lowest, takes(neighbour, beside: first) {
        slices.insert(ChunkSlice(neighbour), at: 0)
        chunks = chunks.lowerBound - 1 ..< chunks.upperBound
        headCount = neighbour.count
      }
    }
    if tailCount == 0 || isSmall, chunks.upperBound < tree.count, let last = slices.last {
      let neighbour = tree[chunks.upperBound].chunk
      if isSmall || neighbour.count < lowest, takes(neighbour, beside: last) {
        slices.append(ChunkSlice(neighbour))
        chunks = chunks.lowerBound ..< chunks.upperBound + 1
        tailCount = neighbour.count
      }
    }
  }

  private func takes(_ neighbour: ItemChunk, beside slice: ChunkSlice) -> Bool {
    if neighbour.hasSameUniformValues(as: slice.chunk) { return true }
    return !ChunkSlice(neighbour).isLargeUniform && !slice.isLargeUniform
      && neighbour.hasSameColumns(as: slice.chunk)
  }
}
