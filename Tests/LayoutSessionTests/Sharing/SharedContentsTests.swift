// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

/// Random batches, reports of several viewers and delays, against a dictionary of the sizes by
/// keys.
@Suite("Shared contents", .timeLimit(.minutes(3)))
struct SharedContentsTests {
  private struct Walk {
    var random: SplitMix64
    var viewers: SharedScenes
    /// What has been measured, by the key of the item.
    var naive: [String: Size] = [:]
    /// How often a measured item changed.
    var changes: [String: Int] = [:]
    var nextKey = 0
    /// The viewers that may only read, and have sizes of their own.
    var covered: Set<Int> = []

    init(seed: UInt64, layout: any CollectionLayout) {
      random = SplitMix64(seed: seed)
      viewers = SharedScenes(3, of: .keyed(40, 0, 25), layout: layout)
    }

    mutating func step() throws {
      switch Int.random(in: 0 ..< 10, using: &random) {
      case 0 ..< 4: measure()
      case 4 ..< 7: try edit()
      case 7:
        let index = Int.random(in: 0 ..< 3, using: &random)
        viewers.scenes[index].scroll(to: Double.random(in: 0 ... 2500, using: &random))
      case 8: viewers.follow(Int.random(in: 0 ..< 3, using: &random))
      default: viewers.shared.commit()
      }
    }

    private mutating func measure() {
      let index = Int.random(in: 0 ..< 3, using: &random)
      viewers.follow(index)
      let keys = viewers.scenes[index].client.slots.values
        .filter { $0.key.category == .cell }.map(\.itemKey).sorted()
      let mayContribute = index < 2
      var sizes: [(key: String, size: Size)] = []
      for key in keys where Bool.random(using: &random) {
        let size = Size(
          width: Double(Int.random(in: 20 ... 300, using: &random)),
          height: Double(Int.random(in: 5 ... 120, using: &random))
        )
        sizes.append((key, size))
        guard mayContribute else { continue }
        if let known = naive[key] {
          guard known != size, changes[key, default: 0] < SharedContents.changeLimit else {
            continue
          }
          changes[key, default: 0] += 1
        }
        naive[key] = size
      }
      viewers.measure(
        sizes,
        by: index,
        mayContribute: mayContribute,
        commits: Bool.random(using: &random)
      )
      if viewers.outcome?.refused.isEmpty == false { covered.insert(index) }
    }

    private mutating func edit() throws {
      let section = [0, 2].randomElement(using: &random) ?? 0
      let count = viewers.contents.section(at: section).items.count
      func item() -> Int { Int.random(in: 0 ..< max(1, count), using: &random) }
      func key(_ item: Int) -> String {
        viewers.contents.key(at: IndexPath(section: section, item: item)) ?? ""
      }
      func forget(_ item: Int) {
        naive[key(item)] = nil
        changes[key(item)] = nil
      }
      let place = item()
      switch Int.random(in: 0 ..< 6, using: &random) {
      case 0 where count > 10:
        forget(place)
        try viewers.commit([.delete(place ..< place + 1, section: section)])
      case 1 where count > 0:
        forget(place)
        let block = ItemBlock(count: 1, keys: [key(place)])
        try viewers.commit([
          .reloadItems(section: section, items: place ..< place + 1, blocks: [block])
        ])
      case 2 where count > 0:
        try viewers.commit([.move(place, to: item(), section: section)])
      case 3 where count > 0:
        let block = ItemBlock(count: 1, heights: [9])
        try viewers.commit([
          .reconfigureItems(section: section, items: place ..< place + 1, blocks: [block])
        ])
      // The data gives it one length, as far as it has not been measured.
      case 4: try viewers.commit([.moveSection(from: 0, to: 2), .moveSection(from: 2, to: 0)])
      default:
        nextKey += 1
        try viewers.commit([.insert("n\(nextKey)", at: min(place, count), section: section)])
      }
    }

    /// Compares the contents with the dictionary, and the viewers with the contents.
    mutating func check() {
      viewers.shared.commit()
      viewers.followAll()
      #expect(viewers.sizes == naive)
      let measured = naive.values
      let count = Double(measured.count)
      let mean =
        measured.isEmpty
        ? nil
        : Size(
          width: measured.reduce(0) { $0 + $1.width } / count,
          height: measured.reduce(0) { $0 + $1.height } / count
        )
      let found = viewers.shared.contents.measuredItemSize
      #expect((mean == nil) == (found == nil))
      if let mean, let found {
        #expect(abs(mean.width - found.width) < 1e-6 && abs(mean.height - found.height) < 1e-6)
      }
      for (index, scene) in viewers.scenes.enumerated() {
        scene.checkMirror()
        #expect(scene.session.sharedVersion == viewers.shared.version)
        #expect(scene.session.dataVersion == viewers.version)
        guard !covered.contains(index) else { continue }
        #expect(!scene.session.keepsMeasurements)
        let query = scene.session.query?.prepared
        let extents = [query, fresh].map { $0.map { rounded($0.contentSize.height) } }
        #expect(extents[0] == extents[1])
        #expect(query.map { frames(of: $0) } == fresh.map { frames(of: $0) })
      }
    }

    /// The layout of the contents as they are, prepared from nothing.
    private var fresh: (any PreparedLayout)? {
      let scene = viewers.scenes[0]
      return scene.session.configuration.layout.prepare(
        LayoutContext(
          contents: viewers.shared.contents,
          container: scene.session.container,
          options: scene.session.configuration.options
        )
      )
    }

    /// Sums of means differ in their last bits by the order in which they are added.
    private func rounded(_ length: Double) -> Double { (length * 4096).rounded() / 4096 }

    private func frames(of prepared: any PreparedLayout) -> [Rect] {
      var buffer = ElementBuffer()
      prepared.appendElements(
        in: Rect(x: 0, y: 0, width: 400, height: 900),
        viewport: Viewport(offset: .zero, size: Size(width: 320, height: 480)),
        to: &buffer
      )
      return buffer.elements.map(\.frame).map { frame in
        Rect(
          x: rounded(frame.x),
          y: rounded(frame.y),
          width: rounded(frame.width),
          height: rounded(frame.height)
        )
      }
    }
  }

  static let layouts: [any CollectionLayout] = [
    ListLayout(isSelfSizing: true, rowSpacing: 3),
    FlowLayout(estimatedItemSize: Size(width: 60, height: 30)),
    CompositionalLayout(sections: [
      CompositionalSection(
        group: LayoutGroup(
          axis: .horizontal,
          size: LayoutSize(width: .fractionalWidth(1), height: .estimated(40)),
          subitems: [
            .item(
              LayoutItem(
                size: LayoutSize(width: .fractionalWidth(0.5), height: .estimated(40))
              )
            )
          ]
        )
      )
    ]),
  ]

  @Test("have the sizes that a dictionary has, for all viewers", arguments: 0 ..< 24)
  func randomWalk(seed: Int) throws {
    var walk = Walk(seed: UInt64(seed), layout: Self.layouts[seed % Self.layouts.count])
    for round in 0 ..< 60 {
      try walk.step()
      if round % 4 == 3 { walk.check() }
    }
  }

  @Test("keep a limited number of changes, and lead those who are farther behind nowhere")
  func history() {
    var shared = SharedContents(.keyed(2000), dataVersion: 0, isAveraged: false)
    for item in 0 ..< 600 {
      let place = MeasuredPlace.item(IndexPath(section: 0, item: item))
      let size = Size(width: 10, height: Double(item))
      let outcome = shared.offer(
        [place: size],
        at: shared.version,
        mayContribute: true,
        room: 1 << 20
      )
      #expect(outcome.version == shared.version + 1)
      shared.commit()
    }
    #expect(shared.version == 601)
    #expect(shared.changes(since: 601)?.isEmpty == true)
    #expect(shared.changes(since: 602) == nil)
    #expect(shared.changes(since: 1) == nil)
    #expect(shared.changes(since: 601 - 400)?.count == 400)
    let late = shared.offer(
      [.item(IndexPath(section: 0, item: 0)): .zero],
      at: 1,
      mayContribute: true,
      room: 1 << 20
    )
    #expect(late.refused.values.map { $0 } == [.behind])
    #expect(shared.byteCount < 6 << 20)
    #expect(shared.measuredItemCount == 600)
    shared.reset(to: .keyed(3), dataVersion: 9)
    #expect(shared.version == 602 && shared.changes(since: 601) == nil)
    #expect(!shared.isMeasured)
  }

  @Test("take sizes for places as they were when they were measured")
  func places() throws {
    var viewers = SharedScenes(1, of: .keyed(9), layout: ListLayout(isSelfSizing: true))
    try viewers.commit([.delete(1 ..< 2), .insert("x", "y", at: 0)])
    try viewers.commit([
      .reloadItems(section: 0, items: 4 ..< 5, blocks: [ItemBlock(count: 1, keys: ["a3"])])
    ])
    let sizes = Dictionary(
      uniqueKeysWithValues: (0 ..< 9).map { item in
        (
          MeasuredPlace.item(IndexPath(section: 0, item: item)),
          Size(width: 1, height: Double(item + 1))
        )
      }
    )
    let outcome = viewers.shared.offer(sizes, at: 1, mayContribute: true, room: 1 << 20)
    // Neither the deleted one nor the one that has become another.
    #expect(outcome.accepted == 7)
    viewers.shared.commit()
    let heights = viewers.sizes.mapValues(\.height)
    #expect(heights == ["a0": 1, "a2": 3, "a4": 5, "a5": 6, "a6": 7, "a7": 8, "a8": 9])
  }

  @Test("sizes that wait are committed before a batch")
  func pending() throws {
    var viewers = SharedScenes(2, of: .keyed(9), layout: ListLayout(isSelfSizing: true))
    viewers.measure([("a3", Size(width: 1, height: 77))], by: 0, commits: false)
    #expect(viewers.shared.hasPending)
    try viewers.commit([.delete(0 ..< 2)])
    #expect(!viewers.shared.hasPending)
    #expect(viewers.sizes == ["a3": Size(width: 1, height: 77)])
    viewers.followAll()
    #expect(viewers.scenes[0].results.count == 1)
    #expect(viewers.scenes[0].client.checksum == viewers.scenes[1].client.checksum)
  }
}
