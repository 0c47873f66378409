// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import Testing
import TrustTesting

@testable import LayoutTrust

@Suite("Limits of checks", .timeLimit(.minutes(1)))
struct CheckLimitTests {
  private let now = Date(timeIntervalSince1970: 1_800_000_000)

  /// Whether a check may begin; it ends at once.
  private func isAdmitted(
    _ limit: CheckLimit,
    _ address: String = "a",
    fails: Bool = true,
    at time: Date
  ) async -> Bool {
    do throws(AuthenticationFailure) { try await limit.enter(address, at: time) } catch {
      return false
    }
    limit.leave(address, hasFailed: fails, at: time)
    return true
  }

  private func admitted(
    _ limit: CheckLimit,
    _ address: String = "a",
    of count: Int,
    fails: Bool = true,
    at time: Date
  ) async -> Int {
    var admitted = 0
    for _ in 0 ..< count {
      if await isAdmitted(limit, address, fails: fails, at: time) { admitted += 1 }
    }
    return admitted
  }

  @Test("wrong tokens are verified up to those of ten seconds, and then at the rate")
  func rate() async {
    let limit = CheckLimit(perSecond: 3)
    #expect(await admitted(limit, of: 100, at: now) == 30)
    #expect(await admitted(limit, of: 100, at: now) == 0)
    #expect(await admitted(limit, of: 100, at: now + 2) == 6)
    #expect(await admitted(limit, of: 100, at: now + 1000) == 30)
    // A caller that waited comes with an older time, and time is not given twice.
    for _ in 0 ..< 5 {
      #expect(await admitted(limit, of: 100, at: now + 999) == 0)
      #expect(await admitted(limit, of: 100, at: now + 1000) == 0)
    }
    // A clock that was set back neither gives nor takes.
    #expect(await admitted(limit, of: 100, at: now) == 0)
    #expect(await admitted(limit, of: 100, at: now + 1) == 3)
  }

  @Test("right tokens use nothing up, and wrong ones of another address neither")
  func others() async {
    let limit = CheckLimit(perSecond: 1)
    #expect(await admitted(limit, of: 1000, fails: false, at: now) == 1000)
    #expect(await admitted(limit, of: 1000, at: now) == 10)
    #expect(await admitted(limit, "b", of: 1000, fails: false, at: now) == 1000)
    #expect(await !isAdmitted(limit, fails: false, at: now))
    #expect(await isAdmitted(limit, fails: false, at: now + 1))
  }

  @Test("who is refused learns when to come back")
  func delay() async throws {
    let limit = CheckLimit(perSecond: 2)
    _ = await admitted(limit, of: 20, at: now)
    await #expect(
      throws: AuthenticationFailure.tooManyFailures(limit: 2, retryAfter: .milliseconds(500))
    ) { try await limit.enter("a", at: now) }
    #expect(await isAdmitted(limit, at: now + 0.5))
  }

  @Test("however many come at once, those who wait see what the first ones used up")
  func turns() async throws {
    let limit = CheckLimit(perSecond: 1)
    for _ in 0 ..< CheckLimit.atOnce { try await limit.enter("a", at: now) }
    let admitted = await withTaskGroup(of: Bool.self) { group in
      for _ in 0 ..< 1000 { group.addTask { await isAdmitted(limit, at: now) } }
      // Those that run end: one of them was wrong.
      for index in 0 ..< CheckLimit.atOnce {
        limit.leave("a", hasFailed: index == 0, at: now)
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect((9 ..< 9 + CheckLimit.atOnce).contains(admitted))
    #expect(await !isAdmitted(limit, at: now))
    #expect(await isAdmitted(limit, at: now + 10))
  }

  @Test("addresses that are as good as new are forgotten")
  func forgetting() async {
    let limit = CheckLimit(perSecond: 1)
    for second in 0 ..< 2000 {
      _ = await isAdmitted(limit, "\(second)", at: now + TimeInterval(second))
    }
    #expect(limit.addressCount <= 64)
    for number in 0 ..< 200 { _ = await isAdmitted(limit, "n\(number)", at: now + 2000) }
    #expect(limit.addressCount >= 200)
  }

  @Test("what was found out lately is kept within its limits, and what is asked for longest")
  func findings() {
    var findings = RecentFindings<Int>(count: 100, bytes: 1000)
    func digest(_ number: Int) -> SHA256Digest { SHA256.hash(data: Data("\(number)".utf8)) }
    func value(_ number: Int) -> Int? { findings.value(of: digest(number)) }
    for number in 0 ..< 1000 {
      findings.insert(number, of: digest(number), bytes: 1)
      // Each step touches two, and no more than forty since then.
      let recent = max(0, number - 20)
      #expect(value(0) == 0)
      #expect(value(recent) == recent)
      #expect(findings.valueCount <= 101)
    }
    #expect(value(500) == nil)
    findings.keep { $0 % 2 == 0 }
    #expect(value(999) == nil)
    #expect(value(998) == 998)
    for number in 2000 ..< 2100 {
      findings.insert(number, of: digest(number), bytes: 200)
      #expect(findings.valueCount <= 60)
    }
    #expect(findings.valueCount <= 6)
  }
}
