// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import LayoutGeometry
import LayoutProtocol
import SwiftProtobuf
import Testing

@testable import layoutctl

@Suite("Load session", .timeLimit(.minutes(2)))
struct LoadSessionTests {
  private let subject = LoadSubject(
    collection: "collections/a",
    layout: nil,
    viewport: Size(width: 100, height: 100),
    encoding: .messages,
    itemsPerSection: 50
  )

  private func frame(
    _ sequence: UInt64,
    applied: UInt64,
    version: UInt64 = 1,
    coverage: (Double, Double)
  ) -> Wire.StreamLayoutResponse {
    var response = Wire.StreamLayoutResponse()
    response.frame.frameSeq = sequence
    response.frame.baseFrameSeq = sequence - 1
    response.frame.appliedEventSeq = applied
    response.frame.dataVersion = version
    response.frame.contentSize.width = 100
    response.frame.contentSize.height = 10_000
    response.frame.coverage.y = coverage.0
    response.frame.coverage.width = 100
    response.frame.coverage.height = coverage.1
    if sequence == 1 {
      var element = Wire.LayoutElement()
      element.key.category = .cell
      element.key.indexPath.item = 3
      element.attributes.frame.width = 10
      element.attributes.frame.height = 10
      element.attributes.alpha = 1
      response.frame.elements.upserts = [element]
    }
    response.frame.liveCount = 1
    return response
  }

  /// A session after its first frame.
  private func opened() throws -> LoadSession {
    var session = LoadSession(subject, seed: 1)
    let early = session.perform(.edit, meantAt: .zero)
    #expect(early == nil)
    let request = session.open(at: .seconds(1))
    #expect(request.eventSeq == 1)
    #expect(request.open.collection == "collections/a")
    #expect(request.open.capabilities.checksums)
    var observations: [LoadSession.Observation] = []
    let answer = session.take(frame(1, applied: 1, coverage: (0, 200)), at: .seconds(3)) {
      observations.append($0)
    }
    #expect(answer?.ack.frameSeq == 1)
    #expect(answer?.eventSeq == 0)
    #expect(observations.contains(.opened(after: .seconds(2))))
    return session
  }

  @Test("tells scrolls that need a frame from those that do not")
  func scrolls() throws {
    var session = try opened()
    let step = LoadScript.Action.scroll(pages: 0.8, pagesPerSecond: 2)
    let first = session.perform(step, meantAt: .seconds(4))
    #expect(first?.viewport.contentOffset.y == 80)
    #expect(first?.viewport.velocity.y == 200)
    #expect(first?.viewport.observedFrameSeq == 1)
    #expect(session.pending.contains(.ahead))
    let second = session.perform(step, meantAt: .seconds(5))
    #expect(second?.eventSeq == 3)
    #expect(session.pending.contains(.reveal))
    #expect(session.question == nil)
    var latencies: [LoadSession.Observation] = []
    _ = session.take(frame(2, applied: 3, coverage: (100, 300)), at: .seconds(8)) {
      if case .latency = $0 { latencies.append($0) }
    }
    #expect(latencies == [.latency(.reveal, .seconds(3), since: .seconds(5))])
    #expect(session.question?.rect == Rect(x: 0, y: 100, width: 100, height: 300))
  }

  @Test("turns round at the end of the content")
  func turning() throws {
    var session = try opened()
    let endRequest = session.perform(.jump(share: 1), meantAt: .zero)
    let end = try #require(endRequest)
    #expect(end.viewport.contentOffset.y == 9900)
    let step = LoadScript.Action.scroll(pages: 1, pagesPerSecond: 1)
    let backRequest = session.perform(step, meantAt: .zero)
    let back = try #require(backRequest)
    #expect(back.viewport.contentOffset.y == 9800)
    #expect(back.viewport.velocity.y == -100)
  }

  @Test("rejects a frame that does not fit, and counts it")
  func wrongFrame() throws {
    var session = try opened()
    var wrong = frame(2, applied: 1, coverage: (0, 200))
    wrong.frame.liveCount = 9
    var observations: [LoadSession.Observation] = []
    let answer = session.take(wrong, at: .zero) { observations.append($0) }
    #expect(answer?.ack.rejected == true)
    #expect(observations == [.error("FRAME_WRONG (wrong count)")])
  }

  @Test("follows an edit from its step to its version and its frame")
  func edits() throws {
    var session = try opened()
    let editRequest = session.perform(.edit, meantAt: .seconds(4))
    let edit = try #require(editRequest)
    #expect(edit.update.operations.operations.count == 1)
    var result = Wire.StreamLayoutResponse()
    result.eventResult.eventSeq = edit.eventSeq
    result.eventResult.dataVersion = 2
    var observations: [LoadSession.Observation] = []
    _ = session.take(result, at: .seconds(5)) { observations.append($0) }
    #expect(observations == [.committed(version: 2, since: .seconds(4))])
    observations = []
    let answered = frame(2, applied: edit.eventSeq, version: 3, coverage: (0, 200))
    _ = session.take(answered, at: .seconds(6)) { observations.append($0) }
    #expect(observations.contains(.versions(2 ... 3)))
    #expect(observations.contains(.latency(.edit, .seconds(2), since: .seconds(4))))
  }

  @Test("counts a refused edit by its reason, and waits for no frame")
  func refusal() throws {
    var session = try opened()
    let editRequest = session.perform(.edit, meantAt: .seconds(4))
    let edit = try #require(editRequest)
    var result = Wire.StreamLayoutResponse()
    result.eventResult.eventSeq = edit.eventSeq
    result.eventResult.problem.reason = "INDEX_OUT_OF_RANGE"
    var observations: [LoadSession.Observation] = []
    _ = session.take(result, at: .seconds(5)) { observations.append($0) }
    #expect(observations == [.error("INDEX_OUT_OF_RANGE")])
    #expect(session.pending.unanswered.isEmpty)
  }

  @Test("editors never reach beyond a section, in whatever order their batches arrive")
  func editors() throws {
    let itemsPerSection = 5
    var random = SplitMix64(seed: 11)
    var editors = (0 ..< 4).map {
      LoadEditor(seed: UInt64($0), itemsPerSection: itemsPerSection)
    }
    // Each editor's batches arrive in order; those of different editors in any.
    var waiting = [[Wire.UpdateOperation]](repeating: [], count: editors.count)
    var counts = [itemsPerSection, itemsPerSection]
    for _ in 0 ..< 4000 {
      let number = Int.random(in: 0 ..< editors.count, using: &random)
      if Bool.random(using: &random) {
        let section = Int.random(in: 0 ..< 2, using: &random)
        // As long as it may have been at any time.
        let seen = IndexPath(section: section, item: Int.random(in: 0 ..< 40, using: &random))
        let batch = editors[number].batch(at: [seen])
        waiting[number] += try #require(batch).operations.operations
      } else if !waiting[number].isEmpty {
        switch waiting[number].removeFirst().operation {
        case .insertItems(let insert):
          let section = Int(insert.at.section)
          try #require(Int(insert.at.item) <= counts[section])
          counts[section] += Int(insert.blocks[0].count)
        case .deleteItems(let range):
          let section = Int(range.section)
          try #require(Int(range.firstItem + range.itemCount) <= counts[section])
          counts[section] -= Int(range.itemCount)
        case .moveItem(let move):
          try #require(Int(max(move.from.item, move.to.item)) < counts[Int(move.from.section)])
        case .reconfigureItems(let replace):
          let end = Int(replace.range.firstItem + replace.range.itemCount)
          try #require(end <= counts[Int(replace.range.section)])
        default: Issue.record("an operation of another kind")
        }
        #expect(counts.allSatisfy { $0 >= itemsPerSection })
      }
    }
  }
}
