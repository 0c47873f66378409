// SPDX-License-Identifier: Apache-2.0

import TestSupport

@testable import CollectionModel

/// An outline as a list of keys and levels.
struct NaiveOutline {
  struct Node: Equatable {
    var key: String
    var level: Int
    var isExpanded = false
    /// Stays the same as long as the item does.
    var identity: Int
  }

  var nodes: [Node] = []
  private var nextIdentity = 0

  init() {
    for (index, level) in [0, 1, 2, 1, 0, 0, 1, 2, 3, 1].enumerated() {
      nodes.append(Node(key: "s\(index)", level: level, identity: index))
    }
    nextIdentity = nodes.count
  }

  func contents(_ expansion: OutlineExpansion) throws -> CollectionContents {
    try CollectionContents(validating: [
      SectionBlocks(
        key: "s",
        blocks: [
          ItemBlock(
            count: nodes.count,
            keys: nodes.map(\.key),
            outline: OutlineColumns(
              levels: nodes.map(\.level),
              expanded: nodes.map(\.isExpanded)
            )
          )
        ],
        outline: expansion
      )
    ])
  }

  // MARK: - Reading

  func end(of index: Int) -> Int {
    nodes[(index + 1)...].firstIndex { $0.level <= nodes[index].level } ?? nodes.count
  }

  func index(of key: String) -> Int? { nodes.firstIndex { $0.key == key } }

  var visibleKeys: [String] { visibleKeys { $0.isExpanded } }

  func visibleKeys(_ isExpanded: (Node) -> Bool) -> [String] {
    var keys: [String] = []
    var hiding = Int.max
    for node in nodes {
      if node.level > hiding { continue }
      hiding = isExpanded(node) ? Int.max : node.level
      keys.append(node.key)
    }
    return keys
  }

  /// What differs in contents; nil = nothing.
  func fault(in contents: CollectionContents) -> String? {
    let items = contents.section(at: 0).items
    if items.count != nodes.count { return "\(items.count) items" }
    for (index, node) in nodes.enumerated() {
      let item = items.item(at: index)
      let wanted = (node.key, OutlineItem(level: node.level, isExpanded: node.isExpanded))
      if (item.key ?? "", item.outline) != wanted { return "item \(index): \(item)" }
      if items.endOfSubtree(at: index) != end(of: index) { return "end of \(index)" }
      let parent = nodes[..<index].lastIndex { $0.level < node.level }
      if items.parent(of: index) != parent { return "parent of \(index)" }
    }
    return nil
  }

  // MARK: - Editing

  /// New trees of one to three items.
  private mutating func newNodes(_ random: inout SplitMix64) -> [Node] {
    var level = 0
    return (0 ... random.below(3)).map { index in
      level = index == 0 ? 0 : random.below(level + 2)
      nextIdentity += 1
      let name = random.chance(30) ? "r\(random.below(6))" : "n\(nextIdentity)"
      return Node(
        key: name,
        level: level,
        isExpanded: random.chance(30),
        identity: nextIdentity
      )
    }
  }

  private static func block(_ nodes: [Node]) -> ItemBlock {
    ItemBlock(
      count: nodes.count,
      keys: nodes.map(\.key),
      outline: OutlineColumns(levels: nodes.map(\.level), expanded: nodes.map(\.isExpanded))
    )
  }

  /// Edits and the tree after them; nil = they are refused.
  mutating func randomEdits(
    _ random: inout SplitMix64,
    expands: Bool = true
  ) -> (edits: [OutlineEdit], next: NaiveOutline?) {
    var next: NaiveOutline? = self
    var edits: [OutlineEdit] = []
    for _ in 0 ... random.below(3) {
      guard var tree = next else { break }
      let (edit, isDone) = tree.randomEdit(&random, expands: expands)
      edits.append(edit)
      nextIdentity = tree.nextIdentity
      next = isDone ? tree : nil
    }
    next?.nextIdentity = nextIdentity
    return (edits, next)
  }

  private func randomKey(_ random: inout SplitMix64) -> String {
    nodes.isEmpty || random.chance(4) ? "unknown" : nodes[random.below(nodes.count)].key
  }

  private mutating func randomEdit(
    _ random: inout SplitMix64,
    expands: Bool
  ) -> (OutlineEdit, Bool) {
    let key = randomKey(&random)
    switch random.below(expands ? 6 : 4) {
    case 0:
      let place = randomPlace(&random)
      let new = newNodes(&random)
      return (.insert(at: place, blocks: [Self.block(new)]), insert(new, at: place))
    case 1:
      var keys = [key, key]
      while random.chance(40) { keys.append(randomKey(&random)) }
      return (.remove(keys: keys), remove(keys))
    case 2:
      let place = randomPlace(&random)
      return (.move(key: key, to: place), move(key, to: place))
    case 3:
      var new = newNodes(&random)
      if let index = index(of: key), index + 1 < end(of: index), random.chance(60) {
        new[0].key = nodes[index + 1].key
      }
      return (
        .replaceChildren(parent: key, blocks: [Self.block(new)]), replaceChildren(key, by: new)
      )
    default:
      let isExpanded = random.chance(60)
      var keys = [key]
      while random.chance(40) { keys.append(randomKey(&random)) }
      let change = ExpansionChange(
        expanded: isExpanded ? keys : [],
        collapsed: isExpanded ? [] : keys,
        includesDescendants: random.chance(30)
      )
      for index in keys.compactMap({ index(of: $0) }) {
        nodes[index].isExpanded = isExpanded
        guard change.includesDescendants else { continue }
        for below in index ..< end(of: index) where end(of: below) > below + 1 {
          nodes[below].isExpanded = isExpanded
        }
      }
      return (.expansion(change), true)
    }
  }

  private func randomPlace(_ random: inout SplitMix64) -> OutlinePlace {
    let key = randomKey(&random)
    return switch random.below(5) {
    case 0: .before(key)
    case 1: .after(key)
    case 2: .lastRoot(ofSection: "s")
    default: .lastChild(of: key)
    }
  }

  /// Where a place is; nil = nowhere.
  private func resolve(_ place: OutlinePlace) -> (index: Int, level: Int)? {
    switch place {
    case .lastRoot: return (nodes.count, 0)
    case .before(let key): return index(of: key).map { ($0, nodes[$0].level) }
    case .after(let key): return index(of: key).map { (end(of: $0), nodes[$0].level) }
    case .lastChild(let key): return index(of: key).map { (end(of: $0), nodes[$0].level + 1) }
    }
  }

  private mutating func insert(_ new: [Node], at place: OutlinePlace) -> Bool {
    guard let target = resolve(place), Set(new.map(\.key)).count == new.count,
      new.allSatisfy({ index(of: $0.key) == nil })
    else { return false }
    nodes.insert(contentsOf: new.map { $0.deeper(by: target.level) }, at: target.index)
    return true
  }

  private mutating func remove(_ keys: [String]) -> Bool {
    let found = keys.compactMap { index(of: $0) }
    guard found.count == keys.count else { return false }
    let gone = Set(found.flatMap { $0 ..< end(of: $0) })
    nodes = nodes.indices.filter { !gone.contains($0) }.map { nodes[$0] }
    return true
  }

  private mutating func move(_ key: String, to place: OutlinePlace) -> Bool {
    guard let index = index(of: key), let target = resolve(place) else { return false }
    let tree = index ..< end(of: index)
    if case .lastRoot = place {
    } else if let named = self.index(of: place.key), tree.contains(named) {
      if named == index, case .lastChild = place { return false }
      return named == index
    }
    let shift = target.level - nodes[index].level
    let moved = nodes[tree].map { $0.deeper(by: shift) }
    nodes.removeSubrange(tree)
    let start = target.index >= tree.upperBound ? target.index - tree.count : target.index
    nodes.insert(contentsOf: moved, at: start)
    return true
  }

  private mutating func replaceChildren(_ key: String, by new: [Node]) -> Bool {
    guard let index = index(of: key), Set(new.map(\.key)).count == new.count else { return false }
    let below = index + 1 ..< end(of: index)
    var children: [Node] = []
    for node in new {
      var child = node.deeper(by: nodes[index].level + 1)
      if let known = self.index(of: node.key) {
        guard below.contains(known) else { return false }
        child.identity = nodes[known].identity
      }
      children.append(child)
    }
    nodes.replaceSubrange(below, with: children)
    return true
  }

  /// One operation by index, and the tree after it; nil = it is refused.
  mutating func randomOperation(
    _ random: inout SplitMix64
  ) -> (operation: UpdateOperation, next: NaiveOutline?) {
    var next = self
    let count = nodes.count
    switch random.below(3) {
    case 0:
      let new = newNodes(&random)
      let index = random.below(count + 1)
      next.nextIdentity = nextIdentity
      let isTaken = new.contains { self.index(of: $0.key) != nil }
      let isTwice = Set(new.map(\.key)).count < new.count
      next.nodes.insert(contentsOf: new, at: index)
      return (
        .insertItems(at: IndexPath(section: 0, item: index), items: [Self.block(new)]),
        isTaken || isTwice || !next.isTree ? nil : next
      )
    case 1 where count > 0:
      let lower = random.below(count)
      let upper = min(count, lower + 1 + random.below(3))
      let level = nodes[lower ..< upper].map(\.level).min() ?? 0
      let end = nodes[upper...].firstIndex { $0.level <= level } ?? count
      next.nodes.removeSubrange(lower ..< end)
      return (.deleteItems(section: 0, items: lower ..< upper), next)
    default:
      guard count > 0 else { return (.deleteItems(section: 0, items: 0 ..< 0), next) }
      let from = random.below(count)
      let tree = from ..< end(of: from)
      let moved = Array(nodes[tree])
      next.nodes.removeSubrange(tree)
      let to = random.below(next.nodes.count + 1)
      next.nodes.insert(contentsOf: moved, at: to)
      return (
        .moveItem(
          from: IndexPath(section: 0, item: from),
          to: IndexPath(section: 0, item: to)
        ), next.isTree ? next : nil
      )
    }
  }

  /// Whether each level is at most one more than that of the item before.
  private var isTree: Bool {
    zip([-1] + nodes.map(\.level), nodes.map(\.level)).allSatisfy { $1 <= $0 + 1 }
  }
}

extension NaiveOutline.Node {
  fileprivate func deeper(by levels: Int) -> NaiveOutline.Node {
    var node = self
    node.level += levels
    return node
  }
}
