// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol
import Testing

@testable import LayoutService

@Suite("Groups of sessions that are opened alike", .timeLimit(.minutes(1)))
struct AlikeGroupTests {
  private func opening(_ number: UInt64) throws -> AlikeOpening {
    try #require(AlikeOpening(.init(), eventSequence: number, collection: 1, layout: nil))
  }

  @Test("a group is shared while it has several members, and ends with the last one")
  func members() throws {
    let sessions = AlikeSessions()
    var first: AlikeGroup.Membership? = sessions.join(try opening(1))
    weak let group = first?.group
    #expect(group?.isShared == false)
    var second: AlikeGroup.Membership? = sessions.join(try opening(1))
    #expect(second?.group === group && group?.isShared == true)
    let other = sessions.join(try opening(2))
    #expect(other.group !== group && !other.group.isShared)
    first = nil
    #expect(group?.isShared == false)
    second = nil
    #expect(group == nil)
  }

  @Test("openings without members are forgotten where there are many")
  func many() throws {
    let sessions = AlikeSessions()
    let kept = sessions.join(try opening(0))
    for number in 1 ... 10_000 { _ = sessions.join(try opening(UInt64(number))) }
    #expect(sessions.join(try opening(0)).group === kept.group)
  }
}
