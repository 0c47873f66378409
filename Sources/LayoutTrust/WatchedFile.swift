// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A file that is read again when it changes: also when it is replaced, and when it is a symbolic link that
/// is turned, as in Kubernetes' volumes.
public struct WatchedFile: Sendable {
  /// Where it is.
  public let path: String
  private var mark: FileMark?
  /// What is read has to fit into memory beside all else. Keys and rules have some thousand bytes.
  private static let mostBytes: Int64 = 16 << 20

  /// A file that has not been read.
  public init(path: String) { self.path = path }

  /// The contents.
  ///
  /// - Throws: `TrustError` if the file cannot be read, or is too large for what it should be.
  public mutating func read() throws(TrustError) -> Data {
    // Before the contents, so that a change during the reading is noticed afterwards.
    mark = FileMark(path)
    try checkSize()
    do { return try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      let reason = mark == nil ? "there is no such file" : "it cannot be read"
      throw TrustError("\(path): \(reason)")
    }
  }

  /// - Throws: `TrustError` if the file was too large for what it should be when it was looked at last, or was no
  ///   file that can be read to its end: one waits for somebody to write into a pipe.
  public func checkSize() throws(TrustError) {
    guard let mark else { return }
    guard mark.isRegular else {
      throw TrustError("\(path): a folder, pipe, socket or device found; a file is needed")
    }
    guard mark.size > Self.mostBytes else { return }
    throw TrustError("\(path): \(mark.size) bytes found; at most \(Self.mostBytes) are read")
  }

  /// Counts the file as read.
  ///
  /// - Returns: whether it had changed.
  public mutating func takeNote() -> Bool {
    let mark = FileMark(path)
    defer { self.mark = mark }
    return mark != self.mark
  }

  /// Whether the file has changed since it was read last.
  public var hasChanged: Bool { FileMark(path) != mark }
}
