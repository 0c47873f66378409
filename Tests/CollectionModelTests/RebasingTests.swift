// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import LayoutGeometry
import TestSupport
import Testing

@testable import CollectionModel

/// A viewer with measured sizes follows the changes of a collection.
@Suite("Rebasing", .timeLimit(.minutes(2)))
struct RebasingTests {
  private struct Viewer {
    var base: CollectionContents
    /// As `base`, with the viewer's sizes.
    var effective: CollectionContents

    init(_ contents: CollectionContents) {
      base = contents
      effective = contents
    }

    /// Gives some items, and sometimes a header, sizes of the viewer's own.
    mutating func measure(using random: inout SplitMix64) throws {
      var operations: [UpdateOperation] = []
      for section in 0 ..< effective.sectionCount {
        let contents = effective.section(at: section)
        for item in 0 ..< contents.items.count where random.chance(30) {
          let size = Double(1000 + random.below(1000))
          operations.append(
            .reconfigureItems(
              section: section,
              items: item ..< item + 1,
              blocks: [ItemBlock(count: 1, widths: [size], heights: [size / 2])]
            )
          )
        }
        if random.chance(20) {
          var metrics = contents.metrics
          metrics.headerSize = Size(width: 50, height: Double(1 + random.below(50)))
          operations.append(.setSectionMetrics(section, metrics))
        }
      }
      effective = try effective.applying(UpdateBatch(operations)).new
    }

    /// Follows a change.
    ///
    /// - Returns: what is wrong; nil = nothing.
    mutating func follow(_ change: ContentsChange) -> String? {
      let rebased = change.rebased(on: effective)
      defer {
        base = change.new
        effective = rebased.new
      }
      if let broken = rebased.new.brokenInvariant() { return broken }
      let (found, wanted) = (rebased.new.sections, change.new.sections)
      if found.map(\.serial) != wanted.map(\.serial) { return "serials" }
      if found.map(\.label) != wanted.map(\.label) { return "labels" }
      if let wrong = differenceOfOutlines(of: rebased.new, from: change.new) { return wrong }
      return difference(of: rebased.new, from: change)
    }

    /// Compares which items the rows of outlines are, and where these are in their outline.
    private func differenceOfOutlines(
      of found: CollectionContents,
      from wanted: CollectionContents
    ) -> String? {
      for section in 0 ..< min(found.sectionCount, wanted.sectionCount) {
        let (a, b) = (found.section(at: section), wanted.section(at: section))
        guard a.outline == b.outline, (a.rows == nil) == (b.rows == nil) else { return "outline" }
        for item in 0 ..< b.items.count {
          let path = IndexPath(section: section, item: item)
          if found.wholePath(ofRow: path) != wanted.wholePath(ofRow: path) { return "row \(path)" }
          if found.outlinePosition(ofRow: path) != wanted.outlinePosition(ofRow: path) {
            return "place of row \(path)"
          }
        }
      }
      return nil
    }

    /// Compares contents with those of a change, computed for each item and section by itself.
    private func difference(of found: CollectionContents, from change: ContentsChange) -> String? {
      guard found.sectionCount == change.new.sectionCount else { return "sections" }
      for section in 0 ..< change.new.sectionCount {
        let wanted = change.new.section(at: section)
        let path = IndexPath(section: section)
        var metrics = wanted.metrics
        if let source = change.oldIndexPath(ofNew: path)?.section {
          let (old, own) = (base.section(at: source), effective.section(at: source))
          if own.metrics.headerSize != old.metrics.headerSize {
            metrics.headerSize = own.metrics.headerSize
          }
        }
        let contents = found.section(at: section)
        guard contents.key == wanted.key, contents.metrics == metrics,
          contents.items.count == wanted.items.count
        else { return "section \(section)" }
        if !wanted.key.isEmpty, found.sectionIndex(ofKey: wanted.key) != section {
          return "section by key \(wanted.key)"
        }
        for item in 0 ..< wanted.items.count {
          let path = IndexPath(section: section, item: item)
          var values = wanted.items.item(at: item)
          if let source = change.oldIndexPath(ofNew: path), let old = base.item(at: source),
            let own = effective.item(at: source),
            own.width != old.width || own.height != old.height
          {
            (values.width, values.height) = (own.width, own.height)
          }
          if contents.items.item(at: item) != values { return "item \(path)" }
          if let key = values.key, found.indexPath(ofItemKey: key) != path {
            return "\(key) is at \(path), not \(found.indexPath(ofItemKey: key) as Any)"
          }
        }
      }
      return nil
    }
  }

  @Test("the change and the viewer's sizes are both there, and keys are found", arguments: 0 ..< 4)
  func random(part: UInt64) throws {
    var (batches, snapshots) = (0, 0)
    for seed in part * 60 ..< (part + 1) * 60 {
      var generator = BatchGenerator(seed: seed, hasKeys: !seed.isMultiple(of: 3))
      var viewer = Viewer(generator.contents(sections: 4, items: 8))
      for step in 0 ..< 10 {
        if generator.random.chance(60) { try viewer.measure(using: &generator.random) }
        let model = ReferenceModel(viewer.base)
        let isSnapshot = generator.hasKeys && generator.random.chance(30)
        let batch: UpdateBatch
        if isSnapshot {
          let next = generator.wanted(after: model, changes: generator.random.below(12))
          batch = UpdateBatch(
            change: .snapshot(
              SnapshotUpdate(
                contents: next.contents,
                reloadedItemKeys: next.reloaded,
                reconfiguredItemKeys: next.reconfigured
              )
            )
          )
        } else {
          batch = UpdateBatch(generator.batch(for: model))
        }
        // Some batches are made so that they are refused.
        guard let change = try? viewer.base.applying(batch) else { continue }
        if let fault = viewer.follow(change) {
          Issue.record("seed \(seed), step \(step), \(isSnapshot ? "snapshot" : "batch"): \(fault)")
          return
        }
        if isSnapshot { snapshots += 1 } else { batches += 1 }
      }
    }
    #expect(batches > 100 && snapshots > 40, "\(batches) batches, \(snapshots) snapshots")
  }

  @Test(
    "rows of outlines are those of the viewer, with its sizes",
    arguments: ExpansionBase.allCases
  )
  func outlines(base: ExpansionBase) throws {
    var changes = 0
    for seed in 0 ..< 150 as Range<UInt64> {
      var random = SplitMix64(seed: seed &+ 900)
      var tree = NaiveOutline()
      var whole = try tree.contents(.perViewer)
      var viewer = Viewer(whole.rows(startingFrom: base))
      for step in 0 ..< 20 {
        if random.chance(30) { try viewer.measure(using: &random) }
        let change: ContentsChange
        if random.chance(40), !tree.nodes.isEmpty {
          let path = whole.indexPath(ofItemKey: tree.nodes[random.below(tree.nodes.count)].key)
          let isExpanded = random.chance(50)
          change = viewer.base.expanding(
            path.map { [ItemExpansion($0, isExpanded: isExpanded)] } ?? []
          )
        } else {
          let (edits, next) = tree.randomEdits(&random, expands: false)
          guard let next else { continue }
          let batch = try whole.applying(UpdateBatch(change: .outline(edits)))
          tree = next
          whole = batch.new
          change = batch.rows(on: viewer.base)
        }
        if let fault = viewer.follow(change) {
          Issue.record("seed \(seed), step \(step): \(fault)")
          return
        }
        changes += 1
      }
    }
    #expect(changes > 1000)
  }

  /// A viewer of sections with one keyed item each, all of them measured.
  private func measuredViewer(sections: Int) throws -> Viewer {
    var viewer = Viewer(
      CollectionContents(
        sections: (0 ..< sections).map {
          SectionContents(key: "s\($0)", blocks: [ItemBlock(count: 1, keys: ["i\($0)"])])
        }
      )
    )
    var random = SplitMix64(seed: 1)
    try viewer.measure(using: &random)
    return viewer
  }

  private func inserting(_ number: Int, at section: Int) -> UpdateBatch {
    let new = SectionContents(
      key: "n\(number)",
      blocks: [ItemBlock(count: 1, keys: ["m\(number)"])]
    )
    return UpdateBatch([.insertSections(at: section, [new])])
  }

  @Test("labels that are spread anew are those of the collection")
  func relabelling() throws {
    var viewer = try measuredViewer(sections: 6)
    let label = viewer.base.sections[5].label
    for round in 0 ..< 60 {
      #expect(viewer.follow(try viewer.base.applying(inserting(round, at: 3))) == nil)
    }
    let count = viewer.base.sectionCount
    #expect(viewer.base.sections[count - 1].label != label)
  }

  @Test("sections that are numbered anew have the collection's numbers")
  func renumbering() throws {
    var viewer = try measuredViewer(sections: 6)
    // From here on the serials are not in the order of sections.
    #expect(viewer.follow(try viewer.base.applying(inserting(0, at: 3))) == nil)
    viewer.base.nextSerial = .max - 1
    viewer.effective.nextSerial = .max - 1
    for round in 1 ..< 4 {
      #expect(viewer.follow(try viewer.base.applying(inserting(round, at: 3))) == nil)
    }
    #expect(viewer.base.nextSerial < 100)
  }
}
