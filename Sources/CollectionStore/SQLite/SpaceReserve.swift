// SPDX-License-Identifier: Apache-2.0

/// Space on the file system that is reserved for deletions.
///
/// SQLite writes a deletion to the log before anything becomes free, so on a full disk nobody could
/// make room. The space is a file beside the database (`.reserve`), which exists while the server
/// runs and is removed for a deletion that finds the disk full. One left by a crashed server counts
/// too.
struct SpaceReserve: Sendable {
  private let file: String
  private let path: String
  private let system: StorageSystem

  /// - Parameter file: the path of the database.
  init(besides file: String, _ system: StorageSystem) {
    self.file = file
    self.system = system
    path = Self.path(of: file)
  }

  /// The path of the reserve of the database at `file`.
  static func path(of file: String) -> String { file + ".reserve" }

  /// Whether all of the space is reserved.
  var isFull: Bool { (FileStatus(path: path)?.size ?? 0) >= system.deletionBytes }

  /// Reserves the space, unless it is reserved already or the disk would then be nearly full. If
  /// that fails, the next call retries.
  func fill() {
    let needed = system.deletionBytes + StorageSystem.reservedBytes
    guard !isFull, (system.freeBytes(file) ?? .max) >= needed else { return }
    do throws(SystemError) {
      let file = try SystemFile(path: path)
      defer { file.closeFile() }
      try file.fill(to: system.deletionBytes)
    } catch { release() }
  }

  /// Gives the space back to the file system.
  ///
  /// - Returns: whether any was reserved.
  @discardableResult
  func release() -> Bool { FilePath.remove(path) }
}
