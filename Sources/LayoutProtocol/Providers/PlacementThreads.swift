// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts

/// Where the long steps of processing a provider's answer run.
package protocol PlacementThreads: Sendable {
  /// Runs a step once.
  ///
  /// - Parameters:
  ///   - cost: about how many elements the step looks at.
  ///   - step: throws the reason once its work has stopped.
  /// - Throws: what `step` throws; why it may not run.
  func perform<Result: Sendable>(
    cost: Int,
    _ step: @escaping @Sendable (LayoutWork) throws -> Result
  ) async throws -> Result
}

/// Runs steps on the thread of the calling task, without limits: for programs that do nothing else.
package struct OwnThread: PlacementThreads {
  package init() {}

  package func perform<Result: Sendable>(
    cost: Int,
    _ step: @escaping @Sendable (LayoutWork) throws -> Result
  ) async throws -> Result {
    try step(.unlimited)
  }
}
