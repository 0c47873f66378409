// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension PreparedSpatial {
  /// The layout of the changed contents with the same index; nil when that would no longer pay, or
  /// when the change does not fit.
  func updated(
    by change: ContentsChange,
    layout: SpatialLayout,
    context: LayoutContext
  ) -> PreparedSpatial? {
    let newOrdinals = ItemOrdinals(change.new)
    let splices = change.itemSplices(from: ordinals, to: newOrdinals)
    let addedCount = splices.reduce(added.count) { $0 + $1.new.count }
    guard addedCount <= mostAdded else { return nil }

    // The frames of added items: what the splices leave, and what they bring.
    var frames: [Rect?] = []
    frames.reserveCapacity(addedCount)
    var copied = 0
    for splice in splices {
      frames += added[copied ..< pieces.addedCount(ofFirst: splice.old.lowerBound)]
      copied = pieces.addedCount(ofFirst: splice.old.upperBound)
      newOrdinals.forEach(in: splice.new) { _, path in
        frames.append(frame(of: path, in: change.new))
      }
    }
    frames += added[copied...]

    // From the end on, so that the ordinals further ahead stay as they are.
    var newPieces = pieces
    for splice in splices.reversed() {
      newPieces.replace(splice.old, withAdded: splice.new.count)
    }
    guard newPieces.totals.current == newOrdinals.count,
      newPieces.totals.added == frames.count,
      newPieces.totals.dropped <= 64 + index.count / 4,
      newPieces.count <= 256 + index.count / 8
    else { return nil }
    return PreparedSpatial(
      layout,
      context,
      ordinals: newOrdinals,
      index: index,
      pieces: newPieces,
      added: frames
    )
  }

  /// How many items may stand beside the index, where every query looks at each of them.
  private var mostAdded: Int { max(64, min(index.count / 16, 16_384)) }

  private func frame(of path: IndexPath, in contents: CollectionContents) -> Rect? {
    let item = path.item ?? 0
    let (chunk, start) = contents.section(at: path.section).items.chunk(containing: item)
    return placement.frame(of: item - start, in: chunk)
  }
}

extension ContentsChange {
  /// What changed, counted through all items of all sections: sorted and disjoint.
  ///
  /// - Complexity: O(splices · log splices)
  func itemSplices(from old: ItemOrdinals, to new: ItemOrdinals) -> [Splice] {
    var splices: [Splice] = []
    for splice in sectionSplices {
      splices.append(
        Splice(
          old: old.starts[splice.old.lowerBound] ..< old.starts[splice.old.upperBound],
          new: new.starts[splice.new.lowerBound] ..< new.starts[splice.new.upperBound]
        )
      )
    }
    for change in changedSections {
      let oldStart = old.starts[change.oldIndex]
      let newStart = new.starts[change.newIndex]
      for splice in change.itemSplices {
        splices.append(
          Splice(
            old: oldStart + splice.old.lowerBound ..< oldStart + splice.old.upperBound,
            new: newStart + splice.new.lowerBound ..< newStart + splice.new.upperBound
          )
        )
      }
    }
    splices.removeAll { $0.old.isEmpty && $0.new.isEmpty }
    return splices.sorted {
      ($0.old.lowerBound, $0.new.lowerBound) < ($1.old.lowerBound, $1.new.lowerBound)
    }
  }
}
