// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("Checks of a compositional layout", .timeLimit(.minutes(2)))
struct CompositionalValidationTests {
  private func rejected(_ change: (inout CompositionalLayout) -> Void) -> [String] {
    var layout = CompositionalLayout(sections: [CompositionalSection(group: rows())])
    change(&layout)
    return rejectedFields(layout)
  }

  @Test("let right parameters pass")
  func valid() {
    #expect(rejected { _ in }.isEmpty)
    #expect(
      rejected {
        $0.sections[0].group = LayoutGroup(
          axis: nil,
          size: LayoutSize(width: .absolute(1), height: .absolute(1)),
          customFrames: [Rect(x: -1, y: 0, width: 5, height: 5)]
        )
      }.isEmpty
    )
  }

  @Test("name what is wrong with a layout and its sections")
  func sections() {
    #expect(rejected { $0.sections = [] } == ["sections"])
    #expect(rejected { $0.interSectionSpacing = -1 } == ["inter_section_spacing"])
    #expect(
      rejected { $0.sections[0].interGroupSpacing = .nan } == ["sections[0].inter_group_spacing"]
    )
    #expect(
      rejected { $0.sections[0].contentInsets.top = .infinity }
        == ["sections[0].content_insets.top"]
    )
    #expect(
      rejected {
        $0.sections[0].visibleItemEffects = [
          .init(attribute: nil, activeDistance: 0, atCenter: 1, atDistance: .nan)
        ]
      }
        == ["attribute", "active_distance", "at_distance"].map {
          "sections[0].visible_item_effects[0].\($0)"
        }
    )
    #expect(
      rejected {
        $0.sections[0].backgrounds = [SectionBackground(kind: ""), SectionBackground(kind: "")]
      }.contains("sections[0].backgrounds[1].kind")
    )
  }

  @Test("name what is wrong with a group")
  func groups() {
    let field = "sections[0].group"
    #expect(rejected { $0.sections[0].group.axis = nil } == ["\(field).axis"])
    #expect(rejected { $0.sections[0].group.subitems = [] } == ["\(field).subitems"])
    #expect(rejected { $0.sections[0].group.count = 20_000 } == ["\(field).count"])
    #expect(
      rejected {
        $0.sections[0].group.count = 2
        $0.sections[0].group.subitems.append(.unspecified)
      } == ["\(field).count", "\(field).subitems[1]"]
    )
    #expect(
      rejected { $0.sections[0].group.customFrames = [Rect(x: 0, y: .nan, width: -1, height: 0)] }
        == ["", "[0].y", "[0].width"].map { "\(field).custom_frames\($0)" }
    )
    #expect(
      rejected { $0.sections[0].group.size = LayoutSize(width: .absolute(-1)) }
        == ["\(field).size.width", "\(field).size.height"]
    )
    #expect(
      rejected { $0.sections[0].group.interitemSpacing = .flexible(-1) }
        == ["\(field).interitem_spacing"]
    )
    #expect(
      rejected { $0.sections[0].group.edgeSpacing.leading = .fixed(.nan) }
        == ["\(field).edge_spacing.leading"]
    )
  }

  @Test("name items below by their path")
  func paths() {
    let item = LayoutItem(
      size: LayoutSize(width: .absolute(.nan), height: .absolute(1)),
      supplementaryItems: [
        AnchoredSupplementaryItem(
          kind: "a",
          size: LayoutSize(width: .absolute(1), height: .absolute(1)),
          containerAnchor: LayoutAnchor(top: true, offset: .absolute(Point(x: 0, y: .nan)))
        )
      ]
    )
    var inner = rows()
    inner.subitems.append(.item(item))
    #expect(
      rejected { $0.sections[0].group.subitems.append(.group(inner)) }
        == ["size.width", "supplementary_items[0].container_anchor.absolute_offset.y"].map {
          "sections[0].group.subitems[1].group.subitems[1].item.\($0)"
        }
    )
  }

  @Test("refuse elements that could not be told apart")
  func kinds() {
    #expect(
      rejected { $0.sections[0].boundarySupplementaryItems = [header(), header()] }
        == ["sections[0].boundary_supplementary_items[1].kind"]
    )
    #expect(
      rejected {
        $0.sections[0].boundarySupplementaryItems = [header()]
        $0.boundarySupplementaryItems = [header()]
      } == ["boundary_supplementary_items[0].kind"]
    )
    let badge = AnchoredSupplementaryItem(
      kind: "a",
      size: LayoutSize(width: .absolute(1), height: .absolute(1))
    )
    #expect(
      rejected {
        $0.sections[0].group.supplementaryItems = [badge]
        $0.sections[0].group.subitems = [
          .item(
            LayoutItem(
              size: LayoutSize(width: .absolute(1), height: .absolute(1)),
              supplementaryItems: [badge]
            )
          )
        ]
      } == ["sections[0].group"]
    )
  }

  @Test("allow sixteen levels of groups")
  func depth() {
    func nested(_ levels: Int) -> LayoutGroup {
      var group = rows()
      for _ in 1 ..< levels {
        var outer = rows()
        outer.subitems = [.group(group)]
        group = outer
      }
      return group
    }
    #expect(rejected { $0.sections[0].group = nested(16) }.isEmpty)
    #expect(rejected { $0.sections[0].group = nested(17) }.count == 1)
  }

  @Test("warn of groups that are wider than the container, and of names in vain")
  func warnings() {
    var findings = LayoutFindings()
    var wide = CompositionalSection(name: "a", group: rows(width: .absolute(400)))
    let layout = CompositionalLayout(sections: [wide, wide])
    layout.validate(viewportSize: Size(width: 320, height: 480), findings: &findings)
    #expect(findings.violations.isEmpty)
    #expect(
      findings.warnings.map(\.field)
        == ["sections[0].group.size.width", "sections[1].group.size.width", "sections[1].name"]
    )
    findings = LayoutFindings()
    wide.orthogonalScrolling = .paging
    CompositionalLayout(sections: [wide]).validate(
      viewportSize: Size(width: 320, height: 480),
      findings: &findings
    )
    #expect(findings.warnings.isEmpty)
  }
}
