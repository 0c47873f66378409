// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Testing

@Suite("Insets of a session's viewport", .timeLimit(.minutes(2)))
struct ViewportInsetsTests {
  private static let side = EdgeInsets(top: 0, leading: 40, bottom: 0, trailing: 20)
  private static let flow = FlowLayout(
    itemSize: Size(width: 320, height: 40),
    sectionInsetReference: .safeArea
  )

  private func firstX(_ scene: Scene) -> Double? {
    scene.client.element(.cell(0, 0))?.attributes.frame.x
  }

  @Test("a safe area moves what is measured from it, and comes with the next frame")
  func moves() {
    var scene = Scene(.keyed(20), layout: FlowLayout(sectionInsetReference: .safeArea))
    let version = scene.client.layoutVersion
    scene.send(.viewport(ViewportChange(safeAreaInsets: Self.side)))
    #expect(firstX(scene) == 40)
    #expect(scene.client.layoutVersion > version)
    #expect(scene.preparedCount == 2)
    // Fields that are not set stay as they are.
    scene.send(.viewport(ViewportChange(size: Size(width: 330, height: 480))))
    #expect(firstX(scene) == 40)
    scene.send(.viewport(ViewportChange(safeAreaInsets: .zero)))
    #expect(firstX(scene) == 0)
    scene.checkMirror()
  }

  @Test("insets that no layout of the session uses change nothing")
  func changesNothing() {
    for layout in [ListLayout() as any CollectionLayout, FlowLayout(), Self.flow] {
      var scene = Scene(.keyed(20), layout: layout)
      let version = scene.client.layoutVersion
      scene.send(
        .viewport(
          ViewportChange(
            safeAreaInsets: EdgeInsets(top: 59, leading: 0, bottom: 34, trailing: 0),
            layoutMargins: Self.side,
            readableContentWidth: 100
          )
        )
      )
      #expect(scene.frames.isEmpty)
      #expect(scene.preparedCount == 1)
      scene.scroll(to: 1)
      #expect(scene.session.layoutVersion == version)
    }
  }

  @Test("readable content follows the width of the viewport")
  func readableWidth() {
    let layout = FlowLayout(
      itemSize: Size(width: 10, height: 10),
      sectionInsetReference: .readableContent
    )
    var scene = Scene(.keyed(20), layout: layout)
    scene.send(.viewport(ViewportChange(layoutMargins: Self.side, readableContentWidth: 200)))
    // The margins leave 260 points, of which 60 are shared out.
    #expect(firstX(scene) == 70)
    scene.send(.viewport(ViewportChange(size: Size(width: 420, height: 480))))
    #expect(firstX(scene) == 120)
    scene.send(.viewport(ViewportChange(readableContentWidth: 0)))
    #expect(firstX(scene) == 40)
  }

  @Test(
    "numbers that are not allowed are refused with their field, and change nothing",
    arguments: [
      (ViewportChange(safeAreaInsets: EdgeInsets(all: .nan)), "safe_area_insets.top"),
      (
        ViewportChange(
          layoutMargins: EdgeInsets(top: 0, leading: 0, bottom: 0, trailing: .infinity)
        ), "layout_margins.trailing"
      ),
      (ViewportChange(readableContentWidth: -1), "readable_content_width"),
    ]
  )
  func refusals(change: ViewportChange, field: String) {
    var scene = Scene(.keyed(3), layout: Self.flow)
    scene.send(.viewport(change))
    guard case .eventResult(let result)? = scene.messages.first else {
      Issue.record("\(field) was taken")
      return
    }
    #expect(result.problem?.violations.map(\.field) == [field])
    #expect(scene.frames.isEmpty)
  }
}
