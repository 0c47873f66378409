// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// A folder of its own for the files of a test, which goes with it.
public final class TemporaryFolder: Sendable {
  private let url: URL

  public init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "trust-\(UUID().uuidString)"
    )
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Writes or replaces a file.
  ///
  /// - Returns: its path.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)), options: .atomic)
    return path(name)
  }

  /// Removes a file.
  public func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: path(name))
  }
}

/// A line of a token file.
public func tokenLine(_ name: String, _ token: String, until end: String = "") -> String {
  let digest = SHA256.hash(data: Data(token.utf8)).map { byte in
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0\(digits)" : digits
  }
  return "\(name) \(digest.joined()) \(end)\n"
}
