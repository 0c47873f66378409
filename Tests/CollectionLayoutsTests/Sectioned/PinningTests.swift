// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("Pinned headers and footers", .timeLimit(.minutes(2)))
struct PinningTests {
  private func layout(_ axis: ScrollAxis) -> FlowLayout {
    FlowLayout(
      scrollDirection: axis,
      itemSize: Size(width: 50, height: 50),
      minimumLineSpacing: 0,
      minimumInteritemSpacing: 0,
      headerReferenceSize: Size(width: 30, height: 30),
      footerReferenceSize: Size(width: 20, height: 20),
      sectionHeadersPinToVisibleBounds: true,
      sectionFootersPinToVisibleBounds: true
    )
  }

  @Test("keep to the visible bounds as far as their section goes", arguments: ScrollAxis.allCases)
  func clamps(axis: ScrollAxis) {
    // Sections of 30 + 500 + 20 along the axis.
    let container = LayoutContainer(
      size: Size(width: 50, height: 50),
      insets: EdgeInsets(top: 0, leading: 0, bottom: 0, trailing: 0)
    )
    var tall = container
    tall.size = axis.size(main: 200, cross: 50)
    let prepared = layout(axis).prepare(
      LayoutContext(contents: plainContents(10, 10), container: tall)
    )
    func mains(_ offset: Double) -> [Double?] {
      let viewport = Viewport(
        offset: axis.point(main: offset, cross: 0),
        size: tall.size,
        insets: EdgeInsets(top: 7, leading: 7, bottom: 3, trailing: 3)
      )
      return [
        ElementKey.supplementary("header", section: 0), .supplementary("footer", section: 0),
        .supplementary("header", section: 1), .supplementary("footer", section: 1),
      ].map { prepared.attributes(of: $0, viewport: viewport).map { axis.main($0.frame.origin) } }
    }
    // Before everything; the footers at the bottom: 200 - 3 - 20.
    #expect(mains(0) == [7, 177, 550, 580])
    #expect(mains(100) == [107, 277, 550, 580])
    // The first section passes by: its header stops at its footer's start less 30.
    #expect(mains(515) == [500, 530, 550, 692])
    #expect(mains(700) == [500, 530, 707, 877])
    #expect(mains(5000) == [500, 530, 1050, 1080])
  }

  @Test("stand at their natural place for renderers that pin, with the range of their motion")
  func rendererPins() {
    let container = LayoutContainer(size: Size(width: 50, height: 200))
    let prepared = layout(.vertical).prepare(
      LayoutContext(contents: plainContents(10, 10), container: container)
    )
    var viewport = Viewport(
      offset: Point(x: 0, y: 100),
      size: container.size,
      insets: EdgeInsets(top: 7, leading: 0, bottom: 3, trailing: 0)
    )
    viewport.rendererPins = true
    let header = ElementKey.supplementary("header", section: 1)
    #expect(prepared.attributes(of: header, viewport: viewport)?.frame.y == 550)
    #expect(
      prepared.pinRange(of: header, viewport: viewport)
        == PinRange(minOffset: 550, maxOffset: 1050, inset: 7)
    )
    #expect(
      prepared.pinRange(of: .supplementary("footer", section: 0), viewport: viewport)
        == PinRange(minOffset: 30, maxOffset: 530, inset: 177)
    )
    // Found wherever their motion can take them.
    var buffer = ElementBuffer()
    prepared.appendElements(
      in: Rect(x: 0, y: 800, width: 50, height: 10),
      viewport: viewport,
      to: &buffer
    )
    let kinds = buffer.elements.filter { $0.category == .supplementary }
    #expect(kinds.count == 2)
    #expect(kinds.allSatisfy { buffer.pin(of: $0) != nil && $0.zIndex == 10 })
  }

  @Test("move as their pin ranges say, in both directions of reading", arguments: 0 ..< 6)
  func pinRangesAgree(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0 ..< 30 {
      let axis: ScrollAxis = random.chance(50) ? .vertical : .horizontal
      var layout = random.flow()
      layout.scrollDirection = axis
      layout.headerReferenceSize = random.size(10 ... 40)
      layout.footerReferenceSize = random.size(10 ... 40)
      layout.sectionHeadersPinToVisibleBounds = true
      layout.sectionFootersPinToVisibleBounds = random.chance(70)
      let container = random.container()
      let prepared = layout.prepare(
        LayoutContext(contents: random.sizedContents(sections: 1 ... 4), container: container)
      )
      var viewport = Viewport(
        of: container,
        at: Point(x: random.length(-50 ... 900), y: random.length(-50 ... 900))
      )
      let pinned = prepared.probed(in: .everywhere, viewport).filter {
        $0.key.category == .supplementary
      }
      viewport.rendererPins = true
      for element in pinned {
        guard let range = prepared.pinRange(of: element.key, viewport: viewport),
          let natural = prepared.attributes(of: element.key, viewport: viewport)
        else {
          #expect(element.key.kind == "footer" && !layout.sectionFootersPinToVisibleBounds)
          continue
        }
        #expect(range.axis == axis)
        let start = axis.main(viewport.offset) + range.inset
        expectClose(
          axis.main(element.attributes.frame.origin),
          min(max(start, range.minOffset), range.maxOffset),
          "\(element.key) \(layout)"
        )
        #expect(natural.frame.size == element.attributes.frame.size)
        let main = axis.main(natural.frame.origin)
        #expect(main >= range.minOffset - 1e-6 && main <= range.maxOffset + 1e-6)
      }
    }
  }
}
