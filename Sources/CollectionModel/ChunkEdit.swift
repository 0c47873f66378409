// SPDX-License-Identifier: Apache-2.0

/// New items for a range of old ones, as slices of chunks.
struct ItemSplice {
  var range: Range<Int>
  var slices: [ChunkSlice]

  init(_ range: Range<Int>, with slices: [ChunkSlice]) {
    self.range = range
    self.slices = slices
  }
}

/// New items with what remains of the chunks around them, put together from left to right: `keep` and
/// `replace` in turn, then `finish`.
struct ChunkEdit {
  private(set) var slices: [ChunkSlice] = []
  /// The chunks that are replaced.
  private(set) var chunks: Range<Int>
  private(set) var first: ChunkEntry
  private(set) var last: ChunkEntry
  /// The first item of the last chunk.
  private var lastStart: Int
  /// The first old item that is not dealt with.
  private var next: Int
  /// In `slices`.
  private var itemCount = 0
  /// What is kept of the first chunk before the first change, and of the last after the last one.
  private var headCount = 0
  private var tailCount = 0
  private var hasHead = false
  /// Whether what was left was small before neighbours were taken in.
  private var isSmall = false

  init(at place: SummaryTree<ChunkEntry>.Place) {
    first = place.element
    last = place.element
    chunks = place.index ..< place.index + 1
    lastStart = place.start
    next = lastStart
  }

  /// The old item after those of the chunks that are replaced.
  var end: Int { lastStart + last.chunk.count }

  /// Whether more comes from the last of the replaced chunks than from the first.
  var isHeavyAtEnd: Bool { tailCount > headCount }

  private mutating func append(_ slice: ChunkSlice) {
    guard !slice.range.isEmpty else { return }
    slices.append(slice)
    itemCount += slice.count
  }

  /// Keeps old items.
  ///
  /// - Parameter item: within the last chunk, or its end.
  mutating func keep(until item: Int) {
    let slice = ChunkSlice(last.chunk, next - lastStart ..< item - lastStart)
    if !hasHead { headCount = slice.count }
    hasHead = true
    append(slice)
    next = item
  }

  /// Puts new items in place of old ones.
  mutating func replace(until item: Int, with new: [ChunkSlice], of items: ItemSequence) {
    for slice in new { append(slice) }
    if item > end {
      let place = items.place(of: item - 1)
      last = place.element
      lastStart = place.start
      chunks = chunks.lowerBound ..< place.index + 1
    }
    next = item
  }

  /// Goes on into the next chunk where that or what is left here is small.
  mutating func includeNextIfSmall(of tree: SummaryTree<ChunkEntry>) -> Bool {
    let tail = ChunkSlice(last.chunk, next - lastStart ..< last.chunk.count)
    let remains = itemCount + tail.count
    isSmall = isSmall || remains < ChunkAssembly.lowestCount
    guard remains < ChunkAssembly.lowestCount || tail.range.isEmpty, chunks.upperBound < tree.count,
      let beside = tail.range.isEmpty ? slices.last : tail
    else { return false }
    let neighbour = tree[chunks.upperBound]
    guard remains < ChunkAssembly.lowestCount || neighbour.chunk.count < ChunkAssembly.lowestCount,
      takes(neighbour.chunk, beside: beside)
    else { return false }
    append(tail)
    lastStart = end
    next = lastStart
    last = neighbour
    chunks = chunks.lowerBound ..< chunks.upperBound + 1
    return true
  }

  /// Keeps the rest of the last chunk, takes in the chunk before where that or what is left here is
  /// small, and joins the edits.
  mutating func finish(of tree: SummaryTree<ChunkEntry>, after edits: inout [ChunkEdit]) {
    tailCount = end - next
    append(ChunkSlice(last.chunk, next - lastStart ..< last.chunk.count))
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

  private mutating func includePreviousIfSmall(_ neighbour: ChunkEntry, beside slice: ChunkSlice) {
    guard isSmall || neighbour.chunk.count < ChunkAssembly.lowestCount,
      takes(neighbour.chunk, beside: slice)
    else { return }
    slices.insert(ChunkSlice(neighbour.chunk), at: 0)
    itemCount += neighbour.chunk.count
    chunks = chunks.lowerBound - 1 ..< chunks.upperBound
    headCount = neighbour.chunk.count
    first = neighbour
  }

  /// - Precondition: both are finished, and nothing lies between them.
  private mutating func append(_ other: ChunkEdit) {
    slices += other.slices
    itemCount += other.itemCount
    chunks = chunks.lowerBound ..< other.chunks.upperBound
    last = other.last
    tailCount = other.tailCount
  }

  /// What takes the place of the chunks, when all is put together.
  func newChunks() -> [ItemChunk] {
    // Most edits leave one chunk of items that differ.
    if itemCount <= ChunkAssembly.highestCount, slices.count > 1, !slices[0].chunk.isUniform,
      slices.dropFirst().allSatisfy({
        $0.count <= ChunkAssembly.lowestCount || !$0.chunk.isUniform
      }),
      slices.dropFirst().allSatisfy({ $0.chunk.hasSameColumns(as: slices[0].chunk) })
    {
      return [ItemChunk(joining: slices, count: itemCount)]
    }
    return ChunkAssembly.chunks(from: slices)
  }

  /// Looks its chunks up again, whose labels may have changed.
  mutating func refresh(from tree: SummaryTree<ChunkEntry>) {
    first = tree[chunks.lowerBound]
    last = tree[chunks.upperBound - 1]
  }

  private func takes(_ neighbour: ItemChunk, beside slice: ChunkSlice) -> Bool {
    if neighbour.hasSameUniformValues(as: slice.chunk) { return true }
    return !ChunkSlice(neighbour).isLargeUniform && !slice.isLargeUniform
      && neighbour.hasSameColumns(as: slice.chunk)
  }
}
