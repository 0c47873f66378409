// SPDX-License-Identifier: Apache-2.0

import CountedCall
import Workloads

/// Runs every operation on every layout within `counted_call`, in the order of the names that it
/// prints, each followed by how many runs were counted together. `Scripts/instructions` runs it
/// under Callgrind.
@main
struct Instructions {
  private static let count = 10_000

  static func main() throws {
    for subject in Subject.all {
      let stage = Stage(subject, count: count)
      for operation in Operation.all where subject.has(operation, of: count) {
        let trial = try stage.trial(of: operation)
        // Caches are filled, and buffers have grown.
        for _ in 0 ..< 2 { _ = try trial.run() }
        let runs = operation.isShort ? 16 : 2
        let call = CountedTrial(trial, runs: runs)
        counted_call(
          { context in
            guard let context else { return }
            Unmanaged<CountedTrial>.fromOpaque(context).takeUnretainedValue().run()
          },
          Unmanaged.passUnretained(call).toOpaque()
        )
        if let error = call.error { throw error }
        print("\(runs) \(subject.name), \(operation.name)")
      }
    }
  }
}

/// What is counted, as an object, since C cannot call closures.
private final class CountedTrial {
  private let trial: any Trial
  private let runs: Int
  private(set) var error: (any Error)?

  init(_ trial: any Trial, runs: Int) {
    self.trial = trial
    self.runs = runs
  }

  func run() {
    do {
      for _ in 0 ..< runs { _ = try trial.run() }
    } catch {
      self.error = error
    }
  }
}

extension Operation {
  /// Whether one run is so short that it depends on where it is tried.
  fileprivate var isShort: Bool {
    switch self {
    case .query, .diff, .encode: true
    case .prepare, .scrollMap, .edit, .editedFrame: false
    }
  }
}
