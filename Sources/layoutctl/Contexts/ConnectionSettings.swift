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
  /// What names the tokens: an option, a variable or a key of the context; nil = there are none.
  private(set) var tokenSource: String?
  /// Files with secrets that other users may read.
  var exposed: [String] = []
  /// The files for TLS, each with what names it: an option, a variable or the context.
  private(set) var securityFiles: [SecurityFile] = []

  /// A file with certificates or a key.
  struct SecurityFile: Hashable {
    var source: String
    var path: String
  }

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
      tokenSource = options.tokenFile == nil ? "LAYOUTCTL_TOKEN_FILE" : "--token-file"
      exposed.append(path)
    } else if let token = variables["TOKEN"] {
      security.tokens = FixedToken(token)
      tokenSource = "LAYOUTCTL_TOKEN"
    } else if let path = context?.tokenFile {
      security.tokens = TokenFile(path: path)
      tokenSource = "the context's tokenFile"
      exposed.append(path)
    } else if let command = context?.tokenCommand {
      security.tokens = CommandToken(command)
      tokenSource = "the context's tokenCommand"
    }
    exposed = exposed.filter { FileReview.isReadableByOthers($0) }
    guard usesTLS else { return }
    func note(_ option: String?, _ name: String, _ inContext: String?, _ key: String) {
      let variable = name.uppercased().replacing("-", with: "_")
      if let option {
        securityFiles.append(.init(source: "--\(name)", path: option))
      } else if let path = variables[variable] {
        securityFiles.append(.init(source: "LAYOUTCTL_\(variable)", path: path))
      } else if let inContext {
        securityFiles.append(.init(source: "the context's \(key)", path: inContext))
      }
    }
    note(options.tlsCa, "tls-ca", context?.tlsCa, "tlsCa")
    note(options.tlsCertificate, "tls-certificate", context?.tlsCertificate, "tlsCertificate")
    note(options.tlsKey, "tls-key", context?.tlsKey, "tlsKey")
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

  /// The tokens, which are checked before they are sent; nil = there are none.
  var checkedTokens: CheckedTokens? {
    guard let provider = security.tokens, let tokenSource else { return nil }
    return CheckedTokens(provider, from: tokenSource)
  }

  /// Checks that the files for TLS can be read. The TLS library would not say which cannot.
  ///
  /// - Throws: `CommandFault` that names a file, and what names it.
  func checkFiles() throws {
    for file in securityFiles {
      do { _ = try TextFile.read(file.path, atMost: Self.mostFileBytes) } catch let fault
        as CommandFault
      { throw CommandFault("\(file.source): \(fault.message)", status: .usage) }
    }
  }

  private static let mostFileBytes = 16 << 20

  /// The fault where TLS cannot use a file that can be read.
  var unusableFiles: CommandFault {
    let files = securityFiles.map { "\($0.source) \($0.path)" }.joined(separator: ", ")
    return CommandFault(
      "TLS cannot be set up with \(files.isEmpty ? "the authorities of the system" : files): "
        + "certificates and keys in PEM form are needed.",
      status: .usage
    )
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
