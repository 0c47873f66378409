// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("Validation of layouts of sections", .timeLimit(.minutes(1)))
struct SectionsValidationTests {
  private func findings(_ layout: SectionsLayout, viewportSize: Size? = nil) -> LayoutFindings {
    var findings = LayoutFindings()
    layout.validate(viewportSize: viewportSize, findings: &findings)
    return findings
  }

  @Test("names the field in the entry")
  func fields() {
    let layout = SectionsLayout(
      interSectionSpacing: -1,
      layouts: [
        SectionLayout(.flow(FlowLayout(itemSize: Size(width: -1, height: 1)))),
        SectionLayout(.list(ListLayout(rowSpacing: .nan))),
        SectionLayout(.grid(GridLayout(lineSpacing: -1))),
        SectionLayout(.waterfall(WaterfallLayout(columns: .count(0)))),
        SectionLayout(
          .compositional(
            CompositionalSection(
              name: "a",
              group: LayoutGroup(
                axis: nil,
                size: LayoutSize(width: .absolute(1), height: .absolute(1)),
                subitems: []
              )
            )
          )
        ),
        SectionLayout(.unspecified),
      ]
    )
    #expect(
      rejectedFields(layout) == [
        "inter_section_spacing", "layouts[0].flow.item_size.width", "layouts[1].list.row_spacing",
        "layouts[2].grid.line_spacing", "layouts[3].waterfall.column_count",
        "layouts[4].compositional.name", "layouts[4].compositional.group.subitems",
        "layouts[4].compositional.group.axis", "layouts[5]",
      ]
    )
    #expect(rejectedFields(SectionsLayout(layouts: [])) == ["layouts"])
  }

  @Test("refuses entries that scroll along the other axis, and says which is allowed")
  func axes() {
    let across = SectionsLayout(
      scrollAxis: .horizontal,
      layouts: [
        SectionLayout(.flow(FlowLayout(scrollDirection: .vertical))),
        SectionLayout(.list(ListLayout())),
        SectionLayout(.grid(GridLayout())),
        SectionLayout(.waterfall(WaterfallLayout(scrollAxis: .horizontal, columns: .count(1)))),
      ]
    )
    let violations = findings(across).violations
    #expect(
      violations.map(\.field) == [
        "layouts[0].flow.scroll_direction", "layouts[1].list", "layouts[2].grid",
      ]
    )
    #expect(
      violations.first?.description
        == "scrolls vertically; must scroll horizontally, as the sections do"
    )
    var down = across
    down.scrollAxis = .vertical
    #expect(rejectedFields(down) == ["layouts[3].waterfall.scroll_direction"])
  }

  @Test("refuses more entries and kinds than a layout may have")
  func limits() {
    let list = SectionLayout(.list(ListLayout()))
    #expect(rejectedFields(SectionsLayout(layouts: Array(repeating: list, count: 1024))).isEmpty)
    #expect(
      rejectedFields(SectionsLayout(layouts: Array(repeating: list, count: 1025))) == ["layouts"]
    )
    // Three kinds are the headers, footers and separators of every layout of sections.
    func groups(_ kinds: Int) -> SectionsLayout {
      SectionsLayout(
        layouts: (0 ..< kinds).map {
          SectionLayout(
            .compositional(
              CompositionalSection(
                group: rows(),
                boundarySupplementaryItems: [header("k\($0)")]
              )
            )
          )
        }
      )
    }
    #expect(rejectedFields(groups(1021)).isEmpty)
    #expect(rejectedFields(groups(1022)) == ["layouts"])
  }

  @Test("warns of names that are taken, and of what the entries' layouts warn of")
  func warnings() {
    let wide = SectionLayout(name: "a", .flow(FlowLayout(itemSize: Size(width: 500, height: 10))))
    let found = findings(
      SectionsLayout(layouts: [wide, wide]),
      viewportSize: Size(width: 320, height: 400)
    )
    #expect(found.violations.isEmpty)
    #expect(
      found.warnings.map(\.field) == [
        "layouts[0].flow.item_size.width", "layouts[1].flow.item_size.width", "layouts[1].name",
      ]
    )
  }

  @Test("parameters count with their texts")
  func parameterBytes() {
    let short = SectionsLayout(layouts: [SectionLayout(name: "a", .list(ListLayout()))])
    let long = SectionsLayout(
      layouts: [SectionLayout(name: String(repeating: "a", count: 101), .list(ListLayout()))]
    )
    #expect(long.parameterByteCount - short.parameterByteCount == 100)
  }

  @Test("shows nothing where an entry that was not validated cannot be laid out")
  func unchecked() {
    let layout = SectionsLayout(
      scrollAxis: .horizontal,
      layouts: [
        SectionLayout(.list(ListLayout())), SectionLayout(.unspecified),
        SectionLayout(.grid(GridLayout())),
      ]
    )
    let context = LayoutContext(
      contents: plainContents(3, 3, 3),
      container: LayoutContainer(size: Size(width: 100, height: 100))
    )
    #expect(layout.prepare(context).contentSize == Size(width: 0, height: 100))
    #expect(
      SectionsLayout(layouts: []).prepare(context).contentSize == Size(width: 100, height: 0)
    )
  }
}
