// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Checks files that are secret.
public enum FileReview {
  /// Whether users other than the file's owner may read it. False if there is no such file.
  public static func isReadableByOthers(_ path: String) -> Bool {
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let rights = try? FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
    return ((rights as? NSNumber)?.intValue ?? 0) & 0o044 != 0
  }

  /// - Parameter what: "the key".
  /// - Returns: a warning if others may read the file.
  static func privacy(of path: String, what: String) -> [Finding] {
    guard isReadableByOthers(path) else { return [] }
    return [.warning("\(path): other users may read \(what)", "chmod 600 \(path)")]
  }

  /// The text of a file.
  static func text(of path: String) throws(TrustError) -> String {
    var file = WatchedFile(path: path)
    guard let text = String(data: try file.read(), encoding: .utf8) else {
      throw TrustError("\(path): the file is not UTF-8")
    }
    return text
  }
}
