// SPDX-License-Identifier: Apache-2.0

internal import GRDB

extension StorageFault {
  /// What SQLite or a row said, in one line. Errors of others stay what they are.
  static func describing(_ error: any Error, path: String) -> any Error {
    switch error {
    case let error as DatabaseError: StorageFault(error, path: path)
    case let error as UnexpectedValue: StorageFault(.damaged, "\(path): \(error)")
    default: error
    }
  }

  /// What was found wrong with what is stored of a collection. Faults that are not about what is
  /// stored stay what they are.
  static func damage(_ error: any Error, of id: String) -> any Error {
    switch error {
    case is DatabaseError: error
    case let fault as StorageFault where fault.kind != .damaged: fault
    default: StorageFault(damageOf: id, error)
    }
  }

  init(damageOf id: String, _ finding: any Error) {
    self.init(.damaged, "collection \(id) is damaged: \(finding)", collection: id)
  }

  private init(_ error: DatabaseError, path: String) {
    let reason = error.message ?? "\(error.resultCode)"
    switch error.resultCode {
    case .SQLITE_CORRUPT: self.init(.damaged, "\(path) is damaged: \(reason)")
    case .SQLITE_NOTADB: self.init(.notAStore, "\(path) is not a database")
    case .SQLITE_FULL: self.init(.diskFull, "no space is left for \(path)")
    case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
      self.init(.readOnly, "\(path) cannot be written to: \(reason)")
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      self.init(.unreachable, "\(path) is locked by another program")
    default: self.init(.unreachable, "\(path): \(reason) (\(error.extendedResultCode.rawValue))")
    }
  }
}
