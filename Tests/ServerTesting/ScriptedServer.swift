// SPDX-License-Identifier: Apache-2.0

package import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import GRPCProtobuf
package import SwiftProtobuf

/// A server that answers as a test says, also with what no right server answers. It knows no other
/// methods.
package struct ScriptedServer: RegistrableRPCService {
  /// The answers to one method.
  package struct Answer: Sendable {
    fileprivate let method: MethodDescriptor
    fileprivate let register: @Sendable (any Registrar) -> Void

    /// - Parameter body: gets the requests of one call, and what writes its responses. The call
    ///   ends when it returns, with the error that it throws.
    package init<Request: Message, Response: Message>(
      to method: MethodDescriptor,
      _ body:
        @escaping @Sendable (
          RPCAsyncSequence<Request, any Error>, RPCWriter<Response>
        ) async throws -> Void
    ) {
      self.method = method
      register = { registrar in
        registrar.register(method) { (request: StreamingServerRequest<Request>) in
          StreamingServerResponse<Response> { writer in
            try await body(request.messages, writer)
            return [:]
          }
        }
      }
    }
  }

  private let answers: [Answer]

  package func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>)
  {
    let registrar = RouterRegistrar(router: router)
    for answer in answers { answer.register(registrar) }
    router = registrar.router
  }

  /// Runs a server for `body`, which gets its port on 127.0.0.1.
  package static func run<Result: Sendable>(
    _ answers: [Answer],
    _ body: @Sendable (Int) async throws -> Result
  ) async throws -> Result {
    let transport = HTTP2ServerTransport.Posix(
      address: .ipv4(host: "127.0.0.1", port: 0),
      transportSecurity: .plaintext
    )
    let server = GRPCServer(transport: transport, services: [ScriptedServer(answers: answers)])
    // Not cancelled: a connection that is just being accepted would be dropped, which the transport
    // takes for a fault in a debug build. Calls that a test leaves open need not end by themselves,
    // so nobody waits for the server either.
    let serving = Task { try await server.serve() }
    defer {
      server.beginGracefulShutdown()
      withExtendedLifetime(serving) {}
    }
    return try await body(try await transport.listeningAddress.ipv4?.port ?? 0)
  }
}

/// Registers methods with a router of any transport.
private protocol Registrar: AnyObject {
  func register<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ answer:
      @escaping @Sendable (
        StreamingServerRequest<Request>
      ) async throws -> StreamingServerResponse<Response>
  )
}

private final class RouterRegistrar<Transport: ServerTransport>: Registrar {
  var router: RPCRouter<Transport>

  init(router: RPCRouter<Transport>) { self.router = router }

  func register<Request: Message, Response: Message>(
    _ method: MethodDescriptor,
    _ answer:
      @escaping @Sendable (
        StreamingServerRequest<Request>
      ) async throws -> StreamingServerResponse<Response>
  ) {
    router.registerHandler(
      forMethod: method,
      deserializer: ProtobufDeserializer<Request>(),
      serializer: ProtobufSerializer<Response>()
    ) { request, _ in try await answer(request) }
  }
}
