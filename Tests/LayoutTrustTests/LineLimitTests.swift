// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LayoutTrust

@Suite("Lines of refused callers", .timeLimit(.minutes(1)))
struct LineLimitTests {
  @Test("one caller's refusals do not keep those of others out of the log")
  func callers() {
    let (limit, begin) = (LineLimit(), ContinuousClock.now)
    let logged = (0 ..< 1000).count { _ in limit.take(for: "loud", at: begin) != nil }
    #expect(logged == 20)
    // The next line says how many are missing.
    #expect(limit.take(for: "quiet", at: begin) == 980)
    #expect(limit.take(for: "quiet", at: begin) == 0)
  }

  @Test("many callers together have a hundred lines in ten seconds")
  func everybody() {
    let (limit, begin) = (LineLimit(), ContinuousClock.now)
    let logged = (0 ..< 1000).count { limit.take(for: "\($0)", at: begin) != nil }
    #expect(logged == 100)
    #expect(limit.take(for: "1000", at: begin + .seconds(9)) == nil)
    #expect(limit.take(for: "1000", at: begin + .seconds(10)) == 901)
    #expect(limit.take(for: "0", at: begin + .seconds(10)) == 0)
  }
}
