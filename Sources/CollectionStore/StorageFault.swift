// SPDX-License-Identifier: Apache-2.0

/// Why storage failed, in one line that tells an operator what to do about it.
public struct StorageFault: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// What was read is not what was written.
    case damaged
    /// Another server has the file.
    case inUse
    /// The file is something else.
    case notAStore
    /// Written by a newer version of this program.
    case newerSchema
    case diskFull
    /// Too little space is left for a large import; small commits go on.
    case diskNearlyFull
    case readOnly
    /// The file or its log was removed, replaced or cut while the server used it. Nothing more is
    /// acknowledged.
    case fileChanged
    /// There is no such collection, or not at the version that was expected.
    case conflict
    /// The storage was closed, or is being closed.
    case closed
    /// Everything else that keeps the storage from reading or writing.
    case unreachable

    /// Whether it keeps the storage as a whole from working.
    var isGeneral: Bool {
      switch self {
      case .damaged, .diskNearlyFull, .conflict, .closed: false
      case .inUse, .notAStore, .newerSchema, .diskFull, .readOnly, .fileChanged, .unreachable: true
      }
    }
  }

  public var kind: Kind
  public var description: String
  /// The collection whose data is damaged; nil = the fault is not one collection's.
  public var collection: String?

  public init(_ kind: Kind, _ description: String, collection: String? = nil) {
    self.kind = kind
    self.description = description
    self.collection = collection
  }
}
