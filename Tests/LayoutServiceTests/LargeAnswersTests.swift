// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import ResourceAccounting
import Synchronization
import Testing

@testable import LayoutService

@Suite("Large answers", .timeLimit(.minutes(1)))
struct LargeAnswersTests {
  /// Writes that end when the client reads.
  private final class Writes: Sendable {
    private let state = Mutex((begun: 0, isRead: false))
    private let signal = ChangeSignal()

    var begun: Int { state.withLock { $0.begun } }

    func write() async {
      state.withLock { $0.begun += 1 }
      signal.send()
      await signal.wait { state.withLock { $0.isRead } }
    }

    func waitForFirst() async { await signal.wait { begun > 0 } }

    func read() {
      state.withLock { $0.isRead = true }
      signal.send()
    }
  }

  @Test("a client who does not read, over any number of connections, delays no other")
  func turns() async throws {
    let answers = LargeAnswers { _ in }
    let writes = Writes()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0 ..< 500 {
        group.addTask {
          try await answers.write(1 << 20, to: "ipv4:10.0.0.1:\(number)", of: Account()) {
            await writes.write()
          }
        }
      }
      await writes.waitForFirst()
      try await answers.write(1 << 20, to: "ipv4:10.0.0.2:1", of: Account()) {}
      // Each of the others has its turn for some time.
      #expect(writes.begun < 500)
      writes.read()
      try await group.waitForAll()
    }
    #expect(writes.begun == 500)
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
