// SPDX-License-Identifier: Apache-2.0

package import CollectionModel
package import LayoutGeometry

/// Contents and batches from bytes.
extension ByteReader {
  package mutating func insets() -> EdgeInsets {
    EdgeInsets(top: number(), leading: number(), bottom: number(), trailing: number())
  }

  package mutating func size() -> Size { Size(width: number(), height: number()) }

  /// Mostly finite and not negative.
  package mutating func metrics() -> SectionMetrics {
    guard flag() else { return SectionMetrics() }
    return SectionMetrics(
      inset: maybe { $0.insets() },
      lineSpacing: maybe { $0.number() },
      interitemSpacing: maybe { $0.number() },
      headerSize: maybe { $0.size() },
      footerSize: maybe { $0.size() }
    )
  }

  /// Metrics that a collection accepts.
  mutating func validMetrics() -> SectionMetrics {
    let metrics = metrics()
    return FuzzRules.isValid(metrics) ? metrics : SectionMetrics(lineSpacing: 3)
  }

  private mutating func column(_ count: Int, isLength: Bool) -> [Double] {
    switch byte() & 7 {
    case 0, 1: []
    case 2: [isLength ? length() : position()]
    case 3 ..< 7: (0 ..< count).map { _ in isLength ? length() : position() }
    default: list(upTo: count + 1) { $0.number() }
    }
  }

  /// A position that contents accept.
  private mutating func position() -> Double {
    let value = number()
    return FuzzRules.isPosition(value) ? value : 0
  }

  /// A block that is valid most of the time.
  ///
  /// - Parameter keys: names the items where they have keys; nil = they have none.
  package mutating func block(
    _ count: Int,
    kinds: Int,
    keys: ((inout ByteReader) -> String)?
  ) -> ItemBlock {
    var block = ItemBlock(count: count)
    guard !isAtEnd else { return block }
    block.widths = column(count, isLength: true)
    block.heights = column(count, isLength: true)
    if flag() { block.xs = column(count, isLength: false) }
    if flag() { block.ys = column(count, isLength: false) }
    if chance(30) { block.cellKinds = (0 ..< count).map { _ in below(kinds) } }
    if let keys, chance(90) { block.keys = (0 ..< count).map { _ in keys(&self) } }
    if chance(20) {
      block.data = (0 ..< count).map { _ in pick(["", "a", "twelve bytes", "more than is allowed"])
      }
    }
    switch byte() {
    case 255: block.count = index(count)
    case 254: block.cellKinds = [index(kinds)]
    case 253: block.keys = list(upTo: count + 1) { _ in "" }
    default: break
    }
    return block
  }

  /// A block that is valid.
  mutating func validBlock(
    _ count: Int,
    kinds: Int,
    keys: ((inout ByteReader) -> String)? = nil
  ) -> ItemBlock {
    let block = block(count, kinds: kinds, keys: keys)
    return FuzzRules.isValid(block, kinds: kinds) && block.count == count
      ? block : ItemBlock(count: count)
  }

  /// Valid contents without keys, for layouts: some with so many equal items that nobody may look
  /// at each.
  package mutating func contents() -> CollectionContents {
    let kinds = ["", "photo", "video"].prefix(1 + below(3))
    let sections = list(upTo: 6) { reader -> SectionContents in
      let blocks = reader.list(upTo: 3) { reader in
        reader.chance(8)
          ? ItemBlock(
            count: reader.pick([600, 100_000, 3_000_000]),
            widths: reader.maybe { [$0.length()] } ?? [],
            heights: reader.maybe { [$0.length()] } ?? []
          )
          : reader.validBlock(1 + reader.below(40), kinds: kinds.count)
      }
      return SectionContents(
        metrics: reader.validMetrics(),
        layoutName: reader.pick(["", "", "a", "b"]),
        blocks: blocks
      )
    }
    return CollectionContents(sections: sections, cellKindNames: Array(kinds))
  }
}

/// What contents and batches must keep to, written from the contract, without a look at the code
/// that checks it.
package enum FuzzRules {
  /// Small, so that quotas are met.
  package static let limits = ContentsLimits(
    items: 4000,
    sections: 12,
    operations: 10,
    keyBytes: 16,
    itemDataBytes: 12,
    cellKinds: 6
  )
  /// In points.
  package static let greatestLength = 0x1p40

  static func isPosition(_ value: Double) -> Bool { value.magnitude <= greatestLength }

  static func isLength(_ value: Double) -> Bool { value >= 0 && value <= greatestLength }

  static func isValid(_ metrics: SectionMetrics) -> Bool {
    let numbers = [
      metrics.inset?.top, metrics.inset?.leading, metrics.inset?.bottom, metrics.inset?.trailing,
      metrics.lineSpacing, metrics.interitemSpacing,
    ]
    let lengths = [
      metrics.headerSize?.width, metrics.headerSize?.height, metrics.footerSize?.width,
      metrics.footerSize?.height,
    ]
    return numbers.allSatisfy { $0.map(isPosition) ?? true }
      && lengths.allSatisfy { $0.map(isLength) ?? true }
  }

  static func isValid(_ block: ItemBlock, kinds: Int) -> Bool {
    guard block.count >= 0, block.count <= limits.items else { return false }
    func fits(_ count: Int) -> Bool { count == 0 || count == 1 || count == block.count }
    for lengths in [block.widths, block.heights] {
      guard fits(lengths.count), lengths.allSatisfy(isLength) else {
        return false
      }
    }
    for places in [block.xs, block.ys] {
      guard fits(places.count), places.allSatisfy(isPosition) else { return false }
    }
    return fits(block.cellKinds.count) && block.cellKinds.allSatisfy { (0 ..< kinds).contains($0) }
      && (block.keys.isEmpty || block.keys.count == block.count)
      && block.keys.allSatisfy { (1 ... limits.keyBytes).contains($0.utf8.count) }
      && fits(block.data.count)
      && block.data.allSatisfy { $0.utf8.count <= limits.itemDataBytes }
  }
}
