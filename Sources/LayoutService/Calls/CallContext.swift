// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore

/// What a handler may know of its call beside the request.
///
/// A class, so that a stream at rest keeps one reference to it.
final class CallContext: Sendable {
  let metadata: Metadata
  /// The client's end of the connection: "ipv4:127.0.0.1:50312".
  let peer: String
  let cancellation: ServerContext.RPCCancellationHandle
  /// When an answer is needed, a little before the client gives up; nil = the client waits.
  let deadline: ContinuousClock.Instant?
  let access: CallAccess

  init(
    metadata: Metadata,
    peer: String,
    cancellation: ServerContext.RPCCancellationHandle,
    deadline: ContinuousClock.Instant? = nil,
    access: CallAccess = .open
  ) {
    self.metadata = metadata
    self.peer = peer
    self.cancellation = cancellation
    self.deadline = deadline
    self.access = access
  }

  /// The status of a call that was cancelled since its deadline has passed; nil = it was not.
  var missedDeadline: RPCError? {
    guard cancellation.isCancelled, let deadline, ContinuousClock.now >= deadline else {
      return nil
    }
    return RPCError(code: .deadlineExceeded, message: "The deadline has passed.")
  }

  convenience init(_ metadata: Metadata, _ context: ServerContext, _ access: CallAccess) {
    self.init(
      metadata: metadata,
      peer: context.remotePeer,
      cancellation: context.cancellation,
      deadline: metadata.timeout.map { timeout in
        ContinuousClock.now + timeout - min(timeout / 10, .milliseconds(200))
      },
      access: access
    )
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
