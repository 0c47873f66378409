// SPDX-License-Identifier: Apache-2.0

import Configuration
import LayoutService
import Logging

extension ServerOptions {
  /// Reads the command line first, then the environment, then the file that either names.
  ///
  /// - Parameter arguments: without the program's name.
  static func read(arguments: [String]) async throws -> ServerOptions {
    try check(arguments)
    let command = CommandLineArgumentsProvider(arguments: ["layout-server"] + arguments)
    let environment = EnvironmentVariablesProvider().prefixKeys(with: ["layout", "server"])
    var providers: [any ConfigProvider] = [command, environment]
    if let path = ConfigReader(providers: providers).string(forKey: "config") {
      do {
        let location = InMemoryProvider(values: ["filePath": .init(.string(path), isSecret: false)])
        providers.append(
          try await FileProvider<JSONSnapshot>(config: ConfigReader(provider: location))
        )
      } catch {
        let reason = "\(error)".split(separator: "\n").first.map { String($0) } ?? ""
        throw UsageError("cannot read the configuration file \(path): \(reason)")
      }
    }
    return try ServerOptions(ConfigReader(providers: providers))
  }

  /// Refuses what is no flag, and flags without a value.
  private static func check(_ arguments: [String]) throws {
    var expectsValue: String?
    for argument in arguments {
      if let flag = expectsValue {
        guard !argument.hasPrefix("--") else { throw UsageError("\(flag) needs a value") }
        expectsValue = nil
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let flag = parts.first.map { String($0) } ?? argument
      guard flag.hasPrefix("--") else { throw UsageError("unexpected argument \"\(argument)\"") }
      guard flags.contains(flag) else { throw UsageError("unknown flag \(flag)") }
      if parts.count == 1 { expectsValue = flag }
    }
    if let flag = expectsValue { throw UsageError("\(flag) needs a value") }
  }

  private init(_ config: ConfigReader) throws {
    self.init()
    if let host = try Self.text("host", in: config) { self.host = host }
    if let name = try Self.text("store", in: config) {
      guard let store = Store(rawValue: name) else {
        let known = Store.allCases.map(\.rawValue).joined(separator: " and ")
        throw UsageError("--store: \"\(name)\" found; \(known) are allowed")
      }
      self.store = store
    }
    if let path = try Self.text("storePath", in: config) {
      guard !path.isEmpty else { throw UsageError("--store-path: nothing found; a file is needed") }
      storePath = path
    }
    if let secret = try Self.text("resumeSecret", in: config) {
      guard secret.isEmpty || secret.utf8.count >= 16 else {
        throw UsageError("--resume-secret: at least 16 bytes are needed")
      }
      service.resume.secret = secret
    }
    if let name = try Self.text("logLevel", in: config) {
      guard let level = Logger.Level(rawValue: name) else {
        let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("--log-level: \"\(name)\" found; \(known) are allowed")
      }
      logLevel = level
    }
    for number in Self.numbers {
      guard let value = try Self.number(number.key, in: config) else { continue }
      guard number.range.contains(value) else {
        throw UsageError(
          "\(Self.flag(of: number.key)): \(value) found; \(number.range.lowerBound) to "
            + "\(number.range.upperBound) are allowed"
        )
      }
      number.set(&self, value)
    }
  }

  private static func text(_ key: String, in config: ConfigReader) throws -> String? {
    let name = ConfigKey([key])
    if let text = config.string(forKey: name) { return text }
    if isSet(name, in: config) { throw UsageError("\(flag(of: key)): a text is needed") }
    return nil
  }

  private static func number(_ key: String, in config: ConfigReader) throws -> Int? {
    let name = ConfigKey([key])
    if let number = config.int(forKey: name) { return number }
    if let text = config.string(forKey: name) {
      throw UsageError("\(flag(of: key)): \"\(text)\" found; a whole number is needed")
    }
    if isSet(name, in: config) { throw UsageError("\(flag(of: key)): a whole number is needed") }
    return nil
  }

  /// Whether there is a value of some other type.
  private static func isSet(_ key: ConfigKey, in config: ConfigReader) -> Bool {
    config.bool(forKey: key) != nil || config.double(forKey: key) != nil
      || config.int(forKey: key) != nil || config.stringArray(forKey: key) != nil
      || config.intArray(forKey: key) != nil
  }
}
