// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Superseded steps of a movement", .timeLimit(.minutes(1)))
struct SupersededStepTests {
  private func scene() -> Scene {
    var scene = Scene(.keyed(30, 8), layout: ListLayout(rowHeight: 40), isShared: true)
    scene.send(.movement(.beginItems(.keys(["a3", "a9", "a20"]))))
    #expect(scene.problem == nil)
    return scene
  }

  private func target(_ item: Int, section: Int = 0) -> InteractiveMovement {
    .target(IndexPath(section: section, item: item))
  }

  private func receive(
    _ step: InteractiveMovement,
    _ scene: inout Scene,
    isSuperseded: Bool
  ) throws -> Refusal? {
    let seq = scene.session.lastEvent + 1
    let messages = try scene.session.receive(
      .movement(step),
      seq: seq,
      at: scene.now,
      isSuperseded: isSuperseded
    )
    guard case .eventResult(let result)? = messages.first, messages.count == 1 else {
      Issue.record("\(messages)")
      return nil
    }
    #expect(result.eventSequence == seq)
    return result.problem
  }

  @Test("they are answered, and change nothing that is shown")
  func answers() throws {
    var scene = scene()
    let epoch = scene.session.contents.epoch
    for item in 5 ..< 20 {
      #expect(try receive(target(item), &scene, isSuperseded: true) == nil)
    }
    #expect(try receive(target(99), &scene, isSuperseded: true)?.reason == .indexOutOfRange)
    #expect(scene.session.contents.epoch == epoch)
    #expect(try receive(target(21), &scene, isSuperseded: false) == nil)
    #expect(scene.session.contents.epoch == epoch + 1)
    #expect(scene.session.movement?.path == IndexPath(section: 0, item: 21))
    scene.settle()
  }

  @Test("the last one is carried out if that which supersedes it is refused")
  func refused() throws {
    var scene = scene()
    #expect(try receive(target(5), &scene, isSuperseded: true) == nil)
    #expect(try receive(target(2, section: 1), &scene, isSuperseded: true) == nil)
    #expect(try receive(target(99), &scene, isSuperseded: false)?.reason == .indexOutOfRange)
    #expect(scene.session.movement?.path == IndexPath(section: 1, item: 2))
    scene.settle()
  }

  @Test("the last one is carried out before another event that needs it")
  func needed() throws {
    var scene = scene()
    #expect(try receive(target(2, section: 1), &scene, isSuperseded: true) == nil)
    scene.post(.movement(.end))
    let batches = scene.messages.compactMap { message -> UpdateBatch? in
      if case .commit(_, let batch) = message { batch } else { nil }
    }
    let batch = try #require(batches.first)
    let moved = try scene.session.contents.base.applying(batch).new
    #expect(moved.key(at: IndexPath(section: 1, item: 2)) == "a3")
  }

  @Test("the last one counts if others commit before the next")
  func followed() throws {
    var scene = scene()
    #expect(try receive(target(2, section: 1), &scene, isSuperseded: true) == nil)
    let change = try scene.session.contents.base.applying(UpdateBatch([.delete(0 ..< 1)]))
    scene.session.collectionChanged(change, toVersion: 1)
    #expect(scene.session.movement?.path == IndexPath(section: 1, item: 2))
    #expect(scene.session.movement?.pendingTarget == nil)
  }

  @Test(
    "a viewer ends where one ends who carries all of them out",
    arguments: 0 ..< 40 as Range<UInt64>
  )
  func sameEnd(seed: UInt64) throws {
    var random = SplitMix64(seed: 91_000 + seed)
    var (each, merged) = (scene(), scene())
    for _ in 0 ..< 6 {
      let steps = (0 ..< random.int(1 ... 6)).map { _ -> InteractiveMovement in
        if random.chance(30) {
          return .position(Point(x: 100, y: Double(random.int(0 ... 1600)) + 0.25))
        }
        return target(random.int(0 ... 32), section: random.int(0 ... 1))
      }
      var isAccepted = false
      for (index, step) in steps.enumerated() {
        let later = steps[(index + 1)...].first {
          SessionEvent.movement($0).succeeds(.movement(step)) != .passes
        }
        let isSuperseded =
          later.map { SessionEvent.movement($0).succeeds(.movement(step)) == .supersedes } ?? false
        let answer = try receive(step, &each, isSuperseded: false)
        #expect(try receive(step, &merged, isSuperseded: isSuperseded)?.reason == answer?.reason)
        isAccepted = answer == nil
      }
      #expect(each.session.movement?.pendingTarget == nil)
      #expect(merged.session.movement?.pendingTarget == nil)
      #expect(merged.session.movement?.position == each.session.movement?.position)
      each.settle()
      merged.settle()
      // Where a position leads depends on what was shown before it.
      if isAccepted, case .target? = steps.last {
        #expect(merged.session.movement?.path == each.session.movement?.path)
        #expect(merged.client.slots == each.client.slots)
      }
      // The next steps begin at the same place.
      for scene in [0, 1] {
        let step = target(0)
        if scene == 0 {
          _ = try receive(step, &each, isSuperseded: false)
          each.settle()
        } else {
          _ = try receive(step, &merged, isSuperseded: false)
          merged.settle()
        }
      }
    }
  }
}
