// SPDX-License-Identifier: Apache-2.0

import Workloads

/// Two trials timed by turns.
struct Comparison {
  /// The median time of the second over that of the first.
  let ratio: Double

  /// - Throws: where a trial does not do what it should.
  init(_ first: any Trial, _ second: any Trial) throws {
    let trials = [first, second]
    var blocks: [(runs: Int, times: [Double])] = []
    for trial in trials {
      try trial.verify()
      let once = try Clock.time { _ = try trial.run() }
      // Long enough for the clock, and short enough that both see the same machine.
      blocks.append((min(max(Int(0.0005 / max(once, 1e-7)), 1), 1000), []))
    }
    let end = Clock.now + Self.seconds
    repeat {
      for index in trials.indices {
        let runs = blocks[index].runs
        let seconds = try Clock.time {
          for _ in 0 ..< runs { _ = try trials[index].run() }
        }
        blocks[index].times.append(seconds / Double(runs))
      }
    } while blocks[0].times.count < Self.rounds && Clock.now < end
    ratio = blocks[1].times.median / blocks[0].times.median
  }

  private static let rounds = 61
  /// Where operations are slow there are fewer rounds.
  private static let seconds = 0.4
}
