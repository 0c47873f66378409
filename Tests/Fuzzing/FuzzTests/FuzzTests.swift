// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Runs the fuzz targets over the corpus, and over random and mutated bytes from fixed seeds.
///
/// FUZZ_ROUNDS in the environment makes a run longer: inputs for each seed.
@Suite("Fuzzing", .timeLimit(.minutes(5)))
struct FuzzTests {
  struct Target: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable ([UInt8]) -> String?
    /// Inputs for each seed, which take about a second.
    let rounds: Int
  }

  private static let targets = [
    Target(testDescription: "batches", run: { BatchTarget.run($0) }, rounds: 150),
    Target(testDescription: "layouts", run: { LayoutTarget.run($0) }, rounds: 150),
  ]

  private static func corpus(_ target: Target) throws -> [(name: String, bytes: [UInt8])] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Corpus/\(target.testDescription)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted().map {
      ($0, try [UInt8](Data(contentsOf: folder.appending(path: $0))))
    }
  }

  @Test("nothing in the corpus breaks a target", arguments: targets)
  func corpus(target: Target) throws {
    let files = try Self.corpus(target)
    #expect(!files.isEmpty)
    for file in files {
      if let fault = target.run(file.bytes) { Issue.record("\(file.name): \(fault)") }
    }
  }

  @Test("no random bytes break a target", arguments: targets, 0 ..< 6 as Range<UInt64>)
  func random(target: Target, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let corpus = try Self.corpus(target).map(\.bytes)
    for round in 0 ..< Self.rounds(target) {
      var bytes: [UInt8] = []
      if random.chance(50), let sample = corpus.randomElement(using: &random) {
        bytes = sample
        for _ in 0 ..< random.int(1 ... 8) where !bytes.isEmpty {
          let place = random.below(bytes.count)
          switch random.below(3) {
          case 0: bytes[place] = UInt8(random.below(256))
          case 1: bytes.insert(UInt8(random.below(256)), at: place)
          default: bytes.remove(at: place)
          }
        }
      } else {
        bytes = (0 ..< random.int(10 ... 900)).map { _ in UInt8(random.below(256)) }
      }
      if let name = ProcessInfo.processInfo.environment["FUZZ_TRACE"] {
        // The input that a trap leaves behind.
        try Data(bytes).write(to: URL(filePath: "\(name)-\(target.testDescription)-\(seed)"))
      }
      if let fault = target.run(bytes) {
        Issue.record(
          "seed \(seed), round \(round): \(fault); bytes \(Data(bytes).base64EncodedString())"
        )
        return
      }
    }
  }

  private static func rounds(_ target: Target) -> Int {
    ProcessInfo.processInfo.environment["FUZZ_ROUNDS"].flatMap { Int($0) } ?? target.rounds
  }
}
