// SPDX-License-Identifier: Apache-2.0

internal import LayoutService
internal import NIOCore
internal import NIOHTTP1

/// One connection to the admin port: takes one request after the other, and closes the connection
/// if its client exceeds the limits.
final class AdminConnection: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    /// No request has begun.
    case resting
    case reading(HTTPRequestHead)
    /// A whole request is being answered.
    case answering
    /// The connection is about to be closed; everything else that arrives is ignored.
    case ending
  }

  private let configuration: AdminConfiguration
  private let routes: AdminRoutes
  /// Told when the answering of a request begins and ends.
  private let noteAnswering: (_ isAnswering: Bool) -> Void
  private var state = State.resting
  /// What has come of the body of the request that is read.
  private var body: [UInt8] = []
  /// Closes the connection unless something happens before then.
  private var deadline: Scheduled<Void>?

  /// - Parameter noteAnswering: called when the answering of a request begins, and when the answer
  ///   is written.
  init(
    _ configuration: AdminConfiguration,
    routes: AdminRoutes,
    noteAnswering: @escaping (_ isAnswering: Bool) -> Void
  ) {
    self.configuration = configuration
    self.routes = routes
    self.noteAnswering = noteAnswering
  }

  // MARK: - What comes

  func channelActive(context: ChannelHandlerContext) {
    limit(configuration.request, context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    state = .ending
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (.head(let head), .resting): begin(head, context)
    case (.body(let bytes), .reading(let head)): add(bytes, to: head, context)
    case (.end, .reading(let head)): answer(head, context)
    default: break
    }
  }

  /// The connection has become a WebSocket.
  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  /// The decoder closes the connection after this.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch (error, state) {
    case (let error as HTTPParserError, .resting), (let error as HTTPParserError, .reading):
      let isTooLarge = error == .headerOverflow
      refuse(
        isTooLarge
          ? AdminRefusal(.requestHeaderFieldsTooLarge, "the request has too many headers")
          : AdminRefusal(.badRequest, "the request is not HTTP/1.1"),
        version: .http1_1,
        context
      )
    case (let error as WebSocketRequest.Refusal, .resting):
      refuse(AdminRefusal(error.status, error.reason), version: .http1_1, context)
    default:
      state = .ending
      context.close(promise: nil)
    }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    limit(configuration.request, context)
    do throws(AdminRefusal) {
      try check(head)
      state = .reading(head)
      body = []
    } catch { refuse(error, version: head.version, context) }
  }

  private func check(_ head: HTTPRequestHead) throws(AdminRefusal) {
    // Comparing other texts can take long.
    guard head.uri.isASCIIText,
      head.headers.allSatisfy({ $0.name.isASCIIText && $0.value.isASCIIText })
    else { throw AdminRefusal(.badRequest, "the path and the headers are ASCII") }
    guard head.uri.utf8.count <= configuration.pathBytes else {
      throw AdminRefusal(.uriTooLong, "at most \(configuration.pathBytes) bytes are allowed")
    }
    // A page in a browser may reach this port under a name of its own.
    guard HostHeader.isLocal(head.headers["host"]) else {
      throw AdminRefusal(.forbidden, "the request must name an address or localhost as its host")
    }
    guard head.headers["upgrade"].isEmpty, head.headers["expect"].isEmpty else {
      throw AdminRefusal(.expectationFailed, "Upgrade and Expect are not supported")
    }
  }

  private func add(
    _ bytes: ByteBuffer,
    to head: HTTPRequestHead,
    _ context: ChannelHandlerContext
  ) {
    guard body.count + bytes.readableBytes <= configuration.bodyBytes else {
      let message = "at most \(configuration.bodyBytes) bytes are allowed"
      return refuse(AdminRefusal(.payloadTooLarge, message), version: head.version, context)
    }
    body.append(contentsOf: bytes.readableBytesView)
  }

  // MARK: - What goes

  private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    state = .answering
    defer { body = [] }
    deadline?.cancel()
    let request: AdminRequest
    do throws(AdminRefusal) { request = try AdminRequest(head, body: body) } catch {
      return refuse(error, version: head.version, context)
    }
    noteAnswering(true)
    let (routes, loop) = (routes, context.eventLoop)
    let answer = loop.makeFutureWithTask { await routes.respond(to: request) }
    answer.assumeIsolated().whenSuccess { [self] response in
      noteAnswering(false)
      write(response, to: head, keepingAlive: head.isKeepAlive, context)
    }
  }

  private func refuse(
    _ refusal: AdminRefusal,
    version: HTTPVersion,
    _ context: ChannelHandlerContext
  ) {
    let head = HTTPRequestHead(version: version, method: .GET, uri: "/")
    state = .answering
    write(AdminResponse(refusal), to: head, keepingAlive: false, context)
  }

  private func write(
    _ response: AdminResponse,
    to request: HTTPRequestHead,
    keepingAlive: Bool,
    _ context: ChannelHandlerContext
  ) {
    guard case .answering = state, context.channel.isActive else { return }
    var headers = HTTPHeaders([
      ("Content-Type", response.contentType), ("Content-Length", "\(response.body.count)"),
      ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
      ("Date", HTTPDate.now),
    ])
    headers.add(contentsOf: response.headers)
    if !response.allow.isEmpty {
      headers.add(name: "Allow", value: response.allow.joined(separator: ", "))
    }
    if !keepingAlive { headers.add(name: "Connection", value: "close") }
    let head = HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    let bytes = request.method == .HEAD ? [] : response.body
    let body = HTTPServerResponsePart.body(
      .byteBuffer(context.channel.allocator.buffer(bytes: bytes))
    )
    limit(configuration.write, context)
    // The next request is read once the client has this whole answer.
    context.writeAndFlush(wrapOutboundOut(body)).assumeIsolated().whenComplete { [self] result in
      guard case .success = result, keepingAlive else {
        state = .ending
        return context.close(promise: nil)
      }
      limit(configuration.idle, context)
      state = .resting
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }

  // MARK: - Time

  /// Closes the connection after this time, unless another limit has replaced this one.
  private func limit(_ time: Duration, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { [self] in
      state = .ending
      context.close(promise: nil)
    }
  }
}
