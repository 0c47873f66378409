// SPDX-License-Identifier: Apache-2.0

import Configuration
import Foundation
import LayoutService
import Logging

extension ServerOptions {
  /// Reads the options. The command line overrides the environment, and the environment overrides
  /// the configuration file that either of them names.
  ///
  /// - Parameters:
  ///   - arguments: the command line without the program's name.
  ///   - environment: the variables of the process.
  /// - Throws: `UsageError` for an unknown option or a value that is not allowed.
  static func read(
    arguments: [String],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> ServerOptions {
    try check(arguments)
    try check(environment)
    var sources = [
      OptionSource(
        CommandLineArgumentsProvider(arguments: ["layout-server"] + arguments),
        splitsValues: true,
        name: flag(of:)
      ),
      OptionSource(
        EnvironmentVariablesProvider(environmentVariables: environment)
          .prefixKeys(with: ["layout", "server"]),
        name: variable(of:)
      ),
    ]
    if let path = try sources.text("config")?.value {
      let file = try ConfigurationFile(path: path)
      sources.append(
        OptionSource(file.provider) { "\"\($0)\" in the configuration file \(path)" }
      )
    }
    return try ServerOptions(sources, environment: environment)
  }

  /// Refuses unknown flags, flags without a value, and flags that are given twice.
  private static func check(_ arguments: [String]) throws {
    var expectsValue: String?
    var seen: Set<String> = []
    for argument in arguments {
      if let flag = expectsValue {
        guard !argument.hasPrefix("--") else { throw UsageError("\(flag) needs a value") }
        expectsValue = nil
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let flag = parts.first.map { String($0) } ?? argument
      guard flag.hasPrefix("--") else {
        throw UsageError("unexpected argument \(Self.quoted(argument)); flags begin with --")
      }
      guard flags.contains(flag) else {
        let guess = flag.closest(of: flags.sorted()).map { "; did you mean \($0)?" } ?? ""
        throw UsageError("unknown flag \(flag)\(guess)")
      }
      guard seen.insert(flag).inserted else { throw UsageError("\(flag) is given twice") }
      if parts.count == 1 { expectsValue = flag }
    }
    if let flag = expectsValue { throw UsageError("\(flag) needs a value") }
  }

  /// An argument for messages. A connection string may contain a password.
  private static func quoted(_ argument: String) -> String {
    argument.contains("://") || argument.contains("=")
      ? "with a connection string or a setting" : "\"\(argument)\""
  }

  /// Refuses variables that have the prefix of options but name no option.
  private static func check(_ environment: [String: String]) throws {
    let allowed = (textKeys.map(\.key) + numbers.map(\.key)).map(variable).sorted()
    let unknown = environment.keys.filter { name in
      name.hasPrefix(variablePrefix) && !allowed.contains(name)
    }
    guard let name = unknown.min() else { return }
    // The prefix, which all have, would make every name look similar.
    func ownPart(_ name: String) -> String { String(name.dropFirst(variablePrefix.count)) }
    let closest = ownPart(name).closest(of: allowed.map(ownPart))
    let guess = closest.map { "; did you mean \(variablePrefix)\($0)?" } ?? ""
    throw UsageError("unknown variable \(name)\(guess)")
  }

  private init(_ sources: [OptionSource], environment: [String: String]) throws {
    self.init()
    if let host = try sources.text("host") {
      guard isAddress(host.value) else {
        throw host.refusal("an IPv4 or IPv6 address of this machine is needed, such as 127.0.0.1")
      }
      self.host = host.value
    }
    if let host = try sources.text("adminHost") {
      guard isAddress(host.value), SecurityOptions.isLoopback(host.value) else {
        throw host.refusal("a loopback address is needed, such as 127.0.0.1")
      }
      adminHost = host.value
    }
    if let host = try sources.text("webHost") {
      guard isAddress(host.value) else {
        throw host.refusal("an IPv4 or IPv6 address of this machine is needed, such as 127.0.0.1")
      }
      web.host = host.value
    }
    if let origins = try sources.text("webOrigins") { web.origins = try Self.origins(origins) }
    if let folder = try sources.text("backupFolder") { backupFolder = folder.value }
    if let name = try sources.text("logFormat") {
      guard let format = ServerLog.Format(rawValue: name.value) else {
        let known = ServerLog.Format.allCases.map(\.rawValue).joined(separator: " and ")
        throw name.refusal("\(known) are allowed")
      }
      logFormat = format
    }
    if let name = try sources.text("store") { try readStore(name) }
    if let choice = try sources.text("storeNotifications") {
      guard ["true", "false"].contains(choice.value) else {
        throw choice.refusal("true and false are allowed")
      }
      storeNotifications = choice.value
    }
    if let path = try sources.text("storePath") {
      guard !path.value.isEmpty else { throw path.refusal("a file is needed") }
      storePath = path.value
    }
    if let secret = try sources.text("resumeSecret") {
      guard secret.value.isEmpty || secret.value.utf8.count >= 16 else {
        // The message does not contain the secret.
        throw UsageError("\(secret.name): at least 16 bytes are needed")
      }
      service.resume.secret = secret.value
    }
    if let name = try sources.text("logLevel") {
      guard let level = Logger.Level(rawValue: name.value) else {
        let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        throw name.refusal("\(known) are allowed")
      }
      logLevel = level
    }
    for option in SecurityOptions.texts {
      if let text = try sources.text(option.key) { security[keyPath: option.path] = text.value }
    }
    tracing = try TracingOptions(environment: environment) { key in
      try sources.text(key).map { ($0.value, $0.name) }
    }
    providers = try ProviderOptions { key in
      try sources.text(key).map { ($0.value, $0.name) }
    }
    for number in Self.numbers {
      guard let found = try sources.number(number.key) else { continue }
      guard number.range.contains(found.value) else {
        throw found.refusal(
          "\(number.range.lowerBound) to \(number.range.upperBound) are allowed"
        )
      }
      number.set(&self, found.value)
    }
    try security.check(host: host)
    if web.port >= 0 { try security.check(host: web.host) }
  }

  /// - Throws: `UsageError` if one is neither "*" nor a scheme and a host.
  private static func origins(_ list: FoundOption<String>) throws -> Set<String> {
    let origins = list.value.split(separator: ",").map { String($0.trimmingPrefix(" ")) }
    for origin in origins where origin != "*" {
      let parts = origin.components(separatedBy: "://")
      guard parts.count == 2, ["http", "https"].contains(parts[0]), !parts[1].isEmpty,
        !parts[1].contains("/")
      else {
        throw list.refusal(
          "origins such as https://example.com, separated by commas, or * are needed"
        )
      }
    }
    return Set(origins)
  }

  private mutating func readStore(_ name: FoundOption<String>) throws {
    let allowed = "sqlite, memory and postgresql://user@host/database are allowed"
    if name.value.hasPrefix("postgresql://") || name.value.hasPrefix("postgres://") {
      (store, storeURL) = (.postgresql, name.value)
      return
    }
    // It may contain a password.
    guard !name.value.contains("://"), !name.value.contains("=") else {
      throw UsageError("\(name.name): a connection string of another kind found; \(allowed)")
    }
    guard let store = Store(rawValue: name.value), store != .postgresql else {
      throw name.refusal(allowed)
    }
    self.store = store
  }

  private func isAddress(_ host: String) -> Bool {
    var address = in6_addr()
    return unsafe inet_pton(host.contains(":") ? AF_INET6 : AF_INET, host, &address) == 1
  }
}

/// A source of options: the command line, the environment or the configuration file.
private struct OptionSource {
  private let config: ConfigReader
  /// Whether a value with commas is a list.
  private let splitsValues: Bool
  /// Maps a key to the name that the option has in this source, for error messages.
  let name: (String) -> String

  init(
    _ provider: some ConfigProvider,
    splitsValues: Bool = false,
    name: @escaping (String) -> String
  ) {
    config = ConfigReader(provider: provider)
    self.splitsValues = splitsValues
    self.name = name
  }

  func text(_ key: String) -> String? {
    guard splitsValues else { return config.string(forKey: ConfigKey([key])) }
    return config.stringArray(forKey: ConfigKey([key]))?.joined(separator: ",")
  }

  func number(_ key: String) -> Int? { config.int(forKey: ConfigKey([key])) }
}

/// The value of an option in one source, and the option's name there.
private struct FoundOption<Value> {
  var value: Value
  var name: String

  func refusal(_ allowed: String) -> UsageError {
    UsageError("\(name): \(value is String ? "\"\(value)\"" : "\(value)") found; \(allowed)")
  }
}

extension [OptionSource] {
  /// The value of an option in the first source that has one.
  fileprivate func text(_ key: String) throws -> FoundOption<String>? {
    for source in self {
      guard let text = source.text(key) else { continue }
      // Bytes that are not UTF-8 were replaced when the process began: a secret would lose most of
      // them, and a path would be another one.
      guard !text.unicodeScalars.contains("\u{FFFD}") else {
        throw UsageError("\(source.name(key)): bytes that are not UTF-8 found")
      }
      return FoundOption(value: text, name: source.name(key))
    }
    return nil
  }

  fileprivate func number(_ key: String) throws -> FoundOption<Int>? {
    for source in self {
      let name = source.name(key)
      if let number = source.number(key) { return FoundOption(value: number, name: name) }
      if let text = source.text(key) {
        throw FoundOption(value: text, name: name).refusal("a whole number is needed")
      }
    }
    return nil
  }
}
