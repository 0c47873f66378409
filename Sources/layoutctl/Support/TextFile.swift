// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Files as bytes. `-` is standard input or standard output.
enum TextFile {
  /// - Throws: `CommandFault` that names the file.
  static func read(_ path: String) throws -> [UInt8] {
    let file = try FileBytes(path: path)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(file.size ?? 0)
    while let part = try file.next() { bytes += part }
    return bytes
  }

  /// Replaces a file as a whole; `-` is standard output.
  static func write(_ text: String, to path: String) throws {
    let file = try OutputFile(path: path)
    try file.write(text)
    try file.finish()
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32, name: String) throws {
    var start = 0
    while start < bytes.count {
      let count = bytes[start...].withUnsafeBytes { systemWrite(descriptor, $0) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        if errno == EPIPE, descriptor == STDOUT_FILENO { throw OutputClosed() }
        throw fault(name)
      }
      start += count
    }
  }

  /// Makes the directory where there is none yet.
  static func makeDirectory(_ path: String) throws {
    guard mkdir(path, 0o755) != 0, errno != EEXIST else { return }
    throw fault(path)
  }

  static func remove(_ path: String) { unlink(path) }

  static func fault(_ path: String) -> CommandFault {
    CommandFault("\(path): \(String(cString: strerror(errno)))")
  }

  private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
    Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}

/// A file that is read part by part.
final class FileBytes: ByteSource {
  /// In bytes; nil where it is not a plain file.
  let size: Int?
  private(set) var position = 0
  private let path: String
  private let descriptor: Int32
  private static let partBytes = 256 << 10

  init(path: String) throws {
    self.path = path == "-" ? "standard input" : path
    descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY)
    guard descriptor >= 0 else { throw TextFile.fault(path) }
    var status = stat()
    size =
      fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      ? Int(status.st_size) : nil
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  func next() throws -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: Self.partBytes)
    var count = read(descriptor, &bytes, bytes.count)
    while count < 0, errno == EINTR { count = read(descriptor, &bytes, bytes.count) }
    guard count >= 0 else { throw TextFile.fault(path) }
    guard count > 0 else { return nil }
    position += count
    bytes.removeLast(bytes.count - count)
    return bytes
  }
}

/// Bytes that come part by part; nil = the end.
protocol ByteSource: AnyObject {
  func next() throws -> [UInt8]?
}

/// Nobody reads standard output any more, as behind `| head`: a command ends quietly then.
struct OutputClosed: Error {}

/// A file that is written part by part. `-` is standard output.
///
/// Until `finish()` the parts are in a file of their own beside it, so that what was there before is
/// not lost where something goes wrong.
final class OutputFile {
  private let name: String
  private let descriptor: Int32
  /// What the parts replace in the end; nil = they are written where they belong.
  private var replacement: (temporary: String, path: String)?

  /// - Throws: `CommandFault` that names the file.
  init(path: String) throws {
    guard path != "-" else {
      name = "standard output"
      descriptor = STDOUT_FILENO
      return
    }
    name = path
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists, status.st_mode & S_IFMT != S_IFREG {
      // Devices and pipes take what comes.
      descriptor = open(path, O_WRONLY)
    } else {
      // A symbolic link stays one.
      let target = exists ? Self.realPath(of: path) ?? path : path
      let temporary = "\(target).\(getpid())-\(UInt32.random(in: .min ... .max)).part"
      let mode = exists ? status.st_mode & 0o7777 : 0o644
      descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode)
      if descriptor >= 0 { replacement = (temporary, target) }
    }
    guard descriptor >= 0 else { throw TextFile.fault(path) }
  }

  deinit {
    if descriptor > STDERR_FILENO { close(descriptor) }
    if let replacement { unlink(replacement.temporary) }
  }

  func write(_ text: String) throws {
    try TextFile.write(Array(text.utf8), to: descriptor, name: name)
  }

  /// Puts the parts in the place of the file. Without it they are gone.
  func finish() throws {
    guard let (temporary, path) = replacement else { return }
    guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw TextFile.fault(name) }
    replacement = nil
  }

  private static func realPath(of path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}
