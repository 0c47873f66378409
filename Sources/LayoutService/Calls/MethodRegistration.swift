// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import GRPCProtobuf
internal import LayoutProtocol
internal import SwiftProtobuf

/// Registers methods by plain functions on messages. Requests above the size limit, and calls above
/// the limits of calls, are refused before they are decoded.
struct MethodRegistrar<Transport: ServerTransport> {
  var router: RPCRouter<Transport>
  let calls: CallServices
  let codec: MessageCodec

  /// - Parameter isLarge: whether encoding an answer may take more than some milliseconds.
  mutating func unary<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    isLarge: @escaping @Sendable (Response) -> Bool = { _ in false },
    _ handle: @escaping @Sendable (Request, OpenCall) async throws -> Response
  ) {
    answer(method, kind: .call) { [codec] messages, call in
      var reader = TimedReader(messages, call)
      let request: Request = try await codec.decode(reader.single(), for: call)
      let response = try await handle(request, call)
      return try await codec.encode(response, isLarge: isLarge(response), for: call)
    }
  }

  /// A call whose client may take long to send its messages. It ends when the server goes away.
  mutating func clientStream<Response: Message>(
    _ method: MethodDescriptor,
    kind: CallGate.Kind,
    _ handle:
      @escaping @Sendable (RPCAsyncSequence<RequestBytes, any Error>, OpenCall) async throws
      -> Response
  ) {
    answer(method, kind: kind, endsWithDrain: true) { [codec] messages, call in
      try await codec.encode(handle(messages, call), for: call)
    }
  }

  mutating func serverStream<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ handle:
      @escaping @Sendable (Request, TimedWriter<Response>, OpenCall) async throws -> Void
  ) {
    serverStream(method, ProtobufSerializer<Response>(), handle)
  }

  /// The same with responses that are encoded already.
  mutating func encodedServerStream<Request: Message>(
    _ method: MethodDescriptor,
    _ handle:
      @escaping @Sendable (Request, TimedWriter<AnswerBytes>, OpenCall) async throws -> Void
  ) {
    serverStream(method, AnswerBytesSerializer(), handle)
  }

  private mutating func serverStream<Request: Message, Response: Sendable>(
    _ method: MethodDescriptor,
    _ serializer: some MessageSerializer<Response>,
    _ handle:
      @escaping @Sendable (Request, TimedWriter<Response>, OpenCall) async throws -> Void
  ) {
    register(method, serializer) { [calls, codec] request, context in
      let call = try OpenCall(.call, context, services: calls)
      let messages = request.messages
      let message: Request = try await call.closingOnError {
        try await call.run {
          try await call.waitForBudget()
          call.charge(1)
          var reader = TimedReader(messages, call)
          return try await codec.decode(reader.single(), for: call)
        }
      }
      return StreamingServerResponse { writer in
        defer { call.close() }
        let timed = TimedWriter(writer: writer, stalls: calls.writes)
        try await call.run { try await handle(message, timed, call) }
        try call.access.throwIfDenied()
        return [:]
      }
    }
  }

  mutating func bidirectional<Response: Message>(
    _ method: MethodDescriptor,
    _ handle:
      @escaping @Sendable (
        RPCAsyncSequence<RequestBytes, any Error>, TimedWriter<Response>, OpenCall
      ) async throws -> Void
  ) {
    register(method, ProtobufSerializer<Response>()) { [calls] request, context in
      let call = try OpenCall(.call, context, services: calls)
      let messages = request.messages
      return StreamingServerResponse { writer in
        defer { call.close() }
        let timed = TimedWriter(writer: writer, stalls: calls.writes)
        try await call.run(endsWithDrain: true) { try await handle(messages, timed, call) }
        try call.access.throwIfDenied()
        return [:]
      }
    }
  }

  /// A bidirectional method whose frequent requests are read without making a message, and whose
  /// responses are bytes. Its calls are not counted here.
  mutating func stream(
    _ method: MethodDescriptor,
    _ handle:
      @escaping @Sendable (
        RPCAsyncSequence<StreamRequest, any Error>, RPCWriter<EncodedResponse>, CallContext,
        StreamLane?
      ) async throws -> Void
  ) {
    router.registerHandler(
      forMethod: method,
      deserializer: StreamRequestDeserializer(limit: codec.limit),
      serializer: EncodedResponseSerializer()
    ) { [calls] (request: StreamingServerRequest<StreamRequest>, context) in
      let lane = calls.streams.attach(context.cancellation, of: request.metadata)
      let access = try calls.access(to: context.descriptor)
      let (messages, call) = (request.messages, CallContext(request.metadata, context, access))
      return StreamingServerResponse { writer in
        try await handle(messages, writer, call, lane)
        return [:]
      }
    }
  }

  /// A method with one answer, which is encoded before it waits to be sent: bytes take a tenth of
  /// the memory of messages.
  private mutating func answer(
    _ method: MethodDescriptor,
    kind: CallGate.Kind,
    endsWithDrain: Bool = false,
    _ handle:
      @escaping @Sendable (RPCAsyncSequence<RequestBytes, any Error>, OpenCall) async throws
      -> AnswerBytes
  ) {
    register(method, AnswerBytesSerializer()) { [calls] request, context in
      let call = try OpenCall(kind, context, services: calls)
      let messages = request.messages
      let answer = try await call.closingOnError {
        try await call.run(endsWithDrain: endsWithDrain) {
          try await call.waitForBudget()
          call.charge(1)
          let answer = try await handle(messages, call)
          call.charge(bytes: answer.bytes.count)
          return answer
        }
      }
      return StreamingServerResponse { writer in
        // The call keeps its place until the transport has taken its answer.
        defer { call.close() }
        try await TimedWriter(writer: writer, stalls: calls.writes).write(answer)
        return [:]
      }
    }
  }

  private mutating func register<Response: Sendable>(
    _ method: MethodDescriptor,
    _ serializer: some MessageSerializer<Response>,
    _ handle:
      @escaping @Sendable (StreamingServerRequest<RequestBytes>, CallContext) async throws
      -> StreamingServerResponse<Response>
  ) {
    router.registerHandler(
      forMethod: method,
      deserializer: RequestBytesDeserializer(limit: codec.limit),
      serializer: serializer
    ) { [calls] (request: StreamingServerRequest<RequestBytes>, context) in
      calls.streams.attach(context.cancellation, of: request.metadata)
      let access = try calls.access(to: context.descriptor)
      return try await handle(request, CallContext(request.metadata, context, access))
    }
  }
}
