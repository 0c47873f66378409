// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

extension SplitMix64 {
  mutating func flow() -> FlowLayout {
    FlowLayout(
      scrollDirection: chance(60) ? .vertical : .horizontal,
      itemSize: chance(30) ? Size(width: 50, height: 50) : size(1 ... 150),
      estimatedItemSize: chance(20) ? size(1 ... 150) : nil,
      minimumLineSpacing: chance(30) ? 10 : length(0 ... 30),
      minimumInteritemSpacing: chance(30) ? 10 : length(0 ... 30),
      sectionInset: insets(0 ... 50),
      sectionInsetReference: chance(60) ? .automatic : insetsReference(),
      headerReferenceSize: chance(50) ? .zero : size(0 ... 60),
      footerReferenceSize: chance(50) ? .zero : size(0 ... 60),
      alignment: chance(50)
        ? .justified : [.leading, .center, .trailing].randomElement(using: &self) ?? .leading,
      crossAlignment: chance(50) ? .center : [.start, .end].randomElement(using: &self) ?? .start
    )
  }
}

@Suite("FlowLayout", .timeLimit(.minutes(2)))
struct FlowLayoutTests {
  @Test("agrees with the rules applied item by item", arguments: 0 ..< 8)
  func agreesWithReference(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0 ..< 30 {
      let layout = random.flow()
      let context = LayoutContext(
        contents: random.sizedContents(),
        container: random.marginedContainer(),
        options: random.options()
      )
      let prepared = layout.prepare(context)
      let viewport = Viewport(of: context.container)
      NaiveFlow(layout, context).reference.check(prepared, viewport, "\(seed).\(round) \(layout)")
    }
  }

  @Test(
    "breaks lines alike in integers and in floating point, short lines and long ones",
    arguments: [1, 4, 64, 128, 3] as [Double],
    [0, 2.5, 10, 1.0 / 3] as [Double]
  )
  func breaksExactly(scale: Double, spacing: Double) {
    var random = SplitMix64(seed: 900)
    for (most, width) in [(8, 400.0), (60, 400), (200, 333.25), (500, 400), (20_000, 400)] {
      var blocks: [ItemBlock] = []
      for count in [700, 3, 40, 513] {
        // Now and then of no length, with a sign; now and then wider than a line.
        let widths = (0 ..< count).map { _ in
          Double(random.chance(5) ? 0 : random.int(0 ... most * Int(scale))) / scale
        }
        let heights = (0 ..< count).map { _ in
          random.chance(5) ? -0.0 : Double(random.int(0 ... 100 * Int(scale))) / scale
        }
        blocks.append(ItemBlock(count: count, widths: widths, heights: heights))
        blocks.append(ItemBlock(count: random.int(1 ... 5), widths: [7], heights: [30]))
      }
      let context = LayoutContext(
        contents: CollectionContents(sections: [SectionContents(blocks: blocks)]),
        container: LayoutContainer(size: Size(width: width, height: 480))
      )
      let layout = FlowLayout(minimumInteritemSpacing: spacing, alignment: .leading)
      let prepared = layout.prepare(context)
      NaiveFlow(layout, context).reference.check(
        prepared,
        Viewport(of: context.container),
        "\(scale) \(spacing) \(most)"
      )
    }
  }

  @Test("answers alike however it is asked", arguments: 0 ..< 4)
  func isConsistent(seed: UInt64) {
    var random = SplitMix64(seed: 100 + seed)
    for round in 0 ..< 20 {
      var layout = random.flow()
      layout.sectionHeadersPinToVisibleBounds = random.chance(40)
      layout.sectionFootersPinToVisibleBounds = random.chance(40)
      let context = LayoutContext(
        contents: random.sizedContents(),
        container: random.marginedContainer(),
        options: random.options()
      )
      let prepared = layout.prepare(context)
      let viewport = Viewport(
        of: context.container,
        at: Point(x: random.length(-50 ... 500), y: random.length(-50 ... 500))
      )
      prepared.checkConsistency(viewport, random: &random, "\(seed).\(round) \(layout)")
    }
  }

  @Test("finds each element in just the tiles that its box meets", arguments: 0 ..< 4)
  func tiles(seed: UInt64) {
    var random = SplitMix64(seed: 200 + seed)
    let layout = random.flow()
    let context = LayoutContext(
      contents: random.sizedContents(sections: 3 ... 6),
      container: LayoutContainer(size: Size(width: 320, height: 480))
    )
    let prepared = layout.prepare(context)
    let viewport = Viewport(of: context.container)
    let all = prepared.probed(in: .everywhere, viewport)
    let width = random.double(70 ... 300)
    let height = random.double(70 ... 300)
    var y = -height
    while y < prepared.contentSize.height + height {
      var x = -3 * width
      while x < prepared.contentSize.width + 3 * width {
        let tile = Rect(x: x, y: y, width: width, height: height)
        #expect(
          prepared.probed(in: tile, viewport) == all.filter { $0.attributes.frame.meets(tile) }
        )
        x += width
      }
      y += height
    }
  }

  @Test("derives from batches what it would prepare from nothing", arguments: 0 ..< 8)
  func updates(seed: UInt64) {
    var random = SplitMix64(seed: 300 + seed)
    for round in 0 ..< 3 {
      let layout = random.flow()
      let context = LayoutContext(
        contents: random.sizedContents(sections: 1 ... 3, items: round == 0 ? 700 : 40),
        container: LayoutContainer(size: Size(width: 320, height: 480)),
        options: random.options()
      )
      checkUpdates(
        layout,
        context,
        batches: 20,
        random: &random,
        "\(seed).\(round) \(layout)"
      )
    }
  }

  @Test("puts self-sizing items of one width into columns, whatever their heights are")
  func columns() {
    let contents = CollectionContents(sections: [
      SectionContents(blocks: [ItemBlock(count: 5, widths: [90], heights: [40, 20, 30, 50, 60])])
    ])
    let context = LayoutContext(
      contents: contents,
      container: LayoutContainer(size: Size(width: 320, height: 480))
    )
    let viewport = Viewport(of: context.container)
    func frame(_ layout: FlowLayout) -> Rect? {
      layout.prepare(context).cell(0, 4, viewport)?.frame
    }
    // Gaps of (320 - 270) / 2 in both lines.
    expectClose(
      frame(FlowLayout(estimatedItemSize: Size(width: 50, height: 40))),
      Rect(x: 115, y: 50, width: 90, height: 60)
    )
    // Otherwise the last line has the minimum spacing.
    expectClose(frame(FlowLayout()), Rect(x: 100, y: 50, width: 90, height: 60))
  }

  @Test("starts an item that is longer than its line at the line's start")
  func tooLong() {
    let container = LayoutContainer(size: Size(width: 100, height: 480))
    let viewport = Viewport(of: container)
    for widths in [[150.0], [150, 90, 150]] {
      let blocks = [ItemBlock(count: 3, widths: widths, heights: [10])]
      let contents = CollectionContents(sections: [SectionContents(blocks: blocks)])
      let prepared = FlowLayout(minimumLineSpacing: 0).prepare(
        LayoutContext(contents: contents, container: container)
      )
      expectClose(
        prepared.cell(0, 0, viewport)?.frame,
        Rect(x: 0, y: 0, width: 150, height: 10)
      )
      expectClose(
        prepared.cell(0, 2, viewport)?.frame,
        Rect(x: 0, y: 20, width: 150, height: 10)
      )
    }
  }

  @Test("solves ten million equal items in closed form")
  func uniform() {
    let contents = plainContents(10_000_000)
    let layout = FlowLayout()
    let context = LayoutContext(
      contents: contents,
      container: LayoutContainer(size: Size(width: 320, height: 480))
    )
    let prepared = layout.prepare(context)
    #expect(prepared.contentSize == Size(width: 320, height: 2_000_000 * 60 - 10))
    #expect(prepared.byteCount < 2_000)
    let viewport = Viewport(of: context.container)
    let found = prepared.probed(in: Rect(x: 0, y: 60_000_000, width: 320, height: 100), viewport)
    #expect(found.count == 10)
    #expect(found.first?.key == .cell(0, 5_000_000))
  }

  @Test("shares what an insertion leaves alone")
  func sharing() throws {
    let block = ItemBlock(
      count: 100_000,
      widths: (0 ..< 100_000).map { Double(40 + ($0 * 7919) % 90) },
      heights: (0 ..< 100_000).map { Double(20 + ($0 * 104729) % 50) }
    )
    let contents = CollectionContents(sections: [SectionContents(blocks: [block])])
    let context = LayoutContext(
      contents: contents,
      container: LayoutContainer(size: Size(width: 375, height: 600))
    )
    let layout = FlowLayout()
    let old = layout.prepare(context)
    let change = try contents.applying(
      UpdateBatch([
        .insertItems(
          at: IndexPath(section: 0, item: 50_000),
          items: [ItemBlock(count: 1, widths: [77], heights: [33])]
        )
      ]),
      limits: .standard
    )
    let new = layout.update(old, by: change)
    #expect(new.byteCount < 100_000 * 3)
    let fresh = layout.prepare(new.context)
    let viewport = Viewport(of: context.container)
    for item in [0, 49_990, 50_000, 50_001, 50_100, 100_000] {
      expectClose(
        new.cell(0, item, viewport)?.frame,
        fresh.cell(0, item, viewport)?.frame ?? .zero
      )
    }
    #expect(abs(new.contentSize.height - fresh.contentSize.height) < 1e-6)
  }

  @Test("names every wrong parameter")
  func validation() {
    #expect(rejectedFields(FlowLayout()).isEmpty)
    #expect(
      rejectedFields(FlowLayout(itemSize: Size(width: -1, height: .nan)))
        == ["item_size.width", "item_size.height"]
    )
    #expect(
      rejectedFields(FlowLayout(minimumLineSpacing: .nan, minimumInteritemSpacing: -1))
        == ["minimum_line_spacing", "minimum_interitem_spacing"]
    )
    #expect(
      rejectedFields(
        FlowLayout(
          sectionInset: EdgeInsets(top: .infinity, leading: 0, bottom: 0, trailing: 0),
          headerReferenceSize: Size(width: 0, height: -2),
          footerReferenceSize: Size(width: -3, height: 0)
        )
      )
        == ["section_inset.top", "header_reference_size.height", "footer_reference_size.width"]
    )
  }

  @Test("warns of items that are wider than the container less the section's insets")
  func warnings() {
    func warned(_ layout: FlowLayout) -> [String] {
      var findings = LayoutFindings()
      layout.validate(viewportSize: Size(width: 320, height: 480), findings: &findings)
      #expect(findings.violations.isEmpty)
      return findings.warnings.map(\.field)
    }
    #expect(warned(FlowLayout(itemSize: Size(width: 320, height: 900))).isEmpty)
    #expect(warned(FlowLayout(itemSize: Size(width: 321, height: 10))) == ["item_size.width"])
    #expect(
      warned(
        FlowLayout(
          itemSize: Size(width: 310, height: 10),
          sectionInset: EdgeInsets(top: 0, leading: 6, bottom: 0, trailing: 5)
        )
      )
        == ["item_size.width"]
    )
    #expect(
      warned(
        FlowLayout(scrollDirection: .horizontal, itemSize: Size(width: 50, height: 500))
      )
        == ["item_size.height"]
    )
  }
}
