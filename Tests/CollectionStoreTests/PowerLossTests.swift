// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import Foundation
import GRDB
import StoreTesting
import TestSupport
import Testing

@testable import CollectionStore

/// What is on the disk after a loss of power: all that was synced, and any sectors of what was not.
///
/// Each transaction ends with a sync of the log. So a loss during one leaves the files as they were
/// after the one before, with any mixture of sectors of what it wrote: to the log; then, where it
/// moved the log into the file, to the file; then, where it began the log anew, behind its header,
/// which is synced first.
@Suite("Power loss", .timeLimit(.minutes(3)))
struct PowerLossTests {
  private struct Moment {
    var main: [UInt8]
    var log: [UInt8]
  }

  private static let sector = 512

  @Test("acknowledged batches are there whatever of the next one is", arguments: 0 ..< 4)
  func betweenCommits(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let (moments, models) = try await record(using: &generator)
    let copy = try TemporaryStore()
    var found: [Bool: Int] = [:]
    for index in 1 ..< moments.count {
      for moment in mixtures(of: moments[index - 1], moments[index], using: &generator) {
        let version = try await version(of: moment, in: copy, models)
        #expect(
          version == index - 1 || version == index,
          "between \(index - 1) and \(index): \(version)"
        )
        found[version == index, default: 0] += 1
      }
    }
    #expect(found[true] ?? 0 > 10 && found[false] ?? 0 > 10)
  }

  /// Only a log that is not in the file yet can end too early: it is synced before the file is
  /// written to. Whatever is lost of it, the file holds what it held when the log was begun.
  @Test("no log that ends too early leads to something between versions", arguments: 0 ..< 2)
  func cuts(seed: UInt64) async throws {
    var generator = SplitMix64(seed: seed)
    let (moments, models) = try await record(using: &generator)
    let copy = try TemporaryStore()
    // The moment before the log was begun, when all was in the file.
    var base: Int?
    var earlyCount = 0
    for index in 1 ..< moments.count {
      let moment = moments[index]
      if moment.log.prefix(32) != moments[index - 1].log.prefix(32) { base = index - 1 }
      guard let start = base, moment.main == moments[start].main else { continue }
      for _ in 0 ..< 4 {
        var cut = moment
        cut.log.removeLast(generator.below(cut.log.count))
        let version = try await version(of: cut, in: copy, models)
        #expect(start ... index ~= version, "from \(start) to \(index): \(version)")
        if version < index { earlyCount += 1 }
      }
    }
    #expect(earlyCount > 0)
  }

  /// Commits batches, of which some are large, to a store that moves its log into the file often.
  private func record(
    using generator: inout SplitMix64
  ) async throws -> ([Moment], [[[Double]]]) {
    let store = try TemporaryStore()
    let storage = try SQLiteStorage(path: store.path)
    try await storage.pool.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA wal_autocheckpoint = 40")
    }
    let registry = CollectionRegistry(
      storage: storage,
      codec: TestCodec(),
      limits: StoreLimits(historyCount: 4, snapshotBatchCount: 9)
    )
    let collection = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    func moment() throws -> Moment {
      let log = try Data(contentsOf: URL(fileURLWithPath: store.path + "-wal"))
      return Moment(main: try store.bytes(), log: Array(log))
    }
    var moments = [try moment()]
    var models: [[[Double]]] = [[]]
    for _ in 0 ..< 40 {
      var model = models.last ?? []
      var operation = TestOperation.random(for: model.map(\.count), using: &generator)
      if generator.chance(20), operation.kind == .insertItems { operation.count = 500 }
      operation.apply(to: &model)
      _ = try await collection.commit(operation, id: "r\(moments.count)")
      models.append(model)
      storage.finishBackgroundWork()
      moments.append(try moment())
    }
    try storage.close()
    return (moments, models)
  }

  private func mixtures(
    of old: Moment,
    _ new: Moment,
    using generator: inout SplitMix64
  ) -> [Moment] {
    let isRestarted = old.log.prefix(32) != new.log.prefix(32)
    var mixtures: [Moment] = []
    for _ in 0 ..< 3 {
      if !isRestarted {
        let log = torn(old.log, new.log, from: ends(of: old.log).last ?? 32, using: &generator)
        mixtures.append(Moment(main: old.main, log: log))
        // The log is synced before the file is written to.
        let main = mix(old.main, new.main, in: 0 ..< new.main.count, using: &generator)
        mixtures.append(Moment(main: main, log: new.log))
      } else if old.main == new.main {
        // All of the log was moved before, and synced; then its header was overwritten, and synced;
        // then what follows.
        let log = torn(old.log, new.log, from: 32, using: &generator)
        mixtures.append(Moment(main: old.main, log: log))
      }
    }
    return mixtures
  }

  /// The log at a loss of power during one of the transactions that `new` has behind `start`: those
  /// before it are synced, and those after it have not begun.
  private func torn(
    _ old: [UInt8],
    _ new: [UInt8],
    from start: Int,
    using generator: inout SplitMix64
  ) -> [UInt8] {
    let ends = [start] + ends(of: new).filter { $0 > start }
    guard ends.count > 1 else { return old }
    let index = generator.chance(50) ? 0 : generator.below(ends.count - 1)
    var log = old
    log.replaceSubrange(0 ..< min(ends[index], log.count), with: new[..<ends[index]])
    return mix(log, new, in: ends[index] ..< ends[index + 1], using: &generator)
  }

  /// The ends of the transactions that a log has since it was begun.
  private func ends(of log: [UInt8]) -> [Int] {
    stride(from: 32, to: log.count - 4119, by: 4120)
      .prefix { log[$0 + 8 ..< $0 + 16] == log[16 ..< 24] }
      .filter { log[$0 + 4 ..< $0 + 8].contains { $0 != 0 } }
      .map { $0 + 4120 }
  }

  private func mix(
    _ old: [UInt8],
    _ new: [UInt8],
    in range: Range<Int>,
    using generator: inout SplitMix64
  ) -> [UInt8] {
    let share = [0, 10, 50, 90, 100][generator.below(5)]
    var bytes = old
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.sector)
    where generator.chance(share) {
      let end = min(start + Self.sector, range.upperBound)
      if bytes.count < end {
        // What was never written reads as zeros.
        bytes += [UInt8](repeating: 0, count: end - bytes.count)
      }
      bytes.replaceSubrange(start ..< end, with: new[start ..< end])
    }
    return bytes
  }

  private func version(
    of moment: Moment,
    in store: TemporaryStore,
    _ models: [[[Double]]]
  ) async throws -> Int {
    try store.overwrite(with: moment.main)
    try Data(moment.log).write(to: URL(fileURLWithPath: store.path + "-wal"))
    return try await store.open { registry in
      let collection = try await registry.collection("a")
      let version = Int(collection.dataVersion)
      #expect(models.indices.contains(version) && collection.heights == models[version])
      return version
    }
  }
}
