// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Reordering at random", .timeLimit(.minutes(3)))
struct ReorderingPropertyTests {
  private static let size = Size(width: 320, height: 2000)

  private static let layouts: [any CollectionLayout] = [
    ListLayout(rowHeight: 40, headerHeight: 30),
    FlowLayout(
      itemSize: Size(width: 90, height: 50),
      headerReferenceSize: Size(width: 0, height: 30)
    ),
    WaterfallLayout(columns: .count(3), headerHeight: 30),
    GridLayout(itemSize: Size(width: 50, height: 40)),
  ]

  /// A viewer who drags, another one who looks on, and the reference.
  private struct Drags {
    var random: SplitMix64
    var own: Scene
    var other: Scene
    var naive: NaiveReordering
    var contents: CollectionContents
    var version: UInt64 = 0
    var newKeys = 0
    var position: Point?
    /// The collection from which items are brought.
    var source = CollectionContents.empty

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed)
      var sizes: [String: Size] = [:]
      let sections = (0 ..< Int.random(in: 1 ... 4, using: &random)).map { section in
        (0 ..< Int.random(in: 0 ... 7, using: &random)).map { "\(section).\($0)" }
      }
      for key in sections.joined() {
        sizes[key] = Size(
          width: Double(Int.random(in: 30 ... 90, using: &random)),
          height: Double(Int.random(in: 20 ... 70, using: &random))
        )
      }
      let layout = ReorderingPropertyTests.layouts[Int(seed % 4)]
      let size = ReorderingPropertyTests.size
      contents = NaiveReordering.contents(sections, sizes: sizes)
      naive = NaiveReordering(sections, sizes: sizes, layout: layout, size: size)
      own = Scene(contents, layout: layout, size: size, isShared: true)
      other = Scene(contents, layout: ListLayout(rowHeight: 10), size: size, isShared: true)
      self.random = random
    }

    var keys: [String] { naive.base.flatMap { $0 } }

    mutating func setRules() {
      var rules = MovementRules(staysInSection: Int.random(in: 0 ..< 4, using: &random) == 0)
      if Bool.random(using: &random) {
        rules.targets = naive.base.indices.filter { _ in Bool.random(using: &random) }.map {
          MovementRules.Target(
            .index($0),
            mostItems: Bool.random(using: &random) ? Int.random(in: 1 ... 9, using: &random) : nil
          )
        }
      }
      naive.rules = rules
      own.send(.movement(.rules(rules)))
      #expect(own.problem == nil)
    }

    mutating func begin() {
      let chosen = Array(
        keys.shuffled(using: &random).prefix(Int.random(in: 1 ... 4, using: &random))
      )
      guard !chosen.isEmpty else { return }
      position = nil
      naive.begin(chosen)
      own.send(.movement(.beginItems(.keys(chosen))))
      #expect(own.problem == nil)
    }

    /// Items of another collection, or new ones, are brought.
    mutating func bring() throws {
      let keys = (0 ..< Int.random(in: 1 ... 4, using: &random)).map { "from \(newKeys) \($0)" }
      newKeys += 1
      let sizes = keys.map { _ in
        Size(
          width: Double(Int.random(in: 30 ... 90, using: &random)),
          height: Double(Int.random(in: 20 ... 70, using: &random))
        )
      }
      let block = ItemBlock(
        count: keys.count,
        widths: sizes.map(\.width),
        heights: sizes.map(\.height),
        keys: keys
      )
      source = CollectionContents(sections: [SectionContents(blocks: [block])])
      position = nil
      if Bool.random(using: &random) {
        own.send(.movement(.beginForeign(.new(DraggedItems([block], cellKindNames: [])))))
      } else {
        own.send(.movement(.beginForeign(.collection("collections/s", keys: keys))))
        guard case .lookUp(let seq, let found) = own.messages.first else {
          Issue.record("\(own.messages)")
          return
        }
        let items = try source.dragged(keys: found.keys, field: "", stepLimit: 100)
        own.messages = own.session.foreignFound(items, from: found.collection, seq: seq, at: .zero)
      }
      #expect((own.problem?.reason == .moveRefused) == naive.rules.staysInSection)
      guard own.problem == nil else { return }
      naive.bring(Dictionary(uniqueKeysWithValues: zip(keys, sizes)), keys)
    }

    mutating func drag() {
      let point = Point(
        x: Double(Int.random(in: 0 ..< 320, using: &random)) + 0.25,
        y: Double(Int.random(in: 0 ..< 400, using: &random)) + 0.25
      )
      position = point
      naive.position(point)
      own.send(.movement(.position(point)))
      #expect(own.problem == nil)
      checkHeld()
    }

    mutating func target() {
      let section = Int.random(in: 0 ..< naive.base.count, using: &random)
      let count = naive.base[section].count { !naive.held.contains($0) }
      let gap = Int.random(in: 0 ... count, using: &random)
      own.send(.movement(.target(IndexPath(section: section, item: gap))))
      #expect((own.problem == nil) == naive.accepts(section))
      if naive.accepts(section) { position = nil }
      naive.target(section, gap: gap)
    }

    /// Somebody else's batch. Where the last target was not a position, it is not compared.
    mutating func change() throws {
      guard naive.held.isEmpty || position != nil else { return }
      let gone = Set(keys.filter { _ in Int.random(in: 0 ..< 5, using: &random) == 0 })
      newKeys += 1
      let new = "new \(newKeys)"
      var operations: [UpdateOperation] = []
      for (section, keys) in naive.base.enumerated() {
        for (item, key) in keys.enumerated() where gone.contains(key) {
          operations.append(.deleteItems(section: section, items: item ..< item + 1))
        }
      }
      let end = naive.base[0].count { !gone.contains($0) }
      let block = ItemBlock(count: 1, widths: [40], heights: [40], keys: [new])
      operations.append(.insertItems(at: IndexPath(section: 0, item: end), items: [block]))
      try commit(UpdateBatch(operations), answering: nil)
      naive.change(deleting: gone, appending: new, Size(width: 40, height: 40))
      if let position, !naive.held.isEmpty { naive.position(position) }
      checkHeld()
    }

    mutating func commit(_ batch: UpdateBatch, answering seq: UInt64?) throws {
      let change = try contents.applying(batch)
      contents = change.new
      version += 1
      own.session.collectionChanged(change, toVersion: version)
      other.session.collectionChanged(change, toVersion: version)
      if let seq {
        _ = own.session.updateSettled(
          seq: seq,
          .committed(version: version, isDuplicate: false),
          at: .zero
        )
      }
      own.settle()
      other.settle()
    }

    mutating func end() throws {
      guard !naive.held.isEmpty else { return }
      let before = slots(own)
      let isRefused = !naive.isShown
      let isMoved = naive.end()
      own.send(.movement(.end))
      #expect((own.problem?.reason == .moveRefused) == isRefused)
      var commits = 0
      for message in own.messages {
        switch message {
        case .commit(let seq, let batch):
          commits += 1
          try commit(batch, answering: seq)
        case .transfer(let seq, _, let transfer):
          commits += 1
          let batches = try TransferBatches(transfer, from: source, to: contents)
          try commit(batches.insertion, answering: seq)
        default: break
        }
      }
      #expect(commits == (isMoved ? 1 : 0))
      #expect(slots(own) == before)
      check()
    }

    mutating func cancel() {
      guard !naive.held.isEmpty else { return }
      naive.cancel()
      own.send(.movement(.cancel))
      #expect(own.messages.count == 1)
      check()
    }

    func slots(_ scene: Scene) -> [String: UInt32] {
      Dictionary(
        scene.client.slots.filter { $0.value.key.category == .cell }
          .map { ($0.value.itemKey, $0.key) }
      ) { $1 }
    }

    /// Everybody has what the reference has.
    func check() {
      for scene in [own, other] {
        let whole = scene.session.contents.whole
        let found = naive.base.indices.map { section in
          (0 ..< whole.section(at: section).items.count).map {
            whole.key(at: IndexPath(section: section, item: $0)) ?? ""
          }
        }
        #expect(found == naive.base)
        #expect(Set(slots(scene).keys) == Set(keys))
        scene.checkMirror()
      }
    }

    /// What is held is stacked where it should be, and the others lie as the reference says.
    func checkHeld() {
      guard !naive.held.isEmpty else { return }
      var order: [[String]] = naive.base.map { _ in [] }
      let cells = own.client.slots.values.filter { $0.key.category == .cell }
      for cell in cells.sorted(by: { $0.key.indexPath < $1.key.indexPath }) {
        order[cell.key.indexPath.section].append(cell.itemKey)
      }
      #expect(order == naive.arranged)
      guard let position, naive.isShown else { return }
      for (i, key) in naive.held.enumerated() {
        let cell = cells.first { $0.itemKey == key }
        let step = 4.0 * Double(min(i, 3))
        #expect(cell?.attributes.frame.center == Point(x: position.x + step, y: position.y + step))
        #expect(cell?.attributes.zIndex == Int(Int32.max) - i)
      }
    }
  }

  @Test("a drop leaves what removing and inserting leaves", arguments: 0 ..< 120 as Range<UInt64>)
  func drags(seed: UInt64) throws {
    var drags = Drags(seed: seed)
    for _ in 0 ..< 12 {
      if Int.random(in: 0 ..< 3, using: &drags.random) == 0 { drags.setRules() }
      if drags.random.chance(30) { try drags.bring() } else { drags.begin() }
      for _ in 0 ..< Int.random(in: 0 ... 6, using: &drags.random) where !drags.naive.held.isEmpty {
        switch Int.random(in: 0 ..< 8, using: &drags.random) {
        case 0: drags.target()
        case 1: try drags.change()
        default: drags.drag()
        }
      }
      if Bool.random(using: &drags.random) { try drags.end() } else { drags.cancel() }
    }
  }
}
