// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

/// Rows of an outline moved by hand as the contract says it, in a plain list of keys and levels.
private struct NaiveRows {
  typealias Node = (key: String, level: Int)

  private(set) var nodes: [Node]
  let expanded: Set<String>
  private(set) var held: [String] = []
  /// The visible rows without what is held and what is below it.
  private var rest: [Node] = []
  private var gap = 0
  private var place: OutlinePlace?
  private(set) var level = 0

  init(_ nodes: [Node], expanded: Set<String>) {
    self.nodes = nodes
    self.expanded = expanded
  }

  private static func tree(of key: String, in nodes: [Node]) -> Range<Int> {
    let start = nodes.firstIndex { $0.key == key } ?? 0
    let end = nodes[(start + 1)...].firstIndex { $0.level <= nodes[start].level } ?? nodes.count
    return start ..< end
  }

  private func rows(of nodes: [Node]) -> [Node] {
    var hiding = Int.max
    return nodes.filter { node in
      if node.level > hiding { return false }
      hiding = expanded.contains(node.key) ? Int.max : node.level
      return true
    }
  }

  var rows: [String] { rows(of: nodes).map(\.key) }

  /// The rows with what is held where it is shown.
  var arranged: [String] {
    var result = rest.map(\.key)
    result.insert(contentsOf: held, at: gap)
    return result
  }

  mutating func begin(_ keys: [String]) {
    let trees = keys.map { key in nodes[Self.tree(of: key, in: nodes)].map(\.key) }
    // What lies below another one is taken with that one.
    held = []
    for key in keys {
      let root =
        zip(keys, trees).filter { $1.contains(key) }.max { $0.1.count < $1.1.count }?.0 ?? key
      if !held.contains(root) { held.append(root) }
    }
    let gone = Set(
      held.flatMap { key in nodes[Self.tree(of: key, in: nodes)].map(\.key) }
    )
    rest = rows(of: nodes).filter { !gone.contains($0.key) }
    let before = nodes[..<(nodes.firstIndex { $0.key == held[0] } ?? 0)].map(\.key)
    gap = rest.count { before.contains($0.key) }
    place = nil
    level = nodes.first { $0.key == held[0] }?.level ?? 0
  }

  /// - Parameter part: how far into the row, from 0 to 1.
  mutating func position(row: Int, part: Double, _ wish: DropPreference) {
    guard row < arranged.count, !(gap ..< gap + held.count).contains(row) else { return }
    let isBehind = row >= gap + held.count
    let index = isBehind ? row - held.count : row
    let under = rest[index]
    if wish.nests, part >= 1 / 3.0, part < 2 / 3.0 {
      place = .lastChild(of: under.key)
      level = under.level + 1
      gap = rest[(index + 1)...].firstIndex { $0.level <= under.level } ?? rest.count
      return
    }
    let goesBehind = wish.nests ? part >= 2 / 3.0 : isBehind
    go(to: goesBehind ? index + 1 : index, prefersUpper: goesBehind, wish.level)
  }

  private mutating func go(to gap: Int, prefersUpper: Bool, _ wanted: Int?) {
    self.gap = gap
    guard gap > 0 else {
      place = .before(rest[0].key)
      level = 0
      return
    }
    let upper = rest[gap - 1]
    let lower = gap < rest.count ? rest[gap] : nil
    if let lower, lower.level > upper.level {
      place = .before(lower.key)
      level = lower.level
      return
    }
    let least = lower?.level ?? 0
    level =
      wanted.map { min(max($0, least), upper.level) }
      ?? (prefersUpper || lower == nil ? upper.level : least)
    let index = nodes.firstIndex { $0.key == upper.key } ?? 0
    let beside = nodes[...index].last { $0.level == level }
    place = .after(beside?.key ?? "")
  }

  /// - Returns: whether anything has moved.
  mutating func end() -> Bool {
    let before = nodes.map { "\($0.level) \($0.key)" }
    var trees: [[Node]] = []
    for key in held {
      let tree = nodes[Self.tree(of: key, in: nodes)]
      trees.append(tree.map { ($0.key, $0.level - (tree.first?.level ?? 0) + level) })
    }
    // The lead's own place, where it goes nowhere else.
    let own = Self.tree(of: held[0], in: nodes).lowerBound
    let gone = Set(trees.joined().map(\.key))
    var index = nodes[..<own].count { !gone.contains($0.key) }
    nodes.removeAll { gone.contains($0.key) }
    switch place {
    case nil: break
    case .before(let key): index = Self.tree(of: key, in: nodes).lowerBound
    case .after(let key), .lastChild(let key): index = Self.tree(of: key, in: nodes).upperBound
    case .lastRoot: index = nodes.count
    }
    nodes.insert(contentsOf: trees.joined(), at: index)
    held = []
    return nodes.map { "\($0.level) \($0.key)" } != before
  }

  mutating func cancel() { held = [] }
}

@Suite("Reordering in outlines", .timeLimit(.minutes(2)))
struct ReorderingOutlineTests {
  private static func contents(
    _ nodes: [NaiveRows.Node],
    _ expansion: OutlineExpansion,
    expanded: Set<String>
  ) -> CollectionContents {
    let block = ItemBlock(
      count: nodes.count,
      keys: nodes.map(\.key),
      outline: OutlineColumns(
        levels: nodes.map(\.level),
        expanded: nodes.map { expanded.contains($0.key) }
      )
    )
    return CollectionContents(
      sections: [SectionContents(key: "s", outline: expansion, blocks: [block])]
    )
  }

  private static let nodes: [NaiveRows.Node] = [
    ("A", 0), ("a1", 1), ("a2", 1), ("a2x", 2), ("B", 0), ("b1", 1), ("C", 0),
  ]

  private func rows(_ scene: Scene) -> [String] {
    scene.client.slots.values.filter { $0.key.category == .cell }
      .sorted { $0.key.indexPath < $1.key.indexPath }.map(\.itemKey)
  }

  private func whole(_ scene: Scene) -> [String] {
    let items = scene.session.contents.whole.section(at: 0).items
    return (0 ..< items.count).map {
      "\(items.outlineItem(at: $0).level) \(items.item(at: $0).key ?? "")"
    }
  }

  private func level(_ key: String, _ scene: Scene) -> Int? {
    scene.client.slots.values.first { $0.itemKey == key }?.outline.level
  }

  @Test(
    "a held row is collapsed and takes its tree along, whoever expands",
    arguments: [OutlineExpansion.perViewer, .shared]
  )
  func tree(expansion: OutlineExpansion) {
    let contents = Self.contents(Self.nodes, expansion, expanded: ["A", "a2", "B"])
    var scene = Scene(contents, layout: ListLayout(rowHeight: 50))
    #expect(rows(scene) == ["A", "a1", "a2", "a2x", "B", "b1", "C"])
    scene.send(.movement(.begin(IndexPath(section: 0, item: 0))))
    #expect(rows(scene) == ["A", "B", "b1", "C"])
    scene.send(.movement(.position(Point(x: 10, y: 110))))
    #expect(rows(scene) == ["B", "b1", "A", "C"])
    #expect(level("A", scene) == 1)
    scene.send(.movement(.end))
    #expect(scene.problem == nil)
    #expect(rows(scene) == ["B", "b1", "A", "a1", "a2", "a2x", "C"])
    #expect(whole(scene) == ["0 B", "1 b1", "1 A", "2 a1", "2 a2", "3 a2x", "0 C"])
    #expect(scene.session.contents.base.expansionExceptionCount == 0)
    scene.checkMirror()
  }

  @Test(
    "a cancelled drag expands what it collapsed",
    arguments: [OutlineExpansion.perViewer, .shared]
  )
  func cancel(expansion: OutlineExpansion) {
    let contents = Self.contents(Self.nodes, expansion, expanded: ["A", "a2"])
    var scene = Scene(contents, layout: ListLayout(rowHeight: 50))
    let before = rows(scene)
    scene.send(.movement(.beginItems(.keys(["C", "a2x", "A"]))))
    #expect(rows(scene) == ["B", "C", "A"])
    scene.send(.movement(.position(Point(x: 10, y: 10))))
    #expect(rows(scene) == ["C", "A", "B"])
    scene.send(.movement(.cancel))
    #expect(rows(scene) == before)
    #expect(scene.session.contents.base.expansionExceptionCount == 0)
    scene.checkMirror()
  }

  @Test("a row's middle third takes what is held as its last child")
  func nesting() {
    var scene = Scene(
      Self.contents(Self.nodes, .perViewer, expanded: ["A"]),
      layout: ListLayout(rowHeight: 60)
    )
    let wish = DropPreference(nests: true)
    scene.send(.movement(.beginItems(.keys(["C"]))))
    scene.send(.movement(.position(Point(x: 10, y: 30), wish: wish)))
    #expect(rows(scene) == ["A", "a1", "a2", "C", "B"])
    #expect(level("C", scene) == 1)
    scene.send(.movement(.position(Point(x: 10, y: 5), wish: wish)))
    #expect(rows(scene) == ["C", "A", "a1", "a2", "B"])
    #expect(level("C", scene) == 0)
    scene.send(.movement(.position(Point(x: 10, y: 190), wish: wish)))
    #expect(rows(scene) == ["A", "a1", "C", "a2", "B"])
    scene.send(.movement(.position(Point(x: 10, y: 210), wish: wish)))
    scene.send(.movement(.position(Point(x: 10, y: 200), wish: wish)))
    scene.send(.movement(.position(Point(x: 10, y: 270), wish: wish)))
    #expect(rows(scene) == ["A", "a1", "a2", "B", "C"])
    #expect(level("C", scene) == 1)
    scene.send(.movement(.end))
    #expect(whole(scene) == ["0 A", "1 a1", "1 a2", "2 a2x", "0 B", "1 b1", "1 C"])
    #expect(rows(scene) == ["A", "a1", "a2", "B"])
    scene.checkMirror()
  }

  @Test("outlines and other sections do not mix")
  func mixing() {
    let outline = Self.contents(Self.nodes, .perViewer, expanded: []).section(at: 0)
    let plain = SectionContents(key: "p", blocks: [ItemBlock(count: 1, keys: ["p0"])])
    let contents = CollectionContents(sections: [outline, plain])
    var scene = Scene(contents, layout: ListLayout(rowHeight: 50))
    scene.send(.movement(.beginItems(.keys(["p0", "A"]))))
    #expect(scene.problem?.reason == .moveRefused)
    scene.send(.movement(.beginItems(.keys(["a1"]))))
    #expect(scene.problem?.reason == .elementHidden)
    scene.send(.movement(.beginItems(.keys(["p0"]))))
    scene.send(.movement(.target(IndexPath(section: 0, item: 0))))
    #expect(scene.problem?.reason == .moveRefused)
    scene.send(.movement(.end))
    #expect(scene.results.first?.dataVersion == 0)
  }

  @Test("nothing becomes deeper than an outline can be")
  func depth() {
    var nodes: [NaiveRows.Node] = (0 ... 62).map { ("n\($0)", $0) }
    nodes += [("X", 0), ("x1", 1)]
    let expanded = Set(nodes.map(\.key))
    var scene = Scene(
      Self.contents(nodes, .perViewer, expanded: expanded),
      layout: ListLayout(rowHeight: 10),
      size: Size(width: 100, height: 1000)
    )
    scene.send(.movement(.beginItems(.keys(["X"]))))
    scene.send(.movement(.position(Point(x: 1, y: 625), wish: DropPreference(nests: true))))
    #expect(level("X", scene) == 0, "x1 would be at level 64")
    scene.send(.movement(.target(IndexPath(section: 0, item: 63), level: 63)))
    #expect(scene.problem == nil)
    #expect(level("X", scene) == 62)
    scene.send(.movement(.end))
    #expect(scene.problem == nil)
    #expect(whole(scene).suffix(2) == ["62 X", "63 x1"])
  }

  @Test("a viewer who expands something else goes on holding")
  func expandingMeanwhile() {
    var scene = Scene(
      Self.contents(Self.nodes, .perViewer, expanded: ["A"]),
      layout: ListLayout(rowHeight: 50)
    )
    scene.send(.movement(.begin(IndexPath(section: 0, item: 0))))
    scene.send(.movement(.position(Point(x: 10, y: 75))))
    #expect(rows(scene) == ["B", "A", "C"])
    scene.send(.outline(OutlineEvent(change: ExpansionChange(expanded: ["B"]))))
    #expect(rows(scene).sorted() == ["A", "B", "C", "b1"])
    scene.send(.movement(.cancel))
    #expect(rows(scene) == ["A", "a1", "a2", "B", "b1", "C"])
    scene.checkMirror()
  }

  @Test("drops leave what the rule says", arguments: 0 ..< 150 as Range<UInt64>)
  func random(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var nodes: [NaiveRows.Node] = []
    for i in 0 ..< Int.random(in: 2 ... 14, using: &random) {
      let highest = nodes.last.map { $0.level + 1 } ?? 0
      nodes.append(("n\(i)", Int.random(in: 0 ... highest, using: &random)))
    }
    let expanded = Set(nodes.map(\.key).filter { _ in Int.random(in: 0 ..< 3, using: &random) > 0 })
    let expansion: OutlineExpansion = Bool.random(using: &random) ? .shared : .perViewer
    var naive = NaiveRows(nodes, expanded: expanded)
    var scene = Scene(
      Self.contents(nodes, expansion, expanded: expanded),
      layout: ListLayout(rowHeight: 30),
      size: Size(width: 100, height: 2000)
    )
    var version: UInt64 = 0
    for _ in 0 ..< 8 {
      let keys = Array(
        naive.rows.shuffled(using: &random).prefix(Int.random(in: 1 ... 3, using: &random))
      )
      naive.begin(keys)
      scene.send(.movement(.beginItems(.keys(keys))))
      #expect(scene.problem == nil)
      #expect(rows(scene) == naive.arranged)
      for _ in 0 ..< Int.random(in: 0 ... 5, using: &random) {
        let wish = DropPreference(
          nests: Bool.random(using: &random),
          level: Bool.random(using: &random) ? Int.random(in: 0 ... 4, using: &random) : nil
        )
        let row = Int.random(in: 0 ..< 15, using: &random)
        let part = 0.1 + 0.4 * Double(Int.random(in: 0 ... 2, using: &random))
        naive.position(row: row, part: part, wish)
        let point = Point(x: 10, y: (Double(row) + part) * 30)
        scene.send(.movement(.position(point, wish: wish)))
        #expect(scene.problem == nil)
        #expect(rows(scene) == naive.arranged)
        #expect(naive.held.allSatisfy { level($0, scene) == naive.level })
      }
      if Bool.random(using: &random) {
        if naive.end() { version += 1 }
        scene.send(.movement(.end))
      } else {
        naive.cancel()
        scene.send(.movement(.cancel))
      }
      #expect(scene.problem == nil)
      #expect(scene.session.dataVersion == version)
      #expect(whole(scene) == naive.nodes.map { "\($0.level) \($0.key)" })
      #expect(rows(scene) == naive.rows)
      scene.checkMirror()
    }
  }
}
