// SPDX-License-Identifier: Apache-2.0

extension ServerOptions {
  /// An option whose value is a whole number.
  struct Number: Sendable {
    /// The key in the configuration file: "maxSessions". The flag is "--max-sessions", the
    /// environment variable "LAYOUT_SERVER_MAX_SESSIONS".
    var key: String
    var help: String
    var range: ClosedRange<Int>
    var get: @Sendable (ServerOptions) -> Int
    var set: @Sendable (inout ServerOptions, Int) -> Void
  }

  static let numbers =
    ports + identities + streams + requests + memory + storage + engine
    + connections + calls + timing + resuming
}

extension ServerOptions.Number {
  init(
    _ key: String,
    _ help: String,
    _ range: ClosedRange<Int>,
    _ path: any WritableKeyPath<ServerOptions, Int> & Sendable
  ) {
    self.init(
      key: key,
      help: help,
      range: range,
      get: { $0[keyPath: path] },
      set: { $0[keyPath: path] = $1 }
    )
  }

  /// A limit for which 0 means unlimited.
  init(
    _ key: String,
    _ help: String,
    _ range: ClosedRange<Int>,
    _ path: any WritableKeyPath<ServerOptions, Int?> & Sendable
  ) {
    self.init(
      key: key,
      help: help,
      range: range,
      get: { $0[keyPath: path] ?? 0 },
      set: { $0[keyPath: path] = $1 > 0 ? $1 : nil }
    )
  }

  /// A duration, in milliseconds.
  init(
    _ key: String,
    _ help: String,
    _ range: ClosedRange<Int>,
    _ path: any WritableKeyPath<ServerOptions, Duration> & Sendable
  ) {
    self.init(
      key: key,
      help: "milliseconds \(help)",
      range: range,
      get: { Int($0[keyPath: path] / .milliseconds(1)) },
      set: { $0[keyPath: path] = .milliseconds($1) }
    )
  }
}
