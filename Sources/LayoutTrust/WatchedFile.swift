// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A file that is read again when it changes, also when it is replaced, or when it is a symbolic
/// link that is redirected, as in Kubernetes volumes.
public struct WatchedFile: Sendable {
  /// Where it is.
  public let path: String
  private var mark: FileMark?
  /// The contents have to fit into memory beside everything else. Keys and rules have a few KB.
  private static let mostBytes: Int64 = 16 << 20

  /// A file that has not been read.
  public init(path: String) { self.path = path }

  /// The contents.
  ///
  /// - Throws: `TrustError` if the file cannot be read, or is too large for what it should be.
  public mutating func read() throws(TrustError) -> Data {
    // Before reading the contents, so that a change during the reading is noticed afterwards.
    mark = FileMark(path)
    try checkSize()
    do { return try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
      let reason = mark == nil ? "there is no such file" : "it cannot be read"
      throw TrustError("\(path): \(reason)")
    }
  }

  /// - Throws: `TrustError` if, when the file was last looked at, it was too large, or could not be
  ///   read to its end, such as a pipe that waits for a writer.
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
