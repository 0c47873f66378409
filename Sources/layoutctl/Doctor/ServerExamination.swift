// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import GRPCCore
import LayoutClient
import LayoutProtocol
import LayoutTrust

/// Examines a running server as its clients and operators see it.
struct ServerExamination: Sendable {
  private let settings: ConnectionSettings
  /// A difference of clocks beyond which signed tokens fail by default.
  private static let clockTolerance: TimeInterval = 30

  init(_ settings: ConnectionSettings) { self.settings = settings }

  var findings: [Finding] {
    get async {
      var found = files
      var reached: [ServerAddress] = []
      for server in settings.servers.addresses {
        let reach = await reach(server)
        found += reach.findings
        if reach.isReached { reached.append(server) }
      }
      guard !reached.isEmpty else { return found }
      let (token, tokenFindings) = await token
      found += tokenFindings
      if token != nil || settings.security.tokens == nil {
        for server in reached { found += await calls(of: server, token) }
      }
      return found + (await admin)
    }
  }

  /// A finding about one server, which it names if there are several.
  private func about(_ server: ServerAddress, _ finding: Finding) -> Finding {
    guard settings.servers.addresses.count > 1 else { return finding }
    var finding = finding
    finding.text = "\(server): \(finding.text)"
    return finding
  }

  // MARK: - On this machine

  private var files: [Finding] {
    var found: [Finding] = []
    let context = settings.context.map { "context \($0): " } ?? ""
    found.append(.ok("\(context)server \(settings.servers), admin port \(settings.admin)"))
    for path in settings.exposed {
      found.append(.warning("\(path): other users may read it", "chmod 600 \(path)"))
    }
    if case .none = settings.security.encryption, settings.security.tokens != nil,
      settings.servers.addresses.contains(where: { !$0.isLoopback })
    {
      found.append(
        .warning("the token is sent unencrypted", "use --tls or --tls-ca, or a tunnel")
      )
    }
    return found
  }

  /// The token, with which no call is made if there should be one and is none.
  private var token: (AccessToken?, [Finding]) {
    get async {
      guard let tokens = settings.checkedTokens else { return (nil, []) }
      do {
        let token = try await tokens.prepare()
        guard let expiry = token.expiry else { return (token, [.ok("there is a token")]) }
        let end = expiry.formatted(.iso8601)
        guard expiry > Date() else {
          return (token, [.error("the token ended on \(end)", "get another one")])
        }
        return (token, [.ok("there is a token until \(end) or later")])
      } catch { return (nil, [.error("\(error)", "correct the token file or command")]) }
    }
  }

  // MARK: - The connection

  private func reach(
    _ server: ServerAddress
  ) async -> (findings: [Finding], isReached: Bool) {
    let probe = ConnectionProbe(server, settings.security)
    do { try await probe.connect() } catch {
      let remedy = "check the address, the network, and whether the server runs"
      return ([.error("no connection to \(server): \(error)", remedy)], false)
    }
    guard case .tls = settings.security.encryption else {
      return ([.ok("\(server) can be reached, without TLS")], true)
    }
    var found: [Finding] = []
    do {
      let certificate = try await probe.certificate()
      found += CertificateReview.findings(ofRemote: certificate, host: server.host)
        .map { about(server, $0) }
    } catch {
      let remedy = "perhaps the server has no TLS: leave --tls and --tls-ca out"
      return ([.error("no TLS with \(server): \(error)", remedy)], false)
    }
    do {
      try await probe.verify()
      let text = "the server's certificate leads to an authority that is trusted"
      found.append(about(server, .ok(text)))
    } catch {
      let remedy =
        "give the server's authority with --tls-ca, and the name that is in its certificate"
      let text = "the server's certificate is not accepted: \(error)"
      found.append(about(server, .error(text, remedy)))
    }
    return (found, true)
  }

  // MARK: - Calls

  /// How long a server may be silent once connected.
  private static let patience = Duration.seconds(10)

  private func calls(of server: ServerAddress, _ token: AccessToken?) async -> [Finding] {
    var security = settings.security
    // A program that makes tokens is not asked again.
    security.tokens = token.map { FixedToken($0.value) }
    do {
      let start = ContinuousClock.now
      let info = try await LayoutClient.connect(to: server, security: security) {
        try await $0.waitForAnswer(within: Self.patience)
        return try await $0.serverInfo()
      }
      let time = start.duration(to: .now) / .milliseconds(1)
      let isUnknown = security.tokens == nil && security.certificate == nil
      let found: [Finding] = [
        .ok("the server answers calls, after \(time.text(places: 1)) ms with the connection"),
        Self.version(info.version),
        .ok(isUnknown ? "no credentials are needed" : "the credentials are accepted"),
      ]
      return found.map { about(server, $0) }
    } catch { return [about(server, Self.refusal(error))] }
  }

  private static func version(_ version: String) -> Finding {
    let own = LayoutCtl.configuration.version
    guard version != own else { return .ok("version \(version), like layoutctl") }
    return .warning("the server has version \(version), layoutctl \(own)", "use the same version")
  }

  /// What a refused call tells about the credentials or the network.
  private static func refusal(_ error: any Error) -> Finding {
    let problem = error as? LayoutProblem ?? (error as? RPCError).map { LayoutProblem($0) }
    let text = problem.map { "\(CommandFault($0))" } ?? "\(error)"
    let code = problem?.code
    if code == .unauthenticated {
      return .error("the credentials are not accepted: \(text)", "check the token or certificate")
    }
    if code == .permissionDenied {
      return .error("the policy allows nothing: \(text)", "add a rule for this identity")
    }
    if code == .unavailable {
      return .error(
        "the server ends connections: \(text)",
        "if it wants client certificates, set --tls-certificate and --tls-key"
      )
    }
    return .error("the server refuses calls: \(text)", "see its log")
  }

  // MARK: - The admin port

  private var admin: [Finding] {
    get async {
      let client = AdminClient(address: settings.admin)
      let before = Date()
      let ready: (status: Int, text: String, date: String?)
      do { ready = try await client.text("/readyz") } catch {
        let remedy = "with a tunnel and --admin more can be looked at"
        return [.warning("no admin port at \(settings.admin)", remedy)]
      }
      var found: [Finding] = []
      if ready.status == 200 {
        found.append(.ok("the server is ready, and its store works"))
      } else {
        found.append(.error("the server is not ready: \(ready.text)", "see its log"))
      }
      found += Self.clock(ready.date, between: before, and: Date())
      return found
    }
  }

  private static func clock(_ header: String?, between first: Date, and last: Date) -> [Finding] {
    guard let header, let server = HTTPDate.date(of: header) else { return [] }
    // The header has whole seconds.
    let early = first.timeIntervalSince(server) - 1
    let late = server.timeIntervalSince(last)
    let difference = max(0, early, late)
    guard difference > clockTolerance else {
      return [.ok("the clocks agree within \(max(1, difference).text(places: 0)) s")]
    }
    return [
      .error(
        "the clocks of both machines differ by \(difference.text(places: 0)) s",
        "set them by NTP: tokens and certificates depend on them"
      )
    ]
  }
}

extension ServerAddress {
  fileprivate var isLoopback: Bool {
    host == "localhost" || LoopbackAddress.contains(host)
  }
}
