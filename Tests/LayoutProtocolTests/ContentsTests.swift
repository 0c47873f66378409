// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import GRPCCore
import LayoutGeometry
import LayoutProtocol
import SwiftProtobuf
import TestSupport
import Testing

@Suite("Contents messages", .timeLimit(.minutes(2)))
struct ContentsTests {
  private func read(
    _ message: Wire.CollectionContents,
    limits: ContentsLimits = .standard
  ) throws(LayoutProblem) -> CollectionContents {
    var reader = FieldReader()
    let contents = reader.contents(message, limits: limits)
    try reader.finish()
    return contents
  }

  private static func items(of section: SectionContents) -> [ItemValues] {
    (0 ..< section.items.count).map { section.items.item(at: $0) }
  }

  @Test("random contents survive the way to values and back", arguments: 0 ..< 20)
  func roundTrip(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let message = random.contents()
    let contents = try read(message)
    let again = try read(Wire.CollectionContents(contents))
    #expect(again.cellKindNames == contents.cellKindNames)
    #expect(again.sectionCount == message.sections.count)
    for index in 0 ..< contents.sectionCount {
      let (a, b) = (contents.section(at: index), again.section(at: index))
      #expect(a.key == b.key)
      #expect(a.metrics == b.metrics)
      #expect(a.layoutName == b.layoutName)
      #expect(Self.items(of: a) == Self.items(of: b))
      #expect(a.key == message.sections[index].key)
      #expect(Self.items(of: a) == message.sections[index].blocks.flatMap(\.naiveItems))
    }
  }

  @Test("equal values are exported as one, and neighbouring chunks as one block")
  func compactExport() throws {
    let message = Wire.CollectionContents.with {
      $0.sections = [
        .with {
          $0.blocks = [
            .with {
              $0.count = 3000
              $0.widths = [40]
              $0.heights = (0 ..< 3000).map(Double.init)
              $0.cellKinds = [0]
            },
            .with {
              $0.count = 2
              $0.widths = [40, 40]
              $0.heights = [1, 2]
            },
            .with {
              $0.count = 1_000_000_000
              $0.widths = [50]
              $0.heights = [2]
            },
          ]
        }
      ]
    }
    let contents = try read(message, limits: ContentsLimits(items: 2_000_000_000))
    var blocks: [Wire.ItemBlock] = []
    Wire.ItemBlock.forEachBlock(of: contents.section(at: 0).items, maxBytes: 1 << 20) {
      blocks.append($0)
      return true
    }
    // The uniform run must not be written out item by item.
    #expect(blocks.allSatisfy { $0.widths.count <= 1 || $0.widths.count == Int($0.count) })
    #expect(blocks.reduce(0) { $0 + Int($1.count) } == 1_000_003_002)
    #expect(blocks.reduce(0) { $0 + $1.heights.count } < 3100)
    #expect(blocks[0].count == 3002)
    #expect(blocks[0].widths == [40])
    #expect(blocks[0].cellKinds.isEmpty)
  }

  @Test("exported blocks keep to the size that was asked for, and stop when told")
  func blockSizes() throws {
    let message = Wire.CollectionContents.with {
      $0.sections = [
        .with {
          $0.blocks = [
            .with {
              $0.count = 20_000
              $0.heights = (0 ..< 20_000).map { Double($0 % 97) }
              $0.keys = (0 ..< 20_000).map { "item-\($0)" }
            }
          ]
        }
      ]
    }
    let items = try read(message).section(at: 0).items
    var sizes: [Int] = []
    Wire.ItemBlock.forEachBlock(of: items, maxBytes: 16 << 10) { block in
      let bytes: [UInt8] = (try? block.serializedBytes()) ?? []
      sizes.append(bytes.count)
      return true
    }
    #expect(sizes.count > 10)
    #expect(sizes.allSatisfy { $0 < 20 << 10 })
    var calls = 0
    Wire.ItemBlock.forEachBlock(of: items, maxBytes: 16 << 10) { _ in
      calls += 1
      return calls < 3
    }
    #expect(calls == 3)
  }

  @Test(
    "a faulty column, key or kind is named with its place",
    arguments: [
      (
        "sections[0].blocks[0].widths",
        .with {
          $0.count = 3
          $0.widths = [1, 2]
        }
      ),
      (
        "sections[0].blocks[0].widths[1]",
        .with {
          $0.count = 2
          $0.widths = [1, -2]
        }
      ),
      (
        "sections[0].blocks[0].heights[0]",
        .with {
          $0.count = 9
          $0.heights = [.nan]
        }
      ),
      (
        "sections[0].blocks[0].xs[2]",
        .with {
          $0.count = 3
          $0.xs = [-1, 0, .infinity]
        }
      ),
      (
        "sections[0].blocks[0].ys[0]",
        .with {
          $0.count = 1
          $0.ys = [-0x1p41]
        }
      ),
      (
        "sections[0].blocks[0].cell_kinds[1]",
        .with {
          $0.count = 2
          $0.cellKinds = [0, 1]
        }
      ),
      (
        "sections[0].blocks[0].keys",
        .with {
          $0.count = 2
          $0.keys = ["a"]
        }
      ),
      (
        "sections[0].blocks[0].keys[1]",
        .with {
          $0.count = 2
          $0.keys = ["a", ""]
        }
      ),
      (
        "sections[0].blocks[0].keys[0]",
        .with {
          $0.count = 1
          $0.keys = [String(repeating: "k", count: 129)]
        }
      ),
      (
        "sections[0].blocks",
        .with {
          $0.count = 2
          $0.keys = ["a", "a"]
        }
      ),
    ] as [(String, Wire.ItemBlock)]
  )
  func blockViolations(field: String, block: Wire.ItemBlock) throws {
    let message = Wire.CollectionContents.with { $0.sections = [.with { $0.blocks = [block] }] }
    let problem = try #require(throws: LayoutProblem.self) { try read(message) }
    #expect(problem.reason == .fieldInvalid)
    #expect(problem.violations.map(\.field) == [field])
  }

  @Test("metrics, keys and names are checked")
  func sectionViolations() throws {
    let message = Wire.CollectionContents.with {
      $0.cellKindNames = ["a", "b", "a"]
      $0.sections = [
        .with {
          $0.key = String(repeating: "s", count: 200)
          $0.metrics.inset.leading = .nan
          $0.metrics.headerSize.height = -1
          $0.metrics.lineSpacing = .infinity
        }
      ]
    }
    let problem = try #require(throws: LayoutProblem.self) { try read(message) }
    #expect(
      problem.violations.map(\.field) == [
        "cell_kind_names[2]", "sections[0].key", "sections[0].metrics.inset.leading",
        "sections[0].metrics.line_spacing", "sections[0].metrics.header_size.height",
      ]
    )
  }

  @Test("limits are checked before anything is built")
  func limits() throws {
    let items = Wire.CollectionContents.with {
      $0.sections = [.with { $0.blocks = [.with { $0.count = .max }, .with { $0.count = .max }] }]
    }
    let problem = try #require(throws: LayoutProblem.self) { try read(items) }
    #expect(problem.reason == .quota(.items))
    #expect(problem.code == .resourceExhausted)
    #expect(problem.metadata["limit"] == "10000000")
    let sections = Wire.CollectionContents.with { $0.sections = [.init(), .init(), .init()] }
    #expect(
      try #require(throws: LayoutProblem.self) {
        try read(sections, limits: ContentsLimits(sections: 2))
      }.reason == .quota(.sections)
    )
  }

  @Test("no more violations are told than an answer can carry")
  func manyViolations() throws {
    let message = Wire.CollectionContents.with {
      $0.sections = Array(repeating: .with { $0.metrics.lineSpacing = .nan }, count: 1000)
    }
    let problem = try #require(throws: LayoutProblem.self) { try read(message) }
    #expect(problem.violations.count == 16)
    #expect(problem.metadata["unreportedViolations"] == "984")
  }
}

extension Wire.ItemBlock {
  /// Item by item, as the contract reads.
  fileprivate var naiveItems: [ItemValues] {
    func value<Value>(_ column: [Value], _ index: Int) -> Value? {
      column.isEmpty ? nil : column.count == 1 ? column[0] : column[index]
    }
    return (0 ..< Int(count)).map { index in
      ItemValues(
        width: value(widths, index),
        height: value(heights, index),
        x: value(xs, index),
        y: value(ys, index),
        cellKind: Int(value(cellKinds, index) ?? 0),
        key: keys.isEmpty ? nil : keys[index],
        data: value(data, index) ?? ""
      )
    }
  }
}

extension SplitMix64 {
  mutating func contents() -> Wire.CollectionContents {
    var contents = Wire.CollectionContents()
    contents.cellKindNames = maybe { _ in ["", "wide", "tall"] } ?? []
    let kinds = UInt32(max(1, contents.cellKindNames.count))
    let hasKeys = bool()
    var nextKey = 0
    for index in 0 ..< int(0 ... 4) {
      var section = Wire.Section()
      section.key = hasKeys ? "s\(index)" : ""
      section.layoutName = word()
      if bool() { section.metrics.lineSpacing = number() }
      if bool() { section.metrics.footerSize = Wire.Size(size()) }
      for _ in 0 ..< int(0 ... 4) {
        var block = Wire.ItemBlock()
        let count = int(0 ... 5) == 0 ? int(0 ... 2000) : int(0 ... 40)
        block.count = UInt32(count)
        block.widths = column(count) { $0.number(0 ... 100) }
        block.heights = column(count) { Double($0.int(0 ... 3)) }
        block.xs = column(count) { $0.number() }
        block.ys = column(count) { Double(Float($0.number())) }
        block.cellKinds = column(count) { UInt32($0.int(0 ... Int(kinds) - 1)) }
        block.data = column(count) { $0.bool() ? $0.word() : "" }
        if hasKeys {
          block.keys = (0 ..< count).map { "i\(nextKey + $0)" }
          nextKey += count
        }
        section.blocks.append(block)
      }
      contents.sections.append(section)
    }
    return contents
  }

  private mutating func column<Value>(
    _ count: Int,
    _ make: (inout SplitMix64) -> Value
  ) -> [Value] {
    switch int(0 ... 2) {
    case 0: []
    case 1: [make(&self)]
    default: (0 ..< count).map { _ in make(&self) }
    }
  }
}
