// SPDX-License-Identifier: Apache-2.0

import LayoutClient
import LayoutProtocol
import LayoutTrust

/// How a command connects: by its options, then by environment variables, then by a context.
struct ConnectionSettings: Sendable {
  /// The settings from a command's options; nil = not given.
  struct Options {
    var context: String?
    var server: ServerList?
    var admin: ServerAddress?
    var tls = false
    var tlsCa: String?
    var tlsCertificate: String?
    var tlsKey: String?
    var tokenFile: String?
  }

  /// Servers that share their collections.
  var servers: ServerList
  var admin: ServerAddress
  var security: ClientSecurity
  /// The context that is used; nil = none.
  var context: String?
  /// Files with secrets that other users may read.
  var exposed: [String] = []

  /// The first server, for commands about a single server.
  var server: ServerAddress { servers.addresses.first ?? .standard }

  static let adminDefault = ServerAddress(host: "127.0.0.1", port: 9464)

  /// - Throws: `CommandFault` for a context or a value that is wrong.
  init(_ options: Options, variables: [String: String]) throws {
    let variables = Variables(values: variables)
    let chosen = try Self.chosen(options, variables)
    context = chosen?.name
    let context = chosen?.context
    servers =
      try options.server ?? variables.servers("SERVER") ?? context?.server.flatMap {
        ServerList($0)
      }
      ?? .standard
    admin =
      try options.admin ?? variables.address("ADMIN") ?? context?.admin.flatMap {
        ServerAddress($0)
      }
      ?? Self.adminDefault
    let authorities = options.tlsCa ?? variables["TLS_CA"] ?? context?.tlsCa
    let usesTLS =
      try options.tls || authorities != nil || variables.isTrue("TLS") ?? context?.tls ?? false
    let certificate = options.tlsCertificate ?? variables["TLS_CERTIFICATE"]
    let key = options.tlsKey ?? variables["TLS_KEY"]
    guard (certificate == nil) == (key == nil) else {
      throw CommandFault("--tls-certificate and --tls-key need each other", status: .usage)
    }
    security = ClientSecurity()
    if usesTLS { security.encryption = .tls(authorities: authorities) }
    if let certificate = certificate ?? context?.tlsCertificate, let key = key ?? context?.tlsKey {
      guard usesTLS else {
        throw CommandFault("--tls-certificate needs --tls or --tls-ca", status: .usage)
      }
      security.certificate = .init(certificate: certificate, key: key)
      exposed.append(key)
    }
    if let path = options.tokenFile ?? variables["TOKEN_FILE"] {
      security.tokens = TokenFile(path: path)
      exposed.append(path)
    } else if let token = variables["TOKEN"] {
      security.tokens = FixedToken(token)
    } else if let path = context?.tokenFile {
      security.tokens = TokenFile(path: path)
      exposed.append(path)
    } else if let command = context?.tokenCommand {
      security.tokens = CommandToken(command)
    }
    exposed = exposed.filter { FileReview.isReadableByOthers($0) }
  }

  /// The requested context, or the current one. The current one is ignored if a server is named:
  /// the secrets of one server are not sent to another.
  private static func chosen(
    _ options: Options,
    _ variables: Variables
  ) throws -> (name: String, context: ConnectionContext)? {
    let named =
      options.context.map { ($0, "--context") }
      ?? variables["CONTEXT"].map { ($0, "LAYOUTCTL_CONTEXT") }
    let namesServer = options.server != nil || variables["SERVER"] != nil
    guard named != nil || !namesServer else { return nil }
    let file = try ContextFile.read(variables.values)
    guard let (name, source) = named ?? file.current.map({ ($0, "current") }) else { return nil }
    return (name, try file.context(named: name, by: source).resolved(from: file.path))
  }

  /// Warns the user of files with secrets that others may read.
  func warn() {
    for path in exposed {
      Terminal.writeError(
        "layoutctl: warning: other users may read \(path.printable); chmod 600 \(path.printable)\n"
      )
    }
  }
}

/// The environment variables. Empty ones count as not set.
private struct Variables {
  let values: [String: String]

  subscript(name: String) -> String? {
    values["LAYOUTCTL_\(name)"].flatMap { $0.isEmpty ? nil : $0 }
  }

  func address(_ name: String) throws -> ServerAddress? {
    guard let text = self[name] else { return nil }
    if let address = ServerAddress(text) { return address }
    throw CommandFault(
      "LAYOUTCTL_\(name): \"\(text)\" found; HOST:PORT is allowed",
      status: .usage
    )
  }

  func servers(_ name: String) throws -> ServerList? {
    guard let text = self[name] else { return nil }
    if let servers = ServerList(text) { return servers }
    throw CommandFault(
      "LAYOUTCTL_\(name): \"\(text)\" found; HOST:PORT is allowed, or several with commas",
      status: .usage
    )
  }

  func isTrue(_ name: String) throws -> Bool? {
    switch self[name] {
    case nil: nil
    case "true": true
    case "false": false
    case .some(let text):
      throw CommandFault(
        "LAYOUTCTL_\(name): \"\(text)\" found; true and false are allowed",
        status: .usage
      )
    }
  }
}
