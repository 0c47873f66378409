// SPDX-License-Identifier: Apache-2.0

package import CollectionModel

/// Divides contents into parts of bounded size, as imports and exports send them: for each section
/// its header, then its items.
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
  private var items: ItemParts

  /// The parts of `contents`.
  ///
  /// - Parameter partBytes: the approximate size of a part. Parts are not much larger, but may be
  ///   smaller.
  package init(_ contents: CollectionContents, partBytes: Int = ItemParts.standardBytes) {
    self.contents = contents
    self.partBytes = partBytes
    items = ItemParts(ItemSequence(), in: 0 ..< 0)
  }

  /// The next part; nil = there are no more.
  package mutating func next() -> Part? {
    if let block = items.next() { return .items(block) }
    guard nextSection < contents.sectionCount else { return nil }
    let section = contents.section(at: nextSection)
    nextSection += 1
    items = ItemParts(section.items, in: 0 ..< section.items.count, partBytes: partBytes)
    return .section(Wire.Section(headerOf: section))
  }
}

/// Divides items into blocks of bounded size, of which only the next few are in memory.
package struct ItemParts: IteratorProtocol {
  /// The approximate size of a part.
  package static let standardBytes = 256 << 10

  private let items: ItemSequence
  private let end: Int
  private let partBytes: Int
  private var nextItem: Int
  /// Blocks that are encoded but not returned yet, in reverse order.
  private var ready: [Wire.ItemBlock] = []

  /// The parts of a range of items.
  package init(
    _ items: ItemSequence,
    in range: Range<Int>,
    partBytes: Int = ItemParts.standardBytes
  ) {
    self.items = items
    self.partBytes = partBytes
    nextItem = range.lowerBound
    end = range.upperBound
  }

  /// The next block; nil = there are no more.
  package mutating func next() -> Wire.ItemBlock? {
    if ready.isEmpty, nextItem < end { readItems() }
    return ready.popLast()
  }

  /// Encodes the next chunks as blocks.
  private mutating func readItems() {
    var blocks: [ItemBlock] = []
    var bytes = 0
    let start = nextItem
    items.forEachChunk(in: start ..< end) { chunk, first in
      let last = min(chunk.count, end - first)
      let block = ItemBlock(chunk, in: max(start, first) - first ..< last)
      blocks.append(block)
      bytes += block.approximateByteCount
      nextItem = first + last
      return bytes < partBytes
    }
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
