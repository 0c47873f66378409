// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Testing

@testable import CollectionStore

@Suite("Reports of faults", .timeLimit(.minutes(1)))
struct FaultReportsTests {
  @Test("a call that succeeds after another has failed leaves the storage healthy")
  func interleaved() {
    let health = StorageHealth()
    let faults = FaultReports(health) { _ in }
    for _ in 0 ..< 5000 {
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        if index == 0 { faults.failed(StorageFault(.unreachable, "")) } else { faults.succeeded() }
      }
      faults.succeeded()
      guard health.fault == nil else {
        Issue.record("the health still has the fault")
        return
      }
    }
  }

  @Test("an update of the health that was overtaken by a later one does not count")
  func overtaken() {
    let health = StorageHealth()
    health.update(nil, number: 2)
    health.update(StorageFault(.unreachable, ""), number: 1)
    #expect(health.fault == nil)
    health.update(StorageFault(.unreachable, ""), number: 3)
    #expect(health.fault?.kind == .unreachable)
    // Those without a number always count.
    health.update(nil)
    #expect(health.fault == nil)
  }
}
