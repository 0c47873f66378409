// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Testing

@Suite("Animated updates", .timeLimit(.minutes(2)))
struct AnimationTests {
  @Test("an inserted item fades in and a deleted one out, in place")
  func fades() throws {
    var scene = Scene(.keyed(3), layout: ListLayout())
    scene.update([.delete(0 ..< 1), .insert("x", at: 2)], animated: true)
    let transition = try #require(scene.frames.first?.transition)
    #expect(transition.isAnimated)
    #expect(transition.fromDataVersion == 0)
    #expect(transition.keys == ["x", "a0"])
    let row = Rect(x: 0, y: 0, width: 320, height: 44)
    #expect(
      scene.appearing == [
        .cell(0, 2): LayoutAttributes(frame: row.offset(by: Point(x: 0, y: 88)), alpha: 0)
      ]
    )
    #expect(scene.disappearing == [.cell(0, 0): LayoutAttributes(frame: row, alpha: 0)])
    scene.checkMirror()
  }

  @Test("what the layout says of entering and leaving is heeded")
  func rules() {
    var scene = Scene(
      .keyed(3),
      layout: ListLayout(),
      layoutOptions: LayoutOptions(
        appearing: AppearanceAnimation(alpha: 0.5, scale: 0.5, center: .viewportCenter),
        disappearing: AppearanceAnimation(center: .offset(Point(x: 320, y: 0)))
      )
    )
    scene.update([.insert("x", at: 0), .delete(2 ..< 3)], animated: true)
    #expect(scene.appearing[.cell(0, 0)]?.frame.center == Point(x: 160, y: 240))
    #expect(scene.appearing[.cell(0, 0)]?.alpha == 0.5)
    #expect(scene.appearing[.cell(0, 0)]?.transform == .scale(0.5))
    #expect(scene.disappearing[.cell(0, 2)]?.frame.origin == Point(x: 320, y: 88))
  }

  @Test("rules for kinds and items come before what the layout says of all")
  func rulesByKindAndItem() {
    let from = { (x: Double) in AppearanceAnimation(center: .offset(Point(x: x, y: 0))) }
    var scene = Scene(
      .keyed(4),
      layout: ListLayout(),
      layoutOptions: LayoutOptions(
        appearing: from(1),
        disappearing: from(2),
        appearanceRules: [
          AppearanceRule(itemKeys: ["x"], appearing: from(10)),
          AppearanceRule(kinds: ["other"], appearing: from(20), disappearing: from(20)),
          AppearanceRule(itemKeys: ["a3"], disappearing: from(30)),
          AppearanceRule(
            kinds: [""],
            itemKeys: ["y"],
            appearing: AppearanceAnimation(
              alpha: 1,
              size: Size(width: 20, height: 10),
              transform: .scale(2)
            )
          ),
        ]
      )
    )
    scene.update([.insert("x", "y", "z", at: 0), .delete(2 ..< 4)], animated: true)
    #expect(scene.appearing[.cell(0, 0)]?.frame.x == 10)
    #expect(scene.appearing[.cell(0, 1)]?.frame == Rect(x: 150, y: 61, width: 20, height: 10))
    #expect(scene.appearing[.cell(0, 1)]?.transform == .scale(2))
    #expect(scene.appearing[.cell(0, 1)]?.alpha == 1)
    #expect(scene.appearing[.cell(0, 2)]?.frame.x == 1)
    #expect(scene.disappearing[.cell(0, 2)]?.frame.x == 2)
    #expect(scene.disappearing[.cell(0, 3)]?.frame.x == 30)
  }

  @Test("rules have limits, and only cells have items")
  func rulesAreChecked() {
    func problems(_ rules: [AppearanceRule]) -> [String] {
      var findings = LayoutFindings()
      LayoutOptions(appearanceRules: rules).validate(findings: &findings)
      return findings.violations.map(\.field)
    }
    let keys = Set((0 ... 1024).map { "\($0)" })
    #expect(problems(Array(repeating: AppearanceRule(), count: 64)).isEmpty)
    #expect(problems(Array(repeating: AppearanceRule(), count: 65)) == ["appearance_rules"])
    #expect(problems([AppearanceRule(itemKeys: keys)]) == ["appearance_rules.item_keys"])
    #expect(problems([AppearanceRule(kinds: keys)]) == ["appearance_rules[0].kinds"])
    #expect(
      problems([AppearanceRule(category: .decoration, itemKeys: ["a"])])
        == ["appearance_rules[0].item_keys"]
    )
  }

  @Test("what comes into view from elsewhere slides in, and what leaves slides out")
  func survivors() {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    scene.update([.move(500, to: 0), .move(1, to: 700)], animated: true)
    #expect(scene.appearing[.cell(0, 0)]?.frame.y == 22_000)
    #expect(scene.appearing[.cell(0, 0)]?.alpha == 1)
    #expect(scene.disappearing[.cell(0, 1)]?.frame.y == 30_800)
    #expect(scene.appearing.count == 1)
    #expect(scene.disappearing.count == 1)
    scene.checkMirror()
  }

  @Test("what left its slot by a batch in between is found where it was before both")
  func merged() {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    scene.post(.update(UpdateBatch([.move(500, to: 10)], isAnimated: true)))
    scene.post(.update(UpdateBatch([.insert("x", at: 0)])))
    scene.settle()
    #expect(scene.appearing[.cell(0, 11)]?.frame.y == 22_000)
    #expect(scene.appearing[.cell(0, 0)]?.alpha == 0)
  }

  @Test("old places are told in the new coordinates")
  func adjusted() {
    var scene = Scene(
      .keyed(1000),
      layout: ListLayout(),
      offset: Point(x: 0, y: 4400),
      options: SessionOptions()
    )
    // Row 100 is the first in sight and goes; row 101 takes its place and stays on screen.
    scene.update([.delete(100 ..< 101)], animated: true)
    #expect(scene.adjustment == Point(x: 0, y: -44))
    #expect(scene.disappearing[.cell(0, 100)]?.frame.y == 4356)
  }

  @Test("a reload fades one out and one in")
  func reload() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    scene.update(
      [.reloadItems(section: 0, items: 1 ..< 2, blocks: [ItemBlock(count: 1, keys: ["r"])])],
      animated: true
    )
    #expect(scene.appearing[.cell(0, 1)]?.alpha == 0)
    #expect(scene.disappearing[.cell(0, 1)]?.alpha == 0)
  }

  @Test("there is no transition where nobody asked for one")
  func notAnimated() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    scene.update([.insert("x", at: 0)])
    #expect(scene.frames.first?.transition == nil)
    var plain = Scene(.keyed(3), layout: ListLayout(), capabilities: ClientCapabilities())
    plain.update([.insert("x", at: 0)], animated: true)
    #expect(plain.frames.first?.transition == nil)
  }

  @Test("an animated change of layout brings what was out of view from where it was")
  func layoutChange() {
    var scene = Scene(.keyed(200), layout: ListLayout())
    scene.send(
      .layout(
        LayoutChange(
          layout: LayoutConfiguration(ListLayout(rowHeight: 22)),
          isAnimated: true
        )
      )
    )
    #expect(scene.appearing[.cell(0, 30)]?.frame == Rect(x: 0, y: 1320, width: 320, height: 44))
    scene.checkMirror()
  }

  @Test("circles let items come from and go to their centre")
  func circle() {
    var scene = Scene(.keyed(5), layout: CircleLayout())
    scene.update([.delete(4 ..< 5), .insert("x", at: 4)], animated: true)
    #expect(scene.appearing[.cell(0, 4)]?.frame.center == Point(x: 160, y: 240))
    #expect(scene.disappearing[.cell(0, 4)]?.transform == .scale(0.1))
    scene.checkMirror()
  }
}
