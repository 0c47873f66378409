// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import NIOCore
internal import NIOWebSocket
internal import Synchronization

/// The channel of a WebSocket; each message is a frame, in both directions.
typealias WebSocketChannel = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

/// The client's messages of one call.
struct WebSocketRequests: AsyncSequence, Sendable {
  typealias Element = RPCRequestPart<WebSocketBytes>

  let frames: NIOAsyncChannelInboundStream<WebSocketFrame>
  let metadata: Metadata
  let shape: CallShape

  func makeAsyncIterator() -> Iterator {
    Iterator(frames: frames.makeAsyncIterator(), metadata: metadata, shape: shape)
  }

  struct Iterator: AsyncIteratorProtocol {
    /// The text message that ends the client's messages of a method where the client chooses their
    /// number, such as an import.
    private static let end = "end"

    private var frames: NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator
    private var metadata: Metadata?
    private let shape: CallShape
    private var isOver = false

    init(
      frames: NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator,
      metadata: Metadata,
      shape: CallShape
    ) {
      self.frames = frames
      self.metadata = metadata
      self.shape = shape
    }

    mutating func next() async throws -> Element? {
      if let metadata = metadata.take() { return .metadata(metadata) }
      guard !isOver else { return nil }
      let frame = try await nextFrame()
      guard frame.opcode == .binary else {
        isOver = true
        // Bytewise, because comparing other texts can take long.
        guard frame.unmaskedData.readableBytesView.elementsEqual(Self.end.utf8) else {
          throw RPCError(
            code: .invalidArgument,
            message: "messages are binary; the only text message is \"\(Self.end)\""
          )
        }
        return nil
      }
      isOver = shape == .single
      return .message(WebSocketBytes(frame.unmaskedData))
    }

    private mutating func nextFrame() async throws -> WebSocketFrame {
      do { if let frame = try await frames.next() { return frame } } catch {
        isOver = true
        throw (error as? NIOWebSocketFrameAggregator.Error)?.status ?? .isClosed
      }
      isOver = true
      // No end of the messages: what was sent may be a part of an import.
      throw RPCError.isClosed
    }
  }
}

/// The server's messages of one call, and how the WebSocket closes at the end.
struct WebSocketResponses: ClosableRPCWriterProtocol {
  typealias Element = RPCResponsePart<WebSocketBytes>

  let frames: NIOAsyncChannelOutboundWriter<WebSocketFrame>
  let transport: TransportGuard
  /// The client's address.
  let peer: Peer

  func write(_ element: Element) async throws {
    switch element {
    // Dropped: the contract has no leading metadata.
    case .metadata: break
    case .message(let bytes):
      try await send(WebSocketFrame(fin: true, opcode: .binary, data: bytes.buffer))
    case .status(let status, let metadata): try await close(WebSocketEnding(status, metadata))
    }
  }

  func write(contentsOf elements: some Sequence<Element>) async throws {
    var isEmpty = true
    for element in elements {
      try await write(element)
      isEmpty = false
    }
    // Writing nothing still waits for room.
    if isEmpty {
      try await Self.whileOpen {
        try await frames.write(contentsOf: EmptyCollection<WebSocketFrame>())
      }
    }
  }

  func finish() async { frames.finish() }

  func finish(throwing error: any Error) async { frames.finish() }

  /// Counts bytes that wait for the client to read: here until the channel takes them, afterwards
  /// in `WebSocketFrameGuard` until the connection does.
  private func send(_ frame: WebSocketFrame) async throws {
    let count = frame.length
    let hasRoom = transport.addUnread(count, of: peer)
    defer { _ = transport.addUnread(-count, of: peer) }
    guard hasRoom else {
      transport.log.note(.unread, reason: "too many bytes of answers wait to be read", address: nil)
      throw RPCError(code: .resourceExhausted, message: "too many bytes wait for clients to read")
    }
    try await write(frame)
  }

  private func write(_ frame: WebSocketFrame) async throws {
    try await Self.whileOpen { try await frames.write(frame) }
  }

  /// - Throws: CANCELLED in place of the channel's errors, which mean that it is closed.
  private static func whileOpen(_ write: () async throws -> Void) async throws {
    do { try await write() } catch let error as CancellationError { throw error } catch {
      throw RPCError.isClosed
    }
  }

  private func close(_ ending: WebSocketEnding) async throws {
    let allocator = ByteBufferAllocator()
    if let problem = ending.problem {
      try await send(WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: problem)))
    }
    try await write(
      WebSocketFrame(fin: true, opcode: .connectionClose, data: ending.payload(allocator))
    )
  }
}

extension RPCError {
  /// The connection has ended before the call.
  fileprivate static var isClosed: RPCError {
    RPCError(code: .cancelled, message: "the WebSocket was closed before the end of the call")
  }
}

extension NIOWebSocketFrameAggregator.Error {
  /// The status of a call whose message could not be put together.
  fileprivate var status: RPCError {
    switch self {
    case .accumulatedFrameSizeIsTooLarge:
      RPCError(code: .resourceExhausted, message: "a message is too large")
    case .tooManyFragments:
      RPCError(
        code: .invalidArgument,
        message: "a message has more than \(WebSocketTransport.mostFragments) fragments"
      )
    default:
      RPCError(
        code: .invalidArgument,
        message: "a fragment came before the first one of its message, or a message within another"
      )
    }
  }
}
