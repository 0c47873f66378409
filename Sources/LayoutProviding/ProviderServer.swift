// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import ServerLifetime

/// Serves layouts to layout servers, which are told where it is with
/// `--layout-provider NAME=HOST:PORT`.
///
///     let spiral = ProvidedLayout("spiral") { items, environment in
///       items.placed { number, _ in
///         let angle = (40 * Double(number)).squareRoot()
///         let (x, y) = (3 * angle * cos(angle), 3 * angle * sin(angle))
///         return PlacedElement(x: x, y: y, width: 20, height: 20)
///       }
///     }
///     try await ProviderServer(port: 50061, [spiral]).run()
public struct ProviderServer: Sendable {
  /// Files in PEM form.
  public struct Certificate: Hashable, Sendable {
    /// The certificate, then those that lead to its authority.
    public var certificate: String
    /// Its private key.
    public var key: String

    /// A certificate and its key.
    public init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  private let transport: HTTP2ServerTransport.Posix
  private let server: GRPCServer<HTTP2ServerTransport.Posix>
  private let gate = ListenerGate()

  /// A provider that does not listen before `run()`.
  ///
  /// - Parameters:
  ///   - host: an address of this machine, IPv4 or IPv6.
  ///   - port: 0 = any free port.
  ///   - token: that callers have to show; "" = none.
  ///   - certificate: nil = connections are not encrypted.
  ///   - keep: how many answers are remembered, to send only what a change moved; 0 = none.
  ///   - itemLimit: the most items of one call.
  public init(
    host: String = "127.0.0.1",
    port: Int = 0,
    token: String = "",
    certificate: Certificate? = nil,
    keep: Int = 8,
    itemLimit: Int = 10_000_000,
    _ layouts: [ProvidedLayout]
  ) {
    let address: GRPCNIOTransportCore.SocketAddress =
      host.contains(":") ? .ipv6(host: host, port: port) : .ipv4(host: host, port: port)
    let security: HTTP2ServerTransport.Posix.TransportSecurity =
      certificate.map {
        .tls(
          certificateChain: [.file(path: $0.certificate, format: .pem)],
          privateKey: .file(path: $0.key, format: .pem)
        )
      } ?? .plaintext
    transport = HTTP2ServerTransport.Posix(
      address: address,
      transportSecurity: security,
      config: .defaults { [gate] in
        $0.channelDebuggingCallbacks.onBindTCPListener = { gate.guardListener($0) }
      }
    )
    server = GRPCServer(
      transport: transport,
      services: [ProviderService(layouts, keep: keep, itemLimit: itemLimit)],
      interceptorPipeline: token.isEmpty ? [] : [.apply(TokenCheck(token: token), to: .all)]
    )
  }

  /// Serves until the task is cancelled. Calls that are in progress by then have a second to end.
  ///
  /// - Throws: an error if it cannot listen.
  public func run() async throws {
    try await serveUncancelled { [server] in
      try await server.serve()
    } stop: { [server, gate] serving in
      await gate.close()
      server.beginGracefulShutdown()
      try? await Task.sleep(for: Self.grace)
      serving.cancel()
    }
  }

  private static let grace = Duration.seconds(1)

  /// Where it listens, as soon as it does.
  ///
  /// - Throws: an error if it cannot listen.
  public var listeningPort: Int {
    get async throws {
      let address = try await transport.listeningAddress
      return address.ipv4?.port ?? address.ipv6?.port ?? 0
    }
  }
}
