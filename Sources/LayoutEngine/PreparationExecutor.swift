// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import Dispatch
internal import Synchronization

/// A few threads for long computations, so that these never hold up the tasks of other sessions,
/// which share the cooperative pool.
final class PreparationExecutor: TaskExecutor {
  private struct State {
    var waiting: Deque<UnownedJob> = []
    var idleLanes: [Int]
  }

  /// Serial queues of one thread each, none of which is the cooperative pool's.
  private let lanes: [DispatchQueue]
  private let state: Mutex<State>

  init(threadCount: Int) {
    let count = max(1, threadCount)
    lanes = (0 ..< count).map { DispatchQueue(label: "layout-preparation-\($0)") }
    state = Mutex(State(idleLanes: Array(0 ..< count)))
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let lane = state.withLock { state in
      state.waiting.append(job)
      return state.idleLanes.popLast()
    }
    if let lane { lanes[lane].async { self.drain(lane) } }
  }

  private func drain(_ lane: Int) {
    while true {
      let next = state.withLock { state in
        let job = state.waiting.popFirst()
        if job == nil { state.idleLanes.append(lane) }
        return job
      }
      guard let next else { return }
      next.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
