// SPDX-License-Identifier: Apache-2.0

/// The items of a section in order: a persistent tree of chunks.
public struct ItemSequence: Sendable {
  var chunks: SummaryTree<ChunkEntry>

  /// No items.
  public init() { chunks = SummaryTree() }

  init(chunks: SummaryTree<ChunkEntry>) { self.chunks = chunks }

  /// The number of items.
  ///
  /// - Complexity: O(1)
  public var count: Int { chunks.summary.items.count }
  /// Whether there are no items.
  public var isEmpty: Bool { chunks.isEmpty }

  /// What all items have in common.
  ///
  /// - Complexity: O(1)
  public var summary: ItemSummary { chunks.summary.items }

  /// The number of chunks.
  public var chunkCount: Int { chunks.count }

  /// The values of one item.
  ///
  /// - Complexity: O(log n)
  /// - Precondition: `index` is within 0 ..< count.
  public func item(at index: Int) -> ItemValues {
    let (chunk, start) = chunk(containing: index)
    return chunk.item(at: index - start)
  }

  /// The chunk that contains an item, and the index of the chunk's first item.
  ///
  /// No input can violate the precondition: see `place(of:)`.
  ///
  /// - Complexity: O(log n)
  /// - Precondition: `index` is within 0 ..< count.
  public func chunk(containing index: Int) -> (chunk: ItemChunk, start: Int) {
    let found =
      index < 0
      ? nil
      : chunks.withPlace(of: index, in: { $0.items.count }, { (chunk: $0.chunk, start: $2) })
    guard let found else { preconditionFailure("item \(index) of \(count)") }
    return found
  }

  /// The chunk that contains an item, with its index and the index of its first item.
  ///
  /// No input can violate the precondition. Queries check an index path against the contents before
  /// they get here (`CollectionContents.contains`, or a guard beside the call). Layouts pass only
  /// indices that they count themselves: from 0 to the `count` of the section that they solve, or
  /// ordinals of the contents that they were prepared for; an update that has stopped, and may hold
  /// ordinals of other contents, looks none up. `BatchPlan` refuses a batch with a range
  /// that does not fit before anything is edited, and an edit of an empty sequence does not search
  /// it.
  ///
  /// - Complexity: O(log n)
  /// - Precondition: `index` is within 0 ..< count.
  func place(of index: Int) -> SummaryTree<ChunkEntry>.Place {
    guard index >= 0, let place = chunks.place(of: index, in: { $0.items.count }) else {
      preconditionFailure("item \(index) of \(count)")
    }
    return place
  }

  /// Calls `body` with each chunk that overlaps `range` and the index of the chunk's first item, in
  /// order, until it returns false.
  ///
  /// - Complexity: O(log n + chunks visited)
  /// - Precondition: `range` is within 0 ..< count.
  public func forEachChunk(in range: Range<Int>, _ body: (ItemChunk, Int) -> Bool) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) of \(count)")
    guard !range.isEmpty else { return }
    chunks.forEach(overlapping: range, in: { $0.items.count }, { body($0.chunk, $1) })
  }

  /// Calls `body` with all items as blocks, in order, until it returns false.
  ///
  /// - Parameter limit: the most items of one block, at least 1; a uniform chunk is one block
  ///   however many items it has.
  /// - Complexity: O(n), but O(1) for a uniform chunk.
  public func forEachBlock(limit: Int, _ body: (ItemBlock) -> Bool) {
    let limit = max(limit, 1)
    forEachChunk(in: 0 ..< count) { chunk, _ in
      let step = chunk.isUniform ? chunk.count : limit
      for start in stride(from: 0, to: chunk.count, by: step) {
        guard body(ItemBlock(chunk, in: start ..< min(start + step, chunk.count))) else {
          return false
        }
      }
      return true
    }
  }
}

/// A chunk in the tree of a section's items.
struct ChunkEntry: SummarizedElement {
  let chunk: ItemChunk
  let summary: ChunkSummary

  init(_ chunk: ItemChunk, label: UInt64) {
    self.chunk = chunk
    summary = ChunkSummary(items: chunk.summary, lastLabel: label)
  }

  /// The chunk's order label: labels grow from chunk to chunk of a section. Edits elsewhere seldom
  /// change it, so the key index refers to chunks by it.
  var label: UInt64 { summary.lastLabel }
}

/// Totals over a run of chunks.
struct ChunkSummary: TreeSummary {
  /// What the items of all chunks have in common.
  var items: ItemSummary
  /// The label of the last chunk; 0 if there are no chunks.
  var lastLabel: UInt64

  static let zero = ChunkSummary(items: .zero, lastLabel: 0)

  static func + (a: ChunkSummary, b: ChunkSummary) -> ChunkSummary {
    ChunkSummary(items: a.items + b.items, lastLabel: max(a.lastLabel, b.lastLabel))
  }
}
