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
  func commit(_ batch: UpdateBatch) async throws -> UpdateOutcome {
    guard let collection = state.withLock({ $0.driver?.collection }) else {
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
  func supply(_ request: PreparedLayoutRequest) async throws -> SessionWork {
    let begun = state.withLock { state in
      defer { state.whole = nil }
      return state.whole
    }
    if let begun, begun.id == request.id { return supply(try await begun.value(), for: request) }
    begun?.cancel()
    guard request.hasBeginning else { return supply(try await prepare(request), for: request) }
    let whole = WholeLayout(for: request) { try await self.prepare(request) }
    guard !(await whole.isMade(within: services.configuration.timing.beginning)),
      let beginning = request.prepareBeginning()
    else { return supply(try await whole.value(), for: request) }
    state.withLock { $0.whole = whole }
    return next { state, _ in state.driver?.supply(beginning: beginning, for: request) }
  }

  private func supply(
    _ prepared: any PreparedLayout,
    for request: PreparedLayoutRequest
  ) -> SessionWork {
    next { state, _ in state.driver?.supply(prepared, for: request) }
  }

  private func prepare(_ request: PreparedLayoutRequest) async throws -> any PreparedLayout {
    if request.isShareable, let collection = state.withLock({ $0.driver?.collection }) {
      return try await services.engine.preparedLayout(
        for: PreparationRequest(request, of: collection)
      )
    }
    return try await services.engine.perform(itemCount: request.contents.itemCount) {
      request.prepare()
    }
  }
}
