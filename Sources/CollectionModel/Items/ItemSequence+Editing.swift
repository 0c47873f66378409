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
        chunks.enumerated().map {
          ChunkEntry($1, label: OrderLabels.label(ofNew: $0, of: chunks.count))
        }
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
    replace([ItemSplice(range, with: slices)], log: &log)
  }

  /// Replaces many ranges of items in one pass over the tree.
  ///
  /// - Parameter splices: ranges of the items as they are, sorted and disjoint.
  /// - Parameter log: nil = nobody wants to know.
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
      // From the last to the first, so that the places before are still the old ones.
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

  /// The chunks that splices touch, each once, with what takes their place.
  ///
  /// - Precondition: there are chunks.
  private func edits(_ splices: [ItemSplice]) -> [ChunkEdit] {
    var edits: [ChunkEdit] = []
    edits.reserveCapacity(splices.count)
    var open: ChunkEdit?
    for splice in splices {
      // Items at the end go to the last chunk.
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

  /// What edits make of their chunks, by chunk; nil where labels have no room.
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

  /// Of the chunks that are replaced, those whose labels may live on.
  private func ends(of edit: ChunkEdit) -> [ChunkEntry] {
    let (first, last) = (edit.chunks.lowerBound, edit.chunks.upperBound - 1)
    return first < last ? [chunks[first], chunks[last]] : [chunks[first]]
  }

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

  /// Labels for the chunks that an edit leaves; chunks that keep most of their items keep their
  /// label, so that the index need not be told about them. All lie below that of the chunk after the
  /// edit, so that edits of one batch do not get in each other's way. nil = no room.
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
