// SPDX-License-Identifier: Apache-2.0

/// The chunks that an edit put in the place of others, for the key index.
struct ChunkReplacement {
  /// Replaced chunks whose labels new chunks may have. The key index ignores all others: their
  /// entries are stale, and are found to be so.
  var old: [ChunkEntry]
  /// The chunks that took their place.
  var new: [ChunkEntry]
}

extension ItemSequence {
  /// The items of some blocks.
  ///
  /// - Complexity: O(values of the blocks)
  /// - Precondition: each block is valid by itself, and they have fewer than 2⁶³ items together.
  public init(_ blocks: [ItemBlock]) {
    self.init(slices: blocks.map { ChunkSlice(ItemChunk($0, in: 0 ..< $0.count)) })
  }

  /// The items of some slices.
  init(slices: [ChunkSlice]) {
    self.init(numbering: ChunkAssembly.chunks(from: slices))
  }

  /// The items of some chunks, which get new labels.
  init(numbering chunks: [ItemChunk]) {
    self.init(
      chunks: SummaryTree(
        chunks.enumerated().map {
          ChunkEntry($1, label: OrderLabels.label(ofNew: $0, of: chunks.count))
        }
      )
    )
  }

  /// The items of a range as slices of chunks.
  ///
  /// - Complexity: O(log n + chunks)
  /// - Precondition: `range` is within 0 ..< count.
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
  /// - Parameter log: receives the replaced chunks, for the key index; nil = there is no key index.
  /// - Complexity: O(log n + touched chunks + new items)
  mutating func replace(
    _ range: Range<Int>,
    with slices: [ChunkSlice],
    log: inout [ChunkReplacement]?
  ) {
    replace([ItemSplice(range, with: slices)], log: &log)
  }

  /// Replaces many ranges of items in one pass over the tree.
  ///
  /// - Parameter splices: sorted and disjoint; all ranges count in the items before the edit.
  /// - Parameter log: receives the replaced chunks, for the key index; nil = there is no key index.
  /// - Complexity: O(k log n + touched chunks + new items) for k splices
  mutating func replace(_ splices: [ItemSplice], log: inout [ChunkReplacement]?) {
    guard !splices.isEmpty else { return }
    guard !chunks.isEmpty else {
      self = ItemSequence(slices: splices.flatMap(\.slices))
      log?.append(ChunkReplacement(old: [], new: Array(chunks)))
      return
    }
    let edits = edits(splices)
    guard edits.count > 1, let all = replacements(edits) else {
      // From the last to the first, so that the indices of the others remain valid.
      for var edit in edits.reversed() {
        if edits.count > 1 { edit.refresh(from: chunks) }
        apply(edit, log: &log)
      }
      return
    }
    if log != nil {
      for (edit, replacement) in zip(edits, all) {
        log?.append(ChunkReplacement(old: ends(of: edit), new: replacement.elements))
      }
    }
    chunks.replaceSubranges(all)
  }

  /// Groups splices by the chunks that they touch: no chunk is in two edits.
  ///
  /// - Precondition: there are chunks.
  private func edits(_ splices: [ItemSplice]) -> [ChunkEdit] {
    var edits: [ChunkEdit] = []
    edits.reserveCapacity(splices.count)
    var open: ChunkEdit?
    for splice in splices {
      // An insertion at the very end edits the last chunk.
      let item = min(splice.range.lowerBound, count - 1)
      var edit = open.take() ?? ChunkEdit(at: place(of: item))
      while item >= edit.end, edit.includeNextIfSmall(of: chunks) {}
      if item >= edit.end {
        edit.finish(of: chunks, after: &edits)
        edit = ChunkEdit(at: place(of: item))
      }
      edit.keep(until: splice.range.lowerBound)
      edit.replace(until: splice.range.upperBound, with: splice.slices, of: self)
      open = edit
    }
    if var edit = open.take() {
      while edit.includeNextIfSmall(of: chunks) {}
      edit.finish(of: chunks, after: &edits)
    }
    return edits
  }

  /// The edits as replacements of chunks; nil = there is no room for the labels of new chunks.
  private func replacements(_ edits: [ChunkEdit]) -> [SummaryTree<ChunkEntry>.Replacement]? {
    var result: [SummaryTree<ChunkEntry>.Replacement] = []
    result.reserveCapacity(edits.count)
    let all = edits.span
    for place in all.indices {
      if let chunk = all[place].joinedChunk() {
        let entry = ChunkEntry(chunk, label: all[place].heavyLabel)
        result.append(.init(all[place].chunks, with: [entry]))
        continue
      }
      let edit = all[place]
      let new = edit.newChunks()
      guard let labels = labels(count: new.count, for: edit) else { return nil }
      result.append(.init(edit.chunks, with: zip(new, labels).map { ChunkEntry($0, label: $1) }))
    }
    return result
  }

  /// The first and the last of the replaced chunks: only their labels may be given to new chunks.
  private func ends(of edit: ChunkEdit) -> [ChunkEntry] {
    let (first, last) = (edit.chunks.lowerBound, edit.chunks.upperBound - 1)
    return first < last ? [chunks[first], chunks[last]] : [chunks[first]]
  }

  /// Carries out one edit.
  private mutating func apply(_ edit: ChunkEdit, log: inout [ChunkReplacement]?) {
    let range = edit.chunks
    let new = edit.newChunks()
    guard let labels = labels(count: new.count, for: edit) else {
      chunks.replaceSubrange(range, with: new.map { ChunkEntry($0, label: 0) })
      let start = range.lowerBound
      relabel(around: start ..< start + new.count, log: &log)
      return
    }
    let entries = zip(new, labels).map { ChunkEntry($0, label: $1) }
    if log != nil { log?.append(ChunkReplacement(old: ends(of: edit), new: entries)) }
    if entries.count == 1 && range.count == 1 {
      chunks[range.lowerBound] = entries[0]
    } else {
      chunks.replaceSubrange(range, with: entries)
    }
  }

  /// Labels for the chunks that an edit leaves; nil = there is no room for so many.
  ///
  /// The chunk that keeps most of the old items keeps its label, so that their entries in the key
  /// index remain valid. All labels are below that of the chunk after the edit, so the edits of a
  /// batch do not affect each other.
  private func labels(count: Int, for edit: ChunkEdit) -> [UInt64]? {
    let (first, last) = (edit.firstLabel, edit.lastLabel)
    guard count > 0 else { return [] }
    if count == 1 { return [edit.heavyLabel] }
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

  /// Gives new labels to the chunks around a range: to as few chunks as possible with gaps of 2²⁰
  /// between all of them, and to all chunks if no smaller neighbourhood has these.
  private mutating func relabel(around range: Range<Int>, log: inout [ChunkReplacement]?) {
    var width = 64
    while true {
      let window = max(range.lowerBound - width, 0) ..< min(range.upperBound + width, chunks.count)
      let low = window.lowerBound == 0 ? 0 : chunks[window.lowerBound - 1].label
      let high =
        window.upperBound == chunks.count ? OrderLabels.end : chunks[window.upperBound].label
      // The labels of rows may be in any order.
      let room = high > low ? (high - low) / UInt64(window.count + 1) : 0
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
