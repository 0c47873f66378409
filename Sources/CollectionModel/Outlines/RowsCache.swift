// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What is visible of one version at the base, computed when it is first needed. All copies of the contents
/// share it.
final class RowsCache: Sendable {
  private let computed: Mutex<CollectionContents?>

  init() { computed = Mutex(nil) }

  /// - Parameter contents: the version that this cache belongs to.
  func rows(of contents: CollectionContents) -> CollectionContents {
    computed.withLock { rows in
      if let rows { return rows }
      let new = contents.showing(.contents)
      rows = new
      return new
    }
  }

  /// Roughly the memory that the rows use, in bytes; 0 = they have not been computed.
  var byteCount: Int { computed.withLock { $0?.approximateByteCount ?? 0 } }

  /// Takes rows that were derived from those of the version before.
  func set(_ rows: CollectionContents) { computed.withLock { $0 = rows } }
}
