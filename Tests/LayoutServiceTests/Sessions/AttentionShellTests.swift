// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol
import SwiftProtobuf
import Testing

@testable import LayoutService

/// Candidates and sightings over a stream, whose time passes as the test says.
@Suite("Candidates and sightings over a stream", .timeLimit(.minutes(1)))
struct AttentionShellTests {
  private let time = ManualTime()

  /// Rows of 50 points, of which four are in sight.
  private func fill(_ open: inout Wire.OpenSession) {
    open.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 100 }] }]
    open.layout.list.rowHeight = 50
    open.options.prefetch.maxItems = 2
    open.options.visibility.rules = [.with { $0.duration = .init(seconds: 0, nanos: 500_000_000) }]
  }

  private func prefetch(_ response: Wire.StreamLayoutResponse) -> Wire.PrefetchChange? {
    if case .prefetch(let change) = response.message { change } else { nil }
  }

  private func visibility(_ response: Wire.StreamLayoutResponse) -> Wire.VisibilityChange? {
    if case .visibility(let change) = response.message { change } else { nil }
  }

  @Test("they follow their frame, and a sighting comes by itself when its time is over")
  func sighting() async throws {
    let services = SessionServices.manual(time)
    var probe = StreamProbe(services)
    let opened = try await probe.open(fill)
    #expect(opened.options.prefetch.maxItems == 2)
    #expect(opened.options.visibility.rules.count == 1)
    let frame = try await probe.frame()
    #expect(frame.scrollSensitivity == .everyScroll)
    let first = try await probe.next(prefetch)
    #expect(first.reset)
    #expect(first.items.map(\.key.indexPath.item) == [4, 5])
    #expect(try await probe.next(visibility).reset)
    await time.waitForAlarm(count: 2)
    probe.send { $0.ack.frameSeq = frame.frameSeq }
    time.advance(by: .milliseconds(500))
    let change = try await probe.next(visibility)
    #expect(change.began.map(\.key.indexPath.item) == [0, 1, 2, 3])
    #expect(change.began.allSatisfy { $0.seenFor.nanos >= 500_000_000 || $0.seenFor.seconds > 0 })
    probe.send {
      $0.eventSeq = 2
      $0.viewport.contentOffset.y = 100
    }
    let moved = try await probe.next(prefetch)
    #expect(moved.shown == first.items.map(\.number))
    #expect(moved.items.map(\.key.indexPath.item) == [6, 7])
    #expect(try await probe.next(visibility).ended.map(\.number) == [1, 2])
  }

  @Test("a stream that goes on with the session is told what counts, by the numbers from before")
  func resume() async throws {
    let services = SessionServices.manual(time)
    var old = StreamProbe(services)
    let opened = try await old.open(fill)
    let frame = try await old.frame()
    let before = try await old.next(prefetch)
    old.send { $0.ack.frameSeq = frame.frameSeq }
    var new = StreamProbe(services)
    new.sendOpening { open in
      open.resume = .with {
        $0.resumeToken = opened.resumeToken
        $0.lastFrameSeq = frame.frameSeq
        $0.lastEventSeq = 1
        $0.liveCount = frame.liveCount
      }
      open.clearViewport()
    }
    #expect(try await new.opened().outcome == .resumed)
    let after = try await new.next(prefetch)
    #expect(after.reset)
    #expect(after.items == before.items)
    #expect(try await new.next(visibility).reset)
    #expect(await old.end()?.reason == .sessionExpired)
  }
}
