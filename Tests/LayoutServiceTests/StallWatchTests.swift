// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import GRPCCore
import LayoutProtocol
import Synchronization
import Testing

@testable import LayoutService

/// What happened, in order.
private final class Record: Sendable {
  private let state = Mutex<[String]>([])

  var entries: [String] { state.withLock { $0 } }
  func append(_ entry: String) { state.withLock { $0.append(entry) } }
}

/// A client that takes what is written, or nothing until its call is cancelled.
private final class TestWriter: RPCWriterProtocol {
  let isTaken: Bool
  let written = Record()
  let begun = ChangeSignal()

  init(isTaken: Bool) { self.isTaken = isTaken }

  func write(_ element: Int) async throws {
    written.append("\(element)")
    begun.send()
    guard !isTaken else { return }
    let (never, end) = AsyncStream.makeStream(of: Never.self)
    await withTaskCancellationHandler {
      for await _ in never {}
    } onCancel: {
      end.finish()
    }
    throw CancellationError()
  }

  func write(contentsOf elements: some Sequence<Int>) async throws {
    for element in elements { try await write(element) }
  }
}

@Suite("Clients that stall", .timeLimit(.minutes(1)))
struct StallWatchTests {
  @Test("who owes a message for too long is told once; others are not")
  func silence() {
    let clock = ManualClock()
    let (armed, told) = (Record(), Record())
    let watch = StallWatch(
      limit: .seconds(8),
      now: { clock.now },
      arm: { delay, _ in armed.append("\(delay)") }
    )
    func listen(_ name: String) -> Int { watch.begin { told.append(name) } }
    _ = listen("silent")
    let answered = listen("answered")
    #expect(armed.entries == ["2.0 seconds"])
    clock.advance(by: .seconds(5))
    watch.look()
    watch.end(answered)
    let late = listen("late")
    clock.advance(by: .seconds(3))
    watch.look()
    #expect(told.entries == ["silent"])
    watch.end(late)
    // Nobody waits any more, so the timer stops, and begins again with the next one.
    watch.look()
    let count = armed.entries.count
    watch.look()
    #expect(armed.entries.count == count)
    _ = listen("next")
    #expect(armed.entries.count == count + 1)
  }

  @Test("a write that the client does not take ends its call, and one that it takes leaves nothing")
  func writes() async throws {
    let clock = ManualClock()
    let watch = StallWatch(limit: .seconds(30), now: { clock.now }, arm: { _, _ in })
    let taken = TestWriter(isTaken: true)
    let writer = TimedWriter(writer: RPCWriter(wrapping: taken), stalls: watch)
    try await writer.write(1)
    try await writer.write(contentsOf: [2, 3])
    #expect(taken.written.entries == ["1", "2", "3"] && watch.count == 0)

    let stuck = TestWriter(isTaken: false)
    let late = TimedWriter(writer: RPCWriter(wrapping: stuck), stalls: watch)
    let call = Task { try await late.write(1) }
    await stuck.begun.wait { !stuck.written.entries.isEmpty }
    clock.advance(by: .seconds(30))
    watch.look()
    let problem = await #expect(throws: LayoutProblem.self) { try await call.value }
    #expect(problem?.reason == .slowClient && watch.count == 0)

    let cancelled = Task { try await late.write(2) }
    await stuck.begun.wait { stuck.written.entries.count == 2 }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(watch.count == 0)
  }
}
