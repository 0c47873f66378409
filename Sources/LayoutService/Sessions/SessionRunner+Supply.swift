// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import SwiftProtobuf
internal import Synchronization

/// What a session cannot do by itself: committing batches and making layouts.
extension SessionRunner {
  /// - Precondition: the work is to commit a batch.
  @inline(never)
  func commit(_ work: SessionWork) async throws -> UpdateOutcome {
    guard case .commit(let batch, _) = work, let collection else {
      return .refused(EventProblem(.wrongState, "nothing is shared"))
    }
    do throws(StoreError) {
      let commit = try await collection.commit(batch) {
        try Wire.UpdateBatch(batch).serializedBytes()
      }
      return .committed(version: commit.dataVersion, isDuplicate: commit.isDuplicate)
    } catch {
      let problem = LayoutProblem(error)
      guard let refusal = EventProblem(problem) else { throw problem }
      return .refused(refusal)
    }
  }

  /// Supplies the layout that the session wants; of one that takes long, its beginning first.
  @inline(never)
  func supply(_ preparation: Preparation) async throws -> SessionWork {
    let begun = state.withLock { state in
      defer { state.whole = nil }
      return state.whole
    }
    if let begun, begun.id == preparation.id {
      return supply(try await begun.value(), for: preparation)
    }
    begun?.cancel()
    guard preparation.hasBeginning else {
      return supply(try await prepare(preparation), for: preparation)
    }
    let whole = WholeLayout(for: preparation) { try await self.prepare(preparation) }
    guard !(await whole.isMade(within: services.configuration.timing.beginning)),
      let beginning = preparation.request.prepareBeginning()
    else { return supply(try await whole.value(), for: preparation) }
    state.withLock { $0.whole = whole }
    return supply(beginning: beginning, for: preparation)
  }

  @inline(never)
  private func supply(
    _ prepared: any PreparedLayout,
    for preparation: Preparation
  ) -> SessionWork {
    next { state, _ in state.driver?.supply(prepared, for: preparation.request) }
  }

  @inline(never)
  private func supply(
    beginning: any PreparedLayout,
    for preparation: Preparation
  ) -> SessionWork {
    next { state, _ in state.driver?.supply(beginning: beginning, for: preparation.request) }
  }

  private func prepare(_ preparation: Preparation) async throws -> any PreparedLayout {
    if let request = preparation.shared(of: collection) {
      return try await services.engine.preparedLayout(for: request)
    }
    return try await services.engine.perform(itemCount: preparation.itemCount) {
      preparation.request.prepare()
    }
  }

  private var collection: LiveCollection? { state.withLock { $0.driver?.collection } }
}
