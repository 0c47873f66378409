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
  /// Of the first and of the last of them.
  private(set) var firstLabel: UInt64
  private(set) var lastLabel: UInt64
  /// The last of them.
  private var last: ItemChunk
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
    slices.reserveCapacity(3)
    firstLabel = place.element.label
    lastLabel = place.element.label
    last = place.element.chunk
    chunks = place.index ..< place.index + 1
    lastStart = place.start
    next = lastStart
  }

  /// The old item after those of the chunks that are replaced.
  var end: Int { lastStart + last.count }

  /// Whether more comes from the last of the replaced chunks than from the first.
  var isHeavyAtEnd: Bool { tailCount > headCount }

  /// The label of the replaced chunk that most items come from.
  var heavyLabel: UInt64 { isHeavyAtEnd ? lastLabel : firstLabel }

  private mutating func append(_ slice: ChunkSlice) {
    guard !slice.range.isEmpty else { return }
    slices.append(slice)
    itemCount += slice.count
  }

  /// Keeps old items.
  ///
  /// - Parameter item: within the last chunk, or its end.
  mutating func keep(until item: Int) {
    let slice = ChunkSlice(last, next - lastStart ..< item - lastStart)
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
      last = place.element.chunk
      lastLabel = place.element.label
      lastStart = place.start
      chunks = chunks.lowerBound ..< place.index + 1
    }
    next = item
  }

  /// Goes on into the next chunk where that or what is left here is small.
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
      takes(neighbour.chunk, beside: beside)
    else { return false }
    append(tail)
    lastStart = end
    next = lastStart
    last = neighbour.chunk
    lastLabel = neighbour.label
    chunks = chunks.lowerBound ..< chunks.upperBound + 1
    return true
  }

  /// Keeps the rest of the last chunk, takes in the chunk before where that or what is left here is
  /// small, and joins the edits.
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

  private mutating func includePreviousIfSmall(_ neighbour: ChunkEntry, beside slice: ChunkSlice) {
    guard isSmall || neighbour.chunk.count < ChunkAssembly.lowestCount,
      takes(neighbour.chunk, beside: slice)
    else { return }
    slices.insert(ChunkSlice(neighbour.chunk), at: 0)
    itemCount += neighbour.chunk.count
    chunks = chunks.lowerBound - 1 ..< chunks.upperBound
    headCount = neighbour.chunk.count
    firstLabel = neighbour.label
  }

  /// - Precondition: both are finished, and nothing lies between them.
  private mutating func append(_ other: ChunkEdit) {
    slices += other.slices
    itemCount += other.itemCount
    chunks = chunks.lowerBound ..< other.chunks.upperBound
    last = other.last
    lastLabel = other.lastLabel
    tailCount = other.tailCount
  }

  /// What takes the place of the chunks, when all is put together.
  func newChunks() -> [ItemChunk] {
    joinedChunk().map { [$0] } ?? ChunkAssembly.chunks(from: slices)
  }

  /// What `newChunks` gives where that is one chunk of items that differ, as most edits leave; nil
  /// where it may be something else.
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

  /// Looks its chunks up again, whose labels may have changed.
  mutating func refresh(from tree: SummaryTree<ChunkEntry>) {
    firstLabel = tree[chunks.lowerBound].label
    lastLabel = tree[chunks.upperBound - 1].label
  }

  private func takes(_ neighbour: ItemChunk, beside slice: ChunkSlice) -> Bool {
    if neighbour.hasSameUniformValues(as: slice.chunk) { return true }
    return !ChunkSlice(neighbour).isLargeUniform && !slice.isLargeUniform
      && neighbour.hasSameColumns(as: slice.chunk)
  }
}
