// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The storage's view of the system, which tests replace.
struct StorageSystem: Sendable {
  /// Bytes available on the file system of a file; nil = not known.
  var freeBytes: @Sendable (_ path: String) -> Int64?
  /// Seconds between checks of the files, which also retry after a fault; nil = no checks.
  var checkInterval: Double?

  static let real = StorageSystem(
    freeBytes: { FilePath.freeBytes(besides: $0) },
    checkInterval: 5
  )

  /// Bytes that large imports leave free, for small commits and for sweeping what an import wrote.
  static let reservedBytes: Int64 = 16 << 20

  /// Checks that a piece of a large import leaves enough space free. Passes if the free space is not
  /// known.
  ///
  /// - Parameter bytes: the size of the piece, which is written twice: to the log and to the database.
  /// - Throws: `StorageFault.diskNearlyFull`
  func checkSpace(for bytes: Int, besides path: String) throws(StorageFault) {
    let needed = Self.reservedBytes + 2 * Int64(clamping: min(bytes, 1 << 40))
    guard let free = freeBytes(path), free < needed else { return }
    throw StorageFault(
      .diskNearlyFull,
      "\(free) bytes are free on the file system of \(path); \(needed) are needed to write large "
        + "contents; free some space"
    )
  }
}

/// A Boolean that any thread may read and set.
final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .acquiring) }

  /// - Returns: whether it was not set before.
  @discardableResult
  func set() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }

  func clear() { value.store(false, ordering: .releasing) }
}
