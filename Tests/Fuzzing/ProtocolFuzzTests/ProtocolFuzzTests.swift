// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolFuzzTargets
import TestSupport
import Testing

/// Runs the fuzz targets over the corpus, over samples, and over random and mutated bytes from
/// fixed seeds.
///
/// FUZZ_ROUNDS in the environment makes a run longer: inputs for each seed. FUZZ_CORPUS writes the
/// samples of a few seeds into the corpus.
@Suite("Fuzzing the protocol", .timeLimit(.minutes(5)))
struct ProtocolFuzzTests {
  struct Target: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable ([UInt8]) -> String?
    let sample: @Sendable (inout SplitMix64) throws -> [UInt8]
    /// Inputs for each seed, which take about a second.
    let rounds: Int
  }

  private static let targets = [
    Target(
      testDescription: "sessions",
      run: { SessionTarget.run($0) },
      sample: { try SampleStreams.session(using: &$0) },
      rounds: 100
    ),
    Target(
      testDescription: "frames",
      run: { FrameTarget.run($0) },
      sample: { try SampleStreams.frames(using: &$0) },
      rounds: 1000
    ),
  ]

  private static func folder(_ target: Target) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Corpus/\(target.testDescription)")
  }

  private static func corpus(_ target: Target) throws -> [(name: String, bytes: [UInt8])] {
    let folder = folder(target)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted().map {
      ($0, try [UInt8](Data(contentsOf: folder.appending(path: $0))))
    }
  }

  @Test("nothing in the corpus breaks a target", arguments: targets)
  func corpus(target: Target) throws {
    if ProcessInfo.processInfo.environment["FUZZ_CORPUS"] != nil {
      for seed in 0 ..< 12 as Range<UInt64> {
        var random = SplitMix64(seed: seed)
        let name = "sample-\(seed < 10 ? "0" : "")\(seed)"
        try Data(target.sample(&random)).write(to: Self.folder(target).appending(path: name))
      }
    }
    let files = try Self.corpus(target)
    #expect(!files.isEmpty)
    for file in files {
      if let fault = target.run(file.bytes) { Issue.record("\(file.name): \(fault)") }
    }
  }

  @Test("no stream that makes sense breaks a target", arguments: targets)
  func samples(target: Target) throws {
    for seed in 100 ..< 100 + UInt64(Self.rounds(target)) {
      var random = SplitMix64(seed: seed)
      let bytes = try target.sample(&random)
      if let fault = target.run(bytes) {
        Issue.record("seed \(seed): \(fault)")
        return
      }
    }
  }

  @Test("no changed bytes break a target", arguments: targets, 0 ..< 6 as Range<UInt64>)
  func mutations(target: Target, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for round in 0 ..< Self.rounds(target) {
      var bytes = try target.sample(&random)
      for _ in 0 ..< random.int(1 ... 8) where !bytes.isEmpty {
        let place = random.int(0 ... bytes.count - 1)
        switch random.int(0 ... 3) {
        case 0: bytes[place] = UInt8(random.int(0 ... 255))
        case 1: bytes.insert(UInt8(random.int(0 ... 255)), at: place)
        case 2: bytes[place] ^= 1 << UInt8(random.int(0 ... 7))
        default: bytes.remove(at: place)
        }
      }
      if let fault = target.run(bytes) {
        Issue.record("seed \(seed), round \(round): \(fault); \(Data(bytes).base64EncodedString())")
        return
      }
    }
  }

  @Test("no random bytes break a target", arguments: targets, 0 ..< 3 as Range<UInt64>)
  func garbage(target: Target, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0 ..< Self.rounds(target) {
      let bytes = (0 ..< random.int(10 ... 600)).map { _ in UInt8(random.int(0 ... 255)) }
      if let fault = target.run(bytes) {
        Issue.record("seed \(seed), round \(round): \(fault); \(Data(bytes).base64EncodedString())")
        return
      }
    }
  }

  private static func rounds(_ target: Target) -> Int {
    ProcessInfo.processInfo.environment["FUZZ_ROUNDS"].flatMap { Int($0) } ?? target.rounds
  }
}
