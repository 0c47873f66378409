// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import GRPCCore
import LayoutGeometry
import LayoutProtocol
import Testing

@testable import LayoutService

@Suite("Faults of providers", .timeLimit(.minutes(1)))
struct ProviderFaultsTests {
  private let start = ContinuousClock.now
  private let problem = LayoutProblem(code: .invalidArgument, reason: .none, message: "no")

  private func subject(_ number: Double) -> ProviderSubject {
    ProviderSubject(
      parameters: ["n": .number(number)],
      container: LayoutContainer(size: .zero),
      identity: nil
    )
  }

  @Test("a subject is the same with the same parameters only")
  func subjects() {
    #expect(subject(1) == subject(1))
    #expect(Set((0 ..< 1000).map { subject(Double($0)) }).count == 1000)
  }

  @Test("what failed is tried again later and later, and forgotten after a while")
  func delays() {
    var faults = ProviderFaults(first: .seconds(1), longest: .seconds(8))
    var now = start
    for delay in [1, 2, 4, 8, 8] {
      #expect(faults.note(problem, of: subject(0), at: now).retryDelay == .seconds(delay))
      #expect(faults.problem(of: subject(0), at: now)?.retryDelay == .seconds(delay))
      #expect(faults.problem(of: subject(1), at: now) == nil)
      now += .seconds(delay)
      #expect(faults.problem(of: subject(0), at: now) == nil)
      #expect(faults.hasFailed(subject(0)))
    }
    _ = faults.note(problem, of: subject(1), at: now + .seconds(7))
    #expect(faults.count == 2)
    _ = faults.note(problem, of: subject(2), at: now + .seconds(8))
    #expect(faults.count == 2 && !faults.hasFailed(subject(0)))
  }

  @Test("of many subjects those that may be tried first are forgotten")
  func manySubjects() {
    var faults = ProviderFaults(first: .seconds(1), longest: .seconds(100))
    for number in 0 ..< 1000 as Range<Int> {
      _ = faults.note(problem, of: subject(Double(number)), at: start + .milliseconds(number))
      #expect(faults.count <= 256)
    }
    #expect(faults.problem(of: subject(999), at: start + .seconds(1)) != nil)
    #expect(!faults.hasFailed(subject(0)))
  }
}
