// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Stack layout", .timeLimit(.minutes(2)))
struct StackLayoutTests {
  private func prepared(
    _ contents: CollectionContents,
    _ layout: StackLayout = StackLayout(itemSize: Size(width: 100, height: 100)),
    _ container: LayoutContainer = LayoutContainer(size: Size(width: 300, height: 400)),
    options: LayoutOptions = LayoutOptions()
  ) -> any PreparedLayout {
    layout.prepare(LayoutContext(contents: contents, container: container, options: options))
  }

  private let everywhere = Rect(x: -1e6, y: -1e6, width: 2e6, height: 2e6)

  private func viewport(_ x: Double, _ y: Double) -> Viewport {
    Viewport(offset: Point(x: x, y: y), size: Size(width: 300, height: 400))
  }

  @Test("piles cards about the viewport's centre, each deeper one moved and scaled")
  func pile() {
    let stack = prepared(plainContents(11))
    #expect(stack.contentSize == Size(width: 300, height: 400 + 10 * 100))
    for top in 0 ..< 11 {
      let viewport = viewport(0, Double(top) * 100)
      let cards = stack.probed(in: everywhere, viewport)
      #expect(cards.map(\.key.indexPath.item) == Array(top ... min(top + 3, 10)))
      #expect(cards[0].attributes.transform == .identity)
      for (depth, card) in cards.enumerated() {
        let side = 100 * Double.power(0.95, Double(depth))
        let center = viewport.rect.center + Point(x: 0, y: Double(depth) * 10)
        expectClose(
          card.attributes.boundingBox,
          Rect(center: center, size: Size(width: side, height: side))
        )
        #expect(card.attributes.alpha == 1)
        #expect(card.attributes.zIndex == -depth)
      }
    }
  }

  @Test("slides the top card off to the start while the others come up")
  func lift() throws {
    let stack = prepared(plainContents(11))
    let viewport = viewport(0, 125)
    let cards = stack.probed(in: everywhere, viewport)
    #expect(cards.map(\.key.indexPath.item) == [1, 2, 3, 4, 5])
    // A quarter of the way to half of 400 and half of 100.
    expectClose(cards[0].attributes.boundingBox.center.y, viewport.rect.center.y - 250 / 4)
    #expect(cards[0].attributes.boundingBox.size == Size(width: 100, height: 100))
    expectClose(cards[1].attributes.boundingBox.width, 100 * Double.power(0.95, 0.75))
    expectClose(cards[4].attributes.alpha, 0.25)
    #expect(cards.map(\.attributes.zIndex) == [0, -1, -2, -3, -4])
  }

  @Test("keeps the pile as it is when scrolling goes beyond its ends")
  func overscroll() throws {
    let stack = prepared(plainContents(5))
    for (offset, top) in [(-70.0, 0), (470, 4)] {
      let viewport = viewport(0, offset)
      let card = try #require(stack.cell(0, top, viewport))
      expectClose(
        card.boundingBox,
        Rect(center: viewport.rect.center, size: Size(width: 100, height: 100))
      )
      #expect(!card.isHidden)
    }
  }

  @Test("comes to rest with the nearest card on top")
  func rests() throws {
    let stack = prepared(plainContents(5))
    for (proposed, expected, item) in [(149.0, 100.0, 1), (150, 100, 1), (151, 200, 2)] {
      let target = try #require(
        stack.restingOffset(
          proposed: Point(x: 0, y: proposed),
          velocity: .zero,
          section: nil,
          viewport: viewport(0, 0)
        )
      )
      #expect(target == ScrollTarget(offset: Point(x: 0, y: expected), element: .cell(0, item)))
    }
    #expect(
      prepared(plainContents()).restingOffset(
        proposed: .zero,
        velocity: .zero,
        section: nil,
        viewport: viewport(0, 0)
      ) == nil
    )
  }

  @Test("answers every question alike, and as the rules say card by card")
  func agreesWithNaiveReference() throws {
    var random = SplitMix64(seed: 41)
    for round in 0 ..< 500 {
      var container = random.container()
      container.insets = .zero
      let layout = StackLayout(
        scrollDirection: random.chance(50) ? .horizontal : .vertical,
        itemSize: random.size(1 ... 300),
        visibleDepth: random.int(0 ... 6),
        depthOffset: Point(x: random.length(-20 ... 20), y: random.length(-20 ... 20)),
        depthScale: random.double(0.5 ... 1.1)
      )
      let stack = prepared(random.contents(), layout, container)
      let axis = layout.scrollDirection
      let keys = stack.cellKeys
      let step = axis.main(layout.itemSize)
      let position =
        random.chance(30)
        ? Double(random.int(0 ... max(0, keys.count - 1)))
        : random.double(0 ... Double(max(0, keys.count - 1)))
      let isReversed = axis == .horizontal && container.isRightToLeft
      let offset = (isReversed ? Double(max(0, keys.count - 1)) - position : position) * step
      let viewport = Viewport(of: container, at: axis.point(main: offset, cross: 0))
      let note = "round \(round): \(layout)"
      stack.checkConsistency(viewport, random: &random, note)

      for (rank, key) in keys.enumerated() {
        let card = try #require(stack.attributes(of: key, viewport: viewport))
        let depth = Double(rank) - position
        guard depth > -1 + 1e-6, depth < Double(layout.visibleDepth + 1) - 1e-6 else {
          #expect(card.isHidden || abs(depth.rounded() - depth) < 1e-6, "\(note)")
          continue
        }
        var move = Point(x: layout.depthOffset.x * depth, y: layout.depthOffset.y * depth)
        var scale = Double.power(layout.depthScale, depth)
        if depth < 0 {
          move = axis.point(main: depth * (axis.main(container.size) + step) / 2, cross: 0)
          scale = 1
        }
        if container.isRightToLeft { move.x = -move.x }
        expectClose(
          card.boundingBox,
          Rect(
            center: viewport.rect.center + move,
            size: Size(
              width: layout.itemSize.width * scale,
              height: layout.itemSize.height * scale
            )
          ),
          tolerance: 1e-5,
          note
        )
        expectClose(
          card.alpha,
          max(0, min(1, Double(layout.visibleDepth + 1) - depth)),
          tolerance: 1e-5,
          note
        )
      }
    }
  }

  @Test("stays finite with nothing to lay out, or nowhere to")
  func degenerate() {
    for contents in [plainContents(), plainContents(0), plainContents(0, 1, 0), plainContents(9)] {
      for size in [Size.zero, Size(width: 100, height: 100)] {
        for itemSize in [Size.zero, Size(width: 50, height: 50)] {
          for depth in [0, 3, Int(UInt32.max)] {
            let stack = prepared(
              contents,
              StackLayout(
                itemSize: itemSize,
                visibleDepth: depth,
                depthScale: depth > 3 ? 1e300 : 0
              ),
              LayoutContainer(size: size)
            )
            var random = SplitMix64(seed: 1)
            stack.checkConsistency(
              Viewport(offset: Point(x: 0, y: 20), size: size),
              random: &random,
              "\(size)"
            )
          }
        }
      }
    }
  }

  @Test("names every wrong parameter")
  func validates() {
    #expect(rejectedFields(StackLayout()).isEmpty)
    #expect(
      rejectedFields(
        StackLayout(
          itemSize: Size(width: -1, height: .nan),
          visibleDepth: -1,
          depthOffset: Point(x: .nan, y: .infinity),
          depthScale: -0.5
        )
      )
        == [
          "item_size.width", "item_size.height", "visible_depth", "depth_offset.x",
          "depth_offset.y", "depth_scale",
        ]
    )
  }
}
