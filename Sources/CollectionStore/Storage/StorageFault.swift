// SPDX-License-Identifier: Apache-2.0

/// Why the storage failed, in one line that tells an operator what is wrong and what to do about
/// it.
public struct StorageFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of failure it is, for programs.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A checksum or a count does not match: the stored data differs from what was written.
    case damaged
    /// Another server has locked the file.
    case inUse
    /// The file is not a store: a directory, another program's database, or no database at all.
    case notAStore
    /// The file was written by a newer version of this program.
    case newerSchema
    /// The file system has no space left for a commit.
    case diskFull
    /// Too little space is left for a large import; small commits continue.
    case diskNearlyFull
    /// The file or its directory cannot be written to.
    case readOnly
    /// The database or its write-ahead log was removed, replaced or truncated while the server used
    /// it. No commit is acknowledged any more.
    case fileChanged
    /// The collection does not exist, or not at the version that the caller expected.
    case conflict
    /// Other transactions have held for too long what the call needs. Nothing was changed.
    case contended
    /// The storage lacks commits that this server has stored in it or read from it: it went back to
    /// an earlier state. The server goes on with what is stored.
    case rewound
    /// The connection was lost while a commit was under way: it may or may not be stored.
    case unclear
    /// The storage has been closed, or is being closed.
    case closed
    /// The storage cannot do that, or a file is in the way.
    case unsupported
    /// Any other failure to read or write.
    case unreachable

    /// Whether the fault stops the storage as a whole, rather than one call or one collection.
    var isGeneral: Bool {
      switch self {
      case .damaged, .diskNearlyFull, .conflict, .contended, .rewound, .closed, .unsupported: false
      case .inUse, .notAStore, .newerSchema, .diskFull, .readOnly, .fileChanged, .unreachable,
        .unclear:
        true
      }
    }
  }

  /// What kind of failure it is.
  public var kind: Kind
  /// One line for operators: the file or collection, what is wrong and what to do.
  public var description: String
  /// The identifier of the collection whose data is damaged; nil = the fault does not concern a
  /// single collection.
  public var collection: String?

  /// - Parameters:
  ///   - description: one line for operators.
  ///   - collection: the identifier of the damaged collection; nil = none.
  public init(_ kind: Kind, _ description: String, collection: String? = nil) {
    self.kind = kind
    self.description = description
    self.collection = collection
  }
}
