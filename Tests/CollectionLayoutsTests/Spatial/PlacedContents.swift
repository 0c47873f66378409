// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import TestSupport

extension SplitMix64 {
  /// Sections of items with positions, sizes and kinds in every mixture.
  mutating func placedContents(items: Int) -> CollectionContents {
    let kinds = ["photo", "video"]
    let sections = (0 ..< int(0 ... 4)).map { _ in
      SectionContents(
        blocks: (0 ..< int(0 ... 3)).map { _ in block(count: int(1 ... max(1, items))) }
      )
    }
    return CollectionContents(sections: sections, cellKindNames: kinds)
  }

  mutating func block(count: Int) -> ItemBlock {
    let isCrowded = chance(20)
    var xs = (0 ..< count).map { _ in isCrowded ? length(90 ... 95) : length(-400 ... 900) }
    var ys = (0 ..< count).map { _ in isCrowded ? length(90 ... 95) : length(-400 ... 900) }
    if chance(10) { xs[int(0 ... count - 1)] = 1e9 }
    if chance(5) { xs = [7] }
    if chance(8) { ys = [] }
    var block = ItemBlock(count: count, xs: xs, ys: ys)
    if chance(30) { block.widths = (0 ..< count).map { _ in length(0 ... 80) } }
    if chance(20) { block.heights = [length(0 ... 80)] }
    if chance(30) { block.cellKinds = (0 ..< count).map { _ in int(0 ... 1) } }
    return block
  }

  /// A few operations that fit together.
  mutating func batch(on contents: CollectionContents) -> [UpdateOperation] {
    guard contents.sectionCount > 0, !chance(8) else {
      return [
        .insertSections(
          at: int(0 ... contents.sectionCount),
          [SectionContents(blocks: [block(count: int(1 ... 20))])]
        )
      ]
    }
    let section = int(0 ... contents.sectionCount - 1)
    let count = contents.section(at: section).items.count
    func index() -> Int { int(0 ... count - 1) }
    func path(_ item: Int) -> IndexPath { IndexPath(section: section, item: item) }
    switch int(0 ... 9) {
    case 0: return [.deleteSections(section ..< section + 1)]
    case 1: return [.moveSection(from: section, to: int(0 ... contents.sectionCount - 1))]
    case 2: return [.reloadSection(section, SectionContents(blocks: [block(count: 3)]))]
    case 3 where count > 0:
      let start = index()
      let end = min(count, start + int(1 ... 10))
      return [.deleteItems(section: section, items: start ..< end)]
    case 4 where count > 0: return [.moveItem(from: path(index()), to: path(index()))]
    case 5 where count > 0:
      let item = index()
      return [
        .reloadItems(section: section, items: item ..< item + 1, blocks: [block(count: 1)])
      ]
    case 6 where count > 0:
      let item = index()
      return [
        .reconfigureItems(
          section: section,
          items: item ..< item + 1,
          blocks: [block(count: 1)]
        )
      ]
    case 7 where count > 2:
      let item = int(0 ... count - 2)
      return [
        .deleteItems(section: section, items: item ..< item + 1),
        .insertItems(at: path(int(0 ... count - 2)), items: [block(count: 1)]),
      ]
    default:
      return [
        .insertItems(
          at: path(int(0 ... count)),
          items: [block(count: int(1 ... 5))]
        )
      ]
    }
  }
}
