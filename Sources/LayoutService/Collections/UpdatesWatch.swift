// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol
internal import LayoutTrust
internal import SwiftProtobuf

/// Answers WatchUpdates: sends every batch after a version as soon as it is committed and the
/// watcher can take it. Watchers have no queues: batches that a watcher has not read yet are read
/// from the collection's history when it is ready.
///
/// Batches are sent as they are stored, large ones in turns (`LargeAnswers`). Decoded batches may
/// take a hundred times the memory, for every watcher who does not read.
struct UpdatesWatch: Sendable {
  let responder: CollectionResponder
  let timing: ServiceTiming
  let drain: DrainSignal
  let large: LargeAnswers

  private static let batchesPerWrite = 32
  /// Several batches share a write if all have at most this many bytes.
  private static let bytesPerWrite = 64 << 10

  func run(
    _ request: Wire.WatchUpdatesRequest,
    to writer: TimedWriter<AnswerBytes>,
    for call: OpenCall
  ) async throws {
    let access = call.access
    let collection = try await responder.collection(named: request.name, for: .view, by: call)
    try await Self.check(request, against: collection)
    access.audit(.view, on: collection.id, version: collection.dataVersion, lasts: true)
    let wake = WakeSignal()
    let subscription = collection.subscribe { _ in wake.set() }
    defer { collection.unsubscribe(subscription) }
    let drainObserver = drain.observe { wake.set() }
    defer { drain.remove(drainObserver) }
    try await withRPCWake(wake) {
      try await watch(
        collection,
        after: request.afterDataVersion,
        to: writer,
        for: call,
        wake: wake
      )
    }
  }

  /// Checks that the requested version belongs to the current incarnation and is not above the
  /// current version. If the watcher has seen a newer version at another server, this server
  /// catches up first.
  ///
  /// - Throws: INCARNATION_CHANGED, VERSION_AHEAD, STORE_UNAVAILABLE
  private static func check(
    _ request: Wire.WatchUpdatesRequest,
    against collection: LiveCollection
  ) async throws(LayoutProblem) {
    if request.incarnation != 0, request.incarnation != collection.incarnation {
      throw .incarnationChanged(found: request.incarnation, current: collection.incarnation)
    }
    if request.afterDataVersion > collection.dataVersion {
      do throws(StoreError) { try await collection.refresh() } catch { throw LayoutProblem(error) }
    }
    let current = collection.dataVersion
    if request.afterDataVersion > current {
      throw .versionAhead(found: request.afterDataVersion, current: current)
    }
  }

  private func watch(
    _ collection: LiveCollection,
    after start: UInt64,
    to writer: TimedWriter<AnswerBytes>,
    for call: OpenCall,
    wake: WakeSignal
  ) async throws {
    var version = start
    // The first message is sent at once, so that the watcher learns the current version.
    var nextSign = ContinuousClock.now
    while true {
      if drain.isDraining { throw LayoutProblem.serverDraining() }
      if wake.isCancelled || Task.isCancelled { throw CancellationError() }
      let batches = try Self.batches(of: collection, after: version)
      if let last = batches.last {
        let byteCount = batches.reduce(0) { $0 + $1.payload.count }
        try await large.write(byteCount, to: call.peer, of: call.account) { begun in
          try await writer.write(
            contentsOf: batches.map { try Self.response(for: $0, of: collection) },
            begun: begun
          )
        }
        version = last.version
        nextSign = .now + timing.watchInterval
      } else if ContinuousClock.now >= nextSign {
        try await writer.write(Self.response(at: collection.dataVersion, of: collection))
        nextSign = .now + timing.watchInterval
      } else {
        await wake.wait(until: nextSign)
      }
    }
  }

  /// The next batches; a large one is returned alone.
  private static func batches(
    of collection: LiveCollection,
    after version: UInt64
  ) throws(LayoutProblem) -> [StoredBatch] {
    do throws(StoreError) {
      let batches = try collection.history(after: version, limit: batchesPerWrite)
      var byteCount = 0
      let few = batches.prefix { batch in
        byteCount += batch.payload.count
        return byteCount <= bytesPerWrite
      }
      return few.isEmpty ? Array(batches.prefix(1)) : Array(few)
    } catch {
      if case .historyCompacted(let least) = error {
        throw .historyCompacted(found: version, minDataVersion: least)
      }
      throw LayoutProblem(error)
    }
  }

  /// A response without a batch.
  private static func response(
    at version: UInt64,
    of collection: LiveCollection
  ) throws -> AnswerBytes {
    var response = Wire.WatchUpdatesResponse()
    response.dataVersion = version
    response.incarnation = collection.incarnation
    return AnswerBytes(bytes: try response.serializedBytes())
  }

  private static func response(
    for batch: StoredBatch,
    of collection: LiveCollection
  ) throws -> AnswerBytes {
    let rest = try response(at: batch.version, of: collection).bytes
    return AnswerBytes(
      bytes: CollectionLayout_V1_WatchUpdatesResponse.appendingBatch(
        encoded: batch.payload,
        to: rest
      )
    )
  }
}
