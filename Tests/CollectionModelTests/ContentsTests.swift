// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CollectionModel

@Suite("Contents", .timeLimit(.minutes(2)))
struct ContentsTests {
  private func items(_ blocks: ItemBlock...) -> ItemSequence { ItemSequence(blocks) }

  @Test("equal items are one chunk, however many")
  func uniform() throws {
    let contents = try CollectionContents(
      validating: [
        SectionBlocks(blocks: [
          ItemBlock(count: 6_000_000, widths: [44], heights: [30]),
          ItemBlock(count: 4_000_000, widths: [44], heights: [30]),
        ])
      ])
    let items = contents.section(at: 0).items
    #expect(items.chunkCount == 1 && items.count == 10_000_000)
    #expect(items.summary.width == .constant(44) && items.summary.height == .constant(30))
    #expect(contents.approximateByteCount < 2_000)
  }

  @Test("an edit amid equal items splits them in three, and putting it right makes them one again")
  func splitUniform() throws {
    let contents = CollectionContents(
      sections: [SectionContents(items: items(ItemBlock(count: 100_000, heights: [30])))])
    func replaced(_ contents: CollectionContents, _ height: Double) throws -> CollectionContents {
      try contents.applying(
        UpdateBatch([
          .reconfigureItems(
            section: 0,
            items: 5_000 ..< 5_001,
            blocks: [ItemBlock(count: 1, heights: [height])]
          )
        ])
      ).new
    }
    let split = try replaced(contents, 50)
    #expect(split.section(at: 0).items.chunkCount == 3)
    #expect(split.section(at: 0).items.summary.height == .varying)
    #expect(try replaced(split, 30).section(at: 0).items.chunkCount == 1)
  }

  @Test("varying items take at most ten bytes each with width and height")
  func memory() {
    let values = (0 ..< 100_000).map { Double($0 % 977) / 8 }
    let contents = CollectionContents(
      sections: [
        SectionContents(items: items(ItemBlock(count: 100_000, widths: values, heights: values)))
      ])
    #expect(contents.approximateByteCount <= 1_000_000)
    #expect(contents.brokenInvariant() == nil)
  }

  @Test("floats are stored only where they are exact")
  func precision() {
    let exact = items(ItemBlock(count: 3, heights: [1, 2.5, 3.015625]))
    let inexact = items(ItemBlock(count: 3, heights: [1, 2.5, 0.1]))
    guard case .floats = exact.chunk(containing: 0).chunk.heights,
      case .doubles = inexact.chunk(containing: 0).chunk.heights
    else {
      Issue.record("wrong columns")
      return
    }
    #expect(inexact.item(at: 2).height == 0.1)
  }

  @Test("many small blocks become few chunks")
  func coalescing() {
    let blocks = (0 ..< 5_000).map { ItemBlock(count: 1, heights: [Double($0)]) }
    let all = ItemSequence(blocks)
    #expect(all.chunkCount <= 14 && all.brokenInvariant() == nil)
    #expect((0 ..< 5_000).allSatisfy { all.item(at: $0).height == Double($0) })
  }

  @Test("chunks and blocks of a range come in order")
  func ranges() {
    let values = (0 ..< 3_000).map(Double.init)
    let all = items(
      ItemBlock(count: 3_000, heights: values),
      ItemBlock(count: 10_000, widths: [1])
    )
    for range in [0 ..< 13_000, 100 ..< 101, 2_999 ..< 3_001, 500 ..< 2_000, 5 ..< 5] {
      var next = range.lowerBound
      all.forEachChunk(in: range) { chunk, start in
        #expect(start <= next && start + chunk.count > next)
        next = start + chunk.count
        return true
      }
      #expect(next >= range.upperBound)
    }
    var exported: [ItemBlock] = []
    all.forEachBlock(limit: 100) {
      exported.append($0)
      return true
    }
    #expect(exported.reduce(0) { $0 + $1.count } == 13_000)
    #expect(exported.last == ItemBlock(count: 10_000, widths: [1]))
    #expect(exported.dropLast().allSatisfy { $0.count <= 100 })
  }

  @Test("finds runs of items without sizes, however they are cut into chunks", arguments: 0 ..< 10)
  func unsizedRuns(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let hasKeys = random.chance(50)
    let blocks = (0 ..< random.int(0 ... 8)).map { _ in
      let count = random.int(1 ... (random.chance(20) ? 1500 : 30))
      let keys = hasKeys ? (0 ..< count).map { "\(random.next())-\($0)" } : []
      return ItemBlock(
        count: count,
        widths: random.chance(25) ? [40] : [],
        heights: random.chance(25) ? (0 ..< count).map { Double($0) } : [],
        keys: keys
      )
    }
    let items = SectionContents(blocks: blocks).items
    let values = (0 ..< items.count).map { items.item(at: $0) }
    var ranges: [Range<Int>] = []
    items.forEachRangeLackingSizes {
      ranges.append($0)
      return true
    }
    let lacking = values.indices.filter { values[$0].width == nil || values[$0].height == nil }
    #expect(ranges.flatMap { Array($0) } == lacking)
    for (a, b) in zip(ranges, ranges.dropFirst()) { #expect(a.upperBound < b.lowerBound) }
    let unsized = values.indices.filter { values[$0].width == nil && values[$0].height == nil }
    #expect(items.summary.unsizedCount == unsized.count)
    for item in unsized where random.chance(10) {
      let end = values[item...].firstIndex { $0.width != nil || $0.height != nil }
      #expect(items.endOfUnsizedRun(at: item) == end ?? values.count)
    }
  }

  @Test("what no collection may hold is refused with its path and reason")
  func validation() {
    func refusal(
      _ block: ItemBlock,
      key: String = "",
      metrics: SectionMetrics = SectionMetrics(),
      limits: ContentsLimits = .standard
    ) -> String {
      do {
        let fine = SectionBlocks(key: key.isEmpty ? "" : "k")
        let bad = SectionBlocks(key: key, blocks: [block], metrics: metrics)
        _ = try CollectionContents(validating: [fine, bad], limits: limits)
        return ""
      } catch {
        return "\(error.reason.rawValue) \(error.violations.first?.field ?? "")"
      }
    }
    let path = "FIELD_INVALID sections[1]."
    let two = ItemBlock(count: 2)
    #expect(refusal(two) == "")
    #expect(refusal(ItemBlock(count: 2, widths: [1, 2, 3])) == path + "blocks[0].widths")
    #expect(refusal(ItemBlock(count: 2, heights: [1, -1])) == path + "blocks[0].heights[1]")
    #expect(refusal(ItemBlock(count: 2, heights: [.nan])) == path + "blocks[0].heights[0]")
    #expect(refusal(ItemBlock(count: 2, xs: [-1, .infinity])) == path + "blocks[0].xs[1]")
    #expect(refusal(ItemBlock(count: 2, cellKinds: [0, 1])) == path + "blocks[0].cell_kinds[1]")
    #expect(refusal(ItemBlock(count: 2, keys: ["a"])) == path + "blocks[0].keys")
    #expect(refusal(ItemBlock(count: 2, keys: ["a", ""])) == path + "blocks[0].keys[1]")
    let long = String(repeating: "k", count: 129)
    #expect(refusal(ItemBlock(count: 1, keys: [long])) == path + "blocks[0].keys[0]")
    #expect(refusal(ItemBlock(count: 2, keys: ["a", "a"])) == path + "blocks")
    #expect(refusal(ItemBlock(count: 3, data: ["a", "b"])) == path + "blocks[0].data")
    let much = String(repeating: "\u{E9}", count: 513)
    #expect(refusal(ItemBlock(count: 2, data: ["", much])) == path + "blocks[0].data[1]")
    #expect(refusal(ItemBlock(count: 2, data: [String(much.dropLast())])) == "")
    let none = ContentsLimits(itemDataBytes: 0)
    #expect(refusal(ItemBlock(count: 1, data: ["a"]), limits: none) == path + "blocks[0].data[0]")
    #expect(refusal(two, key: "k") == path + "key")
    #expect(refusal(two, metrics: .init(lineSpacing: .nan)) == path + "metrics.line_spacing")
    #expect(
      refusal(two, limits: ContentsLimits(items: 1)) == "QUOTA_ITEMS sections[1].blocks[0].count"
    )
    #expect(refusal(two, limits: ContentsLimits(sections: 1)) == "QUOTA_SECTIONS sections")
    #expect(refusal(ItemBlock(count: -1)) == path + "blocks[0].count")
    #expect(refusal(ItemBlock(count: .max)) == "QUOTA_ITEMS sections[1].blocks[0].count")
  }

  @Test("data that look the same keep their bytes, and differ")
  func dataBytes() throws {
    let forms = ["\u{E9}", "e\u{301}"]
    let contents = CollectionContents(
      sections: [SectionContents(blocks: [ItemBlock(count: 2, data: forms)])]
    )
    let paths = [IndexPath(section: 0, item: 0), IndexPath(section: 0, item: 1)]
    #expect(paths.map { contents.data(at: $0).utf8.count } == [2, 3])
    let swapped = try contents.applying(
      UpdateBatch([
        .reconfigureItems(
          section: 0,
          items: 0 ..< 2,
          blocks: [ItemBlock(count: 2, data: [forms[1], forms[1]])]
        )
      ])
    )
    #expect(paths.map { swapped.changesData(ofOld: $0) } == [true, false])
    #expect(paths.map { swapped.new.data(at: $0).utf8.count } == [3, 3])
    #expect(swapped.new.section(at: 0).items.item(at: 0).data == forms[0])
  }

  @Test("no limit is above what the model can hold")
  func highestLimits() {
    let limits = ContentsLimits(items: .max, sections: .max, cellKinds: .max)
    #expect(limits.items == 4_294_967_295)
    #expect(limits.sections == 16_777_216)
    #expect(limits.cellKinds == 32_768)
    let last = IndexPath(section: limits.sections - 1, item: limits.items - 1)
    #expect(last.section == limits.sections - 1 && last.item == limits.items - 1)
  }

  @Test("sections have keys either all or none")
  func mixedSectionKeys() {
    for keys in [["a", ""], ["", "a"]] {
      #expect(throws: Refusal.self) {
        try CollectionContents(validating: keys.map { SectionBlocks(key: $0) })
      }
    }
  }

  @Test("items before the first section go into an unnamed one")
  func builderWithoutSection() throws {
    var builder = ContentsBuilder()
    try builder.addItems(ItemBlock(count: 3))
    try builder.addItems(ItemBlock(count: 4))
    let contents = try builder.finish()
    #expect(contents.sectionCount == 1 && contents.itemCount == 7)
  }

  @Test("places outside have nothing")
  func outside() {
    let contents = CollectionContents(
      sections: [SectionContents(items: items(ItemBlock(count: 2)))])
    #expect(contents.item(at: IndexPath(section: 0, item: 2)) == nil)
    #expect(contents.item(at: IndexPath(section: 1, item: 0)) == nil)
    #expect(contents.item(at: IndexPath(section: 0)) == nil)
    #expect(contents.contains(IndexPath(section: 0)) && !contents.contains(IndexPath(section: 1)))
    #expect(contents.indexPath(ofItemKey: "a") == nil && contents.sectionIndex(ofKey: "") == nil)
  }
}
