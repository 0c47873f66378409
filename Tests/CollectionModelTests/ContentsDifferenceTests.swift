// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CollectionModel

/// Sections and chunks as one keeps them who is told of differences only.
private struct Pieces: Equatable {
  struct Section {
    var number: UInt32
    var contents: SectionContents
    var chunks: [UInt64: ItemChunk] = [:]
  }

  /// By label.
  var sections: [UInt64: Section] = [:]
  var changedChunks = 0

  init() {}

  init(_ contents: CollectionContents) { update(to: contents, from: .empty) }

  mutating func update(to contents: CollectionContents, from old: CollectionContents) {
    var differences: [SectionDifference] = []
    contents.forEachDifference(from: old) { differences.append($0) }
    var taken: [UInt32: Section] = [:]
    for difference in differences {
      guard let label = difference.oldLabel else { continue }
      taken[difference.number] = sections.removeValue(forKey: label)
      #expect(taken[difference.number]?.number == difference.number)
    }
    for difference in differences {
      let number = difference.number
      var section = taken[number] ?? Section(number: number, contents: difference.contents)
      section.contents = difference.contents
      for label in difference.removedChunks {
        #expect(section.chunks.removeValue(forKey: label) != nil)
      }
      for (label, chunk) in difference.newChunks {
        #expect(section.chunks.updateValue(chunk, forKey: label) == nil)
      }
      changedChunks += difference.newChunks.count
      guard let label = difference.newLabel else {
        #expect(section.chunks.isEmpty)
        continue
      }
      #expect(sections.updateValue(section, forKey: label) == nil)
    }
  }

  func assembled(cellKindNames: [String]) throws -> CollectionContents {
    var assembly = ContentsAssembly(cellKindNames: cellKindNames, limits: .standard)
    for (label, section) in sections.sorted(by: { $0.key < $1.key }) {
      try assembly.addSection(section.contents, number: section.number, label: label)
      for (label, chunk) in section.chunks.sorted(by: { $0.key < $1.key }) {
        try assembly.addChunk(ItemBlock(chunk, in: 0 ..< chunk.count), label: label)
      }
    }
    return assembly.finish()
  }

  static func == (a: Pieces, b: Pieces) -> Bool {
    a.sections.mapValues(\.number) == b.sections.mapValues(\.number)
      && a.sections.mapValues { $0.chunks.mapValues { ObjectIdentifier($0) } }
        == b.sections.mapValues { $0.chunks.mapValues { ObjectIdentifier($0) } }
      && a.sections.allSatisfy { $1.contents.key == b.sections[$0]?.contents.key }
  }
}

@Suite("Differences of contents", .timeLimit(.minutes(2)))
struct ContentsDifferenceTests {
  @Test("differences of version after version lead to the pieces of the last", arguments: 0 ..< 12)
  func versions(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var contents = CollectionContents(
      sections: (0 ..< 5).map { section in
        SectionContents(key: "s\(section)", blocks: [block(2000, &generator)])
      }
    )
    var pieces = Pieces(contents)
    for step in 0 ..< 40 {
      let old = contents
      for _ in 0 ..< Int.random(in: 0 ... 5, using: &generator) {
        contents = try contents.applying(
          UpdateBatch([operation(on: contents, step, &generator)]),
          limits: .standard
        ).new
      }
      #expect(contents.brokenInvariant() == nil)
      pieces.update(to: contents, from: old)
      #expect(pieces == Pieces(contents), "seed \(seed), step \(step)")
    }
    // As after a restart: numbers and labels are the same, and later differences fit.
    let assembled = try pieces.assembled(cellKindNames: contents.cellKindNames)
    #expect(assembled.brokenInvariant() == nil)
    #expect(assembled.itemCount == contents.itemCount)
    var again = Pieces(assembled)
    let next = try assembled.applying(
      UpdateBatch([operation(on: assembled, 99, &generator)]),
      limits: .standard
    ).new
    again.update(to: next, from: assembled)
    #expect(again == Pieces(next))
  }

  @Test("contents that have nothing in common differ in all chunks, whatever their numbers")
  func strangers() {
    var generator = SplitMix64(seed: 1)
    let one = CollectionContents(sections: [
      SectionContents(blocks: [block(3000, &generator)]),
      SectionContents(key: "b", blocks: [block(10, &generator)]),
    ])
    let other = CollectionContents(sections: [SectionContents(blocks: [block(700, &generator)])])
    var pieces = Pieces(one)
    pieces.update(to: other, from: one)
    #expect(pieces == Pieces(other))
    pieces.update(to: .empty, from: other)
    #expect(pieces.sections.isEmpty)
  }

  @Test("one edit of a million items differs in a few chunks")
  func small() throws {
    var generator = SplitMix64(seed: 2)
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [block(1_000_000, &generator)])
    ])
    var pieces = Pieces(contents)
    pieces.changedChunks = 0
    let path = IndexPath(section: 0, item: 500_000)
    let new = try contents.applying(
      UpdateBatch([.insertItems(at: path, items: [block(1, &generator)])]),
      limits: .standard
    ).new
    let (mine, theirs) = new.section(at: 0).items.chunks
      .unshared(with: contents.section(at: 0).items.chunks)
    #expect(mine.count <= 32 && theirs.count <= 32)
    pieces.update(to: new, from: contents)
    #expect(1 ... 3 ~= pieces.changedChunks)
    #expect(pieces == Pieces(new))
  }

  @Test("what cannot have been taken apart is refused")
  func malformed() throws {
    let item = ItemBlock(count: 1)
    func assemble(_ body: (inout ContentsAssembly) throws -> Void) throws {
      var assembly = ContentsAssembly(cellKindNames: [], limits: .standard)
      try assembly.addSection(SectionContents(), number: 3, label: 5)
      try assembly.addChunk(item, label: 7)
      try body(&assembly)
      _ = assembly.finish()
    }
    try assemble { try $0.addChunk(item, label: 8) }
    let bodies: [(inout ContentsAssembly) throws -> Void] = [
      { try $0.addChunk(item, label: 7) },
      { try $0.addChunk(item, label: 1 << 63) },
      { try $0.addChunk(ItemBlock(count: 0), label: 8) },
      { try $0.addChunk(ItemBlock(count: 1, cellKinds: [1]), label: 8) },
      { try $0.addChunk(ItemBlock(count: 2, widths: [1, 2, 3]), label: 8) },
      { try $0.addSection(SectionContents(), number: 3, label: 6) },
      { try $0.addSection(SectionContents(), number: .max, label: 6) },
      { try $0.addSection(SectionContents(), number: 4, label: 5) },
    ]
    for body in bodies {
      #expect(throws: Refusal.self) { try assemble(body) }
    }
  }

  private func block(_ count: Int, _ generator: inout SplitMix64) -> ItemBlock {
    ItemBlock(
      count: count,
      heights: (0 ..< count).map { _ in Double.random(in: 1 ... 100, using: &generator) }
    )
  }

  private func operation(
    on contents: CollectionContents,
    _ step: Int,
    _ generator: inout SplitMix64
  ) -> UpdateOperation {
    let draw = Int.random(in: 0 ..< 12, using: &generator)
    let sections = contents.sectionCount
    let key = "k\(step)-\(UInt32.random(in: 0 ... .max, using: &generator))"
    guard sections > 0, draw > 1 else {
      return .insertSections(
        at: Int.random(in: 0 ... sections, using: &generator),
        [SectionContents(key: key, blocks: [block(600, &generator)])]
      )
    }
    let section = Int.random(in: 0 ..< sections, using: &generator)
    let items = contents.section(at: section).items.count
    let path = IndexPath(section: section, item: Int.random(in: 0 ... items, using: &generator))
    switch draw {
    case 2: return .deleteSections(section ..< section + 1)
    case 3:
      return .moveSection(
        from: section,
        to: Int.random(in: 0 ..< sections, using: &generator)
      )
    case 4: return .setSectionMetrics(section, SectionMetrics(lineSpacing: Double(step)))
    case 5, 6:
      let first = path.item ?? 0
      let end = min(items, first + Int.random(in: 0 ... 900, using: &generator))
      return .deleteItems(section: section, items: first ..< end)
    case 7: return .insertItems(at: path, items: [block(1500, &generator)])
    default: return .insertItems(at: path, items: [block(1, &generator)])
    }
  }
}
