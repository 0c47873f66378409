// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import TestSupport
import Testing

/// A renderer that measures what comes into sight, in any order, while it scrolls and others edit.
@Suite("Anchors of self-sizing layouts", .timeLimit(.minutes(2)))
struct SelfSizingAnchorTests {
  private static let layouts: [any CollectionLayout] = [
    ListLayout(isSelfSizing: true, rowSpacing: 3, headerHeight: 20),
    FlowLayout(estimatedItemSize: Size(width: 90, height: 44)),
    CompositionalLayout(sections: [rows]),
  ]

  private static let rows = CompositionalSection(
    group: LayoutGroup(
      axis: .vertical,
      size: LayoutSize(width: .fractionalWidth(1), height: .estimated(44)),
      subitems: [
        .item(LayoutItem(size: LayoutSize(width: .fractionalWidth(1), height: .estimated(44))))
      ]
    ),
    interGroupSpacing: 5
  )

  private struct Walk {
    var random: SplitMix64
    var scene: Scene
    /// Keys of the items that were measured.
    var measured: Set<String> = []
    var nextKey = 0
    let size = Size(width: 300, height: 400)

    init(seed: UInt64, layout: any CollectionLayout) {
      random = SplitMix64(seed: seed)
      scene = Scene(
        .keyed(150, 150),
        layout: layout,
        size: size,
        offset: Point(x: 0, y: 3000),
        options: SessionOptions()
      )
    }

    private var visible: Rect { Rect(origin: scene.client.offset, size: size) }

    /// The cells in sight, first to last.
    private var cells: [MirrorClient.Element] {
      let visible = visible
      return scene.client.slots.values
        .filter { $0.key.category == .cell && $0.attributes.frame.meets(visible) }
        .sorted { $0.key.indexPath < $1.key.indexPath }
    }

    /// An item in sight, and where its upper edge is in the viewport.
    private typealias Anchor = (key: String, y: Double)

    /// What has to stay: the first of these that is still in sight afterwards. Items that are
    /// measured come first.
    private func anchors(without deleted: Set<String> = []) -> [Anchor] {
      let cells = cells.filter { !deleted.contains($0.itemKey) }
      let known = cells.filter { measured.contains($0.itemKey) }
      let unknown = cells.filter { !measured.contains($0.itemKey) }
      return (known + unknown).map { ($0.itemKey, $0.attributes.frame.y - scene.client.offset.y) }
    }

    private func expectStill(_ anchors: [Anchor], _ cause: String) {
      guard let query = scene.session.query else { return }
      let anchor = anchors.first { anchor in
        guard let frame = scene.client.frame(itemKey: anchor.key) else { return true }
        return anchor.y + frame.height > 0
      }
      guard let anchor, let y = scene.client.frame(itemKey: anchor.key)?.y else { return }
      let legal = query.viewport.legalOffsets(contentSize: scene.client.contentSize)
      let offset = scene.client.offset.y
      // At an edge of the content the edge wins.
      guard offset > legal.min.y, offset < legal.max.y else { return }
      #expect(abs(y - offset - anchor.y) <= 1.0 / 64, "\(anchor.key) moved: \(cause)")
    }

    mutating func measure() {
      let known = scene.client.slots.filter { $0.value.key.category == .cell }
      let slots = known.keys.sorted().filter { _ in Int.random(in: 0 ..< 3, using: &random) == 0 }
        .shuffled(using: &random)
      let before = anchors()
      let sizes = slots.map { _ in
        Size(
          width: Double(Int.random(in: 50 ... 140, using: &random)),
          height: Double.random(in: 10 ... 120, using: &random)
        )
      }
      scene.send(
        .measurements(
          MeasurementReport(
            observedFrame: scene.client.lastApplied,
            slots: slots,
            sizes: sizes
          )
        )
      )
      #expect(scene.problem == nil)
      expectStill(before, "measured")
      for slot in slots { if let key = known[slot]?.itemKey { measured.insert(key) } }
    }

    mutating func edit() {
      let contents = scene.session.query?.prepared.context.contents
      let section = Int.random(in: 0 ..< 2, using: &random)
      let count = contents?.section(at: section).items.count ?? 0
      guard count > 40 else { return }
      let place = Int.random(in: 0 ..< count - 3, using: &random)
      nextKey += 1
      if Bool.random(using: &random) {
        let before = anchors()
        scene.update([.insert("n\(nextKey)", at: place, section: section)])
        expectStill(before, "inserted at \(place)")
      } else {
        let deleted = (place ..< place + 3).compactMap {
          contents?.key(at: IndexPath(section: section, item: $0))
        }
        let before = anchors(without: Set(deleted))
        scene.update([.delete(place ..< place + 3, section: section)])
        expectStill(before, "deleted \(place)")
      }
    }

    mutating func scroll() {
      // Upwards more often: there unmeasured items come into sight above what is seen.
      let step = Double.random(in: -300 ... 150, using: &random).rounded()
      scene.scroll(to: max(200, scene.client.offset.y + step))
    }
  }

  @Test(
    "what is looked at stays where it is, whatever is measured or edited around it",
    arguments: layouts.indices,
    0 ..< 8 as Range<UInt64>
  )
  func stillness(layout: Int, seed: UInt64) {
    var walk = Walk(seed: seed, layout: Self.layouts[layout])
    for _ in 0 ..< 40 {
      walk.scroll()
      walk.measure()
      walk.edit()
      walk.measure()
    }
    walk.scene.checkMirror()
  }
}
