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
}
