// SPDX-License-Identifier: Apache-2.0

import Foundation
import StoreFuzzTargets
import TestSupport
import Testing

/// Damaged files of a store, from fixed seeds. STORE_FUZZ_ROUNDS sets how many for each.
@Suite("Damaged files", .timeLimit(.minutes(5)))
struct StoreFuzzTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["STORE_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 60

  @Test(
    "whatever is done to its files, a store gives no wrong data and does not trap",
    arguments: 0 ..< 4
  )
  func damage(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let target = try await StoreFuzzTarget()
    var (refused, intact, damaged) = (0, 0, 0)
    for round in 0 ..< Self.rounds {
      let input = (0 ..< 40).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      do {
        let outcome = try await target.run(input)
        refused += outcome.isRefused ? 1 : 0
        intact += outcome.intactCount
        damaged += outcome.damagedCount
      } catch { Issue.record("seed \(seed), round \(round): \(error); \(input)") }
    }
    #expect(refused > 0 && intact > 0 && damaged > 0)
  }

  @Test("a log that is cut gives both collections at earlier versions")
  func cutLog() async throws {
    let target = try await StoreFuzzTarget()
    // Cuts the log somewhere: an earlier version of each.
    let outcome = try await target.run([0, 3, 0xFF, 0xFF, 0xFF])
    #expect(outcome.intactCount == 2 && outcome.damagedCount == 0)
  }

  @Test("nothing in the corpus breaks a store")
  func corpus() async throws {
    let target = try await StoreFuzzTarget()
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fuzzing/Corpus/store")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
    #expect(!files.isEmpty)
    for file in files {
      do {
        _ = try await target.run([UInt8](Data(contentsOf: folder.appending(path: file))))
      } catch { Issue.record("\(file): \(error)") }
    }
  }
}
