// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutClient
import LayoutProtocol
import SwiftProtobuf

/// One layout stream, from the client's side.
struct StreamProbe {
  struct Ended: Error {}

  fileprivate var responses: RPCAsyncSequence<Wire.StreamLayoutResponse, any Error>.AsyncIterator
  fileprivate let requests: AsyncStream<Wire.StreamLayoutRequest>.Continuation

  func send(_ fill: (inout Wire.StreamLayoutRequest) -> Void) { requests.yield(.with(fill)) }

  /// The next response for which `pick` gives something; frames are acknowledged.
  mutating func next<Value>(_ pick: (Wire.StreamLayoutResponse) -> Value?) async throws -> Value {
    while let response = try await responses.next() {
      if case .frame(let frame) = response.message {
        send { $0.ack.frameSeq = frame.frameSeq }
      }
      if let value = pick(response) { return value }
    }
    throw Ended()
  }

  /// Opens a session and takes its first frame.
  mutating func open(
    _ fill: (inout Wire.OpenSession) -> Void = { $0.collection = "collections/own" }
  ) async throws -> Wire.SessionOpened {
    send { request in
      request.eventSeq = 1
      request.open.viewport.size.width = 100
      request.open.viewport.size.height = 100
      fill(&request.open)
    }
    let opened = try await next { response -> Wire.SessionOpened? in
      if case .opened(let opened) = response.message { opened } else { nil }
    }
    _ = try await frame()
    return opened
  }

  mutating func frame() async throws -> Wire.LayoutFrame {
    try await next { response in
      if case .frame(let frame) = response.message { frame } else { nil }
    }
  }

  /// Sends an event.
  ///
  /// - Returns: its fate.
  mutating func result(
    of seq: UInt64,
    _ fill: (inout Wire.StreamLayoutRequest) -> Void
  ) async throws -> Wire.EventResult {
    send { request in
      request.eventSeq = seq
      fill(&request)
    }
    return try await next { response in
      if case .eventResult(let result) = response.message, result.eventSeq == seq {
        result
      } else {
        nil
      }
    }
  }

  /// Reads until the stream ends.
  mutating func end() async -> RPCError.Code? {
    do {
      while let response = try await responses.next() {
        if case .frame(let frame) = response.message {
          send { $0.ack.frameSeq = frame.frameSeq }
        }
      }
      return nil
    } catch { return (error as? RPCError)?.code }
  }
}

extension SecuredClient {
  func stream<Result: Sendable>(
    token: String,
    _ body: @Sendable @escaping (inout StreamProbe) async throws -> Result
  ) async throws -> Result {
    let (stream, continuation) = AsyncStream<Wire.StreamLayoutRequest>.makeStream()
    let sending = RequestTask()
    return try await sessions.streamLayout(metadata: .bearer(token)) { writer in
      try await sending.run { for await request in stream { try await writer.write(request) } }
    } onResponse: { response in
      try await sending.endAfter {
        var probe = StreamProbe(
          responses: response.messages.makeAsyncIterator(),
          requests: continuation
        )
        defer { continuation.finish() }
        return try await body(&probe)
      }
    }
  }
}

extension Wire.UpdateBatch {
  /// One more item at the beginning.
  static func insertion(key: String = "") -> Wire.UpdateBatch {
    .with {
      $0.operations.operations = [
        .with {
          $0.insertItems.at.item = 0
          $0.insertItems.blocks = [
            .with {
              $0.count = 1
              if !key.isEmpty { $0.keys = [key] }
            }
          ]
        }
      ]
    }
  }
}
