// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutProtocol
import LayoutService
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
    let places = [(options.host, options.port)] + (hasWebPort ? [webPlace] : [])
    var found = places.map { exposure(of: $0.0, $0.1) }
    let isGuarded = !security.certificate.isEmpty && security.trust != nil
    let isLocal = places.allSatisfy { SecurityOptions.isLoopback($0.0) }
    if security.insecure == "true", isLocal || isGuarded {
      found.append(.warning("--insecure true: it is not needed here", "remove it"))
    }
    return found
  }

  /// Who can reach one port, and what they may do.
  private func exposure(of host: String, _ port: Int) -> Finding {
    let security = options.security
    let place = HostAndPort(host, port)
    let isLocal = SecurityOptions.isLoopback(host)
    switch (isLocal, !security.certificate.isEmpty, security.trust != nil) {
    case (_, true, true): return .ok("\(place): with TLS and identities")
    case (true, _, false):
      return .ok("\(place): every user and program of this machine may do everything")
    case (true, false, true): return .ok("\(place): this machine only, with identities")
    case (false, _, false):
      return .warning(
        "\(place): --insecure: everybody who reaches the port may do everything",
        "set --auth-policy and one of --auth-tokens, --auth-keys and --tls-client-ca"
      )
    case (false, false, true):
      return .warning(
        "\(place): --insecure: tokens and contents can be read on the network",
        "set --tls-certificate and --tls-key, or let a proxy encrypt"
      )
    }
  }

  // MARK: - The rest

  private var hasWebPort: Bool { options.web.port >= 0 }
  private var webPlace: (host: String, port: Int) { (options.web.host, options.web.port) }

  private var addresses: [Finding] {
    var places = [("--port", options.host, options.port)]
    if hasWebPort { places.append(("--web-port", webPlace.host, webPlace.port)) }
    if options.hasAdminPort {
      places.append(("--admin-port", options.adminHost, options.adminPort))
    }
    var found = places.map { port($0.1, $0.2, $0.0) }
    for (index, place) in places.enumerated() where place.2 != 0 {
      for other in places[..<index] where (other.1, other.2) == (place.1, place.2) {
        found.append(
          .error(
            "\(other.0) and \(place.0) are both \(HostAndPort(place.1, place.2))",
            "choose another one"
          )
        )
      }
    }
    if !options.hasAdminPort {
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
    let place = HostAndPort(host, port)
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
      .ok(
        "traces go to \(HostAndPort(endpoint.host, endpoint.port)), of every caller's that is sampled"
      )
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
