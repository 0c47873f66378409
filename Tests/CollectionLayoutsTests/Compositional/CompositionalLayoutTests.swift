// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@Suite("Compositional layout", .timeLimit(.minutes(2)))
struct CompositionalLayoutTests {
  private let container = LayoutContainer(size: Size(width: 320, height: 480))

  private func prepare(
    _ sections: CompositionalSection...,
    contents: CollectionContents,
    options: LayoutOptions = .init()
  ) -> any PreparedLayout {
    CompositionalLayout(sections: sections).prepare(
      LayoutContext(contents: contents, container: container, options: options)
    )
  }

  @Test("repeats a pattern of nested groups")
  func nested() {
    let column = LayoutGroup(
      axis: .vertical,
      size: LayoutSize(width: .fractionalWidth(0.25), height: .fractionalHeight(1)),
      subitems: [
        .item(LayoutItem(size: LayoutSize(width: .fractionalWidth(1), height: .absolute(1))))
      ],
      count: 3,
      interitemSpacing: .fixed(5)
    )
    let group = LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .fractionalWidth(1), height: .absolute(100)),
      subitems: [
        .item(
          LayoutItem(size: LayoutSize(width: .fractionalWidth(0.5), height: .fractionalHeight(1)))
        ),
        .group(column),
      ]
    )
    let prepared = prepare(
      CompositionalSection(group: group, interGroupSpacing: 10),
      contents: plainContents(100)
    )
    let viewport = Viewport(of: container)
    // Half, a quarter of three, and half again does not fit: 4 items in a group.
    expectClose(prepared.cell(0, 4, viewport)?.frame, Rect(x: 0, y: 110, width: 160, height: 100))
    expectClose(prepared.cell(0, 6, viewport)?.frame, Rect(x: 160, y: 145, width: 80, height: 30))
    #expect(prepared.contentSize.height == 25 * 110 - 10)
  }

  @Test("shares what is left over among flexible gaps and edges alike")
  func flexible() {
    let item = LayoutItem(
      size: LayoutSize(width: .absolute(60), height: .absolute(20)),
      edgeSpacing: EdgeSpacing(
        top: .flexible(0),
        leading: .flexible(10),
        bottom: .flexible(20),
        trailing: .fixed(2)
      )
    )
    let group = LayoutGroup(
      axis: .horizontal,
      size: LayoutSize(width: .fractionalWidth(1), height: .absolute(100)),
      subitems: [.item(item)],
      interitemSpacing: .flexible(8)
    )
    let prepared = prepare(CompositionalSection(group: group), contents: plainContents(4))
    let viewport = Viewport(of: container)
    // 4 · (10 + 60 + 2) + 3 · 8 = 312 of 320: 8 for 4 edges and 3 gaps. Down: 60 for two edges.
    let share = 8.0 / 7
    expectClose(
      prepared.cell(0, 0, viewport)?.frame,
      Rect(x: 10 + share, y: 30, width: 60, height: 20)
    )
    expectClose(
      prepared.cell(0, 1, viewport)?.frame,
      Rect(x: 10 + share + 62 + 8 + share + 10 + share, y: 30, width: 60, height: 20)
    )
  }

  @Test("has cells at 1 in front of a background, whatever its z-index, and headers at 1 as ever")
  func zIndices() {
    for zIndex in [-1, 0, 3] {
      let section = CompositionalSection(
        group: rows(),
        boundarySupplementaryItems: [header()],
        backgrounds: [SectionBackground(kind: "bg", zIndex: zIndex)]
      )
      let prepared = prepare(section, contents: plainContents(1))
      let viewport = Viewport(of: container)
      #expect(prepared.cell(0, 0, viewport)?.zIndex == 1)
      let header = ElementKey.supplementary("header", section: 0)
      #expect(prepared.attributes(of: header, viewport: viewport)?.zIndex == 1)
      let options = LayoutOptions(sectionBackgrounds: section.backgrounds)
      let other = prepare(
        CompositionalSection(group: rows()),
        contents: plainContents(1),
        options: options
      )
      #expect(other.cell(0, 0, viewport)?.zIndex == 1)
    }
  }

  @Test("a section's own background stands for one of the options that has its kind")
  func backgroundsOfOneKind() {
    let own = SectionBackground(kind: "bg", insets: EdgeInsets(all: 5))
    let section = CompositionalSection(group: rows(), backgrounds: [own])
    let both = LayoutOptions(sectionBackgrounds: [
      SectionBackground(kind: "bg"), SectionBackground(kind: "other"),
    ])
    let prepared = prepare(section, contents: plainContents(3), options: both)
    let viewport = Viewport(of: container)
    var buffer = ElementBuffer()
    let whole = Rect(origin: .zero, size: prepared.contentSize)
    prepared.appendElements(in: whole, viewport: viewport, to: &buffer)
    let found = buffer.elements.filter { $0.category == .decoration }
    #expect(found.map { prepared.kindNames[Int($0.kind)] }.sorted() == ["bg", "other"])
    for element in found {
      let kind = prepared.kindNames[Int(element.kind)]
      let key = ElementKey(category: .decoration, kind: kind, indexPath: IndexPath(section: 0))
      #expect(prepared.attributes(of: key, viewport: viewport)?.frame == element.frame)
    }
  }

  @Test("mirrors in right-to-left environments, effects and section offsets included")
  func rightToLeft() {
    var mirrored = container
    mirrored.isRightToLeft = true
    let section = CompositionalSection(
      group: rows(width: .absolute(100)),
      orthogonalScrolling: .continuous,
      visibleItemEffects: [
        VisibleItemEffect(
          attribute: .translationX,
          activeDistance: 100,
          atCenter: 10,
          atDistance: 10
        )
      ]
    )
    let prepared = CompositionalLayout(sections: [section]).prepare(
      LayoutContext(contents: plainContents(5), container: mirrored)
    )
    var viewport = Viewport(of: mirrored)
    viewport.sectionOffsets = [0: 30]
    let attributes = prepared.cell(0, 1, viewport)
    #expect(attributes?.frame == Rect(x: 320 - 70 - 100, y: 0, width: 100, height: 50))
    #expect(attributes?.transform == .translation(x: -10, y: 0))
  }

  @Test("changes items by their distance to the viewport's centre along the section's axis")
  func effects() {
    let section = CompositionalSection(
      group: rows(width: .absolute(100)),
      orthogonalScrolling: .continuous,
      visibleItemEffects: [
        VisibleItemEffect(attribute: .translationY, activeDistance: 1, atCenter: 7, atDistance: 7),
        VisibleItemEffect(attribute: .scale, activeDistance: 110, atCenter: 2, atDistance: 1),
        VisibleItemEffect(attribute: .alpha, activeDistance: 220, atCenter: 1, atDistance: 0),
      ]
    )
    let prepared = prepare(section, contents: plainContents(9))
    #expect(prepared.scrollDependence == .everything)
    // Item 1: 100…200, centre 150, seen from 160.
    let attributes = prepared.cell(0, 1, Viewport(of: container))
    expectClose(attributes?.alpha ?? 0, 1 - 10.0 / 220)
    let scale = 2 - 10.0 / 110
    #expect(
      attributes?.transform == .affine(a: scale, b: 0, c: 0, d: scale, tx: 0, ty: 7)
    )
    // Scaled to twice its size, and moved, it is found where its frame is not.
    let found = prepared.probed(
      in: Rect(x: 140, y: 70, width: 20, height: 5),
      Viewport(of: container)
    )
    #expect(found.map(\.key.indexPath.item) == [1])
  }

  @Test("survives whatever it is given")
  func degenerate() {
    let nothing = LayoutSize()
    let groups: [LayoutGroup] = [
      LayoutGroup(axis: nil, size: nothing),
      LayoutGroup(axis: .vertical, size: nothing, subitems: [.unspecified]),
      LayoutGroup(axis: .vertical, size: nothing, subitems: [.unspecified], count: 3),
      rows(.absolute(.nan)), rows(.absolute(.infinity), width: .absolute(-5)), rows(.absolute(0)),
      rows(.fractionalHeight(.infinity)), rows(.absolute(1e300), width: .absolute(1e300)),
      LayoutGroup(
        axis: .horizontal,
        size: LayoutSize(width: .absolute(1e9), height: .absolute(10)),
        subitems: [
          .item(LayoutItem(size: LayoutSize(width: .absolute(1e-9), height: .absolute(1)))),
          .group(LayoutGroup(axis: .vertical, size: nothing, subitems: [.unspecified])),
        ]
      ),
      LayoutGroup(
        axis: .horizontal,
        size: nothing,
        subitems: [
          .item(LayoutItem(size: nothing, contentInsets: EdgeInsets(all: 1e300)))
        ],
        count: .max
      ),
      deep(40), LayoutGroup(axis: nil, size: nothing, customFrames: [Rect.everywhere]),
    ]
    for (index, group) in groups.enumerated() {
      for scrolling in OrthogonalScrolling.allCases {
        for size in [Size.zero, Size(width: 320, height: 480)] {
          let layout = CompositionalLayout(
            scrollAxis: index % 2 == 0 ? .vertical : .horizontal,
            sections: [
              CompositionalSection(
                group: group,
                contentInsets: EdgeInsets(all: size.width),
                interGroupSpacing: .nan,
                orthogonalScrolling: scrolling
              )
            ]
          )
          let container = LayoutContainer(size: size)
          let prepared = layout.prepare(
            LayoutContext(contents: plainContents(3, 0, 40), container: container)
          )
          var viewport = Viewport(of: container)
          viewport.sectionOffsets = [0: .nan, 2: 1e300]
          for element in prepared.probed(in: .everywhere, viewport) {
            let frame = element.attributes.frame
            let isFinite = [frame.x, frame.y, frame.width, frame.height].allSatisfy { $0.isFinite }
            #expect(isFinite, "group \(index)")
          }
          #expect(prepared.contentSize.width.isFinite && prepared.contentSize.height.isFinite)
          _ = prepared.probed(in: Rect(x: 0, y: 0, width: 100, height: 100), viewport)
          _ = prepared.restingOffset(
            proposed: Point(x: 1e300, y: .nan),
            velocity: .zero,
            section: 2,
            viewport: viewport
          )
        }
      }
    }
    let empty = CompositionalLayout(sections: []).prepare(
      LayoutContext(contents: plainContents(3), container: container)
    )
    #expect(empty.probed(in: .everywhere, Viewport(of: container)).isEmpty)
    #expect(empty.cell(0, 0, Viewport(of: container)) == nil)
  }

  private func deep(_ levels: Int) -> LayoutGroup {
    let size = LayoutSize(width: .fractionalWidth(1), height: .fractionalHeight(1))
    guard levels > 1 else {
      return LayoutGroup(axis: .horizontal, size: size, subitems: [.item(LayoutItem(size: size))])
    }
    return LayoutGroup(
      axis: .horizontal,
      size: size,
      subitems: [.group(deep(levels - 1)), .group(deep(1))]
    )
  }

  @Test("prepares any number of items alike and finds them by arithmetic")
  func closedForm() {
    let section = CompositionalSection(group: rows(.estimated(44)), interGroupSpacing: 2)
    let contents = plainContents(4_000_000_000)
    let prepared = prepare(section, contents: contents)
    #expect(prepared.byteCount < 2400)
    let viewport = Viewport(of: container, at: Point(x: 0, y: 46 * 3_000_000_000))
    let found = prepared.probed(in: viewport.rect, viewport)
    #expect(found.first?.key.indexPath.item == 3_000_000_000)
    #expect(found.count == 11)
  }
}
