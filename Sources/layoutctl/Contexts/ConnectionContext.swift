// SPDX-License-Identifier: Apache-2.0

import LayoutClient

/// A server and the settings to reach it, as stored in a file of contexts. Paths are relative to
/// the folder of that file.
struct ConnectionContext: Hashable, Encodable {
  var server: String?
  /// The address of the admin port.
  var admin: String?
  /// Whether to encrypt; implied by authorities.
  var tls: Bool?
  var tlsCa: String?
  var tlsCertificate: String?
  var tlsKey: String?
  /// A file with the token.
  var tokenFile: String?
  /// A program that prints the token, with its arguments.
  var tokenCommand: [String]?

  static let keys = [
    "server", "admin", "tls", "tlsCa", "tlsCertificate", "tlsKey", "tokenFile", "tokenCommand",
  ]

  /// - Throws: `CommandFault` that names the file, the key and what is allowed.
  init(_ reader: ContextReader) throws {
    try reader.allow(Self.keys)
    server = try reader.text("server")
    admin = try reader.text("admin")
    tls = try reader.isTrue("tls")
    tlsCa = try reader.text("tlsCa")
    tlsCertificate = try reader.text("tlsCertificate")
    tlsKey = try reader.text("tlsKey")
    tokenFile = try reader.text("tokenFile")
    tokenCommand = try reader.list("tokenCommand")
    if let server, ServerList(server) == nil {
      throw reader.fault("server", "\"\(server)\" found; HOST:PORT is allowed")
    }
    if let admin, ServerAddress(admin) == nil {
      throw reader.fault("admin", "\"\(admin)\" found; HOST:PORT is allowed")
    }
    if (tlsCertificate == nil) != (tlsKey == nil) {
      throw reader.fault("tlsCertificate", "tlsCertificate and tlsKey need each other")
    }
    if tlsCertificate != nil, tlsCa == nil, tls != true {
      throw reader.fault("tlsCertificate", "tlsCa, or tls with the value true, is needed")
    }
    if tls == false, tlsCa != nil { throw reader.fault("tls", "false found beside tlsCa") }
    if tokenFile != nil, tokenCommand != nil {
      throw reader.fault("tokenCommand", "found beside tokenFile; one of them is allowed")
    }
    if tokenCommand?.isEmpty == true || tokenCommand?.first?.isEmpty == true {
      throw reader.fault("tokenCommand", "a program is needed, such as [\"pass\", \"layouts\"]")
    }
  }

  /// The context with paths that are valid from any folder.
  ///
  /// - Parameter file: the path of the file that the context is in.
  func resolved(from file: String) -> ConnectionContext {
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    func path(_ path: String?) -> String? {
      path.map { $0.hasPrefix("/") ? $0 : folder + $0 }
    }
    var context = self
    context.tlsCa = path(tlsCa)
    context.tlsCertificate = path(tlsCertificate)
    context.tlsKey = path(tlsKey)
    context.tokenFile = path(tokenFile)
    return context
  }
}
