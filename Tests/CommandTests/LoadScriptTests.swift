// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import layoutctl

@Suite("Load script", .timeLimit(.minutes(2)))
struct LoadScriptTests {
  private func steps(
    _ behaviour: LoadBehaviour,
    seed: UInt64 = 7,
    edits: Double = 2,
    speed: Double = 1,
    seconds: Int = 60
  ) -> [LoadScript.Step] {
    var script = LoadScript(behaviour, seed: seed, editsPerSecond: edits, speed: speed)
    var steps: [LoadScript.Step] = []
    while let step = script.next(), step.time < .seconds(seconds) { steps.append(step) }
    return steps
  }

  @Test("is the same for the same seed, and another for another", arguments: LoadBehaviour.allCases)
  func determinism(_ behaviour: LoadBehaviour) {
    #expect(steps(behaviour) == steps(behaviour))
    if behaviour != .idler { #expect(steps(behaviour) != steps(behaviour, seed: 8)) }
  }

  @Test("never goes back in time", arguments: LoadBehaviour.allCases)
  func order(_ behaviour: LoadBehaviour) {
    let times = steps(behaviour).map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    #expect(times.allSatisfy { $0 >= .zero })
  }

  @Test("has the pace that its behaviour says")
  func pace() {
    #expect((50 ... 70).contains(steps(.reader).count))
    #expect((45 ... 65).contains(steps(.resizer).count))
    #expect((1000 ... 3500).contains(steps(.flinger).count))
    #expect(steps(.idler).isEmpty)
    for edits in [0.5, 2, 20] {
      let count = Double(steps(.editor, edits: edits).count)
      #expect((edits * 60 * 0.85 ... edits * 60 * 1.15).contains(count))
    }
  }

  @Test("goes faster by the speed")
  func speed() {
    let plain = steps(.reader, seconds: 60)
    let fast = steps(.reader, speed: 4, seconds: 15)
    #expect(plain.map(\.action) == fast.map(\.action))
  }

  @Test("a fling slows down until it rests")
  func fling() {
    var last = Double.infinity
    var rests = 0
    for step in steps(.flinger) {
      guard case .scroll(let pages, let speed) = step.action else {
        Issue.record("a flinger did \(step.action)")
        continue
      }
      #expect(abs(pages - speed / 60) < 1e-12)
      if speed > last {
        #expect(last < 0.35)
        rests += 1
      }
      last = speed
    }
    #expect(rests > 10)
  }

  @Test("a resizer never keeps its size")
  func resizes() {
    let actions = steps(.resizer).map(\.action)
    #expect(zip(actions, actions.dropFirst()).allSatisfy { $0 != $1 })
    #expect(actions.first != .resize(width: 1, height: 1))
  }
}
