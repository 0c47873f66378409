// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The storage's view of the system, which tests replace.
struct StorageSystem: Sendable {
  /// Bytes available on the file system of a file; nil = not known.
  var freeBytes: @Sendable (_ path: String) -> Int64?
  /// Seconds between checks of the files, which also retry after a fault; nil = no checks.
  var checkInterval: Double?
  /// Bytes reserved for deletions (`SpaceReserve`): for the log, and for what a checkpoint adds to
  /// the database.
  var deletionBytes: Int64 = 8 << 20

  /// How long a transaction waits for another program's, in milliseconds.
  var lockMilliseconds = 5000

  static let real = StorageSystem(
    freeBytes: { FilePath.freeBytes(besides: $0) },
    checkInterval: 5
  )

  /// Bytes that large imports leave free, for small commits and for sweeping what an import wrote.
  static let reservedBytes: Int64 = 16 << 20

  /// With this many bytes free, the disk has room for whatever the log may hold.
  static let plentifulBytes: Int64 = 1 << 30

  /// After a full disk, the storage works again when this many bytes are free.
  static let smallBytes: Int64 = 1 << 20

  /// Checks that a piece of a large import leaves enough space free. Passes if the free space is
  /// not known.
  ///
  /// - Parameters:
  ///   - bytes: the size of the piece, which is written twice: to the log and to the database.
  ///   - unusedBytes: pages of the database that are free.
  /// - Throws: `StorageFault.diskNearlyFull`
  func checkSpace(
    for bytes: Int,
    in path: String,
    unusedBytes: Int64
  ) throws(StorageFault) {
    let needed = Self.reservedBytes + 2 * Int64(clamping: min(bytes, 1 << 40))
    guard let free = freeBytes(path), free < needed - min(needed, unusedBytes) else { return }
    throw StorageFault(
      .diskNearlyFull,
      "\(free) bytes are free on the file system of \(path), and \(unusedBytes) in the file; "
        + "\(needed) are needed to write large contents; free some space"
    )
  }
}

/// A Boolean that any thread may read and set.
package final class Flag: Sendable {
  private let value = Atomic(false)

  /// A Boolean that is false.
  package init() {}

  package var isSet: Bool { value.load(ordering: .acquiring) }

  /// - Returns: whether it was not set before.
  @discardableResult
  package func set() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }

  package func clear() { value.store(false, ordering: .releasing) }
}
