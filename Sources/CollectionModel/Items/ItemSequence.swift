// SPDX-License-Identifier: Apache-2.0

/// The items of a section in order: a persistent tree of chunks.
public struct ItemSequence: Sendable {
  var chunks: SummaryTree<ChunkEntry>

  /// No items.
  public init() { chunks = SummaryTree() }

  init(chunks: SummaryTree<ChunkEntry>) { self.chunks = chunks }

  public var count: Int { chunks.summary.items.count }
  public var isEmpty: Bool { chunks.isEmpty }

  /// What all items have in common.
  /// - Complexity: O(1)
  public var summary: ItemSummary { chunks.summary.items }

  /// How many chunks there are.
  public var chunkCount: Int { chunks.count }

  /// - Complexity: O(log n)
  /// - Precondition: `index` is within 0 ..< count.
  public func item(at index: Int) -> ItemValues {
    let (chunk, start) = chunk(containing: index)
    return chunk.item(at: index - start)
  }

  /// The chunk that holds an item, and the index of the chunk's first.
  ///
  /// - Complexity: O(log n)
  /// - Precondition: `index` is within 0 ..< count.
  public func chunk(containing index: Int) -> (chunk: ItemChunk, start: Int) {
    let place = place(of: index)
    return (place.element.chunk, place.start)
  }

  /// The chunk that holds an item, with the index of the chunk's first.
  ///
  /// Input does not reach the precondition. Questions hold an index path against these contents before
  /// they ask (`CollectionContents.contains`, or a guard beside the call). Layouts ask about indices that
  /// they count themselves, from 0 to `count` of the section that they solve or from the ordinals of the
  /// contents that they were prepared for, never about a viewer's. `BatchPlan` refuses a batch whose ranges
  /// do not fit before anything is edited, and an edit of an empty sequence makes it anew.
  /// - Precondition: `index` is within 0 ..< count.
  func place(of index: Int) -> SummaryTree<ChunkEntry>.Place {
    guard index >= 0, let place = chunks.place(of: index, in: { $0.items.count }) else {
      preconditionFailure("item \(index) of \(count)")
    }
    return place
  }

  /// Calls `body` with the chunks that overlap `range`, in order, each with the index of its first
  /// item, until it returns false.
  ///
  /// - Complexity: O(log n + chunks)
  /// - Precondition: `range` is within 0 ..< count.
  public func forEachChunk(in range: Range<Int>, _ body: (ItemChunk, Int) -> Bool) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) of \(count)")
    guard !range.isEmpty else { return }
    let first = place(of: range.lowerBound)
    guard body(first.element.chunk, first.start) else { return }
    var start = first.start + first.element.chunk.count
    guard start < range.upperBound else { return }
    chunks.forEach(in: first.index + 1 ..< chunks.count) { entry, _, _ in
      guard start < range.upperBound, body(entry.chunk, start) else { return false }
      start += entry.chunk.count
      return true
    }
  }

  /// All items as blocks of at most `limit` items, as they are exported. Equal items make one block
  /// however many they are.
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

  /// Grows from chunk to chunk within a section, and stays with a chunk through edits elsewhere:
  /// what the key index remembers.
  var label: UInt64 { summary.lastLabel }
}

struct ChunkSummary: TreeSummary {
  var items: ItemSummary
  var lastLabel: UInt64

  static let zero = ChunkSummary(items: .zero, lastLabel: 0)

  static func + (a: ChunkSummary, b: ChunkSummary) -> ChunkSummary {
    ChunkSummary(items: a.items + b.items, lastLabel: max(a.lastLabel, b.lastLabel))
  }
}
