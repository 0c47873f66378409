// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

/// Every other section scrolls by itself.
@Suite("Offsets of sections", .timeLimit(.minutes(1)))
struct SectionOffsetTests {
  private static func section(_ scrolling: OrthogonalScrolling) -> CompositionalSection {
    let size = LayoutSize(width: .absolute(100), height: .absolute(50))
    return CompositionalSection(
      group: LayoutGroup(
        axis: .horizontal,
        size: size,
        subitems: [.item(LayoutItem(size: size))]
      ),
      orthogonalScrolling: scrolling
    )
  }

  private let layout = CompositionalLayout(sections: [section(.continuous), section(.none)])

  private func scene(
    _ count: Int,
    opened offsets: [Int: Double] = [:],
    layout: CompositionalLayout? = nil
  ) -> Scene {
    let section = SectionContents(blocks: [ItemBlock(count: 20)])
    return Scene(
      CollectionContents(sections: Array(repeating: section, count: count)),
      layout: layout ?? self.layout,
      openOffsets: offsets
    )
  }

  private func offsets(_ scene: Scene) -> [Int: Double] {
    scene.session.query?.viewport.sectionOffsets ?? [:]
  }

  @Test("those of sections that are not there, or do not scroll, are ignored")
  func ignored() {
    let sent = [-1: 1.0, 0: 50, 1: 60, 2: 70, 4: 0, 9: 80, 4_294_967_295: 90]
    var scene = scene(6)
    scene.send(.viewport(ViewportChange(sectionOffsets: sent)))
    #expect(scene.problem == nil)
    #expect(offsets(scene) == [0: 50, 2: 70])
    #expect(scene.client.element(.cell(0, 1))?.attributes.frame.x == 50)
    scene.checkMirror()
    #expect(offsets(self.scene(6, opened: sent)) == [0: 50, 2: 70])
  }

  @Test("with hundreds of them a frame with a new geometry is for the session's turn")
  func many() throws {
    for (count, needsTurn) in [(SessionCosts.fewScrolledSections, false), (300, true)] {
      let offsets = Dictionary(uniqueKeysWithValues: (0 ..< count).map { ($0 * 2, 50.0) })
      var scene = scene(2 * count, opened: offsets)
      #expect(self.offsets(scene).count == count)
      scene.post(.viewport(ViewportChange(size: Size(width: 300, height: 480))))
      scene.prepare()
      var scratch = SessionScratch()
      let frame = scene.session.nextFrame(at: scene.now, scratch: &scratch, effort: .small)
      #expect((frame == nil) == needsTurn && scene.session.needsTurn == needsTurn)
      #expect((scene.session.nextFrame(at: scene.now) == nil) != needsTurn)
    }
  }

  @Test("a section back at its start keeps none")
  func backAtStart() {
    var scene = scene(6)
    scene.send(.viewport(ViewportChange(sectionOffsets: [0: 50, 2: 70])))
    scene.send(.viewport(ViewportChange(sectionOffsets: [0: 0])))
    #expect(offsets(scene) == [2: 70])
    #expect(scene.client.element(.cell(0, 1))?.attributes.frame.x == 100)
    scene.checkMirror()
  }

  @Test("offset 0 is kept for sections that do not start there")
  func startsElsewhere() {
    let layout = CompositionalLayout(
      sections: [Self.section(.groupPagingCentered), Self.section(.continuous)]
    )
    var scene = scene(4, layout: layout)
    let middle = scene.client.element(.cell(0, 0))?.attributes.frame.midX
    #expect(middle == scene.session.query.map { $0.viewport.size.width / 2 })
    scene.send(.viewport(ViewportChange(sectionOffsets: [0: 0, 1: 0])))
    #expect(offsets(scene) == [0: 0])
    #expect(scene.client.element(.cell(0, 0))?.attributes.frame.x == 0)
    scene.checkMirror()
    #expect(offsets(self.scene(4, opened: [0: 0, 1: 0], layout: layout)) == [0: 0])
  }

  @Test("they go where their section goes, and go with it")
  func followed() {
    var scene = scene(6)
    scene.send(.viewport(ViewportChange(sectionOffsets: [0: 50, 2: 70, 4: 90])))
    scene.update([.deleteSections(1 ..< 3)])
    // Section 4 is now section 2, which scrolls.
    #expect(offsets(scene) == [0: 50, 2: 90])
    scene.send(.layout(LayoutChange(layout: LayoutConfiguration(ListLayout()))))
    #expect(offsets(scene) == [:])
    scene.send(.viewport(ViewportChange(sectionOffsets: [0: 50])))
    #expect(offsets(scene) == [:])
    scene.checkMirror()
  }

  /// Where the first two items of section 0 are.
  private func firstPlaces(_ scene: Scene) -> [Double?] {
    (0 ..< 2).map { scene.client.element(.cell(0, $0))?.attributes.frame.x }
  }

  private func insertion(_ count: Int, at item: Int) -> UpdateOperation {
    .insertItems(at: IndexPath(section: 0, item: item), items: [ItemBlock(count: count)])
  }

  @Test("a section that has become shorter stays where it is when it grows again")
  func shrunk() {
    var scene = scene(2)
    scene.send(.viewport(ViewportChange(sectionOffsets: [0: 1500])))
    scene.update([.deleteItems(section: 0, items: 4 ..< 20)])
    #expect(offsets(scene) == [0: 80])
    #expect(firstPlaces(scene) == [-80, 20])
    scene.update([insertion(16, at: 4)])
    #expect(offsets(scene) == [0: 80])
    #expect(firstPlaces(scene) == [-80, 20])
    scene.update([.deleteItems(section: 0, items: 2 ..< 20)])
    #expect(offsets(scene) == [:])
    scene.checkMirror()
  }

  @Test("so does one that a wider container holds for a while")
  func widened() {
    var scene = scene(2)
    scene.send(.viewport(ViewportChange(sectionOffsets: [0: 1600])))
    scene.send(.viewport(ViewportChange(size: Size(width: 1000, height: 480))))
    scene.send(.viewport(ViewportChange(size: Size(width: 320, height: 480))))
    #expect(offsets(scene) == [0: 1000])
  }

  @Test("a transition that is taken back leaves sections where they were")
  func transition() {
    var scene = scene(2)
    scene.send(.viewport(ViewportChange(sectionOffsets: [0: 1600])))
    let narrow = LayoutConfiguration(
      CompositionalLayout(
        sections: [
          CompositionalSection(
            group: LayoutGroup(
              axis: .horizontal,
              size: LayoutSize(width: .absolute(20), height: .absolute(50)),
              subitems: [
                .item(
                  LayoutItem(size: LayoutSize(width: .absolute(20), height: .absolute(50)))
                )
              ]
            ),
            orthogonalScrolling: .continuous
          ), Self.section(.none),
        ]
      )
    )
    scene.send(.transition(.begin(narrow)))
    scene.send(.transition(.progress(0.5)))
    #expect(offsets(scene) == [0: 1600])
    scene.send(.transition(.cancel))
    #expect(offsets(scene) == [0: 1600])
    scene.send(.transition(.begin(narrow)))
    scene.send(.transition(.finish))
    #expect(offsets(scene) == [0: 80])
  }

  @Test("a section that is reloaded stays where it is, within its new range", arguments: [20, 5])
  func reloaded(count: Int) {
    var scene = scene(2)
    scene.send(.viewport(ViewportChange(sectionOffsets: [0: 1500])))
    let new = SectionContents(blocks: [ItemBlock(count: count)])
    scene.update([.reloadSection(0, new)])
    #expect(offsets(scene) == [0: count == 20 ? 1500 : 180])
    scene.update([.deleteSections(0 ..< 1), .insertSections(at: 0, [new])])
    #expect(offsets(scene) == [:])
    scene.checkMirror()
  }

  @Test("so many sections may be scrolled and no more")
  func limited() {
    let limit = SessionLimits.scrolledSections
    var scene = scene(3 * limit)
    let even = (0 ..< limit).map { (2 * $0, 5.0) }
    scene.send(.viewport(ViewportChange(sectionOffsets: Dictionary(uniqueKeysWithValues: even))))
    #expect(scene.problem == nil)
    #expect(offsets(scene).count == limit)
    let bytes = scene.session.byteCount
    scene.send(
      .viewport(ViewportChange(offset: Point(x: 0, y: 30), sectionOffsets: [2 * limit: 5]))
    )
    #expect(scene.problem?.violations.first?.field == "section_offsets")
    #expect(scene.session.query?.viewport.offset == .zero)
    #expect(offsets(scene).count == limit)
    scene.send(.viewport(ViewportChange(sectionOffsets: [0: 0, 2 * limit: 5])))
    #expect(scene.problem == nil)
    #expect(scene.session.byteCount <= bytes + 1024)
    let all = Dictionary(uniqueKeysWithValues: (0 ..< 3 * limit).map { ($0, 5.0) })
    #expect(offsets(self.scene(3 * limit, opened: all)).count == limit)
  }

  // MARK: - Starts

  /// Sections of 20 groups, each 100 wide, in a container of 320 × 480.
  private func scene(_ start: SessionStart, opened offsets: [Int: Double] = [:]) -> Scene {
    let section = SectionContents(blocks: [ItemBlock(count: 20)])
    return Scene(
      CollectionContents(sections: Array(repeating: section, count: 40)),
      layout: layout,
      openOffsets: offsets,
      start: start
    )
  }

  @Test(
    "a session that begins at an item has the item's section scrolled to it, and tells that once",
    arguments: [
      (.start, 1000), (.center, 890), (.end, 780), (.nearest, 780),
    ] as [(ScrollPosition, Double)]
  )
  func start(position: ScrollPosition, offset: Double) throws {
    var scene = scene(.element(.cell(30, 10), at: position))
    let first = scene.session.takeStartTarget()
    let told = try #require(first)
    #expect(told.sectionOffset == offset && told.offset == scene.client.offset)
    let again = scene.session.takeStartTarget()
    #expect(again == nil)
    #expect(offsets(scene) == [30: offset])
    #expect(scene.client.element(.cell(30, 10))?.attributes.frame.x == 1000 - offset)
    scene.checkMirror()
    // The user goes on from there.
    scene.send(.viewport(ViewportChange(sectionOffsets: [30: 20])))
    scene.send(.viewport(ViewportChange(size: Size(width: 300, height: 480))))
    let later = scene.session.takeStartTarget()
    #expect(offsets(scene) == [30: 20] && later == nil)
  }

  @Test("the item stays in sight when the container gets another size")
  func startInAnotherSize() throws {
    var scene = scene(.element(.cell(30, 10), at: .center))
    _ = scene.session.takeStartTarget()
    scene.send(.viewport(ViewportChange(size: Size(width: 500, height: 480))))
    let told = scene.session.takeStartTarget()
    #expect(told?.sectionOffset == 800 && offsets(scene) == [30: 800])
    scene.checkMirror()
  }

  @Test("nothing is told of sections that stay where they are")
  func startWithoutScrolling() {
    for (start, opened) in [
      (.element(.cell(30, 0), at: .start), [:]), (.element(.cell(31, 10), at: .start), [:]),
      (.element(.cell(30, 10), at: .start), [30: 1000]), (.edge(.end), [30: 500]),
    ] as [(SessionStart, [Int: Double])] {
      var scene = scene(start, opened: opened)
      let told = scene.session.takeStartTarget()
      #expect(told == nil && offsets(scene) == opened)
    }
  }
}
