// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Circle layout", .timeLimit(.minutes(2)))
struct CircleLayoutTests {
  private func prepared(
    _ contents: CollectionContents,
    _ layout: CircleLayout = CircleLayout(),
    _ container: LayoutContainer = LayoutContainer(size: Size(width: 320, height: 480)),
    options: LayoutOptions = LayoutOptions()
  ) -> any PreparedLayout {
    layout.prepare(LayoutContext(contents: contents, container: container, options: options))
  }

  private let viewport = Viewport(offset: .zero, size: Size(width: 320, height: 480))

  @Test("places the sample's items clockwise from three o'clock")
  func places() {
    let circle = prepared(plainContents(4))
    #expect(circle.contentSize == Size(width: 320, height: 480))
    expectClose(
      circle.cell(0, 0, viewport)?.frame,
      Rect(x: 253, y: 205, width: 70, height: 70)
    )
    expectClose(
      circle.cell(0, 1, viewport)?.frame,
      Rect(x: 125, y: 333, width: 70, height: 70)
    )
    expectClose(
      circle.cell(0, 2, viewport)?.frame,
      Rect(x: -3, y: 205, width: 70, height: 70)
    )
    expectClose(
      circle.cell(0, 3, viewport)?.frame,
      Rect(x: 125, y: 77, width: 70, height: 70)
    )
  }

  @Test("puts the items of all sections on the one circle")
  func sections() {
    let together = prepared(plainContents(7))
    let apart = prepared(plainContents(2, 0, 4, 1))
    #expect(apart.cell(0, 1, viewport) == together.cell(0, 1, viewport))
    #expect(apart.cell(2, 0, viewport) == together.cell(0, 2, viewport))
    #expect(apart.cell(3, 0, viewport) == together.cell(0, 6, viewport))
  }

  @Test("lets items appear from the centre, and disappear into it at a tenth of their size")
  func animations() throws {
    let circle = prepared(plainContents(4))
    let settled = try #require(circle.cell(0, 0, viewport))
    let first = circle.defaultAppearing.applied(to: settled, viewport: viewport)
    #expect(first.frame.center == Point(x: 160, y: 240))
    #expect(first.alpha == 0)
    #expect(first.transform == .identity)
    let last = circle.defaultDisappearing.applied(to: settled, viewport: viewport)
    #expect(last.frame.center == Point(x: 160, y: 240))
    #expect(last.alpha == 0)
    #expect(last.transform == .scale(0.1))
  }

  @Test("does not scroll, and stands about the viewport's centre at rest, whatever the insets")
  func insets() throws {
    let container = LayoutContainer(
      size: Size(width: 300, height: 400),
      insets: EdgeInsets(top: 40, leading: 10, bottom: 20, trailing: 30),
      isRightToLeft: true
    )
    let circle = prepared(plainContents(2), CircleLayout(), container)
    let start = Viewport(of: container)
    let legal = start.legalOffsets(contentSize: circle.contentSize)
    #expect(legal.min == legal.max)
    let rest = Viewport(of: container, at: legal.min)
    let east = try #require(circle.cell(0, 0, rest)?.frame.center)
    let west = try #require(circle.cell(0, 1, rest)?.frame.center)
    expectClose((east.x + west.x) / 2, rest.rect.center.x)
    expectClose((east.y + west.y) / 2, rest.rect.center.y)
  }

  @Test("answers every question alike, and as the formula says")
  func agreesWithFormula() {
    var random = SplitMix64(seed: 23)
    for round in 0 ..< 500 {
      var container = random.container()
      if random.chance(50) { container.insets = .zero }
      let layout = CircleLayout(
        itemSize: random.chance(10) ? .zero : random.size(1 ... 120),
        radiusDivisor: random.double(0.3 ... 6),
        startAngle: random.double(-20 ... 20)
      )
      let options = LayoutOptions(isPixelAligned: random.chance(20))
      let circle = prepared(
        random.contents(items: random.chance(10) ? 300 : 20),
        layout,
        container,
        options: options
      )
      let viewport = Viewport(of: container)
      circle.checkConsistency(viewport, random: &random, "round \(round)")
      guard container.insets == .zero, !options.isPixelAligned else { continue }
      let keys = circle.cellKeys
      let radius = min(container.size.width, container.size.height) / layout.radiusDivisor
      for (rank, key) in keys.enumerated() {
        let angle = layout.startAngle + 2 * .pi * Double(rank) / Double(keys.count)
        let center = Point(
          x: container.size.width / 2 + radius * angle.cosine,
          y: container.size.height / 2 + radius * angle.sine
        )
        expectClose(
          circle.attributes(of: key, viewport: viewport)?.frame,
          Rect(center: center, size: layout.itemSize),
          "round \(round)"
        )
      }
    }
  }

  @Test("finds the items of a corner of a large circle without looking at the others")
  func large() {
    let circle = prepared(
      plainContents(1_000_000),
      CircleLayout(itemSize: Size(width: 1, height: 1)),
      LayoutContainer(size: Size(width: 1e6, height: 1e6))
    )
    let viewport = Viewport(offset: .zero, size: Size(width: 1e6, height: 1e6))
    // 400,000 · 2π points of circumference: 0.4 items a point.
    let found = circle.probed(
      in: Rect(x: 899_999, y: 499_000, width: 10, height: 2000),
      viewport
    )
    #expect(found.count > 700 && found.count < 900)
  }

  @Test("names every wrong parameter")
  func validates() {
    #expect(rejectedFields(CircleLayout()).isEmpty)
    #expect(
      rejectedFields(
        CircleLayout(
          itemSize: Size(width: -1, height: -1),
          radiusDivisor: 0,
          startAngle: .infinity
        )
      )
        == ["item_size.width", "item_size.height", "radius_divisor", "start_angle"]
    )
  }
}
