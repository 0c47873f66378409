// SPDX-License-Identifier: Apache-2.0

/// New items for a range of old ones.
struct ItemSplice {
  /// The indices of the replaced items, counted before the edit.
  var range: Range<Int>
  /// The items that take their place.
  var slices: [ChunkSlice]

  init(_ range: Range<Int>, with slices: [ChunkSlice]) {
    self.range = range
    self.slices = slices
  }
}

/// One or more splices that touch the same or neighbouring chunks, and what these chunks become.
///
/// Built from left to right: `keep` and `replace` in turn, then `finish`. Chunks that an edit
/// leaves small are joined with a neighbour.
struct ChunkEdit {
  /// The items of the new chunks, in order.
  private(set) var slices: [ChunkSlice] = []
  /// The indices of the chunks that are replaced.
  private(set) var chunks: Range<Int>
  /// The label of the first of these chunks.
  private(set) var firstLabel: UInt64
  /// The label of the last of these chunks.
  private(set) var lastLabel: UInt64
  /// The last of these chunks.
  private var last: ItemChunk
  /// The index of the first item of `last`.
  private var lastStart: Int
  /// The index of the first old item that is neither kept nor replaced so far.
  private var next: Int
  /// The number of items in `slices`.
  private var itemCount = 0
  /// How many items of the first chunk are kept before the first change.
  private var headCount = 0
  /// How many items of the last chunk are kept after the last change.
  private var tailCount = 0
  /// Whether `headCount` is known.
  private var hasHead = false
  /// Whether fewer than `ChunkAssembly.lowestCount` items were left before neighbours were joined.
  private var isSmall = false

  /// Begins an edit in a chunk.
  init(at place: SummaryTree<ChunkEntry>.Place) {
    slices.reserveCapacity(3)
    firstLabel = place.element.label
    lastLabel = place.element.label
    last = place.element.chunk
    chunks = place.index ..< place.index + 1
    lastStart = place.start
    next = lastStart
  }

  /// The index of the first old item behind the replaced chunks.
  var end: Int { lastStart + last.count }

  /// Whether the new chunks keep more items of the last replaced chunk than of the first.
  var isHeavyAtEnd: Bool { tailCount > headCount }

  /// The label of the first or last replaced chunk, whichever keeps more items.
  var heavyLabel: UInt64 { isHeavyAtEnd ? lastLabel : firstLabel }

  private mutating func append(_ slice: ChunkSlice) {
    guard !slice.range.isEmpty else { return }
    slices.append(slice)
    itemCount += slice.count
  }

  /// Keeps the old items up to, and not including, `item`.
  ///
  /// - Parameter item: an index within `last`, or its end.
  mutating func keep(until item: Int) {
    let slice = ChunkSlice(last, next - lastStart ..< item - lastStart)
    if !hasHead { headCount = slice.count }
    hasHead = true
    append(slice)
    next = item
  }

  /// Replaces the old items up to, and not including, `item` by new ones.
  ///
  /// - Parameter item: at or behind the first item that is neither kept nor replaced so far.
  /// - Parameter items: the items before the edit.
  mutating func replace(until item: Int, with new: [ChunkSlice], of items: ItemSequence) {
    for slice in new { append(slice) }
    if item > end {
      let place = items.place(of: item - 1)
      last = place.element.chunk
      lastLabel = place.element.label
      lastStart = place.start
      chunks = chunks.lowerBound ..< place.index + 1
    }
    next = item
  }

  /// Adds the next chunk to the edit if that chunk, or what the edit leaves so far, is small and
  /// both fit into one chunk.
  ///
  /// - Returns: whether the next chunk was added.
  mutating func includeNextIfSmall(of tree: SummaryTree<ChunkEntry>) -> Bool {
    let tailCount = end - next
    let remains = itemCount + tailCount
    isSmall = isSmall || remains < ChunkAssembly.lowestCount
    guard remains < ChunkAssembly.lowestCount || tailCount == 0, chunks.upperBound < tree.count
    else { return false }
    let tail = ChunkSlice(last, next - lastStart ..< last.count)
    guard let beside = tail.range.isEmpty ? slices.last : tail else { return false }
    let neighbour = tree[chunks.upperBound]
    guard remains < ChunkAssembly.lowestCount || neighbour.chunk.count < ChunkAssembly.lowestCount,
      canJoin(neighbour.chunk, beside: beside)
    else { return false }
    append(tail)
    lastStart = end
    next = lastStart
    last = neighbour.chunk
    lastLabel = neighbour.label
    chunks = chunks.lowerBound ..< chunks.upperBound + 1
    return true
  }

  /// Keeps the rest of the last chunk, adds the chunk before the edit if one of the two is small,
  /// and appends the edit to `edits`. A small edit that directly follows the previous one is merged
  /// with it.
  consuming func finish(of tree: SummaryTree<ChunkEntry>, after edits: inout [ChunkEdit]) {
    tailCount = end - next
    append(ChunkSlice(last, next - lastStart ..< last.count))
    isSmall = isSmall || itemCount < ChunkAssembly.lowestCount
    let previous = edits.last?.chunks.upperBound ?? 0
    if isSmall || headCount == 0, let beside = slices.first {
      if chunks.lowerBound > previous {
        includePreviousIfSmall(tree[chunks.lowerBound - 1], beside: beside)
      } else if isSmall, var before = edits.popLast() {
        before.append(self)
        edits.append(before)
        return
      }
    }
    edits.append(self)
  }

  /// Adds the chunk before the edit if one of the two is small and both fit into one chunk.
  private mutating func includePreviousIfSmall(_ neighbour: ChunkEntry, beside slice: ChunkSlice) {
    guard isSmall || neighbour.chunk.count < ChunkAssembly.lowestCount,
      canJoin(neighbour.chunk, beside: slice)
    else { return }
    slices.insert(ChunkSlice(neighbour.chunk), at: 0)
    itemCount += neighbour.chunk.count
    chunks = chunks.lowerBound - 1 ..< chunks.upperBound
    headCount = neighbour.chunk.count
    firstLabel = neighbour.label
  }

  /// Appends another edit to this one.
  ///
  /// - Precondition: both are finished, and there is no chunk between them.
  private mutating func append(_ other: ChunkEdit) {
    slices += other.slices
    itemCount += other.itemCount
    chunks = chunks.lowerBound ..< other.chunks.upperBound
    last = other.last
    lastLabel = other.lastLabel
    tailCount = other.tailCount
  }

  /// The chunks that take the place of the replaced ones.
  ///
  /// - Precondition: the edit is finished.
  func newChunks() -> [ItemChunk] {
    joinedChunk().map { [$0] } ?? ChunkAssembly.chunks(from: slices)
  }

  /// The only chunk of `newChunks`, found without a `ChunkAssembly`; nil = there may be several, or
  /// it may be uniform. Most edits leave one chunk whose items differ.
  func joinedChunk() -> ItemChunk? {
    guard itemCount <= ChunkAssembly.highestCount, slices.count > 1, !slices[0].chunk.isUniform
    else { return nil }
    for i in 1 ..< slices.count {
      let chunk = slices[i].chunk
      guard slices[i].count <= ChunkAssembly.lowestCount || !chunk.isUniform,
        chunk.hasSameColumns(as: slices[0].chunk)
      else { return nil }
    }
    return ItemChunk(joining: slices, count: itemCount)
  }

  /// Reads the labels of the replaced chunks again: a later edit in the sequence may have changed
  /// them.
  mutating func refresh(from tree: SummaryTree<ChunkEntry>) {
    firstLabel = tree[chunks.lowerBound].label
    lastLabel = tree[chunks.upperBound - 1].label
  }

  /// Whether a neighbour's items and those of a slice can be in one chunk.
  private func canJoin(_ neighbour: ItemChunk, beside slice: ChunkSlice) -> Bool {
    if neighbour.hasSameUniformValues(as: slice.chunk) { return true }
    return !ChunkSlice(neighbour).isLargeUniform && !slice.isLargeUniform
      && neighbour.hasSameColumns(as: slice.chunk)
  }
}
