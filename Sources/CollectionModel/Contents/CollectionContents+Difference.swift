// SPDX-License-Identifier: Apache-2.0

/// How one section differs between two versions of the contents.
///
/// For stores that keep sections by number, and chunks by section number and label.
public struct SectionDifference: Sendable {
  /// Identifies the section: it is unique in the contents, and the section keeps it when it moves.
  public var number: UInt32
  /// The section's label in the older version; nil = the section is new. Labels are within 1 ..<
  /// 2⁶³ and grow from section to section.
  public var oldLabel: UInt64?
  /// The section's label in the newer version; nil = the section was removed.
  public var newLabel: UInt64?
  /// The section in the newer version; if it was removed, in the older one.
  public var contents: SectionContents
  /// The labels of chunks that were removed or replaced.
  public var removedChunks: [UInt64] = []
  /// Chunks that were added or that replace others, in order. Labels are within 1 ..< 2⁶³ and grow
  /// from chunk to chunk of a section. The label of a replaced chunk is in `removedChunks` too.
  public var newChunks: [(label: UInt64, chunk: ItemChunk)] = []
}

extension CollectionContents {
  /// Calls `body` for each section that differs from the same section of older contents: first for
  /// removed sections, then for new and changed ones in order.
  ///
  /// Correct for any two contents. Fast if one was made from the other by a few edits, because
  /// shared nodes are skipped.
  ///
  /// - Complexity: O(changed chunks · log n), and O(chunks) for each new or removed section.
  /// - Throws: what `body` throws.
  public func forEachDifference(
    from old: CollectionContents,
    _ body: (SectionDifference) throws -> Void
  ) rethrows {
    let (newEntries, oldEntries) = sections.unshared(with: old.sections)
    var olds = oldEntries.reduce(into: [:]) { $0[$1.serial] = $1 }
    var pairs: [(new: SectionEntry, old: SectionEntry?)] = []
    pairs.reserveCapacity(newEntries.count)
    for entry in newEntries { pairs.append((entry, olds.removeValue(forKey: entry.serial))) }
    for entry in oldEntries where olds[entry.serial] != nil {
      try body(SectionDifference(removing: entry))
    }
    for (new, old) in pairs {
      if let old, old.label == new.label, new.isSame(as: old) { continue }
      try body(SectionDifference(new, old: old))
    }
  }
}

extension SectionDifference {
  /// The difference for a section that the newer version does not have.
  fileprivate init(removing old: SectionEntry) {
    number = old.serial
    oldLabel = old.label
    contents = old.contents
    removedChunks = contents.items.chunks.map(\.label)
  }

  /// The difference for a section that the newer version has.
  ///
  /// - Parameter old: the section in the older version; nil = it is new.
  fileprivate init(_ new: SectionEntry, old: SectionEntry?) {
    number = new.serial
    oldLabel = old?.label
    newLabel = new.label
    contents = new.contents
    guard let old, !new.isSame(as: old) else {
      if old == nil { newChunks = contents.items.chunks.map { ($0.label, $0.chunk) } }
      return
    }
    let (mine, theirs) = contents.items.chunks.unshared(with: old.contents.items.chunks)
    let olds = theirs.reduce(into: [:]) { $0[$1.label] = $1.chunk }
    let news = mine.reduce(into: [:]) { $0[$1.label] = $1.chunk }
    for entry in mine where olds[entry.label] !== entry.chunk {
      newChunks.append((entry.label, entry.chunk))
    }
    for entry in theirs where news[entry.label] !== entry.chunk {
      removedChunks.append(entry.label)
    }
  }
}
