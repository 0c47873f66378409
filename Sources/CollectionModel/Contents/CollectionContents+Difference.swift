// SPDX-License-Identifier: Apache-2.0

/// A section that is not the same in two versions of the contents, as far as one has to know who
/// keeps the sections and chunks of the older one by number and label.
public struct SectionDifference: Sendable {
  /// No other section of the same contents has it, and a section keeps it.
  public var number: UInt32
  /// Labels grow from section to section, and are within 1 ..< 2⁶³. nil = not in the older version.
  public var oldLabel: UInt64?
  /// nil = not in the newer version.
  public var newLabel: UInt64?
  /// The section as it is now; as it was where it is no more.
  public var contents: SectionContents
  /// Labels of chunks that no longer stand there.
  public var removedChunks: [UInt64] = []
  /// Chunks that did not stand there, in order. Their labels, which grow from chunk to chunk of the
  /// section like those of sections, may be among `removedChunks`.
  public var newChunks: [(label: UInt64, chunk: ItemChunk)] = []
}

extension CollectionContents {
  /// Tells of the sections in which these contents differ from others, and in which chunks: those
  /// that are no more first, then in order.
  ///
  /// Right for any two contents; quick where one was made from the other, since what they share is
  /// not looked at.
  ///
  /// - Complexity: O(changed chunks · log n), and O(chunks) for sections that are new or gone.
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
  fileprivate init(removing old: SectionEntry) {
    number = old.serial
    oldLabel = old.label
    contents = old.contents
    removedChunks = contents.items.chunks.map(\.label)
  }

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
