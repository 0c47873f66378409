// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CollectionModel

/// Outlines against arrays of keys and levels.
@Suite("Outlines", .timeLimit(.minutes(2)))
struct OutlinePropertyTests {
  @Test("edits by key give the tree that a list of keys and levels gives, and its rows")
  func edits() throws {
    for seed in 0 ..< 150 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var tree = NaiveOutline()
      var contents = try tree.contents(.shared)
      for step in 0 ..< 25 {
        let note = "seed \(seed), step \(step)"
        let (edits, next) = tree.randomEdits(&random)
        guard let next else {
          #expect(throws: Refusal.self, "\(note): \(edits)") {
            try contents.applying(UpdateBatch(change: .outline(edits)))
          }
          continue
        }
        let change = try contents.applying(UpdateBatch(change: .outline(edits)))
        try #require(next.fault(in: change.new) == nil, "\(note): \(edits)")
        try #require(fault(in: change.rows) == nil, "\(note): \(edits)")
        try #require(fault(in: change) == nil, "\(note): \(edits)")
        let rows = change.new.rows.section(at: 0).items
        try #require(rows.keys == next.visibleKeys, "\(note): \(edits)")
        #expect(change.new.brokenInvariant() == nil, "\(note)")
        tree = next
        contents = change.new
      }
    }
  }

  @Test("a batch that touches too many items, again and again, is refused")
  func steps() throws {
    let block = ItemBlock(
      count: 12,
      keys: ["r", "t"] + (0 ..< 10).map { "i\($0)" },
      outline: OutlineColumns(levels: [0, 0] + Array(repeating: 1, count: 10), expanded: [true])
    )
    let contents = CollectionContents(
      sections: [SectionContents(key: "s", outline: .shared, blocks: [block])]
    )
    let limits = ContentsLimits(outlineSteps: 30)
    let there = OutlineEdit.move(key: "t", to: .lastChild(of: "r"))
    let back = OutlineEdit.move(key: "t", to: .after("r"))
    let all = OutlineEdit.expansion(ExpansionChange(expanded: ["t"], includesDescendants: true))
    func refusal(_ edits: [OutlineEdit]) -> Refusal? {
      let batch = UpdateBatch(change: .outline(edits))
      do throws(Refusal) { _ = try contents.applying(batch, limits: limits) } catch { return error }
      return nil
    }
    #expect(refusal([there, back]) == nil)
    for edits in [[there, back, there], [all, all, all], [there, all, back]] {
      let refusal = try #require(refusal(edits))
      #expect(refusal.reason == .quotaSteps)
      #expect("\(refusal)".contains("outline.edits[2]"), "\(refusal)")
    }
    let again = OutlineEdit.expansion(
      ExpansionChange(expanded: ["t", "t", "t"], includesDescendants: true)
    )
    #expect(refusal([again])?.reason == .quotaSteps)
  }

  @Test("each key of a removal counts as an edit")
  func keys() throws {
    let block = ItemBlock(count: 9, keys: (0 ..< 9).map { "i\($0)" })
    let contents = CollectionContents(
      sections: [SectionContents(key: "s", outline: .shared, blocks: [block])]
    )
    let limits = ContentsLimits(operations: 5)
    func remove(_ count: Int) -> OutlineEdit { .remove(keys: (0 ..< count).map { "i\($0)" }) }
    let expand = OutlineEdit.expansion(ExpansionChange(expanded: ["i8"]))
    func apply(_ edits: [OutlineEdit]) throws(Refusal) -> Int {
      try contents.applying(UpdateBatch(change: .outline(edits)), limits: limits).new.itemCount
    }
    #expect(try apply([remove(5)]) == 4)
    #expect(try apply([remove(0), expand, remove(3)]) == 6)
    for edits in [[expand, remove(5)], [expand, remove(6)], [.remove(keys: ["i8"]), remove(5)]] {
      let refusal = try #require(throws: Refusal.self) { try apply(edits) }
      #expect(refusal.reason == .quotaOperations)
      #expect(refusal.violations.map(\.field) == ["outline.edits[1].remove.keys"])
      #expect("\(refusal)".contains("at most 5"), "\(refusal)")
    }
  }

  @Test("many trees are removed in one pass, also beside each other and below each other")
  func removals() throws {
    let count = 21_000
    let levels = (0 ..< count).map { $0 % 3 }
    let block = ItemBlock(
      count: count,
      keys: (0 ..< count).map { "i\($0)" },
      outline: OutlineColumns(levels: levels)
    )
    let contents = CollectionContents(
      sections: ["s", "t"].map { key in
        var block = block
        block.keys = block.keys.map { key + $0 }
        return SectionContents(key: key, outline: .perViewer, blocks: [block])
      }
    )
    // Roots of every fourth tree, an item below each, and both items below every seventh root.
    let gone = (0 ..< count).filter { $0 % 12 < 2 || $0 % 21 == 1 || $0 % 21 == 2 }
    let keys = (gone.map { "ti\($0)" } + gone.map { "si\($0)" }).reversed()
    let change = try contents.applying(
      UpdateBatch(change: .outline([.remove(keys: Array(keys))])),
      limits: ContentsLimits(operations: keys.count)
    )
    let hidden = Set(
      gone.flatMap { $0 % 3 == 0 ? Array($0 ..< $0 + 3) : $0 % 3 == 1 ? [$0, $0 + 1] : [$0] }
    )
    let rest = (0 ..< count).filter { !hidden.contains($0) }
    for (section, name) in ["s", "t"].enumerated() {
      #expect(change.new.section(at: section).items.keys == rest.map { "\(name)i\($0)" })
    }
    let last = try #require(rest.last)
    #expect(change.new.indexPath(ofItemKey: "ti\(last)")?.item == rest.count - 1)
    #expect(change.new.indexPath(ofItemKey: "si0") == nil)
    #expect(change.new.brokenInvariant() == nil)
    #expect(fault(in: change) == nil)
  }

  @Test("many items are expanded in one pass; only those that change count as reconfigured")
  func expansions() throws {
    let count = 9000
    let block = ItemBlock(
      count: count,
      keys: (0 ..< count).map { "i\($0)" },
      outline: OutlineColumns(
        levels: Array(repeating: 0, count: count),
        expanded: (0 ..< count).map { $0 % 5 == 0 }
      )
    )
    let contents = CollectionContents(
      sections: [SectionContents(key: "s", outline: .shared, blocks: [block])]
    )
    let named = (0 ..< count).filter { $0 % 3 != 1 }
    let edit = OutlineEdit.expansion(
      ExpansionChange(expanded: named.reversed().map { "i\($0)" } + ["unknown"])
    )
    let change = try contents.applying(UpdateBatch(change: .outline([edit])))
    let items = change.new.section(at: 0).items
    let expanded = (0 ..< count).filter { items.outlineItem(at: $0).isExpanded }
    #expect(expanded == (0 ..< count).filter { $0 % 3 != 1 || $0 % 5 == 0 })
    let changed = change.itemSplices(ofOldSection: 0).flatMap { Array($0.old) }
    #expect(changed == named.filter { $0 % 5 != 0 })
    #expect(fault(in: change) == nil)
    #expect(change.new.brokenInvariant() == nil)
  }

  @Test("contents are released with their last copy, whatever rows were computed of them")
  func release() throws {
    weak var cache: RowsCache?
    weak var nextCache: RowsCache?
    do {
      let block = ItemBlock(
        count: 3,
        keys: ["a", "b", "c"],
        outline: OutlineColumns(levels: [0, 1, 0], expanded: [true])
      )
      let contents = CollectionContents(
        sections: [SectionContents(key: "s", outline: .perViewer, blocks: [block])]
      )
      let batch = UpdateBatch(change: .outline([.remove(keys: ["c"])]))
      let change = try contents.applying(batch)
      for base in ExpansionBase.allCases {
        #expect(change.knowsRows(startingFrom: base) == (base == .contents))
        let rows = change.rows(startingFrom: base)
        #expect(rows.old.itemCount == (base == .collapsed ? 2 : 3))
        #expect(rows.new.whole.itemCount == 2)
        #expect(change.new.rows(startingFrom: base).expansionBase == base)
      }
      (cache, nextCache) = (contents.rowsCache, change.new.rowsCache)
      #expect(cache != nil && nextCache != nil)
    }
    #expect(cache == nil && nextCache == nil)
  }

  @Test("operations keep whole trees, or are refused")
  func operations() throws {
    var counts = (applied: 0, refused: 0)
    for seed in 0 ..< 200 as Range<UInt64> {
      var random = SplitMix64(seed: seed &+ 1000)
      var tree = NaiveOutline()
      var contents = try tree.contents(.shared)
      for step in 0 ..< 15 {
        let note = "seed \(seed), step \(step)"
        let (operation, next) = tree.randomOperation(&random)
        let batch = UpdateBatch([operation])
        guard let next else {
          #expect(throws: Refusal.self, "\(note): \(operation)") { try contents.applying(batch) }
          counts.refused += 1
          continue
        }
        let change = try contents.applying(batch)
        try #require(next.fault(in: change.new) == nil, "\(note): \(operation)")
        try #require(fault(in: change) == nil, "\(note): \(operation)")
        try #require(fault(in: change.rows) == nil, "\(note): \(operation)")
        try #require(
          change.new.rows.section(at: 0).items.keys == next.visibleKeys,
          "\(note): \(operation)"
        )
        tree = next
        contents = change.new
        counts.applied += 1
      }
    }
    #expect(counts.applied > 1000)
    #expect(counts.refused > 50)
  }

  @Test(
    "viewers with expansions of their own follow edits of the data",
    arguments: ExpansionBase.allCases
  )
  func viewers(base: ExpansionBase) throws {
    for seed in 0 ..< 120 as Range<UInt64> {
      var random = SplitMix64(seed: seed &+ 5000)
      var tree = NaiveOutline()
      var contents = try tree.contents(.perViewer)
      var seen = contents.rows(startingFrom: base)
      var viewer = NaiveViewer(base: base)
      for step in 0 ..< 25 {
        let note = "seed \(seed), step \(step), \(base)"
        let change: ContentsChange
        if random.chance(50) {
          let key = tree.nodes.isEmpty ? "none" : tree.nodes[random.below(tree.nodes.count)].key
          let isExpanded = random.chance(50)
          viewer.set(key, isExpanded: isExpanded, in: tree)
          let path = contents.indexPath(ofItemKey: key)
          change = seen.expanding(path.map { [ItemExpansion($0, isExpanded: isExpanded)] } ?? [])
        } else {
          let (edits, next) = tree.randomEdits(&random, expands: false)
          guard let next else { continue }
          let whole = try contents.applying(UpdateBatch(change: .outline(edits)))
          viewer.follow(tree, to: next)
          tree = next
          contents = whole.new
          change = whole.rows(on: seen)
        }
        seen = change.new
        try #require(fault(in: change) == nil, "\(note)")
        let found = seen.section(at: 0).items.keys
        try #require(found == viewer.visibleKeys(of: tree), "\(note)")
        checkRows(seen, tree, viewer, note)
      }
      let kept = contents.rows(showing: seen.viewerExpansions)
      #expect(kept.section(at: 0).items.keys == seen.section(at: 0).items.keys)
    }
  }

  /// Holds the paths and places of rows against the tree.
  private func checkRows(
    _ seen: CollectionContents,
    _ tree: NaiveOutline,
    _ viewer: NaiveViewer,
    _ note: String
  ) {
    let visible = viewer.visibleKeys(of: tree)
    for (row, key) in visible.enumerated() {
      let path = IndexPath(section: 0, item: row)
      #expect(seen.indexPath(ofItemKey: key) == path, "\(note)")
      let item = tree.nodes.firstIndex { $0.key == key } ?? -1
      #expect(seen.wholePath(ofRow: path)?.item == item, "\(note)")
      let isParent =
        item + 1 < tree.nodes.count && tree.nodes[item + 1].level > tree.nodes[item].level
      let position = OutlinePosition(
        level: tree.nodes[item].level,
        isExpanded: isParent ? viewer.isExpanded(tree.nodes[item]) : nil
      )
      #expect(seen.outlinePosition(ofRow: path) == position, "\(note)")
    }
  }

  /// What is wrong with a change, by the keys on both sides; nil = nothing.
  private func fault(in change: ContentsChange) -> String? {
    let (old, new) = (change.old.section(at: 0).items.keys, change.new.section(at: 0).items.keys)
    var built: [String] = []
    var next = 0
    for splice in change.itemSplices(ofOldSection: 0) {
      guard splice.old.lowerBound >= next else { return "splices overlap" }
      built += old[next ..< splice.old.lowerBound]
      if built.count != splice.new.lowerBound { return "splice \(splice) at \(built.count)" }
      built += new[splice.new]
      next = splice.old.upperBound
    }
    built += old[next...]
    if built != new { return "splices lead to \(built), not \(new)" }
    for row in old.indices {
      let path = IndexPath(section: 0, item: row)
      guard let target = change.newIndexPath(ofOld: path) else { continue }
      if new[target.item ?? 0] != old[row] { return "row \(row) goes to \(target)" }
      if change.oldIndexPath(ofNew: target) != path { return "row \(row) does not come back" }
    }
    return nil
  }
}

extension ItemSequence {
  /// The keys of all items.
  fileprivate var keys: [String] { (0 ..< count).map { item(at: $0).key ?? "" } }
}

/// What one viewer has expanded, by key.
private struct NaiveViewer {
  var base: ExpansionBase
  var exceptions: [String: Bool] = [:]

  func isExpanded(_ node: NaiveOutline.Node) -> Bool {
    exceptions[node.key] ?? isExpandedByBase(node)
  }

  private func isExpandedByBase(_ node: NaiveOutline.Node) -> Bool {
    switch base {
    case .contents: node.isExpanded
    case .collapsed: false
    case .expanded: true
    }
  }

  /// Expands or collapses an item. What the base says is no exception.
  mutating func set(_ key: String, isExpanded: Bool, in tree: NaiveOutline) {
    guard let node = tree.nodes.first(where: { $0.key == key }) else { return }
    exceptions[key] = isExpandedByBase(node) == isExpanded ? nil : isExpanded
  }

  func visibleKeys(of tree: NaiveOutline) -> [String] { tree.visibleKeys { isExpanded($0) } }

  /// Forgets items that are gone, or that came back as other items.
  mutating func follow(_ old: NaiveOutline, to new: NaiveOutline) {
    let before = Dictionary(uniqueKeysWithValues: old.nodes.map { ($0.key, $0.identity) })
    let after = Dictionary(uniqueKeysWithValues: new.nodes.map { ($0.key, $0.identity) })
    exceptions = exceptions.filter { after[$0.key] != nil && after[$0.key] == before[$0.key] }
  }
}
