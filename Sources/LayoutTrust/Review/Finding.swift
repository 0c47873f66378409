// SPDX-License-Identifier: Apache-2.0

/// The result of checking one thing of a configuration.
public struct Finding: Hashable, Sendable, CustomStringConvertible {
  /// How bad it is.
  public enum Level: String, Sendable {
    /// As it should be.
    case ok
    /// It works, but may not be intended.
    case warning
    /// It does not work.
    case error
  }

  /// How bad it is.
  public var level: Level
  /// What was found.
  public var text: String
  /// What the operator can do; "" = nothing is needed.
  public var remedy: String

  /// Something that is as it should be.
  public static func ok(_ text: String) -> Finding { Finding(level: .ok, text: text, remedy: "") }

  /// Something that works, but may not be intended.
  public static func warning(_ text: String, _ remedy: String) -> Finding {
    Finding(level: .warning, text: text, remedy: remedy)
  }

  /// Something that does not work.
  public static func error(_ text: String, _ remedy: String) -> Finding {
    Finding(level: .error, text: text, remedy: remedy)
  }

  /// One line: "warning  the certificate ends in 3 days; renew it".
  public var description: String {
    let padding = String(repeating: " ", count: 9 - level.rawValue.utf8.count)
    let line = "\(level.rawValue)\(padding)\(text)\(remedy.isEmpty ? "" : "; \(remedy)")"
    return line.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
