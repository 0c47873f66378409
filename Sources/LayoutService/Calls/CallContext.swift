// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore

/// What a handler may know of its call besides the request.
///
/// A class, so that a resting stream keeps a single reference to it.
final class CallContext: Sendable {
  let metadata: Metadata
  /// The client's address with its port: "ipv4:127.0.0.1:50312".
  let peer: String
  let cancellation: ServerContext.RPCCancellationHandle
  /// When an answer is needed, a little before the client gives up; nil = there is no deadline.
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

  /// The status of a call that was cancelled because its deadline has passed; nil = it was not.
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
  /// How long the client waits for the end of the call, from its beginning; nil = forever.
  var timeout: Duration? {
    // The server's own transport hides the header from the library, which would set a timer for it.
    [CallTimeout.keptHeader, CallTimeout.header].lazy
      .compactMap { self[stringValues: $0].first { _ in true } }
      .first.flatMap { CallTimeout.duration($0[...]) }
  }
}
