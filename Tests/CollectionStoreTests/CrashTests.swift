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

/// A process that commits is killed again and again; nothing that it was told of may be lost.
///
/// STORE_CRASH_ROUNDS sets how often.
@Suite("Crashes", .timeLimit(.minutes(5)))
struct CrashTests {
  private struct State {
    var version: UInt64 = 0
    /// nil = not seen yet. A crash is not a restored backup.
    var incarnation: UInt64?
    var heights: [[Double]] = []
    /// Versions that were committed as batches with identifiers.
    var requests: Set<UInt64> = []
    /// Begun, and perhaps committed.
    var attempt: (version: UInt64, operation: TestOperation?)?

    mutating func commit() {
      guard let attempt else { return }
      self.attempt = nil
      version = attempt.version
      guard let operation = attempt.operation else { return }
      operation.apply(to: &heights)
      if operation.kind != .replace { requests.insert(version) }
    }
  }

  private static let rounds =
    ProcessInfo.processInfo.environment["STORE_CRASH_ROUNDS"].flatMap { Int($0) } ?? 36

  @Test("every acknowledged batch outlives SIGKILL, and contents are those of their version")
  func killing() async throws {
    let seed = UInt64.random(in: 0 ..< 1_000_000)
    var generator = SplitMix64(seed: seed)
    let store = try TemporaryStore()
    var states: [String: State] = [:]
    for round in 0 ..< Self.rounds {
      try run(store, seed: seed + UInt64(round) * 100, &states, using: &generator)
      try await store.open(limits: StoreLimits(historyCount: 30)) { registry in
        for (id, state) in states {
          states[id] = try await check(id, state, in: registry, "seed \(seed), round \(round)")
        }
        states = states.filter { $0.value.attempt == nil }
      }
      for (rows, expected) in Self.sums {
        #expect(
          try store.number("SELECT count(*) FROM \(rows)")
            == store.number("SELECT ifnull(sum(\(expected)"),
          "seed \(seed), round \(round): \(rows)"
        )
      }
    }
  }

  /// Nothing is left of what was interrupted.
  private static let sums = [
    ("garbage", "0), 0)"),
    ("stale", "0), 0)"),
    ("section", "section_count), 0) FROM snapshot"),
    ("place", "chunk_count), 0) FROM snapshot"),
    ("chunk", "chunk_count), 0) FROM section"),
  ]

  /// Lets the writer work until it has written a random number of lines, and kills it.
  private func run(
    _ store: TemporaryStore,
    seed: UInt64,
    _ states: inout [String: State],
    using generator: inout SplitMix64
  ) throws {
    let writer = Process()
    let binaries = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    writer.executableURL = binaries.appendingPathComponent("store-writer")
    writer.arguments = [store.path, "\(seed)", "3", "10"]
    let pipe = Pipe()
    writer.standardOutput = pipe
    try writer.run()
    var left = Int.random(in: 1 ... 150, using: &generator)
    var line: [UInt8] = []
    while true {
      let data = pipe.fileHandleForReading.availableData
      if data.isEmpty { break }
      for byte in data {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        read(String(decoding: line, as: UTF8.self), &states)
        line.removeAll()
        left -= 1
        if left == 0 { kill(writer.processIdentifier, SIGKILL) }
      }
    }
    writer.waitUntilExit()
    #expect(writer.terminationReason == .uncaughtSignal && left <= 0)
  }

  private func read(_ line: String, _ states: inout [String: State]) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count >= 3, let version = UInt64(words[2]) else { return }
    let operation = TestOperation(words: words.dropFirst(3).compactMap { Int($0) })
    var state = states[words[1]] ?? State()
    if words[0] == "try" {
      state.attempt = (version, operation)
    } else {
      state.commit()
    }
    states[words[1]] = state
  }

  private func check(
    _ id: String,
    _ state: State,
    in registry: CollectionRegistry,
    _ comment: Comment
  ) async throws -> State {
    var state = state
    guard registry.records(after: "", limit: .max).contains(where: { $0.id == id }) else {
      // Only one whose creation nobody was told of.
      #expect(state.attempt?.version == 0, comment)
      return state
    }
    let collection = try await registry.collection(id)
    if let attempt = state.attempt, collection.dataVersion == attempt.version { state.commit() }
    state.attempt = nil
    #expect(collection.incarnation == state.incarnation ?? collection.incarnation, comment)
    state.incarnation = collection.incarnation
    #expect(collection.dataVersion == state.version, comment)
    #expect(collection.heights == state.heights, comment)
    let kept = (0 ... state.version).first {
      (try? collection.history(after: $0, limit: .max)) != nil
    }
    let start = try #require(kept, comment)
    #expect(
      try collection.history(after: start, limit: .max).map(\.version)
        == Array(start ..< state.version).map { $0 + 1 },
      comment
    )
    for version in state.requests.suffix(3) {
      let commit = try await collection.commit(
        TestOperation(.deleteSection, section: 99),
        id: "\(id)-\(version)"
      )
      #expect(commit.dataVersion == version && commit.isDuplicate, comment)
    }
    return state
  }
}

extension Set<UInt64> {
  fileprivate func suffix(_ count: Int) -> [UInt64] { Array(sorted().suffix(count)) }
}
