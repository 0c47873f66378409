// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The file with contexts: servers by name, with what is needed to reach them.
///
///     {
///       "current": "production",
///       "contexts": {
///         "production": {
///           "server": "layouts.example.org:50051", "tlsCa": "ca.pem",
///           "tokenFile": "production.token", "admin": "127.0.0.1:9464"
///         }
///       }
///     }
struct ContextFile: Hashable {
  let path: String
  /// The context that is used unless another is named; nil = none.
  var current: String?
  /// Contexts by name.
  var contexts: [String: ConnectionContext] = [:]

  private static let mostBytes = 1 << 20

  /// `LAYOUTCTL_CONFIG`, or `layoutctl/config.json` in the user's configuration folder.
  ///
  /// - Returns: nil = the environment names no folder.
  static func path(_ variables: [String: String]) -> String? {
    func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
    if let path = value("LAYOUTCTL_CONFIG") { return path }
    if let folder = value("XDG_CONFIG_HOME") { return "\(folder)/layoutctl/config.json" }
    return value("HOME").map { "\($0)/.config/layoutctl/config.json" }
  }

  /// Reads the file; if it does not exist, there are no contexts.
  ///
  /// - Throws: `CommandFault` that names the file, the key and what is allowed.
  static func read(_ variables: [String: String]) throws -> ContextFile {
    guard let path = Self.path(variables), FileManager.default.fileExists(atPath: path) else {
      guard let named = variables["LAYOUTCTL_CONFIG"], !named.isEmpty else {
        return ContextFile(path: Self.path(variables) ?? "")
      }
      throw CommandFault("LAYOUTCTL_CONFIG: there is no file \(named)", status: .usage)
    }
    return try ContextFile(path: path, json: Data(try TextFile.read(path, atMost: mostBytes)))
  }

  private init(path: String) { self.path = path }

  /// - Throws: `CommandFault` that names the file, the key and what is allowed.
  init(path: String, json: Data) throws {
    self.path = path
    let root: ContextValue
    do { root = try JSONDecoder().decode(ContextValue.self, from: json) } catch {
      let fault = JSONFault.syntaxFault(in: json) ?? "an object is needed"
      throw CommandFault("\(path): not JSON: \(fault)", status: .usage)
    }
    let reader = ContextReader(file: path, place: "", value: root)
    try reader.allow(["current", "contexts"])
    current = try reader.text("current")
    for (name, value) in try reader.object("contexts").sorted(by: { $0.key < $1.key }) {
      guard Self.isName(name) else {
        throw CommandFault(
          "\(path): contexts: \"\(name)\" found; 1 to 64 letters, digits, \"-\", \"_\" and \".\" are allowed",
          status: .usage
        )
      }
      contexts[name] = try ConnectionContext(
        ContextReader(file: path, place: "contexts.\(name)", value: value)
      )
    }
    if let current, contexts[current] == nil {
      throw CommandFault("\(path): current: \(Self.unknown(current, contexts))", status: .usage)
    }
  }

  /// The context with a name.
  ///
  /// - Throws: `CommandFault` that lists the existing names.
  func context(named name: String, by source: String) throws -> ConnectionContext {
    if let context = contexts[name] { return context }
    let file = path.isEmpty ? "" : " in \(path)"
    throw CommandFault(
      "\(source): \(Self.unknown(name, contexts))\(file)",
      status: .usage
    )
  }

  /// Makes a context the current one, and writes the file.
  mutating func use(_ name: String) throws {
    _ = try context(named: name, by: "contexts use")
    current = name
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let json = String(decoding: try encoder.encode(Written(self)), as: UTF8.self)
    // A new file replaces the old one and keeps its permissions.
    let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    try TextFile.write("\(json)\n", to: path)
    if let rights {
      try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: path)
    }
  }

  private static func isName(_ name: String) -> Bool {
    (1 ... 64).contains(name.utf8.count)
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
  }

  private static func unknown(_ name: String, _ contexts: [String: ConnectionContext]) -> String {
    let known = contexts.keys.sorted().joined(separator: ", ")
    return
      "there is no context \"\(name)\"; \(known.isEmpty ? "there are none" : "there are \(known)")"
  }
}

/// The file as it is written.
private struct Written: Encodable {
  var current: String?
  var contexts: [String: ConnectionContext]

  init(_ file: ContextFile) { (current, contexts) = (file.current, file.contexts) }
}
