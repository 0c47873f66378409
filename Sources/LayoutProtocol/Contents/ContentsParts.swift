// SPDX-License-Identifier: Apache-2.0

package import CollectionModel

/// Contents as imports and exports send them, in parts of bounded size: each section's header, then
/// its items.
///
/// Only one part at a time is in memory beside the contents.
package struct ContentsParts: IteratorProtocol {
  package enum Part: Sendable {
    case section(Wire.Section)
    case items(Wire.ItemBlock)
  }

  private let contents: CollectionContents
  private let partBytes: Int
  private var nextSection = 0
  private var items = ItemSequence()
  private var nextItem = 0
  private var ready: [Wire.ItemBlock] = []

  /// - Parameter partBytes: roughly the size of one part; none is much larger.
  package init(_ contents: CollectionContents, partBytes: Int = 256 << 10) {
    self.contents = contents
    self.partBytes = partBytes
  }

  package mutating func next() -> Part? {
    if let block = ready.popLast() { return .items(block) }
    if nextItem < items.count {
      readItems()
      if let block = ready.popLast() { return .items(block) }
    }
    guard nextSection < contents.sectionCount else { return nil }
    let section = contents.section(at: nextSection)
    nextSection += 1
    items = section.items
    nextItem = 0
    return .section(Wire.Section(headerOf: section))
  }

  /// Packs the next chunks into blocks.
  private mutating func readItems() {
    var blocks: [ItemBlock] = []
    var bytes = 0
    let start = nextItem
    var end = start
    items.forEachChunk(in: start ..< items.count) { chunk, first in
      let range = max(start, first) - first ..< chunk.count
      let block = ItemBlock(chunk, in: range)
      blocks.append(block)
      bytes += block.approximateByteCount
      end = first + chunk.count
      return bytes < partBytes
    }
    nextItem = end
    Wire.ItemBlock.forEachBlock(of: ItemSequence(blocks), maxBytes: partBytes) { block in
      ready.append(block)
      return true
    }
    ready.reverse()
  }
}

extension ItemBlock {
  fileprivate var approximateByteCount: Int {
    let lengths = widths.count + heights.count + xs.count + ys.count
    return 16 + 8 * lengths + 2 * cellKinds.count + keys.reduce(0) { $0 + 2 + $1.utf8.count }
  }
}
