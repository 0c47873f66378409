// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix

/// A bare echo over one bidirectional method, with the transport settings of layout-server: what
/// any server on this transport costs before it does anything. The first four bytes of a request
/// say how long the answer is to be.
@main
struct EchoServer: RegistrableRPCService {
  static func main() async throws {
    let port = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 0
    let transport = HTTP2ServerTransport.Posix(
      address: .ipv4(host: "127.0.0.1", port: port),
      transportSecurity: .plaintext,
      config: .defaults { config in
        config.http2.maxConcurrentStreams = 128
        config.http2.targetWindowSize = 1 << 20
        config.rpc.maxRequestPayloadSize = 16 << 20
        config.connection.flushCoalescing?.maxFlushDelay = .zero
      }
    )
    let server = GRPCServer(transport: transport, services: [EchoServer()])
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.serve() }
      if let address = try await transport.listeningAddress.ipv4 {
        // Unbuffered: whoever started it waits for the line.
        let line = "echo-server listening on \(address.host):\(address.port)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      }
      try await group.waitForAll()
    }
  }

  func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    router.registerHandler(
      forMethod: MethodDescriptor(fullyQualifiedService: "echo.Echo", method: "Stream"),
      deserializer: RawBytes(),
      serializer: RawBytes()
    ) { request, _ in
      StreamingServerResponse { writer in
        for try await message in request.messages {
          let length = message.prefix(4).reduce(0) { $0 << 8 | Int($1) }
          try await writer.write([UInt8](repeating: 7, count: min(length, 1 << 20)))
        }
        return [:]
      }
    }
  }
}

struct RawBytes: MessageSerializer, MessageDeserializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes { Bytes(message) }

  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> [UInt8] {
    bytes.withUnsafeBytes { Array($0) }
  }
}
