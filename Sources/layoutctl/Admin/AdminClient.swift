// SPDX-License-Identifier: Apache-2.0

import Foundation
import LayoutClient
import LayoutProtocol
import NIOCore
import NIOHTTP1
import NIOPosix
import SwiftProtobuf

/// Asks the admin port of a server. Each request uses its own connection.
struct AdminClient: Sendable {
  /// How long the server may take to answer, except for backups, which take as long as the disk
  /// needs.
  static let patience = TimeAmount.seconds(10)

  let address: ServerAddress

  func get<Answer: Message>(_ path: String) async throws -> Answer {
    try await send(.GET, path, body: [], within: Self.patience)
  }

  func send<Answer: Message>(
    _ method: HTTPMethod,
    _ path: String,
    _ message: some Message,
    within patience: TimeAmount? = AdminClient.patience
  ) async throws -> Answer {
    try await send(method, path, body: message.jsonUTF8Bytes(), within: patience)
  }

  /// An answer that is not a message, with the server's time.
  func text(_ path: String) async throws -> (status: Int, text: String, date: String?) {
    let (status, headers, bytes) = try await exchange(
      request(.GET, path),
      [],
      within: Self.patience
    )
    let text = String(decoding: bytes, as: UTF8.self)
    return (Int(status.code), text, headers.first(name: "date"))
  }

  private func request(_ method: HTTPMethod, _ path: String) -> HTTPRequestHead {
    var head = HTTPRequestHead(version: .http1_1, method: method, uri: path)
    head.headers.add(name: "Host", value: "\(address)")
    head.headers.add(name: "Connection", value: "close")
    return head
  }

  private func send<Answer: Message>(
    _ method: HTTPMethod,
    _ path: String,
    body: [UInt8],
    within patience: TimeAmount?
  ) async throws -> Answer {
    var head = request(method, path)
    head.headers.add(name: "Content-Length", value: "\(body.count)")
    if !body.isEmpty { head.headers.add(name: "Content-Type", value: "application/json") }
    let (status, _, bytes) = try await exchange(head, body, within: patience)
    guard status == .ok else {
      let text = String(decoding: bytes, as: UTF8.self)
      throw CommandFault("\(status.code) \(status.reasonPhrase): \(text)")
    }
    var options = JSONDecodingOptions()
    options.ignoreUnknownFields = true
    do { return try Answer(jsonUTF8Bytes: bytes, options: options) } catch {
      throw CommandFault("\(address) is no admin port of a layout server: \(error)")
    }
  }

  private func exchange(
    _ head: HTTPRequestHead,
    _ body: [UInt8],
    within patience: TimeAmount?
  ) async throws -> AdminAnswer.Whole {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let answer = loop.makePromise(of: AdminAnswer.Whole.self)
    do {
      let channel = try await ClientBootstrap(group: loop)
        .connectTimeout(Self.patience)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHTTPClientHandlers()
            try pipeline.addHandler(AdminAnswer(answer, within: patience))
          }
        }
        .connect(host: address.host, port: address.port)
        .get()
      channel.write(HTTPClientRequestPart.head(head), promise: nil)
      if !body.isEmpty {
        let bytes = channel.allocator.buffer(bytes: body)
        channel.write(HTTPClientRequestPart.body(.byteBuffer(bytes)), promise: nil)
      }
      channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    } catch {
      answer.fail(error)
    }
    do { return try await answer.futureResult.get() } catch let fault as CommandFault {
      throw fault
    } catch let error as NIOConnectionError {
      let isRefused = error.connectionErrors.contains { failure in
        (failure.error as? IOError)?.errnoCode == ECONNREFUSED
      }
      guard isRefused else {
        throw CommandFault("no answer of \(address): \(error)", status: .unavailable)
      }
      throw CommandFault(
        "No admin port at \(address). Start the server with --admin-port \(address.port), or name another port with "
          + "--admin.",
        status: .unavailable
      )
    } catch {
      throw CommandFault("no answer of \(address): \(error)", status: .unavailable)
    }
  }
}

/// Collects one answer.
final class AdminAnswer: ChannelInboundHandler {
  typealias Whole = (status: HTTPResponseStatus, headers: HTTPHeaders, body: [UInt8])
  typealias InboundIn = HTTPClientResponsePart

  /// The most bytes of an answer.
  private static let limit = 64 << 20

  private let promise: EventLoopPromise<Whole>
  private let patience: TimeAmount?
  private var status = HTTPResponseStatus.ok
  private var headers = HTTPHeaders()
  private var body: [UInt8] = []
  private var isDone = false
  private var timeout: Scheduled<Void>?

  init(_ promise: EventLoopPromise<Whole>, within patience: TimeAmount?) {
    self.promise = promise
    self.patience = patience
  }

  func channelActive(context: ChannelHandlerContext) {
    guard let patience else { return }
    timeout = context.eventLoop.assumeIsolated().scheduleTask(in: patience) { [self] in
      finish(.failure(CommandFault("the server does not answer", status: .unavailable)), context)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): (status, headers) = (head.status, head.headers)
    case .body(let bytes):
      body += bytes.readableBytesView
      if body.count > Self.limit {
        finish(.failure(CommandFault("the answer is too large")), context)
      }
    case .end: finish(.success((status, headers, body)), context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    let fault = CommandFault("the server closed the connection", status: .unavailable)
    finish(.failure(fault), context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    finish(.failure(error), context)
  }

  private func finish(_ result: Result<Whole, any Error>, _ context: ChannelHandlerContext) {
    guard !isDone else { return }
    isDone = true
    timeout?.cancel()
    promise.completeWith(result)
    context.close(promise: nil)
  }
}
