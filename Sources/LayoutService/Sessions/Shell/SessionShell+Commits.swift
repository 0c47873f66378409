// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import LayoutTrust
internal import SwiftProtobuf
internal import Tracing

/// Committing batches, and all that concerns other collections.
extension SessionShell {
  @inline(never)
  func commit(_ commit: SessionCommit) async -> SessionStep {
    do {
      let attributes: SpanAttributes = ["layout.collection": .string(commit.collection.id)]
      let outcome = try await trace.run(commit.task.name, attributes) {
        try await self.outcome(of: commit)
      }
      guard commit.takesLongToSettle else { return settle(commit, outcome) }
      // Much follows the outcome. Who resumes the session is told what was committed.
      return await services.engine.performRegardless(for: commit.account) {
        self.settle(commit, outcome)
      }
    } catch {
      end(.failed(error))
      return resume()
    }
  }

  private func settle(_ commit: SessionCommit, _ outcome: SessionOutcome) -> SessionStep {
    resume { [clock] in try $0.settle(seq: commit.seq, outcome, at: clock.now) }
  }

  private func outcome(of commit: SessionCommit) async throws -> SessionOutcome {
    do throws(StoreError) {
      switch commit.task {
      case .batch(let batch): return try await outcome(of: batch, commit)
      case .transfer(let transfer, let source):
        return try await outcome(of: transfer, from: source, commit)
      case .lookUp(let keys): return try await found(keys, commit)
      }
    } catch {
      if let refusal = error.refusal { return .update(.refused(refusal)) }
      switch (commit.task, error) {
      // The other collection is at fault, so the session goes on.
      case (.transfer, .notFound), (.transfer, .corrupt), (.lookUp, .notFound), (.lookUp, .corrupt),
        // The store works; only this collection refuses changes for a while.
        (_, .logFull):
        return .failed(LayoutProblem(error))
      default: throw LayoutProblem(error)
      }
    }
  }

  private func outcome(
    of batch: UpdateBatch,
    _ commit: SessionCommit
  ) async throws(StoreError) -> SessionOutcome {
    // The right to view gives no right to edit.
    guard access.allows(.edit, on: commit.collection.id) else {
      return .update(.refused(.notAnEditor))
    }
    let done = try await commit.collection.commit(
      batch,
      applier: services.engine.applier(isLarge: batch.isLarge, for: commit.account)
    ) {
      try Wire.UpdateBatch(batch).storedBytes()
    }
    access.audit(.edit, on: commit.collection.id, version: done.dataVersion)
    Spans.annotate { $0["layout.data_version"] = Int64(clamping: done.dataVersion) }
    return .update(.committed(version: done.dataVersion, isDuplicate: done.isDuplicate))
  }

  // MARK: - Other collections

  /// - Parameter source: a name that was validated before.
  private func outcome(
    of transfer: ItemTransfer,
    from source: String,
    _ commit: SessionCommit
  ) async throws(StoreError) -> SessionOutcome {
    guard access.allows(.edit, on: commit.collection.id) else {
      return .update(.refused(.notAnEditor))
    }
    let name: CollectionName
    do throws(LayoutProblem) {
      name = try CollectionName(parsing: source, field: "end")
      // Taking items away needs the right to edit their collection.
      try access.check(.edit, on: name.id)
    } catch { return .failed(error) }
    let payloads = TransferPayloads(
      account: commit.account,
      messageBytes: services.configuration.limits.messageBytes
    )
    do throws(StoreError) {
      let done = try await load(name).transfer(
        transfer,
        to: commit.collection,
        applier: services.engine.applier(isLarge: false, for: commit.account)
      ) {
        try payloads.payload(of: $0)
      }
      access.audit(.edit, on: name.id, version: done.sourceVersion)
      access.audit(.edit, on: commit.collection.id, version: done.destinationVersion)
      return .update(
        .committed(version: done.destinationVersion, isDuplicate: done.isDuplicate)
      )
    } catch {
      // The client's request has no such fields: name its own.
      if case .refused(let refusal) = error { throw .refused(refusal.blaming("end")) }
      throw error
    }
  }

  private func load(_ name: CollectionName) async throws(StoreError) -> LiveCollection {
    try await services.loads.collection(name.id, for: peer)
  }

  /// Looks up the items that a client wants to hold.
  private func found(
    _ keys: ForeignKeys,
    _ commit: SessionCommit
  ) async throws(StoreError) -> SessionOutcome {
    let field = "begin_foreign.collection_items"
    let name: CollectionName
    do throws(LayoutProblem) {
      name = try CollectionName(parsing: keys.collection, field: "\(field).collection")
      try access.check(.view, on: name.id)
    } catch { return .failed(error) }
    guard name.id != commit.collection.id else {
      let found = "the session's own collection; its items are taken by begin_items"
      throw .refused(Refusal(.fieldInvalid, field: "\(field).collection", found))
    }
    let contents = try await load(name).snapshot.contents
    // Both collections are searched for the keys.
    for contents in [contents, commit.collection.snapshot.contents] {
      do {
        try await services.engine.indexKeys(of: contents, for: commit.account)
      } catch is CancellationError {
        throw .cancelled
      } catch {
        // Too much waits. The client may ask again.
        return .failed(LayoutProblem(of: error))
      }
    }
    do throws(Refusal) {
      let items = try contents.dragged(
        keys: keys.keys,
        field: "\(field).keys",
        stepLimit: SessionLimits.eventSteps
      )
      return .found(items, in: name.description)
    } catch { throw .refused(error) }
  }
}

extension SessionCommit.Task {
  /// Its name in a trace.
  fileprivate var name: String {
    switch self {
    case .batch: "commit"
    case .transfer: "transfer"
    case .lookUp: "look up items"
    }
  }
}

extension Refusal {
  /// The refusal of a change by a caller who may only view the collection.
  fileprivate static let notAnEditor = Refusal(
    .permissionDenied,
    "The role \"edit\" is needed to change the collection."
  )
}
