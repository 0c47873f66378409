// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutTrust

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Whether a server could use its store. A file is not opened as a database.
struct StoreCheck {
  private let options: ServerOptions
  /// Less free space than this is a warning.
  private static let fewBytes: Int64 = 64 << 20

  init(_ options: ServerOptions) { self.options = options }

  var findings: [Finding] {
    if options.store == .postgresql {
      return DatabaseCheck(configuration: options.database).findings
    }
    guard options.store == .sqlite else {
      return [.warning("--store memory: collections are lost when the server ends", "use sqlite")]
    }
    return [file] + [space, backups].compactMap { $0 }
  }

  private var path: String { options.storePath }

  private var folder: String {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return folder.isEmpty ? "/" : folder
  }

  private var file: Finding {
    let files = FileManager.default
    guard let attributes = try? files.attributesOfItem(atPath: path) else {
      guard files.fileExists(atPath: folder) else {
        return .error("\(path): there is no folder \(folder)", "create it")
      }
      guard files.isWritableFile(atPath: folder) else {
        return .error("\(path): \(folder) is not writable", "let the server's user write there")
      }
      return .ok("\(path): will be created")
    }
    if attributes[.type] as? FileAttributeType == .typeDirectory {
      return .error("\(path): a folder", "give the path of a file")
    }
    guard files.isWritableFile(atPath: path), files.isWritableFile(atPath: folder) else {
      return .error(
        "\(path): the file or its folder is not writable",
        "let the server's user write both"
      )
    }
    if isLocked {
      return .warning(
        "\(path): a server uses it",
        "if it is not the server that this configuration is of, choose another --store-path"
      )
    }
    if let kind = otherKind { return .error("\(path): \(kind)", "give the path of a store") }
    if FileReview.isReadableByOthers(path) {
      return .warning(
        "\(path): other users may read everything in it",
        "chmod 600 \(path), and set the server's umask to 077"
      )
    }
    return .ok("\(path): a store that nobody uses")
  }

  /// What the file is instead of a store; nil = it seems to be a store, or is empty.
  private var otherKind: String? {
    guard let handle = FileHandle(forReadingAtPath: path) else { return "it cannot be read" }
    defer { try? handle.close() }
    let head = (try? handle.read(upToCount: 72)) ?? Data()
    guard !head.isEmpty else { return nil }
    guard head.starts(with: Data("SQLite format 3\0".utf8)) else { return "not a database" }
    // The first page may still be in the write-ahead log.
    guard !FileManager.default.fileExists(atPath: "\(path)-wal") else { return nil }
    return head.count == 72 && head.suffix(4) == Data("CLYT".utf8)
      ? nil : "a database of another program"
  }

  /// Whether a server has locked the store. The lock taken to find out is released at once.
  private var isLocked: Bool {
    for name in [path, "\(path).lock"] {
      let descriptor = unsafe open(name, O_RDONLY)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      if flock(descriptor, LOCK_SH | LOCK_NB) != 0 { return errno == EWOULDBLOCK }
      flock(descriptor, LOCK_UN)
    }
    return false
  }

  private var space: Finding? {
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else { return nil }
    guard free < Self.fewBytes else { return nil }
    return .warning("\(folder): \(free) bytes are free", "make room: a full disk refuses commits")
  }

  private var backups: Finding? {
    let folder = options.folderForBackups
    guard options.hasAdminPort, !folder.isEmpty else { return nil }
    guard !FileManager.default.isWritableFile(atPath: folder) else { return nil }
    return .warning("\(folder): backups cannot be written there", "correct --backup-folder")
  }
}
