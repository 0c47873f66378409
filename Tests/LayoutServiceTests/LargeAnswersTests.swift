// SPDX-License-Identifier: Apache-2.0

import ResourceAccounting
import Synchronization
import Testing

@testable import LayoutService

@Suite("Large answers", .timeLimit(.minutes(1)))
struct LargeAnswersTests {
  @Test("a client who does not read, over any number of connections, delays no other")
  func turns() async throws {
    let answers = LargeAnswers { _ in }
    let (unread, read) = AsyncStream<Void>.makeStream()
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let count = Mutex(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0 ..< 500 {
        group.addTask {
          try await answers.write(1 << 20, to: "ipv4:10.0.0.1:\(number)", of: Account()) {
            count.withLock { $0 += 1 }
            begin.yield()
            for await _ in unread {}
          }
        }
      }
      for await _ in begun { break }
      try await answers.write(1 << 20, to: "ipv4:10.0.0.2:1", of: Account()) {}
      // Each of the others has its turn for some time.
      #expect(count.withLock { $0 } < 500)
      read.finish()
      try await group.waitForAll()
    }
    #expect(count.withLock { $0 } == 500)
  }

  @Test("what is small takes no turn, and what fails says so")
  func failures() async throws {
    struct Failure: Error {}
    let answers = LargeAnswers { _ in }
    for byteCount in [1, 1 << 20] {
      await #expect(throws: Failure.self) {
        try await answers.write(byteCount, to: "ipv4:10.0.0.1:1", of: Account()) { throw Failure() }
      }
    }
  }
}
