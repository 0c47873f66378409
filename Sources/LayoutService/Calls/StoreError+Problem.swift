// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import LayoutProtocol

extension LayoutProblem {
  /// The refusal of the store, as clients are told.
  ///
  /// - Parameter batchField: where the batch lies in the request: "batch"; empty = the event itself.
  init(_ error: StoreError, batchField: String = "") {
    switch error {
    case .notFound(let id): self = .collectionNotFound(CollectionName(id).description)
    case .exists(let id): self = .collectionExists(CollectionName(id).description)
    case .versionConflict(let expected, let current):
      self = .versionConflict(expected: expected, current: current)
      if !batchField.isEmpty { self = within(batchField) }
    case .etagConflict(let expected, let current):
      self = .etagConflict(expected: expected, current: current)
    case .refused(let error):
      self = LayoutProblem(error)
      if !batchField.isEmpty { self = within(batchField) }
    case .historyCompacted(let version):
      self = .historyCompacted(found: 0, minDataVersion: version)
    case .tooManyCollections(let limit):
      self = .quotaExceeded(.collections, limit: UInt64(limit))
    case .storage: self = .storeUnavailable()
    case .corrupt(let id, _):
      self = .logCorrupt("The stored log of \(CollectionName(id)) is damaged.")
    }
  }
}
