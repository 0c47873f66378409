// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutProtocol
import LayoutSession
import Testing

@testable import LayoutClient

/// What a client makes of changes of candidates and sightings.
@Suite("Announcements", .timeLimit(.minutes(1)))
struct AnnouncementsTests {
  private func prefetch(
    _ numbers: [UInt64],
    shown: [UInt64] = [],
    cancelled: [UInt64] = [],
    isReset: Bool = false,
    continued: Bool = false
  ) -> Wire.PrefetchChange {
    let items = numbers.map { PrefetchChange.Item(number: $0, key: .cell(0, Int($0))) }
    let change = PrefetchChange(
      isReset: isReset,
      items: items,
      shown: shown,
      cancelled: cancelled
    )
    var message = Wire.PrefetchChange.parts(of: change, maxBytes: 1 << 20)[0]
    message.continued = continued
    return message
  }

  private func seen(
    _ numbers: [UInt64],
    ended: [UInt64] = [],
    isReset: Bool = false,
    continued: Bool = false
  ) -> Wire.VisibilityChange {
    let change = VisibilityChange(
      isReset: isReset,
      began: numbers.map {
        .init(number: $0, rule: 0, key: .cell(0, Int($0)), slot: 0, seenFor: .seconds(1))
      },
      ended: ended.map { .init(number: $0, seenFor: .seconds(3)) }
    )
    var message = Wire.VisibilityChange.parts(of: change, maxBytes: 1 << 20)[0]
    message.continued = continued
    return message
  }

  @Test("a reset tells what has really changed")
  func reset() throws {
    var announcements = Announcements()
    #expect(try announcements.take(prefetch([], isReset: true)) == nil)
    #expect(try announcements.take(prefetch([1, 2, 3]))?.items.map(\.number) == [1, 2, 3])
    let change = try announcements.take(prefetch([2, 4], isReset: true))
    #expect(change?.isReset == false)
    #expect(change?.items.map(\.number) == [4])
    #expect(change?.cancelled == [1, 3])
    #expect(try announcements.take(seen([1, 2], isReset: true))?.began.count == 2)
    let sightings = try announcements.take(seen([2, 3], isReset: true))
    #expect(sightings?.began.map(\.number) == [3])
    #expect(sightings?.ended == [.init(number: 1, seenFor: .seconds(1))])
  }

  @Test("a change in parts is told with the last one, as one")
  func parts() throws {
    var announcements = Announcements()
    _ = try announcements.take(prefetch([1, 2]))
    #expect(try announcements.take(prefetch([2, 5], isReset: true, continued: true)) == nil)
    #expect(try announcements.take(prefetch([6], continued: true)) == nil)
    let change = try announcements.take(prefetch([7]))
    #expect(change?.items.map(\.number) == [5, 6, 7])
    #expect(change?.cancelled == [1])
    #expect(try announcements.take(seen([1], continued: true)) == nil)
    #expect(try announcements.take(seen([2], ended: []))?.began.map(\.number) == [1, 2])
    // A stream that ends between two parts leaves nothing behind.
    #expect(try announcements.take(prefetch([], cancelled: [5], continued: true)) == nil)
    announcements.forgetParts()
    #expect(try announcements.take(prefetch([8]))?.cancelled == [])
  }

  @Test("of a change in parts as much is kept as the viewer may use memory for")
  func memory() throws {
    var announcements = Announcements(maxBytes: 10_000)
    let data = String(repeating: "x", count: 1000)
    for number in 1 ... 100 as ClosedRange<UInt64> {
      var part = prefetch([number], continued: true)
      part.items[0].itemData = data
      #expect(try announcements.take(part) == nil)
    }
    let kept = try #require(try announcements.take(prefetch([]))).items
    #expect((5 ... 9).contains(kept.count) && kept.first?.number == 1)
    // The next change has all of the room again.
    #expect(try announcements.take(prefetch([101, 102]))?.items.map(\.number) == [101, 102])
  }

  @Test("each number is told to begin once and to end once, whatever a server says")
  func once() throws {
    var announcements = Announcements()
    _ = try announcements.take(prefetch([1]))
    #expect(try announcements.take(prefetch([1])) == nil)
    #expect(try announcements.take(prefetch([], shown: [1], cancelled: [9]))?.shown == [1])
    #expect(try announcements.take(prefetch([], cancelled: [1])) == nil)
    _ = try announcements.take(seen([1]))
    #expect(try announcements.take(seen([1])) == nil)
    #expect(try announcements.take(seen([], ended: [1, 7]))?.ended.map(\.number) == [1])
    #expect(try announcements.take(seen([], ended: [1])) == nil)
  }

  @Test("a session that is gone ends everything")
  func end() throws {
    var announcements = Announcements()
    _ = try announcements.take(prefetch([1, 2]))
    _ = try announcements.take(seen([3]))
    let ended = announcements.endAll()
    #expect(ended.prefetch?.cancelled == [1, 2])
    #expect(ended.visibility?.ended.map(\.number) == [3])
    let again = announcements.endAll()
    #expect(again.prefetch == nil && again.visibility == nil)
    // The next session counts anew.
    #expect(try announcements.take(prefetch([1], isReset: true))?.items.count == 1)
  }
}
