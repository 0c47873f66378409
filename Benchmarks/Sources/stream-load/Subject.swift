// SPDX-License-Identifier: Apache-2.0

import GRPCCore

/// What a stream says to a server, step by step.
protocol Subject: Sendable {
  var method: MethodDescriptor { get }
  /// The first message, if the server wants one; its answers come before all others.
  var opening: [UInt8]? { get }
  var needsPreparation: Bool { get }
  /// What the server must have before there are streams.
  func prepare(_ client: GRPCClient<some ClientTransport>) async throws
  /// The request of a step.
  func request(_ step: Int, acknowledging frame: UInt64) -> [UInt8]
  /// Whether a message answers a step, and how.
  func frame(in response: [UInt8]) -> AnsweringFrame?
}

extension Subject {
  var needsPreparation: Bool { false }
  func prepare(_ client: GRPCClient<some ClientTransport>) async throws {}
}

/// A viewer who scrolls through a grid of a million cells and back, a row of ten with each step.
struct Viewer: Subject {
  static let service = "collection_layout.v1.LayoutSessionService"
  let method = MethodDescriptor(fullyQualifiedService: service, method: "StreamLayout")
  /// Frames under way.
  var window = 1
  /// The one that all look at; nil = each brings its own.
  var collection: String?
  var needsPreparation: Bool { collection != nil }

  var opening: [UInt8]? {
    var request = ProtobufBytes()
    request.uint(1, 1)
    request.message(3) { open in
      if let collection {
        open.text(1, "collections/\(collection)")
      } else {
        open.message(2, Self.contents)
      }
      // The packed encoding.
      open.message(4) { $0.message(1) { $0.varint(2) } }
      open.message(5) { options in
        options.uint(1, UInt64(min(window + 1, 8)))
        options.double(3, 0)
        options.double(4, 0)
        options.uint(5, 1)
      }
      open.message(6) { layout in
        layout.message(1) { flow in
          flow.message(2) {
            $0.double(1, 93)
            $0.double(2, 93)
          }
        }
      }
      open.message(7) { viewport in
        viewport.message(3) {
          $0.double(1, 1024)
          $0.double(2, 768)
        }
      }
    }
    return request.bytes
  }

  private static func contents(_ contents: inout ProtobufBytes) {
    contents.message(1) { section in section.message(2) { $0.uint(1, 1_000_000) } }
  }

  func prepare(_ client: GRPCClient<some ClientTransport>) async throws {
    guard let collection else { return }
    var request = ProtobufBytes()
    request.text(1, collection)
    request.message(3, Self.contents)
    try await client.unary(
      request: ClientRequest(message: request.bytes),
      descriptor: MethodDescriptor(
        fullyQualifiedService: "collection_layout.v1.CollectionService",
        method: "CreateCollection"
      ),
      serializer: RawBytes(),
      deserializer: RawBytes(),
      options: .defaults
    ) { _ = try $0.message }
  }

  func request(_ step: Int, acknowledging frame: UInt64) -> [UInt8] {
    // Down ten thousand rows, up again, and so on; never the same offset twice in a row.
    let phase = (step + 1) % 20_000
    let row = phase <= 10_000 ? phase : 20_000 - phase
    var request = ProtobufBytes()
    request.uint(1, UInt64(step + 2))
    request.message(2) { $0.uint(1, frame) }
    request.message(4) { viewport in
      viewport.uint(1, frame)
      viewport.message(2) { $0.double(2, Double(row) * 103) }
    }
    return request.bytes
  }

  func frame(in response: [UInt8]) -> AnsweringFrame? { ProtobufBytes.frame(in: response) }
}

/// The same number of bytes both ways, without meaning.
struct Echo: Subject {
  let method = MethodDescriptor(fullyQualifiedService: "echo.Echo", method: "Stream")
  var requestBytes: Int
  var responseBytes: Int

  /// So that a stream at rest has been used, as those of layout-server have.
  var opening: [UInt8]? { request(0, acknowledging: 0) }

  func request(_ step: Int, acknowledging frame: UInt64) -> [UInt8] {
    let length = UInt32(clamping: responseBytes)
    var request = [UInt8](repeating: 0, count: max(requestBytes, 4))
    for byte in 0 ..< 4 { request[byte] = UInt8(truncatingIfNeeded: length >> (24 - 8 * byte)) }
    return request
  }

  func frame(in response: [UInt8]) -> AnsweringFrame? { AnsweringFrame() }
}
