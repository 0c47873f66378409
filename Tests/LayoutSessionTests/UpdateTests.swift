// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutSession
import Testing

@Suite("Updates and answers", .timeLimit(.minutes(2)))
struct UpdateTests {
  @Test("a batch makes one data version and is answered by it")
  func version() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    scene.update([.delete(0 ..< 1)])
    #expect(scene.results == [EventResult(eventSequence: 2, dataVersion: 1)])
    #expect(scene.client.dataVersion == 1)
    #expect(scene.client.slots.count == 2)
  }

  @Test("a refused batch changes nothing and the session goes on")
  func refused() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    let before = scene.client.slots
    scene.send(.update(UpdateBatch([.delete(7 ..< 8)])))
    #expect(scene.problem?.violations.isEmpty == false)
    #expect(scene.problem?.reason == .indexOutOfRange)
    #expect(scene.frames.isEmpty)
    #expect(scene.client.slots == before)
    scene.update([.delete(0 ..< 1)])
    #expect(scene.client.dataVersion == 1)
  }

  @Test("a batch against another version is refused")
  func conflict() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    scene.send(
      .update(
        UpdateBatch(expectedDataVersion: 4, change: .operations([.delete(0 ..< 1)]))
      )
    )
    #expect(scene.problem?.reason == .versionConflict)
    #expect(scene.problem?.metadata == ["currentDataVersion": "0"])
    scene.send(
      .update(
        UpdateBatch(expectedDataVersion: 0, change: .operations([.delete(0 ..< 1)]))
      )
    )
    #expect(scene.problem == nil)
  }

  @Test("a batch that comes twice is applied once")
  func duplicate() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    let batch = UpdateBatch(requestID: "r", change: .operations([.delete(0 ..< 1)]))
    scene.send(.update(batch))
    scene.send(.update(batch))
    #expect(scene.results == [EventResult(eventSequence: 3, dataVersion: 1, isDuplicate: true)])
    #expect(scene.frames.isEmpty)
    #expect(scene.client.slots.count == 2)
  }

  @Test("another batch with the identifier of an earlier one is refused, and not taken for a retry")
  func identifierOfAnotherBatch() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    var batch = UpdateBatch(requestID: "r", change: .operations([.delete(0 ..< 1)]))
    batch.digest = 1
    scene.send(.update(batch))
    scene.send(.update(batch))
    #expect(scene.problem == nil && scene.results.last?.isDuplicate == true)
    batch.digest = 2
    scene.send(.update(batch))
    #expect(scene.problem?.reason == .fieldInvalid)
    #expect(scene.problem?.violations.first?.field == "request_id")
    #expect(scene.client.slots.count == 2)
  }

  @Test("a new version is told even where nothing of it is in view")
  func outOfView() throws {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    scene.update([.insert("x", at: 900)])
    let frame = try #require(scene.frames.first)
    #expect(frame.upserts.isEmpty)
    #expect(frame.contentSize?.height == 44_044)
    #expect(scene.client.dataVersion == 1)
  }

  @Test("a batch is derived from, not prepared anew")
  func derivation() {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    for step in 0 ..< 10 { scene.update([.insert("x\(step)", at: step)]) }
    #expect(scene.preparedCount == 1)
    #expect(scene.derivedCount == 10)
    scene.send(.viewport(ViewportChange(size: Size(width: 400, height: 480))))
    #expect(scene.preparedCount == 2)
  }

  // MARK: - Shared contents

  @Test("a shared session asks its owner to commit, and follows what was committed")
  func shared() throws {
    let contents = CollectionContents.keyed(3)
    var scene = Scene(contents, layout: ListLayout(), isShared: true)
    scene.send(.update(UpdateBatch([.delete(0 ..< 1)])))
    #expect(scene.frames.isEmpty)
    #expect(scene.session.appliedEvent == 1)
    guard case .commit(let seq, let batch) = scene.messages.first else {
      Issue.record("nothing to commit")
      return
    }
    let change = try contents.applying(batch)
    scene.session.collectionChanged(change, toVersion: 6)
    let messages = scene.session.updateSettled(
      seq: seq,
      .committed(version: 6, isDuplicate: false),
      at: .zero
    )
    guard case .eventResult(let result) = messages.first else {
      Issue.record("no answer")
      return
    }
    #expect(result == EventResult(eventSequence: 2, dataVersion: 6))
    scene.settle()
    #expect(scene.client.dataVersion == 6)
    #expect(scene.frames.first?.appliedEvent == 2)
    #expect(scene.session.wantedLayout == nil)
    scene.checkMirror()
  }

  @Test("a shared layout may be shared until the session measures")
  func shareable() throws {
    var scene = Scene(
      .keyed(3),
      layout: ListLayout(isSelfSizing: true),
      isShared: true
    )
    scene.post(.viewport(ViewportChange(size: Size(width: 100, height: 480))))
    #expect(try #require(scene.session.wantedLayout).isShareable)
    scene.settle()
    scene.post(
      .measurements(
        MeasurementReport(observedFrame: 2, slots: [0], sizes: [Size(width: 1, height: 9)])
      )
    )
    #expect(try #require(scene.session.wantedLayout).isShareable == false)
  }

  @Test("what the owner could not commit is answered by why")
  func sharedRefusal() {
    var scene = Scene(.keyed(3), layout: ListLayout(), isShared: true)
    scene.send(.update(UpdateBatch([.delete(0 ..< 1)])))
    let messages = scene.session.updateSettled(
      seq: 2,
      .refused(Refusal(.versionConflict, "stale")),
      at: .zero
    )
    #expect(messages.count == 1)
    #expect(scene.session.appliedEvent == 2)
    #expect(
      scene.session.updateSettled(seq: 2, .committed(version: 1, isDuplicate: false), at: .zero)
        .isEmpty
    )
  }

  // MARK: - Layouts

  @Test("a layout that cannot work is refused with its field")
  func invalidLayout() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    scene.send(
      .layout(LayoutChange(layout: LayoutConfiguration(ListLayout(rowHeight: -1))))
    )
    #expect(scene.problem?.reason == .fieldInvalid)
    #expect(scene.problem?.violations.first?.field.hasPrefix("layout.list.") == true)
    #expect(scene.frames.isEmpty)
  }

  @Test("an invalidation without new data changes nothing")
  func invalidation() {
    var scene = Scene(.keyed(3), layout: ListLayout())
    scene.send(.invalidation([]))
    #expect(scene.results.count == 1)
    #expect(scene.frames.isEmpty)
  }

  @Test("options change while the session runs")
  func options() {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    scene.send(.options(SessionOptions(maxInFlightFrames: 5, overscanAhead: 2)))
    #expect(scene.session.options.maxInFlightFrames == 5)
    #expect(scene.results.count == 1)
    scene.send(.options(SessionOptions(overscanBehind: -1)))
    #expect(scene.problem?.reason == .fieldInvalid)
  }

  // MARK: - Scroll targets

  @Test("answers where to scroll")
  func scrollTargets() {
    var scene = Scene(
      .keyed(100),
      layout: ListLayout(rowHeight: 50, rowSpacing: 10),
      layoutOptions: LayoutOptions(scrollSnap: .itemLeading),
      size: Size(width: 320, height: 400)
    )
    func answer() -> ScrollTarget? {
      for case .scrollTarget(_, let target) in scene.messages { return target }
      return nil
    }
    scene.send(
      .scrollTarget(
        .release(proposedOffset: Point(x: 0, y: 131), velocity: .zero, section: nil)
      )
    )
    #expect(answer() == ScrollTarget(offset: Point(x: 0, y: 120), element: .cell(0, 2)))
    #expect(scene.results.count == 1)
    scene.send(.scrollTarget(.item(key: "a20", at: .start)))
    #expect(answer() == ScrollTarget(offset: Point(x: 0, y: 1200), element: .cell(0, 20)))
    scene.send(.scrollTarget(.element(.cell(0, 20), at: .end)))
    #expect(answer()?.offset.y == 850)
    #expect(scene.frames.isEmpty)
    scene.send(.scrollTarget(.item(key: "nobody", at: .start)))
    #expect(scene.problem?.reason == .indexOutOfRange)
    scene.send(.scrollTarget(.element(.cell(3, 2), at: .start)))
    #expect(scene.problem?.reason == .indexOutOfRange)
  }

  @Test("finds where a flick ends from the viewport's offset")
  func projectedScrollTarget() {
    var scene = Scene(
      .keyed(100),
      layout: ListLayout(rowHeight: 50),
      layoutOptions: LayoutOptions(scrollSnap: .itemLeading),
      size: Size(width: 320, height: 400)
    )
    scene.send(.viewport(ViewportChange(offset: Point(x: 0, y: 100))))
    scene.send(
      .scrollTarget(
        .release(proposedOffset: nil, velocity: Point(x: 0, y: 900), section: nil)
      )
    )
    // 100 + 449.1 is nearest to row 11.
    guard case .scrollTarget(_, let target) = scene.messages.first else {
      Issue.record("no answer")
      return
    }
    #expect(target == ScrollTarget(offset: Point(x: 0, y: 550), element: .cell(0, 11)))
  }

  @Test("answers which item a key press leads to")
  func neighbors() {
    var scene = Scene(
      .keyed(100),
      layout: ListLayout(rowHeight: 50),
      size: Size(width: 320, height: 400)
    )
    func answer() -> ScrollTarget? {
      for case .scrollTarget(_, let target) in scene.messages { return target }
      return nil
    }
    scene.send(.scrollTarget(.neighbor(of: .item(key: "a7"), step: .down, at: .nearest)))
    #expect(answer()?.element == .cell(0, 8))
    #expect(answer()?.offset == Point(x: 0, y: 50))
    #expect(answer()?.neighbor?.itemKey == "a8")
    #expect(answer()?.neighbor?.attributes.frame.y == 400)
    scene.send(.scrollTarget(.neighbor(of: .element(.cell(0, 99)), step: .next, at: .nearest)))
    #expect(answer() == ScrollTarget(offset: .zero))
    scene.send(.scrollTarget(.neighbor(of: .item(key: "nobody"), step: .up, at: .nearest)))
    #expect(scene.problem?.violations.first?.field == "neighbor.item_key")
    scene.send(.scrollTarget(.neighbor(of: .element(.cell(1, 0)), step: .up, at: .nearest)))
    #expect(scene.problem?.violations.first?.field == "neighbor.key")
    let point = Point(x: .nan, y: 0)
    scene.send(.scrollTarget(.neighbor(of: .point(point), step: .up, at: .nearest)))
    #expect(scene.problem?.violations.first?.field == "neighbor.point.x")
  }

  @Test("a question waits for the layout that it is about")
  func waitingQuestion() {
    var scene = Scene(.keyed(100), layout: ListLayout(rowHeight: 50))
    scene.post(.update(UpdateBatch([.insert("x", at: 0)])))
    scene.messages = []
    scene.post(.scrollTarget(.item(key: "a10", at: .start)))
    #expect(scene.messages.isEmpty)
    scene.settle()
    guard case .scrollTarget(let seq, let target) = scene.messages.first else {
      Issue.record("no answer")
      return
    }
    #expect(seq == 3)
    #expect(target.offset.y == 550)
  }

  @Test("a question about a section that goes while it waits is refused")
  func waitingQuestionOfLostSection() {
    var scene = Scene(.keyed(5, 5), layout: ListLayout(rowHeight: 50))
    scene.post(.update(UpdateBatch([.insert("x", at: 0)])))
    scene.messages = []
    scene.post(
      .scrollTarget(
        .release(proposedOffset: Point(x: 0, y: 60), velocity: .zero, section: 1)
      )
    )
    #expect(scene.messages.isEmpty)
    scene.post(.update(UpdateBatch([.deleteSections(1 ..< 2)])))
    scene.messages = []
    scene.settle()
    #expect(scene.messages.count == 1)
    #expect(scene.problem?.reason == .indexOutOfRange)
    #expect(scene.problem?.violations.first?.field == "release.section")
  }

  @Test(
    "offsets and velocities beyond all content are refused",
    arguments: [Double.nan, .infinity, -.infinity, 1e300, -1_099_511_627_777]
  )
  func unreachableScrollTargets(value: Double) {
    var scene = Scene(.keyed(5), layout: ListLayout())
    for (field, point) in [("x", Point(x: value, y: 0)), ("y", Point(x: 0, y: value))] {
      scene.send(
        .scrollTarget(.release(proposedOffset: point, velocity: .zero, section: nil))
      )
      #expect(scene.problem?.violations.first?.field == "release.proposed_offset.\(field)")
      scene.send(
        .scrollTarget(.release(proposedOffset: .zero, velocity: point, section: nil))
      )
      #expect(scene.problem?.violations.first?.field == "release.velocity.\(field)")
    }
  }

  // MARK: - Resuming

  @Test("a client that has all it was sent goes on with deltas")
  func resume() throws {
    var scene = Scene(.keyed(1000), layout: ListLayout())
    let capabilities = scene.session.capabilities
    scene.session.collectionReset(contents: .keyed(1000), version: 1)
    scene.settle()
    let outcome = try scene.session.resume(
      SessionResume(
        lastFrame: 2,
        stateChecksum: scene.client.checksum,
        liveCount: 22,
        capabilities: capabilities
      ),
      at: .seconds(40)
    )
    #expect(outcome == .resumed)
    scene.now = .seconds(40)
    scene.scroll(to: 9000)
    #expect(scene.frames.map(\.isKeyframe) == [false])
    scene.checkMirror()
  }

  @Test("a client that missed frames gets a keyframe and what they adjusted")
  func resumeWithKeyframe() throws {
    var scene = Scene(
      .keyed(1000),
      layout: ListLayout(),
      offset: Point(x: 0, y: 4400),
      options: SessionOptions()
    )
    scene.post(.update(UpdateBatch([.insert("x", at: 0)])))
    scene.prepare()
    let lost = try scene.take()
    let outcome = try scene.session.resume(
      SessionResume(
        lastFrame: 1,
        stateChecksum: scene.client.checksum,
        liveCount: scene.client.slots.count,
        capabilities: scene.session.capabilities
      ),
      at: .zero
    )
    #expect(outcome == .resumedWithKeyframe)
    scene.client.skip(lost)
    scene.settle()
    #expect(scene.frames.map(\.isKeyframe) == [true])
    #expect(scene.client.offset.y == 4444)
    scene.checkMirror()
  }

  @Test("a checksum that differs, or other units, take a keyframe")
  func resumeWithOtherState() throws {
    var scene = Scene(.keyed(10), layout: ListLayout())
    #expect(
      try scene.session.resume(
        SessionResume(
          lastFrame: 1,
          stateChecksum: 1,
          liveCount: 10,
          capabilities: scene.session.capabilities
        ),
        at: .zero
      ) == .resumedWithKeyframe
    )
    scene.settle()
    var capabilities = scene.session.capabilities
    capabilities.unitsPerPoint = 192
    #expect(
      try scene.session.resume(
        SessionResume(
          lastFrame: 2,
          liveCount: 10,
          capabilities: capabilities
        ),
        at: .zero
      )
        == .resumedWithKeyframe
    )
    scene.client.unitsPerPoint = 192
    scene.settle()
    #expect(scene.frames.count == 1)
    #expect(scene.frames.first?.stateChecksum == scene.client.checksum)
  }
}
