// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Mean of measured sizes", .timeLimit(.minutes(2)))
struct MeasuredItemsTests {
  private func flow(_ width: Double, _ height: Double = 40) -> FlowLayout {
    FlowLayout(estimatedItemSize: Size(width: width, height: height), minimumLineSpacing: 0)
  }

  private func tall(_ height: Double) -> Size { Size(width: 320, height: height) }

  @Test("items that were not measured take it, in all sections")
  func otherItems() {
    var scene = Scene(.keyed(3, 2), layout: flow(320))
    scene.measure([(0, tall(30)), (1, tall(60))])
    #expect(scene.client.frame(itemKey: "a2") == Rect(x: 0, y: 90, width: 320, height: 45))
    #expect(scene.client.frame(itemKey: "b1") == Rect(x: 0, y: 180, width: 320, height: 45))
    #expect(scene.client.contentSize.height == 225)
    // A second size for an item takes the place of the first.
    scene.measure([(0, tall(10))])
    #expect(scene.client.frame(itemKey: "b1")?.y == 140)
    scene.checkMirror()
  }

  @Test("a size of the data's own stays until its item is measured")
  func dataSizes() {
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [
        ItemBlock(count: 2, heights: [70], keys: ["a", "b"]), ItemBlock(count: 1, keys: ["c"]),
      ])
    ])
    var scene = Scene(contents, layout: flow(320))
    scene.measure([(0, tall(30))])
    #expect(scene.client.frame(itemKey: "b") == Rect(x: 0, y: 30, width: 320, height: 70))
    #expect(scene.client.frame(itemKey: "c") == Rect(x: 0, y: 100, width: 320, height: 30))
    // A measurement that confirms the size still counts.
    scene.measure([(1, tall(70))])
    #expect(scene.client.frame(itemKey: "c") == Rect(x: 0, y: 100, width: 320, height: 50))
    scene.checkMirror()
  }

  @Test("a list keeps the height that it estimates")
  func lists() {
    var scene = Scene(.keyed(3), layout: ListLayout(rowHeight: 40, isSelfSizing: true))
    scene.measure([(0, tall(10))])
    #expect(scene.client.frame(itemKey: "a2") == Rect(x: 0, y: 50, width: 320, height: 40))
  }

  @Test("cells in sight stay where they are while those above change with the mean")
  func anchoring() {
    var scene = Scene(.keyed(1000), layout: flow(320), options: .init(anchorMode: .firstVisible))
    scene.scroll(to: 4000)
    scene.measure((100 ..< 106).map { ($0, tall(60)) })
    #expect(scene.client.frame(itemKey: "a100")?.y == 6000)
    #expect(scene.client.offset.y == 6000)
    scene.measure([(106, tall(4))])
    #expect(scene.client.frame(itemKey: "a100")?.y == scene.client.offset.y)
    #expect(scene.client.contentSize.height == 1000 * 52)
    scene.checkMirror()
  }

  @Test("equal sizes have exactly their mean, so that items stay in columns")
  func equalSizes() {
    var scene = Scene(.keyed(40), layout: flow(50))
    let width = 83.3
    scene.measure((0 ..< 9).map { ($0, Size(width: width, height: 20.1 + Double($0 % 2))) })
    #expect(scene.session.contents.measured.mean?.width == width)
    let gap = (320 - 3 * width) / 2
    #expect(scene.client.frame(itemKey: "a10").map { abs($0.x - width - gap) < 1e-9 } == true)
    scene.checkMirror()
  }

  @Test(
    "a batch of sizes is noted like one size after the other",
    arguments: 0 ..< 40 as Range<UInt64>
  )
  func sizesTogether(seed: UInt64) {
    var random = SplitMix64(seed: 5000 + seed)
    var (together, single) = (MeasuredItems(), MeasuredItems())
    var known: [IndexPath: Size] = [:]
    for _ in 0 ..< 12 {
      var batch: [MeasuredItems.Measurement] = []
      for item in (0 ..< 40).shuffled(using: &random).prefix(random.int(0 ... 15)) {
        let path = IndexPath(section: random.int(0 ... 2), item: item)
        let old = known[path]
        var values = ItemValues()
        (values.width, values.height) = (old?.width, old?.height)
        let size = Size(width: random.double(1 ... 90), height: random.double(1 ... 90))
        batch.append(.init(path: path, values: values, size: size))
        known[path] = size
      }
      together.insert(batch)
      for measurement in batch { single.insert([measurement]) }
      #expect(together.ranges == single.ranges)
      #expect(together.count == single.count && together.count == known.count)
      #expect(together.mean == single.mean)
      #expect(together.byteCount == single.byteCount)
      for section in 0 ..< 3 {
        for item in 0 ..< 40 {
          let path = IndexPath(section: section, item: item)
          #expect(together.contains(path) == (known[path] != nil))
        }
        let ranges = together.ranges[section] ?? []
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
      }
    }
  }

  @Test("a hundred thousand items apart from each other are noted at once")
  func manyRanges() {
    var measured = MeasuredItems()
    let size = Size(width: 10, height: 20)
    let batch = (0 ..< 100_000).map { index in
      MeasuredItems.Measurement(
        path: IndexPath(section: 0, item: 2 * (index * 7919 % 100_000)),
        values: ItemValues(),
        size: size
      )
    }
    let began = ContinuousClock.now
    measured.insert(batch)
    // One by one each would copy the ranges of those before it, which takes a minute.
    #expect(began.duration(to: .now) < .seconds(10))
    #expect(measured.ranges[0]?.count == 100_000)
    #expect(measured.mean == size)
  }

  @Test("it is that of the items that are left after any batches", arguments: 0 ..< 12)
  func batches(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var scene = Scene(.keyed(8, 5), layout: flow(320), isShared: false)
    var sizes: [String: Size] = [:]
    var next = 0
    for _ in 0 ..< 60 {
      let contents = scene.session.contents.effective
      let section = random.int(0 ... max(0, contents.sectionCount - 1))
      let count = contents.sectionCount == 0 ? 0 : contents.section(at: section).items.count
      let item = random.int(0 ... max(0, count - 1))
      let path = IndexPath(section: section, item: item)
      switch random.int(0 ... 7) {
      case 0, 1, 2: measure(&scene, &sizes, &random)
      case 3:
        next += 1
        scene.update([
          .insertSections(
            at: random.int(0 ... contents.sectionCount),
            [
              SectionContents(
                key: "s\(next)",
                blocks: [ItemBlock(count: 2, keys: ["x\(next)", "y\(next)"])]
              )
            ]
          )
        ])
      case 4 where contents.sectionCount > 0:
        scene.update([.moveSection(from: section, to: 0)])
      case 5 where contents.sectionCount > 1 && random.chance(30):
        scene.update([.deleteSections(section ..< section + 1)])
      case 6 where count > 2:
        let key = contents.key(at: path) ?? ""
        if random.chance(50) {
          sizes[key] = nil
          scene.update([
            .reloadItems(
              section: section,
              items: item ..< item + 1,
              blocks: [ItemBlock(count: 1, keys: [key])]
            )
          ])
        } else {
          scene.update([.delete(item ..< min(item + 2, count), section: section)])
        }
      case 7 where count > 2:
        let target = random.int(0 ... contents.sectionCount - 1)
        scene.update([
          .moveItem(from: path, to: IndexPath(section: target, item: 0)),
          .insert("z\(next)", at: 1, section: target),
        ])
        next += 1
      default: break
      }
      check(scene, sizes)
    }
    scene.checkMirror()
  }

  private func measure(
    _ scene: inout Scene,
    _ sizes: inout [String: Size],
    _ random: inout SplitMix64
  ) {
    var slots: [UInt32] = []
    var measured: [Size] = []
    for (slot, element) in scene.client.slots.sorted(by: { $0.key < $1.key })
    where element.key.category == .cell && random.chance(30) {
      let width = Double(random.int(1 ... 400))
      let size = Size(width: width, height: Double(random.int(1 ... 90)) / 4)
      slots.append(slot)
      measured.append(size)
      sizes[element.itemKey] = size
    }
    scene.send(
      .measurements(
        MeasurementReport(
          observedFrame: scene.client.lastApplied,
          slots: slots,
          sizes: measured
        )
      )
    )
  }

  /// Compares with the mean over all items that exist, and with a layout prepared from nothing.
  private func check(_ scene: Scene, _ sizes: [String: Size]) {
    let contents = scene.session.contents.effective
    var width = 0.0
    var height = 0.0
    var count = 0
    for section in 0 ..< contents.sectionCount {
      for item in 0 ..< contents.section(at: section).items.count {
        let path = IndexPath(section: section, item: item)
        guard let size = sizes[contents.key(at: path) ?? ""] else { continue }
        width += size.width
        height += size.height
        count += 1
        let values = contents.item(at: path)
        #expect(values?.width == size.width && values?.height == size.height)
      }
    }
    let mean = scene.session.contents.measured.mean
    #expect(scene.session.contents.measured.count == count)
    #expect((mean == nil) == (count == 0))
    if let mean {
      #expect(abs(mean.width - width / Double(count)) < 1e-9)
      #expect(abs(mean.height - height / Double(count)) < 1e-9)
    }
    #expect(contents.measuredItemSize == mean)
    guard let prepared = scene.session.query?.prepared else { return }
    let fresh = scene.session.configuration.layout.prepare(prepared.context)
    #expect(abs(fresh.contentSize.height - prepared.contentSize.height) < 1e-6)
  }
}
