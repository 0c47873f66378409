// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import GRPCProtobuf
internal import LayoutProtocol
internal import SwiftProtobuf

/// What a handler may know of its call beside the request.
///
/// A class, so that a stream at rest keeps it once.
final class CallContext: Sendable {
  let metadata: Metadata
  let peer: String
  let cancellation: ServerContext.RPCCancellationHandle
  /// When an answer is needed, a little before the client gives up; nil = the client waits.
  let deadline: ContinuousClock.Instant?

  init(
    metadata: Metadata,
    peer: String,
    cancellation: ServerContext.RPCCancellationHandle,
    deadline: ContinuousClock.Instant? = nil
  ) {
    self.metadata = metadata
    self.peer = peer
    self.cancellation = cancellation
    self.deadline = deadline
  }

  fileprivate convenience init(_ metadata: Metadata, _ context: ServerContext) {
    self.init(
      metadata: metadata,
      peer: context.remotePeer,
      cancellation: context.cancellation,
      deadline: metadata.timeout.map { timeout in
        ContinuousClock.now + timeout - min(timeout / 10, .milliseconds(200))
      }
    )
  }
}

/// Registers methods by plain functions of messages. Requests above the limit are refused before
/// they are decoded.
struct MethodRegistrar<Transport: ServerTransport> {
  var router: RPCRouter<Transport>
  let messageLimit: Int

  mutating func unary<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ handle: @escaping @Sendable (Request, CallContext) async throws -> Response
  ) {
    register(method) { (request: StreamingServerRequest<Request>, context) in
      let single = try await ServerRequest(stream: request)
      let response = try await handle(single.message, CallContext(single.metadata, context))
      return StreamingServerResponse(single: ServerResponse(message: response))
    }
  }

  mutating func clientStream<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ handle:
      @escaping @Sendable (RPCAsyncSequence<Request, any Error>, CallContext) async throws
      -> Response
  ) {
    register(method) { (request: StreamingServerRequest<Request>, context) in
      let response = try await handle(
        request.messages,
        CallContext(request.metadata, context)
      )
      return StreamingServerResponse(single: ServerResponse(message: response))
    }
  }

  mutating func serverStream<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ handle:
      @escaping @Sendable (Request, RPCWriter<Response>, CallContext) async throws -> Void
  ) {
    register(method) { (request: StreamingServerRequest<Request>, context) in
      let single = try await ServerRequest(stream: request)
      return StreamingServerResponse { writer in
        try await handle(single.message, writer, CallContext(single.metadata, context))
        return [:]
      }
    }
  }

  mutating func bidirectional<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ handle:
      @escaping @Sendable (
        RPCAsyncSequence<Request, any Error>, RPCWriter<Response>, CallContext
      ) async throws -> Void
  ) {
    register(method) { (request: StreamingServerRequest<Request>, context) in
      let (messages, call) = (request.messages, CallContext(request.metadata, context))
      return StreamingServerResponse { writer in
        try await handle(messages, writer, call)
        return [:]
      }
    }
  }

  /// A bidirectional method whose frequent requests are read without a message, and whose responses
  /// come as bytes.
  mutating func stream(
    _ method: MethodDescriptor,
    _ handle:
      @escaping @Sendable (
        RPCAsyncSequence<StreamRequest, any Error>, RPCWriter<EncodedResponse>, CallContext
      ) async throws -> Void
  ) {
    router.registerHandler(
      forMethod: method,
      deserializer: StreamRequestDeserializer(messages: .init(limit: messageLimit)),
      serializer: EncodedResponseSerializer()
    ) { (request: StreamingServerRequest<StreamRequest>, context) in
      let (messages, call) = (request.messages, CallContext(request.metadata, context))
      return StreamingServerResponse { writer in
        try await handle(messages, writer, call)
        return [:]
      }
    }
  }

  private mutating func register<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ handle:
      @escaping @Sendable (StreamingServerRequest<Request>, ServerContext) async throws
      -> StreamingServerResponse<Response>
  ) {
    router.registerHandler(
      forMethod: method,
      deserializer: LimitedDeserializer<Request>(limit: messageLimit),
      serializer: ProtobufSerializer<Response>(),
      handler: handle
    )
  }
}

/// Decodes messages that are not too large.
struct LimitedDeserializer<Output: Message>: MessageDeserializer {
  let limit: Int

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> Output {
    let count = bytes.withUnsafeBytes { $0.count }
    guard count <= limit else { throw LayoutProblem.messageTooLarge(found: count, limit: limit) }
    return try ProtobufDeserializer<Output>().deserialize(bytes)
  }
}

/// The same for the requests of a stream.
struct StreamRequestDeserializer: MessageDeserializer {
  let messages: LimitedDeserializer<Wire.StreamLayoutRequest>

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> StreamRequest {
    if let step = bytes.withUnsafeBytes({ ScrollStep($0) }) { return .scroll(step) }
    return .message(try messages.deserialize(bytes))
  }
}

/// Hands over bytes that are encoded already.
struct EncodedResponseSerializer: MessageSerializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: EncodedResponse) throws -> Bytes {
    Bytes(message.bytes)
  }
}

extension Metadata {
  /// The call's timeout as gRPC writes it: up to eight digits and a unit.
  var timeout: Duration? {
    guard let text = self[stringValues: "grpc-timeout"].first(where: { _ in true }),
      text.utf8.count <= 9, let unit = text.utf8.last, let value = Int64(text.dropLast()),
      value >= 0
    else { return nil }
    switch UInt8(unit) {
    case UInt8(ascii: "H"): return .seconds(value * 3600)
    case UInt8(ascii: "M"): return .seconds(value * 60)
    case UInt8(ascii: "S"): return .seconds(value)
    case UInt8(ascii: "m"): return .milliseconds(value)
    case UInt8(ascii: "u"): return .microseconds(value)
    case UInt8(ascii: "n"): return .nanoseconds(value)
    default: return nil
    }
  }
}
