// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutTracing
import LayoutTrust

/// Checks a configuration before a server uses it: `layout-server --check`. Writes nothing, and
/// leaves no port open.
struct ConfigurationCheck: Sendable {
  let options: ServerOptions
  var now = Date()

  /// Prints a line for each finding, then their number.
  ///
  /// - Returns: the exit status: 0 = there are no errors.
  func run() async throws(StandardOutput.Failure) -> Int32 {
    let found = await findings
    for finding in found { try StandardOutput.write(line: finding.description) }
    let errors = found.count { $0.level == .error }
    let warnings = found.count { $0.level == .warning }
    let parts = [(errors, "error"), (warnings, "warning")].map { count, noun in
      "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
    try StandardOutput.write(line: parts.joined(separator: ", "))
    return errors == 0 ? EXIT_SUCCESS : EXIT_FAILURE
  }

  /// The findings of all parts.
  var findings: [Finding] {
    get async {
      await exposure + encryption + identities + addresses + StoreCheck(options).findings
        + LimitCheck(options).findings + traces
    }
  }

  // MARK: - Security

  private var encryption: [Finding] {
    let security = options.security
    guard !security.certificate.isEmpty else { return [] }
    return CertificateReview(
      certificate: security.certificate,
      key: security.key,
      host: options.host,
      now: now
    ).findings
  }

  private var identities: [Finding] {
    get async {
      guard let configuration = options.security.trust else { return [] }
      return await TrustReview(configuration, now: now).findings
    }
  }

  /// Who can reach the server, and what they may do.
  private var exposure: [Finding] {
    let security = options.security
    let place = "\(options.host):\(options.port)"
    let isLocal = SecurityOptions.isLoopback(options.host)
    let isEncrypted = !security.certificate.isEmpty
    let isGuarded = security.trust != nil
    var found: [Finding] = []
    switch (isLocal, isEncrypted, isGuarded) {
    case (_, true, true): found.append(.ok("\(place): with TLS and identities"))
    case (true, _, false):
      found.append(.ok("\(place): every user and program of this machine may do everything"))
    case (true, false, true): found.append(.ok("\(place): this machine only, with identities"))
    case (false, _, false):
      found.append(
        .warning(
          "\(place): --insecure: everybody who reaches the port may do everything",
          "set --auth-policy and one of --auth-tokens, --auth-keys and --tls-client-ca"
        )
      )
    case (false, false, true):
      found.append(
        .warning(
          "\(place): --insecure: tokens and contents can be read on the network",
          "set --tls-certificate and --tls-key, or let a proxy encrypt"
        )
      )
    }
    if security.insecure == "true", isLocal || isEncrypted && isGuarded {
      found.append(.warning("--insecure true: it is not needed here", "remove it"))
    }
    return found
  }

  // MARK: - The rest

  private var addresses: [Finding] {
    var found = [port(options.host, options.port, "--port")]
    if options.hasAdminPort {
      found.append(port(options.adminHost, options.adminPort, "--admin-port"))
      if options.port == options.adminPort, options.port != 0 {
        found.append(.error("--port and --admin-port are the same", "choose another one"))
      }
    } else {
      found.append(
        .warning(
          "no admin port: nothing is measured, and there are no health checks over HTTP",
          "set --admin-port 9464"
        )
      )
    }
    return found
  }

  private func port(_ host: String, _ port: Int, _ option: String) -> Finding {
    guard port != 0 else { return .ok("\(option) 0: any free port of \(host)") }
    let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    switch PortCheck.state(host: host, port: port) {
    case .free: return .ok("\(place): free")
    case .taken:
      return .warning(
        "\(place): a program listens there",
        "if it is not the server that this configuration is of, choose another \(option)"
      )
    case .impossible(let reason):
      return .error("\(place): \(reason)", "an address of this machine is needed")
    }
  }

  private var traces: [Finding] {
    let tracing = options.tracing
    guard let endpoint = tracing.endpoint else { return [] }
    var found: [Finding] = [
      .ok("traces go to \(endpoint.host):\(endpoint.port), of every caller's that is sampled")
    ]
    if !endpoint.isEncrypted, !SecurityOptions.isLoopback(endpoint.host),
      endpoint.host != "localhost"
    {
      found.append(
        .warning("traces go over the network unencrypted", "use https:// in --otlp-endpoint")
      )
    }
    if !tracing.authorities.isEmpty,
      FileManager.default.contents(atPath: tracing.authorities) == nil
    {
      found.append(.error("\(tracing.authorities): it cannot be read", "correct --otlp-ca"))
    }
    return found
  }
}
