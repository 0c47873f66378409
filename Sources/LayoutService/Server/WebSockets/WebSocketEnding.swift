// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import NIOCore
internal import SwiftProtobuf

/// How a WebSocket closes when its call has ended.
struct WebSocketEnding: Hashable, Sendable {
  /// Added to the code of the status. 4000 to 4999 are for applications (RFC 6455 §7.4.2).
  private static let codeBase = 4000
  /// The most bytes of the reason in UTF-8: a control frame has 125, two of which are the code.
  private static let reasonBytes = 123

  /// 1000 = the call ended well; 4000 + the code of its status otherwise.
  let code: Int
  /// For people: "REASON: message", as much as fits; empty if the call ended well.
  let reason: String
  /// A `Problem` of the contract as JSON; nil if the call ended well.
  let problem: String?

  init(_ status: Status, _ metadata: Metadata) {
    guard let code = RPCError.Code(status.code) else {
      (self.code, reason, problem) = (1000, "", nil)
      return
    }
    let problem = LayoutProblem(RPCError(code: code, message: status.message, metadata: metadata))
    let name = problem.reason.rawValue
    self.code = Self.codeBase + code.rawValue
    reason = (name.isEmpty ? problem.message : "\(name): \(problem.message)")
      .prefix(bytes: Self.reasonBytes)
    self.problem = try? Wire.Problem(problem).jsonString()
  }

  /// The payload of the closing frame.
  func payload(_ allocator: ByteBufferAllocator) -> ByteBuffer {
    var payload = allocator.buffer(capacity: 2 + reason.utf8.count)
    payload.writeInteger(UInt16(clamping: code))
    payload.writeString(reason)
    return payload
  }
}

extension String {
  /// The longest prefix of at most this many bytes of UTF-8.
  fileprivate func prefix(bytes limit: Int) -> String {
    var (end, count) = (startIndex, 0)
    while end < endIndex {
      count += self[end].utf8.count
      guard count <= limit else { break }
      end = index(after: end)
    }
    return String(self[..<end])
  }
}
