// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import Testing

@testable import LayoutSession

@Suite("Sync events", .timeLimit(.minutes(1)))
struct SyncTests {
  @Test("they are answered at once where nothing is to be sent")
  func nothingToSend() {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    // Within the coverage: no frame.
    scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: 10))))
    scene.post(.sync)
    #expect(scene.session.settledSyncs(at: .zero).isEmpty)
    scene.settle()
    #expect(scene.frames.isEmpty)
    #expect(scene.session.settledSyncs(at: .zero) == [scene.session.lastEvent])
    #expect(scene.session.settledSyncs(at: .zero).isEmpty)
  }

  @Test("they wait for the frame that shows what came before")
  func afterTheFrame() throws {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: 9000))))
    scene.post(.sync)
    scene.post(.sync)
    #expect(scene.session.settledSyncs(at: .zero).isEmpty)
    let frame = try scene.take()
    #expect(frame.appliedEvent == scene.session.lastEvent)
    #expect(scene.session.settledSyncs(at: .zero).count == 2)
  }

  @Test("they wait while the window is full, and while a layout is missing")
  func waiting() throws {
    var scene = Scene(
      .keyed(1000),
      layout: ListLayout(),
      options: SessionOptions(maxInFlightFrames: 1)
    )
    scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: 9000))))
    let frame = try scene.take()
    scene.client.apply(frame)
    scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: 20_000))))
    scene.post(.sync)
    #expect(scene.session.nextFrame(at: .zero) == nil)
    #expect(scene.session.settledSyncs(at: .zero).isEmpty)
    try scene.session.acknowledge(FrameAck(sequence: frame.sequence), at: .zero)
    scene.settle()
    #expect(scene.session.settledSyncs(at: .zero).count == 1)
    scene.post(.layout(LayoutChange(layout: LayoutConfiguration(ListLayout(rowHeight: 30)))))
    scene.post(.sync)
    #expect(scene.session.nextFrame(at: .zero) == nil)
    #expect(scene.session.settledSyncs(at: .zero).isEmpty)
    scene.settle()
    #expect(scene.session.settledSyncs(at: .zero).count == 1)
  }

  @Test("so many may wait and no more")
  func limited() {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    scene.post(.viewport(ViewportChange(offset: Point(x: 0, y: 9000))))
    for _ in 0 ..< SessionLimits.waitingSyncs { scene.post(.sync) }
    #expect(scene.problem == nil)
    scene.post(.sync)
    #expect(scene.problem?.reason == .wrongState)
    scene.settle()
    #expect(scene.session.settledSyncs(at: .zero).count == SessionLimits.waitingSyncs)
  }
}
