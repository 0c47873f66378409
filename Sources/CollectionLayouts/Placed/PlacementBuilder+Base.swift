// SPDX-License-Identifier: Apache-2.0

public import CollectionModel

// Beginning with what was placed before.
extension PlacementBuilder {
  /// Begins with the elements of an earlier placement whose items are kept.
  ///
  /// - Parameters:
  ///   - contents: the new contents.
  ///   - kept: which items of the placement's contents they keep.
  ///   - elementLimit: the most elements that are taken.
  ///   - work: told of the elements. Once it has stopped, nobody uses the builder.
  /// - Complexity: O(elements · log n)
  public init(
    _ contents: CollectionContents,
    from base: Placement,
    _ kept: KeptItems,
    elementLimit: Int,
    within work: LayoutWork = .unlimited
  ) {
    self.init(contents, elementLimit: elementLimit)
    keptKindNames = base.kindNames
    highestKind = base.kindNames.count - 1
    elements.reserveCapacity(base.elements.count)
    keepCells(of: base, kept, within: work)
    keepOthers(of: base, kept, within: work)
    keptCount = elements.count
  }

  private mutating func keepCells(
    of base: Placement,
    _ kept: KeptItems,
    within work: LayoutWork
  ) {
    let oldOrdinals = ItemOrdinals(base.contents)
    for run in kept.runs {
      for offset in 0 ..< run.count {
        if offset & 1023 == 0, !work.proceed(min(1024, run.count - offset)) { return }
        let path = run.new.advanced(by: offset)
        guard let old = oldOrdinals.ordinal(of: run.old.advanced(by: offset)),
          let new = ordinals.ordinal(of: path), old < base.cells.count,
          base.cells[old] != Placement.missing
        else { continue }
        var element = base.elements[Int(base.cells[old])]
        element.indexPath = path
        element.kind = kinds.kind(at: path)
        cells[new] = UInt32(clamping: elements.count)
        elements.append(element)
      }
    }
  }

  private mutating func keepOthers(
    of base: Placement,
    _ kept: KeptItems,
    within work: LayoutWork
  ) {
    guard !base.others.isEmpty, work.proceed(base.others.count) else { return }
    var sections: [Int: Int] = [:]
    for (new, old) in kept.sections.enumerated() { if let old { sections[old] = new } }
    let runs = kept.runs.sorted { $0.old < $1.old }
    for number in base.others.values {
      var element = base.elements[Int(number)]
      let path = element.indexPath
      if path.item == nil {
        guard let section = sections[path.section] else { continue }
        element.indexPath = IndexPath(section: section)
      } else {
        let next = runs.partitioningIndex { $0.old > path }
        guard next > 0, let offset = runs[next - 1].offset(ofOld: path) else { continue }
        element.indexPath = runs[next - 1].new.advanced(by: offset)
      }
      let kind = Int(element.kind) - base.contents.cellKindNames.count
      element.kind = UInt16(clamping: firstKind + kind)
      let place = Placement.Place(path: element.indexPath, rank: element.classRank)
      others[place] = UInt32(clamping: elements.count)
      elements.append(element)
    }
  }
}

extension KeptItems.Run {
  /// How far an old item is behind the first one; nil = it is not in the run.
  fileprivate func offset(ofOld path: IndexPath) -> Int? {
    guard path >= old, path < old.advanced(by: count) else { return nil }
    return Int(clamping: path.rawValue - old.rawValue)
  }
}
