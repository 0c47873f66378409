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

    func wait(for count: Int) async { await signal.wait { begun >= count } }

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
          try await answers.write(1 << 20, to: "ipv4:10.0.0.1:\(number)", of: Account()) { begun in
            begun()
            await writes.write()
          }
        }
      }
      await writes.wait(for: 1)
      try await answers.write(1 << 20, to: "ipv4:10.0.0.2:1", of: Account()) { _ in }
      // Each of the others has its turn for some time.
      #expect(writes.begun < 500)
      writes.read()
      try await group.waitForAll()
    }
    #expect(writes.begun == 500)
  }

  @Test("no turn ends before the transport has counted the message, however late that is")
  func lateTransport() async throws {
    let transport = Writes()
    let answers = LargeAnswers { _ in await transport.write() }
    let writes = Writes()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0 ..< 50 {
        group.addTask {
          try await answers.write(1 << 20, to: "ipv4:10.0.0.\(number):1", of: Account()) { begun in
            begun()
            await writes.write()
          }
        }
      }
      // The patience with all who have a turn is over: they wait for the transport alone.
      await transport.wait(for: 8)
      #expect(writes.begun == 8)
      transport.read()
      writes.read()
      try await group.waitForAll()
    }
    #expect(writes.begun == 50)
  }

  @Test("what is small takes no turn, and what fails says so")
  func failures() async throws {
    struct Failure: Error {}
    let answers = LargeAnswers { _ in }
    for byteCount in [1, 1 << 20] {
      await #expect(throws: Failure.self) {
        try await answers.write(byteCount, to: "ipv4:10.0.0.1:1", of: Account()) { _ in
          throw Failure()
        }
      }
    }
  }
}
