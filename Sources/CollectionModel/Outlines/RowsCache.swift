// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What is visible of one version to those who have changed nothing since they began, computed for each base
/// when it is first needed. All copies of the contents share it.
final class RowsCache: Sendable {
  private let computed = Mutex<[ExpansionBase: CollectionContents]>([:])

  /// - Parameter contents: the version that this cache belongs to.
  func rows(of contents: CollectionContents, startingFrom base: ExpansionBase) -> CollectionContents
  {
    computed.withLock { rows in
      if let known = rows[base] { return known }
      let new = contents.showing(base)
      rows[base] = new
      return new
    }
  }

  /// Roughly the memory that the rows use, in bytes; 0 = they have not been computed.
  var byteCount: Int {
    computed.withLock { $0.values.reduce(0) { $0 + $1.approximateByteCount } }
  }

  /// Takes rows at the data's own base that were derived from those of the version before.
  func set(_ rows: CollectionContents) { computed.withLock { $0[.contents] = rows } }
}
