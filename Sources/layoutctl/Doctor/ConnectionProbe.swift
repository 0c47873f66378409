// SPDX-License-Identifier: Apache-2.0

import LayoutClient
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// Connects to a server step by step, to see which step fails.
struct ConnectionProbe: Sendable {
  private static let patience = TimeAmount.seconds(10)

  private let address: ServerAddress
  private let security: ClientSecurity

  init(_ address: ServerAddress, _ security: ClientSecurity) {
    self.address = address
    self.security = security
  }

  /// Connects, and does nothing else.
  func connect() async throws {
    let channel = try await bootstrap().connect(host: address.host, port: address.port).get()
    // The peer may have closed it already.
    try? await channel.close()
  }

  /// The server's certificate in DER form. Its signature is not checked.
  func certificate() async throws -> [UInt8] {
    let channel = try await handshake(verifying: false)
    let certificate = try await channel.nioSSL_peerCertificate().get()
    try? await channel.close()
    guard let certificate else { throw CommandFault("the server shows no certificate") }
    return try certificate.toDERBytes()
  }

  /// Connects like a client with the given authorities.
  func verify() async throws {
    let channel = try await handshake(verifying: true)
    try? await channel.close()
  }

  private func bootstrap() -> ClientBootstrap {
    ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(Self.patience)
  }

  private func handshake(verifying: Bool) async throws -> any Channel {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.applicationProtocols = ["h2"]
    configuration.certificateVerification = verifying ? .fullVerification : .none
    if case .tls(let authorities?) = security.encryption {
      configuration.trustRoots = .file(authorities)
    }
    if let own = security.certificate {
      configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(own.certificate)
        .map { .certificate($0) }
      configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: own.key, format: .pem))
    }
    let context = try NIOSSLContext(configuration: configuration)
    let isAddress = (try? SocketAddress(ipAddress: address.host, port: 0)) != nil
    let name = isAddress ? nil : address.host
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let done = loop.makePromise(of: Void.self)
    let channel: any Channel
    do {
      channel = try await ClientBootstrap(group: loop).connectTimeout(Self.patience)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
            try pipeline.addHandler(HandshakeReporter(done, within: Self.patience))
          }
        }
        .connect(host: address.host, port: address.port).get()
    } catch {
      done.fail(error)
      throw error
    }
    try await done.futureResult.get()
    return channel
  }
}

/// Reports the end of a handshake.
private final class HandshakeReporter: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let promise: EventLoopPromise<Void>
  private let patience: TimeAmount
  private var isDone = false
  private var timeout: Scheduled<Void>?

  init(_ promise: EventLoopPromise<Void>, within patience: TimeAmount) {
    self.promise = promise
    self.patience = patience
  }

  func channelActive(context: ChannelHandlerContext) {
    timeout = context.eventLoop.assumeIsolated().scheduleTask(in: patience) { [self] in
      finish(.failure(CommandFault("the handshake does not end")), context)
    }
    context.fireChannelActive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .handshakeCompleted = event as? TLSUserEvent else { return }
    finish(.success(()), context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    finish(.failure(error), context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish(.failure(CommandFault("the server closed the connection")), context)
  }

  private func finish(_ result: Result<Void, any Error>, _ context: ChannelHandlerContext) {
    guard !isDone else { return }
    isDone = true
    timeout?.cancel()
    promise.completeWith(result)
    if case .failure = result { context.close(promise: nil) }
  }
}
