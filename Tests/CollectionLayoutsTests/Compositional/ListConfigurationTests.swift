// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@Suite("List configurations", .timeLimit(.minutes(2)))
struct ListConfigurationTests {
  private typealias List = ListConfiguration

  private static func layout(_ lists: List...) -> CompositionalLayout {
    CompositionalLayout(sections: lists.map { CompositionalSection(list: $0) })
  }

  // MARK: - Recorded sections

  /// What UIKit made of a list configuration on a Mac.
  struct Recorded: Sendable, CustomStringConvertible {
    var appearance: ListConfiguration.Appearance
    var header: ListConfiguration.HeaderMode
    var footer: ListConfiguration.FooterMode
    var top: Double
    var bottom: Double
    var side: Double
    /// The estimate of headers and footers.
    var boundary: Double
    var isPinned: Bool

    var description: String { "\(appearance), header \(header), footer \(footer)" }
  }

  /// All 30 answers, in the order in which they were recorded.
  static let recorded: [Recorded] = {
    // Above and below the rows: without header, with one, and with the first item as header, each
    // without and with a footer.
    typealias Room = [(top: Double, bottom: Double)]
    let plain: Room = [(0, 0), (0, 0), (0, 0), (0, 0), (22, 0), (22, 0)]
    let grouped: Room = [(35, 20), (35, 0), (0, 20), (0, 0), (0, 20), (0, 0)]
    let sidebar: Room = [(0, 10), (0, 0), (0, 10), (0, 0), (0, 10), (0, 0)]
    let bare: Room = [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0), (0, 0)]
    let side = 12.987012987012987
    let styles: [(List.Appearance, Room, side: Double, boundary: Double, isPinned: Bool)] = [
      (.plain, plain, 0, 28, true), (.grouped, grouped, 0, 17.5, false),
      (.insetGrouped, grouped, 16, 17.5, false), (.sidebar, sidebar, side, 17.5, false),
      (.sidebarPlain, bare, side, 28, true),
    ]
    return styles.flatMap { appearance, rooms, side, boundary, isPinned in
      rooms.enumerated().map { index, room in
        Recorded(
          appearance: appearance,
          header: List.HeaderMode.allCases[index / 2],
          footer: List.FooterMode.allCases[index % 2],
          top: room.top,
          bottom: room.bottom,
          side: side,
          boundary: boundary,
          isPinned: isPinned
        )
      }
    }
  }()

  @Test("a section has the insets and boundary elements that UIKit gave it", arguments: recorded)
  func recordedSections(answer: Recorded) throws {
    let layout = Self.layout(
      List(
        appearance: answer.appearance,
        headerMode: answer.header,
        footerMode: answer.footer,
        idiom: .mac
      )
    )
    let container = LayoutContainer(size: Size(width: 320, height: 300))
    let viewport = Viewport(of: container)
    let prepared = layout.prepare(
      LayoutContext(contents: plainContents(3), container: container)
    )
    let hasHeader = answer.header == .supplementary
    let hasFooter = answer.footer == .supplementary
    let header = hasHeader ? answer.boundary : 0
    let rows = 3 * 40.04
    let width = 320 - 2 * answer.side
    for row in 0 ..< 3 {
      expectClose(
        prepared.cell(0, row, viewport)?.frame,
        Rect(
          x: answer.side,
          y: header + answer.top + Double(row) * 40.04,
          width: width,
          height: 40.04
        )
      )
    }
    let end = header + answer.top + rows + answer.bottom
    expectClose(prepared.contentSize.height, end + (hasFooter ? answer.boundary : 0))
    for (kind, exists, y) in [("header", hasHeader, 0), ("footer", hasFooter, end)] {
      let key = ElementKey.supplementary(kind, section: 0)
      let element = prepared.attributes(of: key, viewport: viewport)
      guard exists else {
        #expect(element == nil)
        continue
      }
      let natural = prepared.pinRange(of: key, viewport: viewport)
      #expect((natural != nil) == answer.isPinned)
      #expect(element?.zIndex == (answer.isPinned ? 1_000_000_200 : 200))
      var shown = Rect(x: answer.side, y: y, width: width, height: answer.boundary)
      // All of it fits into the viewport, so that nothing is away from its place.
      shown.y = kind == "footer" && answer.isPinned ? min(shown.y, 300 - shown.height) : shown.y
      expectClose(element?.frame, shown)
    }
    #expect(Self.recorded.count == 30)
  }

  @Test("in a pixel-aligned layout a sidebar's rows begin at a pixel and are whole pixels wide")
  func pixels() {
    let container = LayoutContainer(size: Size(width: 320, height: 300), displayScale: 2)
    let prepared = Self.layout(List(appearance: .sidebar, idiom: .mac)).prepare(
      LayoutContext(
        contents: plainContents(2),
        container: container,
        options: LayoutOptions(isPixelAligned: true)
      )
    )
    #expect(
      prepared.cell(0, 1, Viewport(of: container))?.frame
        == Rect(x: 13, y: 40, width: 294, height: 40)
    )
  }

  @Test("a phone has rows of 44 and sidebars with 10 at the sides")
  func phone() {
    let container = LayoutContainer(size: Size(width: 320, height: 300))
    let prepared = Self.layout(List(appearance: .sidebar)).prepare(
      LayoutContext(contents: plainContents(2), container: container)
    )
    #expect(
      prepared.cell(0, 1, Viewport(of: container))?.frame
        == Rect(x: 10, y: 44, width: 300, height: 44)
    )
  }

  // MARK: - Rows and what is around them

  private static func frames(
    _ section: CompositionalSection,
    _ keys: [ElementKey]
  ) -> [ClosedRange<Double>?] {
    let container = LayoutContainer(size: Size(width: 320, height: 300))
    let prepared = CompositionalLayout(sections: [section]).prepare(
      LayoutContext(contents: plainContents(2), container: container)
    )
    return keys.map {
      prepared.attributes(of: $0, viewport: Viewport(of: container))
        .map { $0.frame.minY ... $0.frame.maxY }
    }
  }

  @Test("header top padding lies above the header, whichever it is, and nowhere without one")
  func headerTopPadding() {
    func rows(_ mode: List.HeaderMode, _ appearance: List.Appearance) -> [ClosedRange<Double>?] {
      Self.frames(
        CompositionalSection(
          list: List(appearance: appearance, headerMode: mode, headerTopPadding: 9)
        ),
        [.supplementary("header", section: 0), .cell(0, 0)]
      )
    }
    #expect(rows(.supplementary, .plain) == [9 ... 37, 37 ... 81])
    #expect(rows(.firstItemInSection, .plain) == [nil, 9 ... 53])
    #expect(rows(.firstItemInSection, .grouped) == [nil, 9 ... 53])
    #expect(rows(.none, .plain) == [nil, 0 ... 44])
  }

  @Test("insets, row heights and boundary elements of one's own take the place of the list's")
  func ownFigures() {
    let section = CompositionalSection(
      list: List(
        appearance: .insetGrouped,
        headerMode: .supplementary,
        estimatedRowHeight: 30,
        contentInsets: EdgeInsets(top: 3, leading: 0, bottom: 0, trailing: 0)
      ),
      interGroupSpacing: 2,
      boundarySupplementaryItems: [
        BoundarySupplementaryItem(
          kind: "header",
          size: LayoutSize(width: .fractionalWidth(1), height: .absolute(50)),
          alignment: .top
        )
      ]
    )
    #expect(
      Self.frames(section, [.supplementary("header", section: 0), .cell(0, 0), .cell(0, 1)])
        == [0 ... 50, 53 ... 83, 85 ... 115]
    )
  }

  @Test("a list keeps out of the safe area only where it is told to")
  func reference() {
    let container = LayoutContainer(
      size: Size(width: 320, height: 300),
      references: ReferenceInsets(safeArea: EdgeInsets(all: 40))
    )
    func x(_ reference: InsetsReference) -> Double? {
      var layout = Self.layout(List())
      layout.sections[0].contentInsetsReference = reference
      return layout.prepare(LayoutContext(contents: plainContents(1), container: container))
        .cell(0, 0, Viewport(of: container))?.frame.x
    }
    #expect(x(.automatic) == 0)
    #expect(x(.safeArea) == 40)
  }

  @Test(
    "places rows where the section of groups does that UIKit makes of a list",
    arguments: 0 ..< 4
  )
  func agreesWithGroups(batch: UInt64) {
    for seed in batch * 50 ..< batch * 50 + 50 {
      var random = SplitMix64(seed: 31_000 + seed)
      let list = random.listConfiguration()
      var rows = CompositionalSection(
        list: list,
        interGroupSpacing: random.chance(50) ? 0 : random.length(0 ... 20),
        backgrounds: random.chance(30) ? [SectionBackground(kind: "plate")] : []
      )
      rows.list?.showsSeparators = false
      rows.list?.headerTopPadding = nil
      let groups = NaiveList.groups(list, spacing: rows.interGroupSpacing, rows.backgrounds)
      let contents = random.measuredContents(isMeasured: true)
      var container = random.marginedContainer()
      container.displayScale = Double(1 << random.int(0 ... 1))
      let options = LayoutOptions(isPixelAligned: random.chance(40))
      func prepare(_ section: CompositionalSection) -> any PreparedLayout {
        CompositionalLayout(sections: [section]).prepare(
          LayoutContext(contents: contents, container: container, options: options)
        )
      }
      let viewport = Viewport(of: container, at: Point(x: 0, y: 90))
      let expected = prepare(groups)
      let found = prepare(rows)
      expectClose(found.contentSize.height, expected.contentSize.height, "seed \(seed)")
      let elements = found.probed(in: .everywhere, viewport)
      let others = expected.probed(in: .everywhere, viewport)
      #expect(elements.map(\.key) == others.map(\.key), "seed \(seed)")
      for (element, other) in zip(elements, others) {
        #expect(element.attributes.zIndex == other.attributes.zIndex, "seed \(seed)")
        expectClose(element.attributes.frame, other.attributes.frame, "\(element.key) seed \(seed)")
      }
    }
  }

  // MARK: - Separators

  @Test("shows the separators that the rule names, row by row", arguments: 0 ..< 4)
  func separators(batch: UInt64) {
    for seed in batch * 60 ..< batch * 60 + 60 {
      var random = SplitMix64(seed: 32_000 + seed)
      var section = CompositionalSection(
        list: random.listConfiguration(),
        interGroupSpacing: random.chance(50) ? 0 : random.length(0 ... 20)
      )
      section.list?.showsSeparators = random.chance(90)
      let layout = CompositionalLayout(sections: [section])
      var container = random.container()
      // Wider than the insets of any separator.
      container.size.width += 200
      let context = LayoutContext(
        contents: random.measuredContents(isMeasured: random.chance(50)),
        container: container
      )
      let prepared = layout.prepare(context)
      let viewport = Viewport(of: context.container)
      let found = prepared.probed(in: .everywhere, viewport)
        .filter { $0.key.category == .decoration }
      let expected = NaiveList.separators(section, prepared, viewport)
      #expect(found.map(\.key) == expected.map(\.key), "seed \(seed)")
      for (element, other) in zip(found, expected) {
        expectClose(element.attributes.frame, other.frame, "\(element.key) seed \(seed)")
        #expect(element.attributes.zIndex == 1)
      }
      prepared.checkConsistency(viewport, random: &random, "seed \(seed)")
    }
  }

  @Test("is the same after edits as from nothing", arguments: 0 ..< 4)
  func updates(batch: UInt64) {
    for seed in batch * 40 ..< batch * 40 + 40 {
      var random = SplitMix64(seed: 33_000 + seed)
      let layout = CompositionalLayout(
        sections: [
          CompositionalSection(
            list: random.listConfiguration(),
            backgrounds: random.chance(30) ? [SectionBackground(kind: "plate")] : []
          ), random.compositionalSection(name: "a", isScrolling: false),
        ]
      )
      let context = LayoutContext(
        contents: random.measuredContents(isMeasured: random.chance(50)),
        container: random.container()
      )
      var prepared = layout.prepare(context)
      for step in 0 ..< 6 {
        let batch = random.batch(for: prepared.context.contents)
        guard let change = try? prepared.context.contents.applying(batch, limits: .standard) else {
          continue
        }
        prepared = layout.update(prepared, by: change)
        let fresh = layout.prepare(prepared.context)
        let viewport = Viewport(of: context.container, at: Point(x: 0, y: 100))
        var reference = Reference(contentSize: fresh.contentSize)
        reference.elements = fresh.probed(in: .everywhere, viewport)
        reference.check(prepared, viewport, "step \(step) of seed \(seed)")
      }
    }
  }

  // MARK: - Cost

  @Test("a million rows of one height take no more memory than a few")
  func closedForm() {
    let container = LayoutContainer(size: Size(width: 320, height: 300))
    func bytes(_ count: Int) -> Int {
      Self.layout(List()).prepare(
        LayoutContext(contents: plainContents(count), container: container)
      ).byteCount
    }
    #expect(bytes(1_000_000) < bytes(10) + 200)
  }

  @Test("the separators of cell kinds count as memory of the configuration")
  func byteCount() {
    let plain = Self.layout(List()).parameterByteCount
    let rows = List.RowSeparator(cellKind: "header", separator: ListSeparator())
    #expect(Self.layout(List(rowSeparators: [rows])).parameterByteCount > plain + 6)
    #expect(plain > MemoryLayout<ListConfiguration>.stride)
  }

  // MARK: - Validation

  @Test("refuses what may not stand beside a list, and what is wrong with one")
  func validation() {
    func wrong(_ top: Double) -> EdgeInsets {
      EdgeInsets(top: top, leading: 0, bottom: 0, trailing: 0)
    }
    let bad = ListSeparator(topInsets: wrong(.nan))
    let list = List(
      headerTopPadding: -1,
      estimatedRowHeight: .infinity,
      contentInsets: wrong(.infinity),
      separatorThickness: .nan,
      rowSeparators: [
        .init(cellKind: "a", separator: ListSeparator()), .init(cellKind: "a", separator: bad),
      ]
    )
    let fields = rejectedFields(Self.layout(list))
    #expect(
      Set(fields) == [
        "sections[0].list.header_top_padding", "sections[0].list.estimated_row_height",
        "sections[0].list.content_insets.top", "sections[0].list.separator_thickness",
        "sections[0].list.row_separators[1].cell_kind",
        "sections[0].list.row_separators[1].separator.top_insets.top",
      ]
    )
    var layout = Self.layout(List())
    #expect(rejectedFields(layout).isEmpty)
    layout.scrollAxis = .horizontal
    layout.sections[0].group.axis = .vertical
    layout.sections[0].contentInsets.top = 1
    layout.sections[0].orthogonalScrolling = .paging
    #expect(
      rejectedFields(layout) == [
        "sections[0].list", "sections[0].group", "sections[0].content_insets",
        "sections[0].orthogonal_scrolling",
      ]
    )
    let kinds = (0 ... 64).map { List.RowSeparator(cellKind: "\($0)", separator: .init()) }
    #expect(
      rejectedFields(Self.layout(List(rowSeparators: kinds))) == ["sections[0].list.row_separators"]
    )
  }

  @Test("rows, headers and footers take measured heights")
  func measurement() {
    let section = SectionContents(blocks: [ItemBlock(count: 1)])
    let layout = Self.layout(List(headerMode: .supplementary))
    #expect(layout.acceptsMeasurement(of: .cell(0, 0), in: section))
    #expect(layout.acceptsMeasurement(of: .supplementary("header", section: 0), in: section))
    #expect(!layout.acceptsMeasurement(of: .supplementary("footer", section: 0), in: section))
  }
}
