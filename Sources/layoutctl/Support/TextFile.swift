// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Reads and writes files. The path `-` is standard input or standard output.
enum TextFile {
  /// The most bytes of a file that is read as a whole. What is larger is no document but a device,
  /// or a table, which `import` reads in parts.
  static let mostBytes = 64 << 20

  /// Reads a whole file.
  ///
  /// - Parameter limit: the most bytes that it may have.
  /// - Throws: `CommandFault` that names the file.
  static func read(_ path: String, atMost limit: Int = mostBytes) throws -> [UInt8] {
    let file = try FileBytes(path: path)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(file.size ?? 0, limit))
    while let part = try file.next() {
      guard bytes.count + part.count <= limit else {
        throw CommandFault(
          "\(path == "-" ? "standard input" : path): more than \(limit.grouped) bytes",
          status: .usage
        )
      }
      bytes += part
    }
    return bytes
  }

  /// Reads a whole file as text.
  ///
  /// - Throws: `CommandFault` that names the file, also if it is not UTF-8.
  static func readText(_ path: String) throws -> String {
    let bytes = try read(path)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandFault(
        "\(path): not UTF-8 at byte \((bytes.invalidUTF8Offset ?? 0) + 1)",
        status: .usage
      )
    }
    return text
  }

  /// Replaces the contents of a file.
  static func write(_ text: String, to path: String) throws {
    let file = try OutputFile(path: path)
    try file.write(text)
    try file.finish()
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32, name: String) throws {
    var start = 0
    while start < bytes.count {
      let count = unsafe bytes[start...].withUnsafeBytes { unsafe systemWrite(descriptor, $0) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        if errno == EPIPE, descriptor == STDOUT_FILENO { throw OutputClosed() }
        throw fault(name)
      }
      start += count
    }
  }

  /// Creates a directory unless it exists.
  static func makeDirectory(_ path: String) throws {
    guard unsafe mkdir(path, 0o755) != 0, errno != EEXIST else { return }
    throw fault(path)
  }

  static func remove(_ path: String) { unsafe unlink(path) }

  static func fault(_ path: String) -> CommandFault {
    unsafe CommandFault("\(path): \(String(cString: strerror(errno)))")
  }

  private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
    unsafe Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
    unsafe Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
    unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}

/// A file that is read in parts.
final class FileBytes: ByteSource {
  /// The size in bytes; nil if it is not a regular file.
  let size: Int?
  private(set) var position = 0
  private let path: String
  private let descriptor: Int32
  private static let partBytes = 256 << 10

  init(path: String) throws {
    self.path = path == "-" ? "standard input" : path
    descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY)
    guard descriptor >= 0 else { throw TextFile.fault(path) }
    size = path == "-" ? nil : FileFacts(path: path)?.regularSize
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// - Throws: `CommandFault` that names the file; `CancellationError` if the task was cancelled
  ///   while it waited for a pipe or a device.
  func next() throws -> [UInt8]? {
    if size == nil { try waitForInput() }
    var bytes = [UInt8](repeating: 0, count: Self.partBytes)
    var count = unsafe read(descriptor, &bytes, bytes.count)
    while count < 0, errno == EINTR { count = unsafe read(descriptor, &bytes, bytes.count) }
    guard count >= 0 else { throw TextFile.fault(path) }
    guard count > 0 else { return nil }
    position += count
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Waits until there is something to read, or the end. A read itself could not be cancelled.
  private func waitForInput() throws {
    while !Task.isCancelled {
      var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let found = unsafe poll(&waited, 1, 100)
      // If the descriptor cannot be waited for, the read says why.
      if found > 0 || found < 0 && errno != EINTR { return }
    }
    throw CancellationError()
  }
}

/// A source of bytes that is read in parts; nil = the end.
protocol ByteSource: AnyObject {
  func next() throws -> [UInt8]?
}

/// The reader of standard output closed the pipe, as `head` does. The command then ends without an
/// error.
struct OutputClosed: Error {}

/// A file that is written in parts. The path `-` is standard output.
///
/// The parts are written to a temporary file beside it. `finish()` moves that to the path, so that
/// an existing file is not lost if an error occurs.
final class OutputFile: Sendable {
  /// What replaces a file at the end.
  private struct Replacement {
    var temporary: String
    var path: String
  }

  private let name: String
  private let descriptor: Int32
  /// nil if the parts are written directly.
  private let replacement: Replacement?
  private let isFinished = Mutex(false)
  /// Removes the temporary file if a signal ends the process; nil = there is none.
  private let cleanup: Int?

  /// Opens the file for writing.
  ///
  /// - Throws: `CommandFault` that names the file.
  init(path: String) throws {
    guard path != "-" else {
      name = "standard output"
      descriptor = STDOUT_FILENO
      replacement = nil
      cleanup = nil
      return
    }
    name = path
    let facts = FileFacts(path: path)
    if let facts, facts.regularSize == nil {
      // Devices and pipes cannot be replaced, so they are written directly.
      descriptor = unsafe open(path, O_WRONLY)
      replacement = nil
      cleanup = nil
    } else {
      // The target of a symbolic link is replaced, not the link.
      let target = facts?.path ?? path
      let temporary = "\(target).\(getpid())-\(UInt32.random(in: .min ... .max)).part"
      let mode = mode_t(facts?.permissions ?? 0o644)
      descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode)
      guard descriptor >= 0 else { throw TextFile.fault(path) }
      replacement = Replacement(temporary: temporary, path: target)
      cleanup = Interruption.shared.addCleanup { TextFile.remove(temporary) }
    }
    guard descriptor >= 0 else { throw TextFile.fault(path) }
  }

  deinit {
    if descriptor > STDERR_FILENO { close(descriptor) }
    if let cleanup { Interruption.shared.removeCleanup(cleanup) }
    guard let replacement, !isFinished.withLock({ $0 }) else { return }
    unsafe unlink(replacement.temporary)
  }

  func write(_ text: String) throws { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws {
    try TextFile.write(bytes, to: descriptor, name: name)
  }

  /// Replaces the file with the parts. If this is not called, the parts are discarded.
  func finish() throws {
    guard let replacement else { return }
    guard fsync(descriptor) == 0, unsafe rename(replacement.temporary, replacement.path) == 0
    else { throw TextFile.fault(name) }
    isFinished.withLock { $0 = true }
  }
}

/// What is known of an existing file. Symbolic links are followed.
private struct FileFacts {
  /// Without symbolic links.
  var path: String
  var permissions: UInt16
  /// In bytes; nil = it is not a regular file.
  var regularSize: Int?

  /// - Returns: nil = there is no file.
  init?(path: String) {
    // Not `stat`: in an optimised build its fields belong to a module that cannot be imported.
    guard let found = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(found) }
    self.path = unsafe String(cString: found)
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: self.path) else {
      return nil
    }
    permissions = (attributes[.posixPermissions] as? NSNumber)?.uint16Value ?? 0o600
    let isRegular = attributes[.type] as? FileAttributeType == .typeRegular
    regularSize = isRegular ? (attributes[.size] as? NSNumber)?.intValue : nil
  }
}
