// SPDX-License-Identifier: Apache-2.0

import LayoutService
import Logging

extension ServerOptions {
  /// - Parameter command: what the program is called.
  static func help(command: String) -> String {
    let defaults = ServerOptions()
    var lines = [
      "Lays out collections and streams their layout attributes to renderers over gRPC.",
      "",
      "usage: \(command) [--FLAG VALUE]...",
      "",
    ]
    let texts = [
      "host": defaults.host, "store": defaults.store.rawValue,
      "storePath": defaults.storePath, "storeNotifications": defaults.storeNotifications,
      "logLevel": defaults.logLevel.rawValue,
      "logFormat": defaults.logFormat.rawValue, "adminHost": defaults.adminHost,
      "webHost": defaults.web.host,
      "traceSampleRatio": "\(defaults.tracing.ratio)",
    ]
    let rows =
      textKeys.map { ($0.key, $0.help, texts[$0.key]) }
      + numbers.map { ($0.key, $0.help, String($0.get(defaults))) }
      + [("check", "look at the options, the files that they name and the machine, and end", nil)]
      + [("help", "print this help", nil), ("version", "print the version", nil)]
    let width = rows.map { flag(of: $0.0).count }.max() ?? 0
    for (key, help, value) in rows {
      let name = flag(of: key)
      let padding = String(repeating: " ", count: width - name.count + 2)
      lines.append("  \(name)\(padding)\(help)\(value.map { " (\($0))" } ?? "")")
    }
    lines += [
      "",
      "Each flag can also be set by an environment variable (--max-sessions:",
      "LAYOUT_SERVER_MAX_SESSIONS) and by a key of the configuration file (maxSessions). The command",
      "line overrides the environment, and the environment overrides the file.",
    ]
    return lines.joined(separator: "\n")
  }
}
