// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import Testing

@testable import CollectionModel

@Suite("Batches", .timeLimit(.minutes(2)))
struct BatchPropertyTests {
  /// Runs batches one after the other on one line of versions.
  private func run(
    seed: UInt64,
    hasKeys: Bool,
    sections: Int,
    items: Int,
    batches: Int,
    gap: Int = 5,
    length: Int = 4
  ) -> (applied: Int, refused: Int) {
    var generator = BatchGenerator(seed: seed, hasKeys: hasKeys, gap: gap, length: length)
    var contents = generator.contents(sections: sections, items: items)
    var model = ReferenceModel(contents)
    var counts = (applied: 0, refused: 0)
    for step in 0 ..< batches {
      let operations = generator.batch(for: model)
      let expected = model.applying(operations)
      let note = "seed \(seed), keys \(hasKeys), step \(step)"
      do {
        let change = try contents.applying(UpdateBatch(operations))
        guard let expected else {
          Issue.record("\(note): applied what cannot be: \(operations)")
          return counts
        }
        if let fault = fault(in: change, from: model, to: expected) {
          Issue.record("\(note): \(fault) after \(operations)")
          return counts
        }
        if let path = wronglyUnchanged(in: change) {
          Issue.record("\(note): \(path) is before what changed after \(operations)")
          return counts
        }
        contents = change.new
        model = expected
        counts.applied += 1
      } catch {
        guard expected == nil else {
          Issue.record("\(note): refused what can be: \(error) for \(operations)")
          return counts
        }
        if ReferenceModel(contents).sections.map(\.items.count) != model.sections.map(\.items.count)
        {
          Issue.record("\(note): a refusal left a trace")
        }
        counts.refused += 1
      }
    }
    return counts
  }

  /// A path of the old contents that is said to be before all that changed, and is not as it was.
  private func wronglyUnchanged(in change: ContentsChange) -> IndexPath? {
    let old = change.old
    let paths = (0 ..< old.sectionCount).flatMap { section in
      [IndexPath(section: section)]
        + (0 ..< old.section(at: section).items.count).map { IndexPath(section: section, item: $0) }
    }
    let changed = change.firstChangedPath
    let before = paths.prefix { path in changed.map { path < $0 } ?? true }
    return before.first { path in
      change.newIndexPath(ofOld: path) != path || change.isMoved(old: path)
        || change.isReconfigured(new: path) || old.item(at: path) != change.new.item(at: path)
    }
  }

  @Test("small contents: the same as arrays of arrays", arguments: [false, true])
  func small(hasKeys: Bool) {
    var counts = (0, 0)
    for seed in 0 ..< 250 as Range<UInt64> {
      let part = run(seed: seed, hasKeys: hasKeys, sections: 4, items: 8, batches: 6)
      counts = (counts.0 + part.applied, counts.1 + part.refused)
    }
    #expect(counts.0 > 600 && counts.1 > 100, "applied and refused: \(counts)")
  }

  @Test("contents of several chunks: the same as arrays of arrays", arguments: [false, true])
  func large(hasKeys: Bool) {
    for seed in 1000 ..< 1006 as Range<UInt64> {
      _ = run(seed: seed, hasKeys: hasKeys, sections: 2, items: 1500, batches: 6)
    }
  }

  @Test("many edits far apart, short and long: the same as arrays", arguments: [false, true])
  func scattered(hasKeys: Bool) {
    for (seed, shape) in [(300, 3), (900, 2), (60, 900), (600, 600)].enumerated() {
      _ = run(
        seed: 3000 + UInt64(seed),
        hasKeys: hasKeys,
        sections: 1,
        items: 12_000,
        batches: 3,
        gap: shape.0,
        length: shape.1
      )
    }
  }

  @Test("the order of operations carries no meaning")
  func order() throws {
    for seed in 2000 ..< 2050 as Range<UInt64> {
      var generator = BatchGenerator(seed: seed, hasKeys: false)
      let contents = generator.contents(sections: 3, items: 8)
      let operations = generator.batch(for: ReferenceModel(contents))
      let forward = try? contents.applying(UpdateBatch(operations))
      let backward = try? contents.applying(UpdateBatch(operations.reversed()))
      #expect((forward == nil) == (backward == nil), "seed \(seed)")
      guard let forward, let backward else { continue }
      #expect(
        ReferenceModel(forward.new).sections.map { $0.items.map(\.values) }
          == ReferenceModel(backward.new).sections.map { $0.items.map(\.values) },
        "seed \(seed)"
      )
    }
  }
}
