// SPDX-License-Identifier: Apache-2.0

internal import Foundation
import LayoutService
import Logging

extension ServerOptions {
  /// Options that belong together.
  private struct HelpGroup {
    var title: String
    var keys: [String]

    init(_ title: String, _ keys: [String], _ numbers: [[Number]] = []) {
      self.title = title
      self.keys = keys + numbers.joined().map(\.key)
    }
  }

  /// In the order in which operators meet them, as in the guide for operators.
  private static let helpGroups = [
    HelpGroup(
      "Where it listens",
      ["host", "port", "webHost", "webPort", "webOrigins", "adminHost", "adminPort", "insecure"]
    ),
    HelpGroup(
      "What it stores",
      ["store", "storePath", "storeNotifications", "backupFolder"],
      [storage]
    ),
    HelpGroup(
      "Configuration, logs and traces",
      ["config", "logLevel", "logFormat", "resumeSecret"] + TracingOptions.texts.map(\.key)
    ),
    HelpGroup("Encryption and identities", SecurityOptions.texts.map(\.key), [identities]),
    HelpGroup(
      "Layouts of other programs",
      ProviderOptions.texts.map(\.key) + ["layoutProviderTimeoutMs"]
    ),
    HelpGroup("Requests", [], [streams, requests]),
    HelpGroup("Memory", [], [memory]),
    HelpGroup("Connections", [], [connections, calls]),
    HelpGroup("Times", [], [timing, resuming]),
    HelpGroup("Computations", [], [engine]),
  ]

  /// The help text in lines of at most `width` characters, except for long words.
  ///
  /// - Parameter command: the name of the program.
  static func help(command: String, width: Int = lineWidth()) -> String {
    var lines = wrapped(
      "Lays out collections and streams their layout attributes to renderers over gRPC.",
      width: width
    )
    lines += ["", "usage: \(command) [--OPTION VALUE]..."]
    var rest = rows
    for group in helpGroups + [HelpGroup("Others", rest.map(\.key))] {
      let found = group.keys.compactMap { key in
        rest.firstIndex { $0.key == key }.map { rest.remove(at: $0) }
      }
      guard !found.isEmpty else { continue }
      lines += ["", "\(group.title):"]
      for row in found {
        lines.append("  \(flag(of: row.key))\(row.value)")
        lines += wrapped(row.text, indent: 6, width: width)
      }
    }
    lines.append("")
    lines += wrapped(
      """
      Each option can also be set by an environment variable (--max-sessions: LAYOUT_SERVER_MAX_SESSIONS) and by \
      a key of the configuration file (maxSessions). The command line overrides the environment, and the \
      environment overrides the file.
      """,
      width: width
    )
    return lines.joined(separator: "\n")
  }

  /// Each option: its key, a placeholder of its value, and its purpose with its default.
  private static var rows: [(key: String, value: String, text: String)] {
    let defaults = ServerOptions()
    let texts = [
      "host": defaults.host, "store": defaults.store.rawValue,
      "storePath": defaults.storePath, "storeNotifications": defaults.storeNotifications,
      "logLevel": defaults.logLevel.rawValue,
      "logFormat": defaults.logFormat.rawValue, "adminHost": defaults.adminHost,
      "webHost": defaults.web.host,
      "traceSampleRatio": "\(defaults.tracing.ratio)",
    ]
    return textKeys.map { key, help in
      (key, " <value>", help + (texts[key].map { " (\($0))" } ?? ""))
    }
      + numbers.map { ($0.key, " <number>", "\($0.help) (\($0.get(defaults)))") }
      + [
        ("check", "", "look at the options, the files that they name and the machine, and end"),
        ("help", "", "print this help"), ("version", "", "print the version"),
      ]
  }

  /// The width that the terminal reports; 100 if it reports none.
  static func lineWidth() -> Int {
    let columns = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 100
    return min(max(columns, 40), 100)
  }

  private static func wrapped(_ text: String, indent: Int = 0, width: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + word.count < width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(margin + word)
      }
    }
    return lines
  }
}
