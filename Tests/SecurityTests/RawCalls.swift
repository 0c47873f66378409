// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutClient
import SwiftProtobuf

/// How a call ended, with all bytes that a caller sees of it.
struct Outcome: Hashable, Sendable, CustomStringConvertible {
  /// nil = at least one answer came, or the call ended well.
  var code: RPCError.Code?
  var message = ""
  var metadata: [String] = []

  /// The same, as if it were about another name of the same length.
  func renaming(_ name: String, to other: String) -> Outcome {
    Outcome(
      code: code,
      message: message.replacing(name, with: other),
      metadata: metadata.map { $0.replacing(name, with: other) }
    )
  }

  var description: String { "\(code.map { "\($0)" } ?? "ok") \(message)" }
}

private struct RawSerializer: MessageSerializer {
  func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes { Bytes(message) }
}

private struct RawDeserializer: MessageDeserializer {
  func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> [UInt8] {
    bytes.withUnsafeBytes { Array($0) }
  }
}

extension SecuredClient {
  /// Calls any method, and takes the first answer.
  func outcome(
    of method: MethodDescriptor,
    _ requests: [any Message],
    token: String?
  ) async -> Outcome {
    do {
      let bytes = try requests.map { try $0.serializedBytes() as [UInt8] }
      let sending = RequestTask()
      try await grpc.bidirectionalStreaming(
        request: StreamingClientRequest(metadata: .bearer(token)) { writer in
          try await sending.run { for message in bytes { try await writer.write(message) } }
        },
        descriptor: method,
        serializer: RawSerializer(),
        deserializer: RawDeserializer(),
        options: .defaults
      ) { response in
        try await sending.endAfter { for try await _ in response.messages { return } }
      }
      return Outcome()
    } catch let error as RPCError {
      // Binary values as Latin-1, so that names in them can be replaced.
      let metadata = error.metadata.map { key, value in
        switch value {
        case .string(let text): "\(key)=\(text)"
        case .binary(let bytes):
          "\(key)=" + String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
      }
      return Outcome(code: error.code, message: error.message, metadata: metadata.sorted())
    } catch { return Outcome(code: .unknown, message: "\(error)") }
  }
}
