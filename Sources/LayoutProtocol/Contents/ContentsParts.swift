// SPDX-License-Identifier: Apache-2.0

package import CollectionModel

/// Divides contents into parts of bounded size, as imports and exports send them: for each section its
/// header, then its items.
///
/// Besides the contents, only the next few parts are in memory.
package struct ContentsParts: IteratorProtocol {
  /// One part.
  package enum Part: Sendable {
    /// The header of a section, without items.
    case section(Wire.Section)
    /// Items of the section before.
    case items(Wire.ItemBlock)
  }

  private let contents: CollectionContents
  private let partBytes: Int
  private var nextSection = 0
  /// The items of the current section.
  private var items = ItemSequence()
  private var nextItem = 0
  /// Blocks that are encoded but not returned yet, in reverse order.
  private var ready: [Wire.ItemBlock] = []

  /// The parts of `contents`.
  ///
  /// - Parameter partBytes: the approximate size of a part. Parts are not much larger, but may be smaller.
  package init(_ contents: CollectionContents, partBytes: Int = 256 << 10) {
    self.contents = contents
    self.partBytes = partBytes
  }

  /// The next part; nil = there are no more.
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

  /// Encodes the next chunks of the current section as blocks.
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
    let texts = (keys + data).reduce(0) { $0 + 2 + $1.utf8.count }
    return 16 + 8 * lengths + 2 * cellKinds.count + texts
  }
}
