// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import LayoutSession
internal import Synchronization

/// What is done for a session, by the task that reads its stream or by one that lasts as long as
/// there is work.
extension SessionRunner {
  // What happens under the lock is apart from what waits: the copies of large values that it makes
  // stay on the thread's stack, where else the task would keep room for each.

  /// What is to be done next, for whoever works on the session.
  @inline(never)
  func next(
    after change: (inout State, ContinuousClock.Instant) throws -> Void = { _, _ in }
  ) -> SessionWork {
    step { $0.next(after: change) } ?? .end(nil)
  }

  @inline(never)
  private func settle(_ work: SessionWork, _ outcome: UpdateOutcome) -> SessionWork {
    next { state, instant in
      guard case .commit(_, let seq) = work else { return }
      try state.driver?.settle(seq: seq, outcome, at: instant)
    }
  }

  /// One step of work under the lock, and what others have to know of it.
  @inline(never)
  func step(_ body: (inout State) -> SessionWork?) -> SessionWork? {
    let (work, alarm, room, live) = state.withLock { state in
      let work = body(&state)
      let alarm = work.flatMap { state.alarm(for: $0, services.configuration.timing) }
      return (work, alarm, state.takeRoom(), state.live)
    }
    room?.resume()
    live?.noteChange()
    if let alarm { schedule(alarm) }
    return work
  }

  /// Works on the session in the task that reads the stream, as far as that can be done without
  /// waiting: neither side may wait for the other to read.
  func goOn(with first: SessionWork) async {
    var work = first
    while case .write(let responses, mayWait: false) = work {
      guard await write(responses) else { return }
      work = next()
    }
    switch work {
    case .rest: return
    case .end(let error): finish(error)
    case .write, .commit, .prepare:
      let left = work
      state.withLock { state in
        if state.outcome == nil { state.worker = Task { await self.work(on: left) } }
      }
    }
  }

  /// Works on the session until nothing is left to do.
  func work(on first: SessionWork) async {
    var work = first
    while true {
      switch work {
      case .rest: return
      case .end(let error): return finish(error)
      case .write(let responses, _):
        guard await write(responses) else { return }
        work = next()
      case .commit:
        do { work = settle(work, try await commit(work)) } catch { return finish(error) }
      case .prepare(let preparation):
        do { work = try await supply(preparation) } catch { return finish(error) }
      }
    }
  }

  /// - Returns: false where the session has ended by that.
  private func write(_ responses: [EncodedResponse]) async -> Bool {
    do {
      if responses.count == 1 {
        try await writer.write(responses[0])
      } else {
        try await writer.write(contentsOf: responses)
      }
      return true
    } catch {
      finish(error)
      return false
    }
  }
}
