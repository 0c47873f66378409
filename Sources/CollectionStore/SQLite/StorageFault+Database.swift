// SPDX-License-Identifier: Apache-2.0

internal import GRDB

extension StorageFault {
  /// A fault in place of an error of SQLite or of a row. Other errors are returned unchanged.
  ///
  /// - Parameter path: for the message.
  static func describing(_ error: any Error, path: String) -> any Error {
    switch error {
    case let error as DatabaseError: StorageFault(error, path: path)
    case let error as UnexpectedValue: StorageFault(.damaged, "\(path): \(error)")
    default: error
    }
  }

  /// How a damaged collection can be repaired.
  package enum Remedy: String {
    case byOperator = "restore a backup of the store, or delete the collection and create it again"
    case byServer = "the server replaces what is stored by the contents in memory, which are intact"
  }

  /// A fault in place of an error that was thrown while a collection was read: the collection is
  /// damaged, unless SQLite or the storage failed. Those errors are returned unchanged.
  package static func damage(
    _ error: any Error,
    of id: String,
    remedy: Remedy = .byOperator
  ) -> any Error {
    switch error {
    case is DatabaseError: error
    case let fault as StorageFault where fault.kind != .damaged: fault
    default: StorageFault(damageOf: id, error, remedy: remedy)
    }
  }

  /// The collection `id` is damaged.
  ///
  /// - Parameter finding: what is wrong with it.
  package init(damageOf id: String, _ finding: any Error, remedy: Remedy = .byOperator) {
    self.init(
      .damaged,
      "collection \(id) is damaged: \(finding); \(remedy.rawValue)",
      collection: id
    )
  }

  /// There is no space to write `path`.
  static func diskFull(_ path: String) -> StorageFault {
    StorageFault(
      .diskFull,
      "no space is left to write \(path); free space on its file system, or delete collections"
    )
  }

  private init(_ error: DatabaseError, path: String) {
    let reason = error.message ?? "\(error.resultCode)"
    switch error.resultCode {
    case .SQLITE_CORRUPT:
      self.init(.damaged, "\(path) is damaged: \(reason); restore it from a backup")
    case .SQLITE_NOTADB: self.init(.notAStore, "\(path) is not a database; use another file")
    case _ where error.isDiskFull: self = .diskFull(path)
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
      self.init(
        .readOnly,
        "\(path) cannot be written to: \(reason); check the permissions of the file and its directory"
      )
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(.unreachable, "\(path) is locked by another program; end that program")
    default:
      self.init(
        .unreachable,
        "\(path) cannot be read or written: \(reason) (SQLite error \(error.extendedResultCode.rawValue))"
      )
    }
  }
}
