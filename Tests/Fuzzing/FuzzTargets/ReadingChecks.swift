// SPDX-License-Identifier: Apache-2.0

import CollectionModel

/// Asks contents and changes all sorts of questions, whose answers must agree and never trap.
enum ReadingChecks {
  /// A refusal names fields and says what is wrong with them.
  static func fault(in error: Refusal) -> String? {
    error.violations.isEmpty
      || error.violations.contains { $0.field.isEmpty || $0.description.isEmpty }
      ? "a refusal that says nothing: \(error)" : nil
  }

  static func fault(in contents: CollectionContents) -> String? {
    if let broken = contents.brokenInvariant() { return broken }
    var assembly = ContentsAssembly(
      cellKindNames: contents.cellKindNames,
      limits: .standard
    )
    var items = 0
    do {
      try contents.forEachDifference(from: .empty) { difference in
        guard let label = difference.newLabel else { return }
        try assembly.addSection(difference.contents, number: difference.number, label: label)
        for chunk in difference.newChunks {
          try assembly.addChunk(
            ItemBlock(chunk.chunk, in: 0 ..< chunk.chunk.count),
            label: chunk.label
          )
          items += chunk.chunk.count
        }
      }
    } catch { return "contents cannot be put together again: \(error)" }
    let again = assembly.finish()
    guard items == contents.itemCount, again.itemCount == items,
      again.sectionCount == contents.sectionCount
    else { return "\(again.itemCount) of \(contents.itemCount) items put together again" }
    return again.brokenInvariant()
  }

  /// Both directions of a change agree for any path.
  static func fault(in change: ContentsChange, _ reader: inout ByteReader) -> String? {
    for _ in 0 ..< 8 {
      let path =
        reader.flag()
        ? IndexPath(section: reader.place(1 << 20), item: reader.place(1 << 20))
        : IndexPath(section: reader.place(change.old.sectionCount), item: reader.place(40))
      if let new = change.newIndexPath(ofOld: path), change.oldIndexPath(ofNew: new) != path {
        return "\(path) goes to \(new), which comes from elsewhere"
      }
      if let old = change.oldIndexPath(ofNew: path), change.newIndexPath(ofOld: old) != path {
        return "\(path) comes from \(old), which goes elsewhere"
      }
      _ = change.newPlace(ofOld: path)
      _ = change.isReconfigured(new: path)
      _ = change.new.item(at: path)
      _ = change.new.key(at: path)
    }
    let beginning = change.new.beginning(ofAtLeast: reader.index(50))
    if let broken = beginning.brokenInvariant() { return "the beginning: \(broken)" }
    let rebased = change.rebased(on: change.old)
    guard rebased.new.itemCount == change.new.itemCount else { return "rebased to other counts" }
    return rebased.new.brokenInvariant()
  }
}
