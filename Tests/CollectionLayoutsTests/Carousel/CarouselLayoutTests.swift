// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Carousel layout", .timeLimit(.minutes(2)))
struct CarouselLayoutTests {
  private func prepared(
    _ contents: CollectionContents,
    _ layout: CarouselLayout,
    _ container: LayoutContainer = LayoutContainer(size: Size(width: 400, height: 400)),
    options: LayoutOptions = LayoutOptions()
  ) -> any PreparedLayout {
    layout.prepare(LayoutContext(contents: contents, container: container, options: options))
  }

  /// Items of 100 in a viewport of 400; item 5 of 11 is centred at offset 500.
  private func layout(
    _ style: CarouselLayout.Style,
    _ direction: ScrollAxis = .horizontal
  ) -> CarouselLayout {
    CarouselLayout(
      style: style,
      scrollDirection: direction,
      itemSize: Size(width: 100, height: 100)
    )
  }

  private func viewport(_ direction: ScrollAxis, _ offset: Double) -> Viewport {
    Viewport(
      offset: direction.point(main: offset, cross: 0),
      size: Size(width: 400, height: 400)
    )
  }

  @Test(
    "leaves the centred item's own plane alone, in the middle and in front",
    arguments: CarouselLayout.Style.allCases,
    ScrollAxis.allCases
  )
  func centred(style: CarouselLayout.Style, direction: ScrollAxis) throws {
    let carousel = prepared(plainContents(11), layout(style, direction))
    let viewport = viewport(direction, 500)
    let centred = try #require(carousel.cell(0, 5, viewport))
    #expect(centred.frame.center == viewport.rect.center)
    #expect(centred.frame.size == Size(width: 100, height: 100))
    expectClose(centred.boundingBox, centred.frame)
    if style != .linear {
      let matrix = centred.transform.matrix
      expectClose(matrix.rows.2.w, -1.0 / 500)
      #expect(centred.transform.matrix.values.count == 16)
    }
    let before = try #require(carousel.cell(0, 4, viewport))
    let after = try #require(carousel.cell(0, 6, viewport))
    #expect(before.zIndex < centred.zIndex)
    // What a time machine has not reached yet is behind the viewer.
    #expect(style == .timeMachine ? after.isHidden : after.zIndex < centred.zIndex)
  }

  @Test("content is as much longer than the viewport as there are steps")
  func contentSize() {
    let container = LayoutContainer(
      size: Size(width: 400, height: 300),
      insets: EdgeInsets(top: 10, leading: 5, bottom: 20, trailing: 5)
    )
    var narrow = layout(.rotary)
    narrow.spacing = 0.5
    #expect(
      prepared(plainContents(4, 0, 7), narrow, container).contentSize
        == Size(width: 400 + 10 * 50, height: 270)
    )
    #expect(prepared(plainContents(), narrow).contentSize == Size(width: 400, height: 400))
  }

  @Test("z-indices fall with the distance to the centre, also between two items")
  func depthOrder() throws {
    for style in CarouselLayout.Style.allCases where style != .timeMachine {
      let carousel = prepared(plainContents(11), layout(style))
      for offset in [500.0, 520, 549, 550, 551, 590, 0, 1000, -30, 1040] {
        let viewport = viewport(.horizontal, offset)
        let order = try (0 ..< 11).map { item in
          (abs(Double(item) * 100 - offset), try #require(carousel.cell(0, item, viewport)).zIndex)
        }
        for a in order {
          for b in order where a.0 < b.0 { #expect(a.1 > b.1, "\(style) at \(offset)") }
        }
      }
    }
  }

  @Test("comes to rest with the nearest item centred, within the content")
  func rests() throws {
    let carousel = prepared(plainContents(4, 7), layout(.coverFlow))
    for (proposed, expected, key) in [
      (512.0, 500.0, ElementKey.cell(1, 1)), (549, 500, .cell(1, 1)), (550, 500, .cell(1, 1)),
      (551, 600, .cell(1, 2)), (-90, 0, .cell(0, 0)), (5000, 1000, .cell(1, 6)),
    ] {
      let target = try #require(
        carousel.restingOffset(
          proposed: Point(x: proposed, y: 0),
          velocity: .zero,
          section: nil,
          viewport: viewport(.horizontal, proposed)
        )
      )
      #expect(target.offset == Point(x: expected, y: 0))
      #expect(target.element == key)
    }
  }

  @Test("rests on the same items in right-to-left environments, counted from the right")
  func restsMirrored() throws {
    let container = LayoutContainer(size: Size(width: 400, height: 400), isRightToLeft: true)
    let carousel = prepared(plainContents(11), layout(.coverFlow), container)
    let viewport = Viewport(of: container, at: Point(x: 720, y: 0))
    let target = try #require(
      carousel.restingOffset(
        proposed: viewport.offset,
        velocity: .zero,
        section: nil,
        viewport: viewport
      )
    )
    #expect(target.offset == Point(x: 700, y: 0))
    #expect(target.element == .cell(0, 3))
    let there = Viewport(of: container, at: target.offset)
    #expect(carousel.cell(0, 3, there)?.frame.center == there.rect.center)
  }

  @Test("shows as many items on each side as asked for; the next one comes gradually")
  func reach() {
    for style in CarouselLayout.Style.allCases where style != .timeMachine {
      var layout = layout(style)
      layout.itemSize = Size(width: 20, height: 20)
      layout.visibleItemsPerSide = 2
      let carousel = prepared(plainContents(40), layout)
      let everywhere = Rect(x: -1e6, y: -1e6, width: 2e6, height: 2e6)
      let atRest = carousel.probed(in: everywhere, viewport(.horizontal, 400))
      #expect(atRest.map(\.key.indexPath.item) == [18, 19, 20, 21, 22], "\(style)")
      #expect(atRest.allSatisfy { $0.attributes.alpha == 1 })
      let between = carousel.probed(in: everywhere, viewport(.horizontal, 405))
      #expect(between.map(\.key.indexPath.item) == [18, 19, 20, 21, 22, 23], "\(style)")
      expectClose(between[5].attributes.alpha, 0.25)
      expectClose(between[0].attributes.alpha, 0.75)
    }
  }

  /// Where iCarousel's published formulas put a point of an item on the screen, worked out point by
  /// point instead of by matrices.
  ///
  /// - Parameter point: along and across the line, from the item's centre.
  /// - Returns: from the screen's centre; nil behind the viewer.
  private func seen(
    _ point: (Double, Double),
    at offset: Double,
    _ layout: CarouselLayout,
    capacity: Double
  ) -> (Double, Double)? {
    let width = layout.scrollDirection.main(layout.itemSize)
    let step = width * layout.spacing
    var (x, y, z) = (point.0, point.1, 0.0)
    let ringAngle = offset / capacity * 2 * .pi
    let ringRadius = max(0.01, step / 2 / (Double.pi / capacity).tangent)
    switch layout.style {
    case .linear:
      return (x + offset * step, y)
    case .coverFlow:
      let clamped = max(-1, min(1, offset))
      let angle = -clamped * .pi / 2 * 0.9
      (x, z) = (x * angle.cosine, -x * angle.sine)
      x += (clamped * 0.5 * 0.9 + offset * 0.25 * layout.spacing) * width
      z += abs(clamped) * -width * 0.5
    case .rotary:
      x += ringRadius * ringAngle.sine
      z = ringRadius * ringAngle.cosine - ringRadius
    case .invertedRotary:
      x += -ringRadius * (-ringAngle).sine
      z = -ringRadius * (-ringAngle).cosine + ringRadius
    case .cylinder:
      (x, z) = (
        x * ringAngle.cosine + ringRadius * ringAngle.sine,
        -x * ringAngle.sine + ringRadius * ringAngle.cosine - ringRadius
      )
    case .wheel:
      let radius = step * capacity / (2 * .pi)
      // The hub: below, or to the left of a vertical wheel.
      let hub = layout.scrollDirection == .horizontal ? radius : -radius
      let turn = layout.scrollDirection == .horizontal ? ringAngle : -ringAngle
      let fromHub = y - hub
      (x, y) = (
        x * turn.cosine - fromHub * turn.sine, x * turn.sine + fromHub * turn.cosine + hub
      )
    case .timeMachine:
      x += offset * width * 0.3
      z = offset * width * layout.spacing
    }
    let w = 1 - z / layout.cameraDistance
    return w > 0 ? (x / w, y / w) : nil
  }

  @Test("answers every question alike, and puts every corner where the formulas put it")
  func agreesWithFormulas() throws {
    var random = SplitMix64(seed: 37)
    for round in 0 ..< 700 {
      var container = random.container()
      // Insets that leave nothing of the width are mirrored in content of no width: the middle of
      // the viewport is not where the line is then.
      if random.chance(60) || container.size.width < container.insets.horizontal {
        container.insets = .zero
      }
      let layout = CarouselLayout(
        style: CarouselLayout.Style.allCases[random.int(0 ... 6)],
        scrollDirection: random.chance(60) ? .horizontal : .vertical,
        itemSize: random.size(10 ... 300),
        spacing: random.double(0.3 ... 2),
        cameraDistance: random.double(300 ... 2000),
        visibleItemsPerSide: random.chance(40) ? random.int(0 ... 9) : nil
      )
      let carousel = prepared(random.contents(), layout, container)
      let axis = layout.scrollDirection
      let step = axis.main(layout.itemSize) * layout.spacing
      let keys = carousel.cellKeys
      let position =
        random.chance(30)
        ? Double(random.int(0 ... 40)) : random.double(-2 ... Double(keys.count + 2))
      let cross = axis == .vertical ? container.insets.leading : container.insets.top
      let isReversed = axis == .horizontal && container.isRightToLeft
      let offset =
        isReversed
        ? axis.main(carousel.contentSize) - axis.main(container.size) - position * step
        : position * step
      let crossRest =
        axis == .vertical && container.isRightToLeft ? container.insets.trailing : cross
      let viewport = Viewport(of: container, at: axis.point(main: offset, cross: -crossRest))
      let note = "round \(round): \(layout)"
      carousel.checkConsistency(viewport, random: &random, note)

      let capacity = Double(
        max(
          min(30, max(12, Int((axis.main(container.size) / step).rounded(.up) * .pi))),
          2 * min(layout.visibleItemsPerSide ?? 0, keys.count) + 1
        )
      )
      for (rank, key) in keys.enumerated() {
        let attributes = try #require(carousel.attributes(of: key, viewport: viewport))
        guard !attributes.isHidden else { continue }
        let corners = attributes.transform.quad(of: attributes.frame)
        let half = (axis.main(layout.itemSize) / 2, axis.cross(layout.itemSize) / 2)
        for (index, signs) in [(-1.0, -1.0), (1, -1), (1, 1), (-1, 1)].enumerated() {
          // Corners in content coordinates, mirrored back where the line is.
          var screen = corners[index] - viewport.rect.center
          var (sx, sy) = signs
          if container.isRightToLeft {
            screen.x = -screen.x
            sx = -sx
          }
          let point =
            axis == .horizontal ? (sx * half.0, sy * half.1) : (sy * half.0, sx * half.1)
          let expected = try #require(
            seen(point, at: Double(rank) - position, layout, capacity: capacity),
            "\(note)"
          )
          expectClose(axis.main(screen), expected.0, tolerance: 1e-4, note)
          expectClose(axis.cross(screen), expected.1, tolerance: 1e-4, note)
        }
      }
    }
  }

  @Test("looks only at items near the viewport of a million")
  func large() {
    for style in CarouselLayout.Style.allCases {
      let carousel = prepared(plainContents(1_000_000), layout(style))
      let viewport = viewport(.horizontal, 50_000_000)
      let found = carousel.probed(in: viewport.rect, viewport)
      #expect(found.contains { $0.key == .cell(0, 500_000) }, "\(style)")
      #expect(found.count < 40, "\(style)")
    }
  }

  @Test("stays finite with nothing to lay out, or nowhere to")
  func degenerate() {
    for style in CarouselLayout.Style.allCases {
      for contents in [plainContents(), plainContents(0), plainContents(0, 1, 0), plainContents(3)]
      {
        for size in [Size.zero, Size(width: 100, height: 100)] {
          for itemSize in [Size.zero, Size(width: 50, height: 50)] {
            for spacing in [0.0, 1] {
              let carousel = prepared(
                contents,
                CarouselLayout(style: style, itemSize: itemSize, spacing: spacing),
                LayoutContainer(size: size)
              )
              var random = SplitMix64(seed: 1)
              carousel.checkConsistency(
                Viewport(offset: Point(x: 20, y: 0), size: size),
                random: &random,
                "\(style)"
              )
            }
          }
        }
      }
    }
  }

  @Test("names every wrong parameter, and warns of what scrolling cannot tell apart")
  func validates() {
    #expect(rejectedFields(CarouselLayout()).isEmpty)
    #expect(
      rejectedFields(
        CarouselLayout(
          itemSize: Size(width: -1, height: .infinity),
          spacing: -1,
          cameraDistance: 0,
          visibleItemsPerSide: -1
        )
      )
        == [
          "item_size.width", "item_size.height", "spacing", "camera_distance",
          "visible_items_per_side",
        ]
    )
    var findings = LayoutFindings()
    CarouselLayout(spacing: 0).validate(viewportSize: nil, findings: &findings)
    #expect(findings.violations.isEmpty)
    #expect(findings.warnings.map(\.field) == ["spacing"])
  }
}
