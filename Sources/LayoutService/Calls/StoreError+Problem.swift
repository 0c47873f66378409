// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import GRPCCore
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
    case .incarnationConflict(let expected, let current):
      self = .incarnationChanged(found: expected, current: current)
    case .versionAhead(let found, let current):
      self = .versionAhead(found: found, current: current)
    case .refused(let error):
      self = LayoutProblem(error)
      if !batchField.isEmpty { self = within(batchField) }
    case .historyCompacted(let version):
      self = .historyCompacted(found: 0, minDataVersion: version)
    case .tooManyCollections(let limit):
      self = .quotaExceeded(.collections, limit: UInt64(limit))
    case .limitExceeded(let name, let found, let limit):
      self = LayoutProblem(name, found: found, limit: limit)
    case .accountExceeded(let error): self = LayoutProblem(error)
    case .cancelled:
      self = LayoutProblem(
        code: .cancelled,
        reason: .none,
        message: "The call was cancelled; nothing was changed."
      )
    case .storage: self = .storeUnavailable()
    case .corrupt(let id, _):
      self = .logCorrupt("The stored log of \(CollectionName(id)) is damaged.")
    }
  }

  /// - Parameters:
  ///   - found: bytes that would be needed.
  ///   - limit: bytes that are allowed.
  private init(_ name: StoreError.ByteLimit, found: Int, limit: Int) {
    let what =
      switch name {
      case .collectionBytes: "The contents of the collection"
      case .residentBytes: "All collections in use"
      case .recordBytes: "Display name, labels and default layout of the collection"
      case .totalRecordBytes: "Display names, labels and default layouts of all collections"
      }
    self = .quotaExceeded(.memory, limit: UInt64(clamping: limit), found: UInt64(clamping: found))
    message = "\(what) would take \(found) bytes; \(name.rawValue) allows \(limit)."
    metadata["limitName"] = name.rawValue
    // Others may leave; the other limits do not change by themselves.
    if name == .residentBytes { retryDelay = .seconds(5) }
  }
}
