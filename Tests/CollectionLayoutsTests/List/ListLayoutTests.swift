// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

extension SplitMix64 {
  mutating func list() -> ListLayout {
    ListLayout(
      rowHeight: length(0 ... 80),
      rowSpacing: chance(50) ? 0 : length(0 ... 20),
      sectionInset: insets(0 ... 40),
      headerHeight: chance(50) ? 0 : length(0 ... 50),
      footerHeight: chance(50) ? 0 : length(0 ... 50),
      separatorThickness: chance(50) ? 0 : length(0 ... 3),
      separatorInsets: chance(50) ? .zero : EdgeInsets(top: 0, leading: 8, bottom: 0, trailing: 3)
    )
  }
}

@Suite("ListLayout", .timeLimit(.minutes(2)))
struct ListLayoutTests {
  /// The rules of a list, row by row.
  private func reference(_ layout: ListLayout, _ context: LayoutContext) -> Reference {
    var reference = Reference()
    let grid = PixelGrid(scale: context.container.displayScale)
    func pixel(_ value: Double) -> Double {
      context.options.isPixelAligned ? grid.round(value) : value
    }
    let width = context.container.contentSize.width
    var y = 0.0
    for section in 0 ..< context.contents.sectionCount {
      let metrics = context.contents.section(at: section).metrics
      let inset = metrics.inset ?? layout.sectionInset
      let spacing = metrics.lineSpacing ?? layout.rowSpacing
      let header = pixel(metrics.headerSize?.height ?? layout.headerHeight)
      let footer = pixel(metrics.footerSize?.height ?? layout.footerHeight)
      let thickness = pixel(layout.separatorThickness)
      let top = y
      let path = IndexPath(section: section)
      if header > 0 {
        reference.add(
          .supplementary,
          "header",
          path,
          Rect(x: 0, y: y, width: width, height: header)
        )
      }
      y += header + inset.top
      let sizes = context.contents.sizes(ofSection: section)
      for (item, size) in sizes.enumerated() {
        let row = Rect(
          x: inset.leading,
          y: y,
          width: pixel(max(0, width - inset.horizontal)),
          height: pixel(size.height ?? layout.rowHeight)
        )
        let path = IndexPath(section: section, item: item)
        reference.add(.cell, "", path, row)
        y += row.height
        if item < sizes.count - 1 {
          if thickness > 0 {
            let line = Rect(
              x: row.x,
              y: y,
              width: max(0, width - inset.horizontal),
              height: thickness
            )
            reference.add(
              .decoration,
              "separator",
              path,
              line.inset(by: layout.separatorInsets),
              zIndex: 1
            )
          }
          y += spacing
        }
      }
      y = max(top, y + inset.bottom)
      if footer > 0 {
        reference.add(
          .supplementary,
          "footer",
          path,
          Rect(x: 0, y: y, width: width, height: footer)
        )
      }
      y += footer
      var seen: Set<String> = []
      for background in context.options.sectionBackgrounds
      where y > top && background.sections?.contains(section) ?? true {
        guard seen.insert(background.kind).inserted else { continue }
        reference.add(
          .decoration,
          background.kind,
          path,
          Rect(x: 0, y: top, width: width, height: y - top).inset(by: background.insets),
          zIndex: background.zIndex,
          custom: background.custom
        )
      }
    }
    reference.contentSize = Size(width: width, height: y)
    reference.finish(context.container, context.options)
    return reference
  }

  @Test("agrees with the rules applied row by row", arguments: 0 ..< 4)
  func agreesWithReference(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0 ..< 15 {
      let layout = random.list()
      let context = LayoutContext(
        contents: random.sizedContents(),
        container: random.container(),
        options: random.options()
      )
      let prepared = layout.prepare(context)
      let viewport = Viewport(of: context.container)
      let note = "\(seed).\(round) \(layout)"
      reference(layout, context).check(prepared, viewport, note)
      prepared.checkConsistency(viewport, random: &random, note)
    }
  }

  @Test("derives from batches what it would prepare from nothing", arguments: 0 ..< 4)
  func updates(seed: UInt64) {
    var random = SplitMix64(seed: 300 + seed)
    for round in 0 ..< 3 {
      let layout = random.list()
      let context = LayoutContext(
        contents: random.sizedContents(sections: 1 ... 3, items: round == 0 ? 1500 : 40),
        container: LayoutContainer(size: Size(width: 320, height: 480)),
        options: random.options()
      )
      checkUpdates(layout, context, batches: 20, random: &random, "\(seed).\(round) \(layout)")
    }
  }

  @Test("solves ten million equal rows in closed form")
  func uniform() {
    let context = LayoutContext(
      contents: plainContents(10_000_000),
      container: LayoutContainer(size: Size(width: 320, height: 480))
    )
    let prepared = ListLayout(separatorThickness: 1).prepare(context)
    #expect(prepared.contentSize == Size(width: 320, height: 440_000_000))
    #expect(prepared.byteCount < 2_000)
    let viewport = Viewport(of: context.container)
    #expect(prepared.cell(0, 9_999_999, viewport)?.frame.y == 439_999_956)
  }

  @Test("names every wrong parameter")
  func validation() {
    #expect(rejectedFields(ListLayout()).isEmpty)
    #expect(
      rejectedFields(
        ListLayout(
          rowHeight: -5,
          rowSpacing: .nan,
          sectionInset: EdgeInsets(top: 0, leading: .infinity, bottom: 0, trailing: 0),
          headerHeight: -1,
          footerHeight: -1,
          separatorThickness: -1,
          separatorInsets: EdgeInsets(top: 0, leading: 0, bottom: 0, trailing: .nan)
        )
      )
        == [
          "row_height", "row_spacing", "section_inset.leading", "header_height", "footer_height",
          "separator_thickness", "separator_insets.trailing",
        ]
    )
  }
}
