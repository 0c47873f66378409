// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

@Suite("Measurements of badges and boundary elements", .timeLimit(.minutes(2)))
struct ElementMeasurementTests {
  private static let estimate = LayoutSize(width: .estimated(10), height: .estimated(10))
  private static let wide = LayoutSize(width: .fractionalWidth(1), height: .estimated(20))

  /// Two items of 160 × 50 in a group, each with a badge at its top trailing corner, and a badge at
  /// the top leading corner of the group.
  private static let pairs = LayoutGroup(
    axis: .horizontal,
    size: LayoutSize(width: .fractionalWidth(1), height: .absolute(50)),
    subitems: [
      .item(
        LayoutItem(
          size: LayoutSize(width: .fractionalWidth(0.5), height: .fractionalHeight(1)),
          supplementaryItems: [
            AnchoredSupplementaryItem(
              kind: "badge",
              size: estimate,
              containerAnchor: LayoutAnchor(top: true, trailing: true)
            )
          ]
        )
      )
    ],
    supplementaryItems: [
      AnchoredSupplementaryItem(
        kind: "ribbon",
        size: estimate,
        containerAnchor: LayoutAnchor(top: true, leading: true)
      )
    ]
  )

  private func scene(
    _ contents: CollectionContents = .keyed(8),
    pinned: Bool = false,
    maxElements: Int = 20_000
  ) -> Scene {
    let section = CompositionalSection(
      group: Self.pairs,
      boundarySupplementaryItems: [
        BoundarySupplementaryItem(
          kind: "title",
          size: Self.wide,
          alignment: .top,
          pinToVisibleBounds: pinned
        )
      ],
      backgrounds: [SectionBackground(kind: "plate")]
    )
    let layout = CompositionalLayout(
      sections: [section],
      boundarySupplementaryItems: [
        BoundarySupplementaryItem(
          kind: "banner",
          size: Self.wide,
          alignment: .top,
          pinToVisibleBounds: pinned
        )
      ]
    )
    return Scene(contents, layout: layout, maxElements: maxElements)
  }

  private func badge(_ item: Int, kind: String = "badge") -> ElementKey {
    ElementKey(
      category: .supplementary,
      kind: kind,
      indexPath: IndexPath(section: 0, item: item)
    )
  }

  private let title = ElementKey.supplementary("title", section: 0)
  private let banner = ElementKey.supplementary("banner", section: 0)

  /// The badges of a kind that are not as large as they were estimated to be, and their widths.
  private func widths(_ scene: Scene, kind: String = "badge") -> [Int: Double] {
    scene.client.slots.values.reduce(into: [:]) { widths, element in
      let width = element.attributes.frame.width
      guard element.key.kind == kind, let item = element.key.indexPath.item, width != 10 else {
        return
      }
      widths[item] = width
    }
  }

  @Test("a badge keeps to its anchor, and nothing else moves")
  func badges() {
    var scene = scene()
    scene.measure([
      (badge(1), Size(width: 30, height: 16)),
      (badge(1, kind: "ribbon"), Size(width: 44, height: 8)),
    ])
    #expect(scene.client.frame(badge(1)) == Rect(x: 290, y: 40, width: 30, height: 16))
    #expect(scene.client.frame(badge(0)) == Rect(x: 150, y: 40, width: 10, height: 10))
    #expect(
      scene.client.frame(badge(1, kind: "ribbon")) == Rect(x: 0, y: 90, width: 44, height: 8)
    )
    #expect(scene.upsertCount == 2)
    #expect(scene.client.layoutVersion == 2)
    scene.checkMirror()
    scene.measure([(badge(1), Size(width: 30, height: 16))])
    #expect(scene.frames.isEmpty)
  }

  @Test("a badge's size goes where its item goes, and is forgotten with it")
  func following() {
    var scene = scene()
    scene.measure([(badge(1), Size(width: 31, height: 9)), (badge(2), Size(width: 32, height: 9))])
    scene.update([.insert("x", "y", at: 0)])
    #expect(widths(scene) == [3: 31, 4: 32])
    scene.checkMirror()
    scene.update([.move(3, to: 6)])
    #expect(widths(scene) == [3: 32, 6: 31])
    scene.update([
      .reloadItems(section: 0, items: 3 ..< 4, blocks: [ItemBlock(count: 1)]),
      .reconfigureItems(section: 0, items: 6 ..< 7, blocks: [ItemBlock(count: 1)]),
    ])
    #expect(widths(scene) == [6: 31])
    scene.update([.delete(6 ..< 7)])
    #expect(widths(scene) == [:])
    #expect(scene.session.contents.effective.measuredElements.isEmpty)
    scene.checkMirror()
  }

  @Test("the size of a group's badge stays with its number")
  func groups() {
    var scene = scene()
    scene.measure([(badge(1, kind: "ribbon"), Size(width: 40, height: 9))])
    scene.update([.insert("x", at: 0)])
    #expect(widths(scene, kind: "ribbon") == [1: 40])
    scene.update([.delete(0 ..< 3)])
    #expect(widths(scene, kind: "ribbon") == [1: 40])
    scene.checkMirror()
  }

  @Test("a badge that sticks out far is found wherever it is looked for")
  func reach() {
    var scene = scene(.keyed(400))
    scene.scroll(to: 3000)
    let item = 120
    scene.measure([(badge(item), Size(width: 20, height: 4000))])
    scene.scroll(to: 6000)
    #expect(scene.client.frame(badge(item))?.height == 4000)
    scene.checkMirror()
    scene.scroll(to: 9000)
    #expect(scene.client.frame(badge(item)) == nil)
    scene.checkMirror()
  }

  @Test("boundary elements of a section and of the whole layout move what follows")
  func boundary() {
    var scene = scene(.keyed(4, 4))
    #expect(scene.client.contentSize.height == 20 + 2 * 120)
    scene.measure([(title, Size(width: 1, height: 50))])
    #expect(scene.client.frame(title) == Rect(x: 0, y: 20, width: 320, height: 50))
    #expect(scene.client.frame(itemKey: "a0")?.y == 70)
    #expect(scene.client.contentSize.height == 20 + 150 + 120)
    scene.measure([(banner, Size(width: 1, height: 70))])
    #expect(scene.client.frame(title)?.y == 70)
    #expect(scene.client.frame(itemKey: "b0")?.y == 240)
    #expect(scene.client.contentSize.height == 70 + 150 + 120)
    scene.checkMirror()
    scene.update([.deleteSections(0 ..< 1)])
    #expect(scene.client.contentSize.height == 70 + 120)
    scene.update([.deleteSections(0 ..< 1)])
    #expect(scene.client.frame(banner)?.height == 70)
    scene.checkMirror()
  }

  @Test("what is pinned below a measured element of the whole layout keeps its distance from it")
  func pinned() {
    var scene = scene(.keyed(60, 60), pinned: true)
    scene.scroll(to: 300)
    #expect(scene.client.frame(title)?.y == 320)
    scene.measure([(banner, Size(width: 1, height: 70))])
    let offset = scene.client.offset.y
    #expect(scene.client.frame(banner)?.y == offset)
    #expect(scene.client.frame(title)?.y == offset + 70)
    scene.checkMirror()
  }

  @Test("an element of the whole layout can be measured where there are no sections")
  func noSections() {
    var scene = scene(.empty)
    scene.measure([(banner, Size(width: 1, height: 33))])
    #expect(scene.client.contentSize.height == 33)
    scene.checkMirror()
  }

  @Test("sizes stay through scrolling, another size of the viewport and another layout")
  func staying() {
    var scene = scene(.keyed(600))
    scene.measure([(badge(1), Size(width: 31, height: 9)), (banner, Size(width: 1, height: 40))])
    scene.scroll(to: 9000)
    scene.scroll(to: 0)
    scene.send(.viewport(ViewportChange(size: Size(width: 400, height: 480))))
    #expect(widths(scene) == [1: 31])
    let layout = scene.session.configuration
    scene.send(.layout(LayoutChange(layout: LayoutConfiguration(ListLayout()))))
    scene.send(.layout(LayoutChange(layout: layout)))
    #expect(widths(scene) == [1: 31])
    #expect(scene.client.frame(banner)?.height == 40)
    scene.checkMirror()
  }

  @Test("decorations and slots that never held anything are refused by name")
  func refusals() throws {
    var scene = scene()
    let plate = try #require(scene.client.slot(.decoration("plate", section: 0)))
    let good = try #require(scene.client.slot(badge(0)))
    for (slot, text) in [(plate, "decoration of kind \"plate\""), (9999, "9999")] {
      scene.send(
        .measurements(
          MeasurementReport(
            observedFrame: 1,
            slots: [good, slot],
            sizes: [Size(width: 1, height: 2), Size(width: 3, height: 4)]
          )
        )
      )
      #expect(scene.problem?.reason == .fieldInvalid)
      #expect(scene.problem?.violations.map(\.field) == ["slots[1]"])
      #expect(scene.problem?.message.contains(text) == true)
      #expect(scene.frames.isEmpty)
    }
  }

  @Test("only so many elements may be measured; a report beyond leaves no trace")
  func quota() {
    let size = LayoutSize(width: .absolute(3), height: .absolute(3))
    let badges = ["a", "b", "c"].map { AnchoredSupplementaryItem(kind: $0, size: Self.estimate) }
    let group = LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .fractionalWidth(1), height: .absolute(3)),
      subitems: [.item(LayoutItem(size: size, supplementaryItems: badges))]
    )
    var scene = Scene(
      .keyed(6000),
      layout: CompositionalLayout(sections: [CompositionalSection(group: group)]),
      maxElements: 60_000
    )
    let keys = (0 ..< 6000).flatMap { item in
      ["a", "b", "c"].map { badge(item, kind: $0) }
    }
    let limit = SessionLimits.measuredElements
    scene.measure(keys.prefix(limit).map { ($0, Size(width: 4, height: 4)) })
    #expect(scene.session.contents.effective.measuredElements.count == limit)
    scene.post(
      .measurements(
        MeasurementReport(
          observedFrame: scene.client.lastApplied,
          slots: keys[limit ..< limit + 1].compactMap { scene.client.slot($0) },
          sizes: [Size(width: 4, height: 4)]
        )
      )
    )
    #expect(scene.problem?.reason == .quotaMeasurements)
    #expect(scene.session.contents.effective.measuredElements.count == limit)
    // Those that are known may change.
    scene.measure([(keys[0], Size(width: 5, height: 5))])
    #expect(scene.client.frame(keys[0])?.size == Size(width: 5, height: 5))
  }
}
