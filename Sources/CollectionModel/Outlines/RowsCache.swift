// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The rows of one version for viewers without expansions of their own, computed for each base when
/// first needed. All copies of the contents share them.
final class RowsCache: Sendable {
  /// Without `wholeContents`, which are the contents that have this cache: it would keep itself
  /// alive.
  private let computed = Mutex<[ExpansionBase: CollectionContents]>([:])

  /// - Parameter contents: the version that this cache belongs to.
  func rows(of contents: CollectionContents, startingFrom base: ExpansionBase) -> CollectionContents
  {
    computed.withLock { rows in
      if let known = rows[base] { return known.asRows(of: contents, base) }
      let new = contents.showing(base)
      rows[base] = new.withoutWhole
      return new
    }
  }

  /// Whether the rows from a base on have been computed.
  func knows(_ base: ExpansionBase) -> Bool { computed.withLock { $0[base] != nil } }

  /// Roughly the memory that the rows use, in bytes; 0 = they have not been computed.
  var byteCount: Int {
    computed.withLock { $0.values.reduce(0) { $0 + $1.approximateByteCount } }
  }

  /// Stores rows that were computed elsewhere, unless the base has some.
  func note(_ rows: CollectionContents, startingFrom base: ExpansionBase) {
    computed.withLock { known in
      if known[base] == nil { known[base] = rows.withoutWhole }
    }
  }
}

extension CollectionContents {
  /// The same without reference to the contents that they are rows of.
  fileprivate var withoutWhole: CollectionContents {
    var rows = self
    rows.wholeContents = nil
    return rows
  }

  /// The same as rows of some contents.
  fileprivate func asRows(
    of contents: CollectionContents,
    _ base: ExpansionBase
  ) -> CollectionContents {
    var rows = self
    rows.wholeContents = contents.hasOutlines ? WholeContents(contents, base: base) : nil
    return rows
  }
}
