// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import GRPCCore
internal import LayoutProtocol

extension LayoutProblem {
  /// The store's refusal in the words of the protocol.
  ///
  /// - Parameter batchField: the path of the batch in the request: "batch"; empty = the event
  ///   itself.
  init(_ error: StoreError, batchField: String = "") {
    switch error {
    case .refused(let refusal): self.init(refusal.within(batchField))
    case .versionConflict(let expected, let current):
      self.init(Refusal.versionConflict(expected: expected, current: current).within(batchField))
    case .limitExceeded(let name, let found, let limit):
      self.init(name.refusal(of: found, limit: limit))
      // Other collections may leave memory; the other limits do not change by themselves.
      if name == .residentBytes { retryDelay = .seconds(5) }
    case .accountExceeded(let error): self.init(error)
    case .notFound(let id): self = .collectionNotFound(CollectionName(id).description)
    case .layoutNotFound(let id): self = .layoutNotFound("layouts/\(id)")
    case .layoutExists(let id): self = .layoutExists("layouts/\(id)")
    case .tooManyLayouts(let limit): self = .quotaExceeded(.layouts, limit: UInt64(limit))
    case .exists(let id): self = .collectionExists(CollectionName(id).description)
    case .etagConflict(let expected, let current):
      self = .etagConflict(expected: expected, current: current)
    case .incarnationConflict(let expected, let current):
      self = .incarnationChanged(found: expected, current: current)
    case .versionAhead(let found, let current):
      self = .versionAhead(found: found, current: current)
    case .historyCompacted(let version):
      self = .historyCompacted(found: 0, minDataVersion: version)
    case .tooManyCollections(let limit):
      self = .quotaExceeded(.collections, limit: UInt64(limit))
    case .cancelled:
      self = LayoutProblem(
        code: .cancelled,
        reason: .none,
        message: "The call was cancelled; nothing was changed."
      )
    case .contended(let id):
      self = .contended(CollectionName(id).description)
    case .logFull(let id, let batches, let bytes):
      self = .storeUnavailable(
        "The log of \(CollectionName(id)) has \(batches) batches of \(bytes) bytes, for which no snapshot could be "
          + "written yet; no more are taken until it is.",
        retryDelay: .seconds(5)
      )
    case .storage(let fault as StorageFault) where fault.kind == .unclear:
      self = .storeUnavailable(
        "The connection to the store was lost while a change was being stored, which may or may "
          + "not be stored now. A retry with the same request_id is safe; without one, read the "
          + "collection first."
      )
    case .storage: self = .storeUnavailable()
    case .corrupt(let id, _):
      self = .logCorrupt(
        "What is stored of \(CollectionName(id)) is damaged. Its operator can restore a backup; or "
          + "delete the collection and create it again."
      )
    }
  }
}

extension StoreError {
  /// What is wrong with the batch, for the refusal of a single event; nil = the fault lies
  /// elsewhere.
  var refusal: Refusal? {
    switch self {
    case .refused(let refusal): refusal
    case .versionConflict(let expected, let current):
      .versionConflict(expected: expected, current: current)
    case .limitExceeded(let name, let found, let limit): name.refusal(of: found, limit: limit)
    case .accountExceeded(let error): Refusal(error)
    default: nil
    }
  }
}

extension StoreError.ByteLimit {
  /// - Parameters:
  ///   - found: the bytes that would be needed.
  ///   - limit: the bytes that are allowed.
  fileprivate func refusal(of found: Int, limit: Int) -> Refusal {
    let what =
      switch self {
      case .collectionBytes: "The contents of the collection"
      case .identityBytes: "The contents of all collections of the identity that created this one"
      case .residentBytes: "All collections in use"
      case .recordBytes: "Display name, labels and default layout of the collection"
      case .layoutBytes: "The named layouts of the collection"
      case .totalRecordBytes: "Display names, labels and layouts of all collections"
      }
    var metadata = ["limit": String(limit), "limitName": rawValue]
    if self == .identityBytes {
      metadata["scope"] = "identity"
      // How much there is in all would tell callers of collections that they may not see.
      return Refusal(
        .quotaMemory,
        "\(what) would take more than the \(limit) bytes that \(rawValue) allows.",
        metadata: metadata
      )
    }
    return Refusal(
      .quotaMemory,
      "\(what) would take \(found) bytes; \(rawValue) allows \(limit).",
      metadata: metadata
    )
  }
}
