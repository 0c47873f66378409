// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutProtocol
import NIOHPACK
import SwiftProtobuf

@testable import LayoutService

/// What tests of layout streams send and look for.
enum LayoutStream {
  static let path = "/collection_layout.v1.LayoutSessionService/StreamLayout"

  /// The headers with which a client opens a stream.
  static let headers: HPACKHeaders = [
    ":method": "POST", ":scheme": "http", ":authority": "a", ":path": path, "te": "trailers",
    "content-type": "application/grpc",
  ]

  /// The lane of a stream whose headers the library got; nil = it has been asked for already.
  static func lane(_ transport: TransportGuard, _ headers: HPACKHeaders) -> StreamLane? {
    let metadata: Metadata = [CallStreams.header: .string(headers[CallStreams.header].joined())]
    return transport.streams.attach(.init(), of: metadata)
  }

  /// A message of a call, with its prefix.
  static func message(_ bytes: [UInt8]) -> [UInt8] {
    [0, 0, 0, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes
  }

  static func message(_ request: Wire.StreamLayoutRequest) -> [UInt8] {
    message((try? request.serializedBytes()) ?? [])
  }

  /// The acknowledgement of a frame, as a message.
  static func acknowledgement(_ frame: UInt64) -> [UInt8] {
    message(.with { $0.ack.frameSeq = frame })
  }

  /// Takes the first message out of bytes, without its prefix; nil = there is none yet.
  static func takeMessage(_ bytes: inout [UInt8]) -> [UInt8]? {
    guard bytes.count >= 5 else { return nil }
    let count = 5 + (Int(bytes[3]) << 8 | Int(bytes[4]))
    guard bytes.count >= count else { return nil }
    defer { bytes.removeFirst(count) }
    return Array(bytes[5 ..< count])
  }
}
