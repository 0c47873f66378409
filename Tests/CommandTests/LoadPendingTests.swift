// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry
import Testing

@testable import layoutctl

@Suite("Events that wait for frames", .timeLimit(.minutes(2)))
struct LoadPendingTests {
  private let everything = Rect(x: 0, y: 0, width: 100, height: 10_000)

  @Test("charges every event that was waited for from its own time")
  func stall() {
    var pending = TimedEvents()
    for index in 0 ..< 3 {
      pending.add(
        UInt64(index + 2),
        .reveal,
        since: .seconds(index),
        visible: Rect(x: 0, y: 5000, width: 100, height: 100)
      )
    }
    let waits = pending.settle(through: 4, coverage: everything, adjustment: .zero)
    #expect(waits.map(\.since) == [.seconds(0), .seconds(1), .seconds(2)])
    #expect(pending.count == 0)
  }

  @Test("counts the newest of the scrolls that needed no frame, and forgets the others")
  func ahead() {
    var pending = TimedEvents()
    for index in 0 ..< 4 { pending.add(UInt64(index + 2), .ahead, since: .seconds(index)) }
    let waits = pending.settle(through: 4, coverage: everything, adjustment: .zero)
    #expect(waits == [.init(latency: .ahead, since: .seconds(2))])
    #expect(pending.count == 1)
    #expect(pending.unanswered.isEmpty)
  }

  @Test("leaves scrolls ahead uncounted beside what was waited for")
  func mixture() {
    var pending = TimedEvents()
    pending.add(2, .edit, since: .seconds(1))
    pending.add(3, .ahead, since: .seconds(2))
    let waits = pending.settle(through: 3, coverage: everything, adjustment: .zero)
    #expect(waits == [.init(latency: .edit, since: .seconds(1))])
  }

  @Test("a scroll is answered by an earlier frame that covers its place")
  func coveredBefore() {
    var pending = TimedEvents()
    let visible = Rect(x: 0, y: 900, width: 100, height: 100)
    pending.add(5, .reveal, since: .seconds(1), visible: visible)
    let far = Rect(x: 0, y: 0, width: 100, height: 950)
    let farWaits = pending.settle(through: 4, coverage: far, adjustment: .zero)
    #expect(farWaits.isEmpty)
    // The content moves by 50, and with it what is to be seen.
    let near = Rect(x: 0, y: 950, width: 100, height: 100)
    let nearWaits = pending.settle(through: 4, coverage: near, adjustment: Point(x: 0, y: 50))
    #expect(nearWaits.count == 1)
  }

  @Test("keeps what no frame reflects, and forgets what was refused")
  func refusal() {
    var pending = TimedEvents()
    pending.add(2, .edit, since: .seconds(1))
    pending.add(3, .resize, since: .seconds(2))
    let waits = pending.settle(through: 1, coverage: everything, adjustment: .zero)
    #expect(waits.isEmpty)
    #expect(pending.unanswered.count == 2)
    pending.remove(2)
    #expect(pending.unanswered == [.init(latency: .resize, since: .seconds(2))])
    #expect(pending.contains(.resize))
    #expect(!pending.contains(.edit))
  }

  @Test("a server may skip any number of versions")
  func skipped() {
    let log = CommitLog()
    var seen = SeenVersions()
    for version in [3, UInt64.max] {
      log.record(version: version, .init(stream: 2, since: .seconds(9)))
    }
    let newest = seen.take(1 ... .max, at: .seconds(10), by: 1, from: log)
    // Of so many versions the newest are looked up.
    #expect(newest == [.latency(.othersEdit, .seconds(1), since: .seconds(9))])
    let few = seen.take(2 ... 4, at: .seconds(10), by: 1, from: log)
    #expect(few == [.latency(.othersEdit, .seconds(1), since: .seconds(9))])
  }

  @Test("sees the edits of others once they are known, and not its own")
  func others() {
    let log = CommitLog()
    var seen = SeenVersions()
    let atFirst = seen.take(2 ... 4, at: .seconds(10), by: 1, from: log)
    #expect(atFirst.isEmpty)
    log.record(version: 3, .init(stream: 2, since: .seconds(9)))
    log.record(version: 4, .init(stream: 1, since: .seconds(9)))
    let afterwards = seen.take(nil, at: .seconds(20), by: 1, from: log)
    #expect(afterwards == [.latency(.othersEdit, .seconds(1), since: .seconds(9))])
    let again = seen.take(nil, at: .seconds(30), by: 1, from: log)
    #expect(again.isEmpty)
  }
}
