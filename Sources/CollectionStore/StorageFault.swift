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
    case readOnly
    /// There is no such collection, or not at the version that was expected.
    case conflict
    /// Everything else that keeps the storage from reading or writing.
    case unreachable
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
