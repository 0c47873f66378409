// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Runs the fuzz target of resume tokens over the corpus, and over changed inputs from fixed seeds.
@Suite("Resume tokens of any bytes", .timeLimit(.minutes(2)))
struct ResumeTokenFuzzTests {
  private static func corpus() throws -> [(name: String, bytes: [UInt8])] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fuzzing/Corpus/tokens")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted().map {
      ($0, [UInt8](try Data(contentsOf: folder.appending(path: $0))))
    }
  }

  @Test("only what this server signed, and not long ago, is taken")
  func corpus() throws {
    var tokens = 0
    let files = try Self.corpus()
    for file in files {
      if let fault = ResumeTokenFuzzTarget.run(file.bytes, messages: &tokens) {
        Issue.record("\(file.name): \(fault)")
      }
    }
    // Some of them are tokens, and were signed.
    #expect(tokens > files.count)
  }

  @Test(
    "changed tokens never trap and are told from sound ones",
    arguments: 0 ..< 4 as Range<UInt64>
  )
  func changed(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let corpus = try Self.corpus().map(\.bytes)
    for _ in 0 ..< 2000 {
      var bytes = corpus.randomElement(using: &random) ?? []
      for _ in 0 ..< random.int(0 ... 4) where !bytes.isEmpty {
        let place = random.below(bytes.count)
        switch random.below(3) {
        case 0: bytes[place] = UInt8(random.below(256))
        case 1: bytes.insert(UInt8(random.below(256)), at: place)
        default: bytes.remove(at: place)
        }
      }
      var tokens = 0
      if let fault = ResumeTokenFuzzTarget.run(bytes, messages: &tokens) {
        Issue.record("\(fault): \(bytes)")
      }
    }
  }
}
