// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Testing

@Suite("Zooming through clusters", .timeLimit(.minutes(2)))
struct ClusterTransitionTests {
  private func layout(zoom: Double) -> SpatialLayout {
    SpatialLayout(projection: .equirectangular, zoom: zoom, clusters: SpatialLayout.Clusters())
  }

  /// A scene of the world at zoom 1, in which a cell is an eighth of it.
  private func scene(_ places: [(Double, Double)]) -> Scene {
    let block = ItemBlock(count: places.count, xs: places.map(\.0), ys: places.map(\.1))
    return Scene(
      CollectionContents(sections: [SectionContents(blocks: [block])]),
      layout: layout(zoom: 1),
      size: Size(width: 1024, height: 1024)
    )
  }

  private func zoom(_ scene: inout Scene, to zoom: Double) {
    let configuration = LayoutConfiguration(layout(zoom: zoom))
    scene.send(.layout(LayoutChange(layout: configuration, isAnimated: true)))
  }

  @Test("items come out of the cluster that held them and go back into it")
  func splitsAndMerges() throws {
    // 45° is a cell at zoom 1: both items are in one cell there, and in two at zoom 2.
    var scene = scene([(10, 80), (30, 60)])
    let cluster = try #require(scene.client.slots.first?.value)
    #expect(scene.client.slots.count == 1)
    let middle = cluster.attributes.frame.center

    zoom(&scene, to: 2)
    #expect(scene.client.slots.count == 2)
    let initial = try #require(scene.appearing.first)
    #expect(scene.appearing.count == 1 && scene.disappearing.isEmpty)
    #expect(initial.value.frame.center == middle)
    #expect(initial.value.alpha == 0 && !initial.value.isHidden)
    scene.checkMirror()

    zoom(&scene, to: 1)
    #expect(scene.client.slots.count == 1)
    let final = try #require(scene.disappearing.first)
    #expect(scene.disappearing.count == 1 && scene.appearing.isEmpty)
    #expect(final.key == initial.key && final.value.frame.center == middle)
    #expect(final.value.alpha == 0 && !final.value.isHidden)
    scene.checkMirror()
  }

  @Test("a map is prepared once, however far one zooms")
  func zoomSteps() {
    var scene = scene([(10, 80), (30, 60), (100, 20), (101, 21)])
    for step in 0 ..< 12 {
      let configuration = LayoutConfiguration(layout(zoom: Double(step % 4) / 2))
      scene.send(.layout(LayoutChange(layout: configuration, isAnimated: step % 2 == 0)))
      scene.checkMirror()
      #expect(!scene.client.slots.isEmpty)
    }
    #expect(scene.preparedCount == 1 && scene.derivedCount >= 12)
  }

  @Test("an item that joins a cluster changes its count, and the cluster stays the same element")
  func counts() throws {
    var scene = scene([(10, 80), (30, 60), (100, 20)])
    let before = scene.client.slots.filter { $0.value.attributes.custom != nil }
    #expect(scene.client.slots.count == 2 && before.count == 1)
    scene.send(
      .update(
        UpdateBatch([
          .insertItems(
            at: IndexPath(section: 0, item: 3),
            items: [ItemBlock(count: 1, xs: [30], ys: [61])]
          )
        ])
      )
    )
    let after = scene.client.slots.filter { $0.value.attributes.custom != nil }
    #expect(Set(after.keys) == Set(before.keys))
    let count = after.first?.value.attributes.custom?[SpatialLayout.ClusterAttribute.count]
    #expect(count == .number(3))
    scene.checkMirror()
  }
}
