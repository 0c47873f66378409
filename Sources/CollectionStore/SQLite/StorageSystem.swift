// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// What the storage asks of the system, so that tests can answer instead.
struct StorageSystem: Sendable {
  /// Bytes that may still be written to the file system of a file; nil = not known.
  var freeBytes: @Sendable (_ path: String) -> Int64?
  /// Seconds between looks at the files and tries to work again; nil = none.
  var checkInterval: Double?

  static let real = StorageSystem(
    freeBytes: { FilePath.freeBytes(besides: $0) },
    checkInterval: 5
  )

  /// What large imports leave to small commits and to the removal of what they wrote.
  static let reservedBytes: Int64 = 16 << 20

  /// - Parameter bytes: that are about to be written, once to the log and once to the database.
  /// - Throws: `StorageFault.diskNearlyFull`
  func checkSpace(for bytes: Int, besides path: String) throws(StorageFault) {
    let needed = Self.reservedBytes + 2 * Int64(clamping: min(bytes, 1 << 40))
    guard let free = freeBytes(path), free < needed else { return }
    throw StorageFault(
      .diskNearlyFull,
      "\(free) bytes are left beside \(path); \(needed) are needed for large contents"
    )
  }
}

/// A mark that is set once or now and then, read from any thread.
final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .acquiring) }

  /// - Returns: whether it was not set before.
  @discardableResult
  func set() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }

  func clear() { value.store(false, ordering: .releasing) }
}
