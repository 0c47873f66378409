// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

/// Rows of 40 below 400 points, two columns of squares above, five where the viewer is a "wall".
@Suite("Responsive layouts of a session", .timeLimit(.minutes(2)))
struct ResponsiveSessionTests {
  private static func layout(animated: Bool = false) -> ResponsiveLayout {
    ResponsiveLayout(
      variants: [
        .init(
          LayoutCondition(requiredTraits: ["wall"]),
          LayoutConfiguration(WaterfallLayout(columns: .count(5)))
        ),
        .init(
          LayoutCondition(widthBelow: 400),
          LayoutConfiguration(ListLayout(rowHeight: 40))
        ),
      ],
      otherwise: LayoutConfiguration(WaterfallLayout(columns: .count(2))),
      isAnimated: animated
    )
  }

  private func scene(
    animated: Bool = false,
    offset: Point? = nil,
    traits: ViewportChange.Traits? = nil,
    options: SessionOptions = .init()
  ) -> Scene {
    Scene(
      .keyed(200),
      layout: Self.layout(animated: animated),
      size: Size(width: 320, height: 400),
      offset: offset,
      traits: traits,
      options: options
    )
  }

  private func resize(_ width: Double, _ scene: inout Scene) {
    scene.send(.viewport(ViewportChange(size: Size(width: width, height: 400))))
  }

  private func width(_ scene: Scene) -> Double? {
    scene.client.element(.cell(0, 0))?.attributes.frame.width
  }

  @Test("a viewport of another size takes the variant for it")
  func flips() {
    var scene = scene()
    #expect(width(scene) == 320)
    let version = scene.client.layoutVersion
    resize(600, &scene)
    #expect(width(scene).map { $0 < 320 } == true)
    #expect(scene.client.layoutVersion > version)
    #expect(scene.preparedCount == 2)
    scene.checkMirror()
    resize(320, &scene)
    #expect(width(scene) == 320)
    #expect(scene.frames.allSatisfy { $0.transition == nil })
    scene.checkMirror()
  }

  @Test("within one variant a new size is a new size and nothing else")
  func sameVariant() {
    var scene = scene()
    resize(330, &scene)
    #expect(width(scene) == 330)
    #expect(!scene.session.isLayoutChanged)
    scene.checkMirror()
  }

  @Test("insets count as little as what they cover")
  func insets() {
    var scene = scene()
    resize(420, &scene)
    #expect(width(scene).map { $0 < 320 } == true)
    let covered = EdgeInsets(top: 0, leading: 21, bottom: 0, trailing: 0)
    scene.send(.viewport(ViewportChange(insets: covered)))
    #expect(width(scene) == 399)
    scene.checkMirror()
  }

  @Test("a change of traits alone takes another variant, and other traits no frame")
  func traits() {
    var scene = scene()
    scene.send(.viewport(ViewportChange(traits: .init(stated: LayoutTraits(names: ["tv"])))))
    #expect(scene.frames.isEmpty && scene.preparedCount == 1)
    scene.send(
      .viewport(ViewportChange(traits: .init(stated: LayoutTraits(names: ["tv", "wall"]))))
    )
    #expect(width(scene).map { $0 < 70 } == true)
    scene.send(.viewport(ViewportChange(traits: .init())))
    #expect(width(scene) == 320)
    scene.checkMirror()
  }

  @Test("a session begins with the variant for its viewport and traits")
  func opening() {
    let scene = scene(traits: .init(stated: LayoutTraits(names: ["wall"])))
    #expect(width(scene).map { $0 < 70 } == true)
    #expect(scene.preparedCount == 1)
  }

  @Test("where the layout says so, the change is animated")
  func animated() throws {
    var scene = scene(animated: true, offset: Point(x: 0, y: 2000))
    resize(600, &scene)
    let transition = try #require(scene.frames.first?.transition)
    #expect(transition.isAnimated)
    // Rows that leave slide to where the columns have them.
    #expect(scene.disappearing.values.contains { $0.alpha == 1 })
    resize(610, &scene)
    #expect(scene.frames.first?.transition == nil)
    scene.checkMirror()
  }

  @Test("what is in sight keeps its place")
  func anchoring() throws {
    var scene = scene(offset: Point(x: 0, y: 2010))
    let before = try #require(scene.client.frame(itemKey: "a50")).y - 2010
    resize(600, &scene)
    let offset = scene.session.viewport.offset.y
    #expect(scene.client.frame(itemKey: "a50").map { $0.y - offset } == before)
    scene.checkMirror()
  }

  @Test("several changes before a frame are one")
  func merged() {
    var scene = scene()
    for width in [500.0, 320, 600, 330, 640] {
      scene.post(.viewport(ViewportChange(size: Size(width: width, height: 400))))
    }
    scene.settle()
    #expect(scene.frames.count == 1)
    #expect(scene.preparedCount == 2)
    #expect(width(scene).map { $0 < 330 } == true)
    scene.checkMirror()
  }

  @Test("another layout ends the rules, and the same layout prepared before is used on")
  func layoutChange() {
    var scene = scene()
    let list = LayoutConfiguration(ListLayout(rowHeight: 40))
    scene.send(.layout(LayoutChange(layout: list)))
    #expect(scene.preparedCount == 1)
    resize(600, &scene)
    #expect(width(scene) == 600)
    scene.send(.layout(LayoutChange(layout: LayoutConfiguration(Self.layout()))))
    #expect(width(scene).map { $0 < 320 } == true)
    scene.checkMirror()
  }

  @Test("a layout with a faulty variant is refused with its field")
  func refusal() {
    var scene = scene()
    var layout = Self.layout()
    layout.otherwise = LayoutConfiguration(ListLayout(rowHeight: -1))
    scene.send(.layout(LayoutChange(layout: LayoutConfiguration(layout))))
    #expect(
      scene.problem?.violations.map(\.field) == ["layout.responsive.otherwise.list.row_height"]
    )
    #expect(width(scene) == 320)
  }

  @Test("in a transition both layouts take their variants, and the progress stays")
  func transition() throws {
    var scene = scene()
    scene.send(.transition(.begin(LayoutConfiguration(Self.layout()))))
    scene.send(.transition(.begin(LayoutConfiguration(GridLayout()))))
    scene.send(.transition(.progress(0.5)))
    resize(600, &scene)
    #expect(scene.session.target?.progress == 0.5)
    #expect(scene.frames.allSatisfy { $0.transition == nil })
    scene.checkMirror()
    scene.send(.transition(.cancel))
    #expect(width(scene).map { $0 < 320 } == true)
    scene.send(.transition(.begin(LayoutConfiguration(Self.layout()))))
    resize(320, &scene)
    scene.send(.transition(.finish))
    #expect(width(scene) == 320)
    // The layout that was gone to goes on to follow the viewport.
    resize(700, &scene)
    #expect(width(scene) == 350)
    scene.checkMirror()
  }

  @Test("a resume goes on with the rules, and takes the variant for its viewport")
  func resume() throws {
    var scene = scene()
    let outcome = try scene.session.resume(
      SessionResume(
        lastFrame: scene.client.lastApplied,
        liveCount: scene.session.liveCount,
        capabilities: scene.session.capabilities,
        layout: LayoutConfiguration(Self.layout()),
        viewport: ViewportChange(size: Size(width: 600, height: 400))
      ),
      at: scene.now
    )
    #expect(outcome == .resumed)
    scene.settle()
    #expect(width(scene).map { $0 < 320 } == true)
    resize(320, &scene)
    #expect(width(scene) == 320)
    scene.checkMirror()
  }

  @Test("a place at the end is found anew in another variant")
  func start() {
    var scene = Scene(
      .keyed(200),
      layout: Self.layout(),
      size: Size(width: 320, height: 400),
      options: SessionOptions(),
      start: .edge(.end)
    )
    resize(600, &scene)
    let size = scene.client.contentSize
    #expect(scene.session.viewport.offset.y == size.height - 400)
  }

  @Test("the rules and the names of traits count as memory of the session")
  func footprint() {
    let plain = Scene(.keyed(20), layout: ListLayout(rowHeight: 40))
    let names = Set((0 ..< 32).map { "name\($0)" })
    let responsive = Scene(
      .keyed(20),
      layout: Self.layout(),
      traits: .init(stated: LayoutTraits(names: names))
    )
    #expect(responsive.session.byteCount >= plain.session.byteCount + 3 * 512 + 32 * 32)
  }

  @Test("too many names are refused, and change nothing")
  func names() {
    var scene = scene()
    let names = Set((0 ..< 33).map { "\($0)" }).union(["wall"])
    scene.send(.viewport(ViewportChange(traits: .init(stated: LayoutTraits(names: names)))))
    #expect(scene.problem?.violations.map(\.field) == ["traits.names"])
    #expect(width(scene) == 320)
  }
}
