// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import Foundation
import StoreTesting
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// A process that takes items from collection to collection is killed again and again.
@Suite("Crashes in transfers", .timeLimit(.minutes(5)))
struct TransferCrashTests {
  /// What the process said of its transfers, by request identifier.
  private struct Said {
    var attempts: [String: TestTransfer] = [:]
    var done: [String: TestTransfer] = [:]

    mutating func read(_ line: String) {
      let words = line.split(separator: " ").map(String.init)
      guard words.count >= 3 else { return }
      switch words[0] {
      case "try":
        attempts[words[1]] = TestTransfer(words: words.dropFirst(3).compactMap { Int($0) })
      case "done": done[words[1]] = attempts.removeValue(forKey: words[1])
      default: attempts[words[1]] = nil
      }
    }
  }

  private static let rounds = 12
  private static let heights = (0 ..< 3).map { collection in
    (0 ..< 40).map { Double(collection * 100 + $0) }
  }

  @Test("after SIGKILL every item is in one collection, and each transfer in both or neither")
  func killing() async throws {
    let seed = UInt64.random(in: 0 ..< 1_000_000)
    var generator = SplitMix64(seed: seed)
    let store = try TemporaryStore()
    try await open(store) { registry in
      for (index, heights) in Self.heights.enumerated() {
        _ = try await registry.create(
          CollectionRecord(id: "c\(index)"),
          contents: TestCodec.contents([heights])
        )
      }
    }
    for round in 0 ..< Self.rounds {
      let comment: Comment = "seed \(seed), round \(round)"
      let lines = Int.random(in: 5 ... 250, using: &generator)
      let said = try kill(store, seed: seed &+ UInt64(round), after: lines)
      try await open(store) { registry in
        try await check(registry, comment)
        for (id, transfer) in said.done {
          #expect(
            try await transfer.make(in: registry, requestID: id)?.isDuplicate == true,
            comment
          )
        }
        // Made, or not: both know of it, or neither does. The latter would refuse the identifier.
        for (id, transfer) in said.attempts {
          let first = try await transfer.make(in: registry, requestID: id)
          let second = try await transfer.make(in: registry, requestID: id)
          #expect(second?.isDuplicate ?? true, comment)
          #expect(first?.sourceVersion == second?.sourceVersion, comment)
          #expect(first?.destinationVersion == second?.destinationVersion, comment)
        }
        try await check(registry, comment)
      }
    }
  }

  private func check(_ registry: CollectionRegistry, _ comment: Comment) async throws {
    var found: [Double] = []
    for index in Self.heights.indices {
      found += try await registry.collection("c\(index)").heights.flatMap(\.self)
    }
    #expect(found.sorted() == Self.heights.flatMap(\.self).sorted(), comment)
  }

  private func open(
    _ store: TemporaryStore,
    _ body: (CollectionRegistry) async throws -> Void
  ) async throws {
    let storage = try SQLiteStorage(path: store.path)
    let registry = CollectionRegistry(storage: storage, codec: TransferCodec())
    try await registry.load()
    try await body(registry)
    storage.finishBackgroundWork()
    try storage.close()
  }

  /// Lets the process work until it has written so many lines, and kills it.
  private func kill(_ store: TemporaryStore, seed: UInt64, after lines: Int) throws -> Said {
    let writer = Process()
    let binaries = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    writer.executableURL = binaries.appendingPathComponent("store-writer")
    writer.arguments = [store.path, "\(seed)", "transfers"]
    let pipe = Pipe()
    writer.standardOutput = pipe
    try writer.run()
    var said = Said()
    var left = lines
    var line: [UInt8] = []
    while true {
      let data = pipe.fileHandleForReading.availableData
      if data.isEmpty { break }
      for byte in data {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        said.read(String(decoding: line, as: UTF8.self))
        line.removeAll()
        left -= 1
        if left == 0 { Glibc.kill(writer.processIdentifier, SIGKILL) }
      }
    }
    writer.waitUntilExit()
    #expect(writer.terminationReason == .uncaughtSignal && left <= 0)
    return said
  }
}
