// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import GRPCCore
internal import LayoutEngine
internal import LayoutProtocol
internal import ResourceAccounting

extension Refusal {
  /// QUOTA_MEMORY, with the limit that was reached: "scope" in the metadata is "server", "peer",
  /// "connection", "session", "call", "import" or "collection", and "limitName" the server's
  /// option.
  ///
  /// - Parameter field: the field that asked for the memory, if there is one.
  init(_ error: LimitExceeded, field: String? = nil) {
    let description =
      "\(error.requested) bytes more are needed; \(error.used) of the \(error.limit) bytes that "
      + "are allowed for one \(error.scope.rawValue) are in use"
      + (error.scope.limitName.map { " (\($0))" } ?? "")
    self =
      field.map { Refusal(.quotaMemory, field: $0, description) }
      ?? Refusal(.quotaMemory, "\(description).")
    metadata = [
      "scope": error.scope.rawValue,
      "limit": String(error.limit),
      "used": String(error.used),
      "requested": String(error.requested),
    ]
    metadata["limitName"] = error.scope.limitName
  }
}

extension AccountScope {
  /// The bytes that an import keeps until it ends.
  static let importing = AccountScope(rawValue: "import")

  /// The option that sets the limit of an account, as in a configuration file; nil = there is none.
  var limitName: String? {
    switch self {
    case .server: "maxServerBytes"
    case .peer: "maxPeerBytes"
    case .connection: "maxConnectionBytes"
    case .session, .call: "maxSessionBytes"
    case .collection: "maxCollectionBytes"
    case .importing: "maxImportBytes"
    default: nil
    }
  }
}

extension LayoutProblem {
  /// QUOTA_MEMORY, with the limit.
  init(_ error: FrameTooLarge) {
    var refusal = Refusal(
      .quotaMemory,
      "A frame of \(error.byteCount) bytes is needed; at most \(FrameEncoder.mostFrameBytes) are allowed. Custom "
        + "attributes and data of items make frames large."
    )
    refusal.metadata = [
      "scope": "frame",
      "limit": String(FrameEncoder.mostFrameBytes),
      "requested": String(error.byteCount),
    ]
    self.init(refusal)
  }

  /// QUOTA_MEMORY, as `Refusal` says it; with a delay where trying again may help.
  init(_ error: LimitExceeded, field: String? = nil) {
    self.init(Refusal(error, field: field))
    // Others may release memory; only the client itself can release its own.
    if error.scope == .server && error.requested <= error.limit { retryDelay = .seconds(1) }
  }
}

extension LayoutProblem {
  /// QUOTA_COMPUTATIONS: too many computations of a client are pending.
  init(_ error: WaitingLimitReached) {
    self = LayoutProblem(
      code: .resourceExhausted,
      reason: .quota(.computations),
      message:
        "\(error.limit) computations of this \(error.scope.rawValue) wait already; no more are "
        + "allowed.",
      metadata: ["scope": error.scope.rawValue, "limit": String(error.limit)],
      retryDelay: .seconds(1)
    )
  }

  /// QUOTA_STEPS or QUOTA_MEMORY: one computation exceeds its limit.
  init(_ error: LayoutWork.Stop) {
    switch error {
    case .cancelled:
      self = LayoutProblem(code: .cancelled, reason: .none, message: "The call was cancelled.")
    case .tooManySteps(let limit):
      self = LayoutProblem(
        code: .resourceExhausted,
        reason: .quota(.steps),
        message: "The layout of these contents takes more than \(limit) steps.",
        metadata: ["limit": String(limit)]
      )
    case .tooManyBytes(let limit):
      self = LayoutProblem(
        code: .resourceExhausted,
        reason: .quota(.memory),
        message: "The layout of these contents takes more than \(limit) bytes.",
        metadata: ["scope": "layout", "limit": String(limit)]
      )
    }
  }
}

/// An error that becomes the status of a call when a handler throws it.
protocol ProblemConvertible: RPCErrorConvertible {
  var problem: LayoutProblem { get }
}

extension LayoutProblem {
  /// What an error tells a client; an internal fault for one that nobody foresaw.
  init(of error: any Error) {
    self = (error as? any ProblemConvertible)?.problem ?? .internalFault()
  }
}

extension Error {
  /// The error as a problem for the client, if it is one.
  var asProblem: any Error { (self as? any ProblemConvertible)?.problem ?? self }
}

extension ProblemConvertible {
  var rpcErrorCode: RPCError.Code { problem.rpcErrorCode }
  var rpcErrorMessage: String { problem.rpcErrorMessage }
  var rpcErrorMetadata: Metadata { problem.rpcErrorMetadata }
}

extension LimitExceeded: ProblemConvertible {
  var problem: LayoutProblem { LayoutProblem(self) }
}

extension WaitingLimitReached: ProblemConvertible {
  var problem: LayoutProblem { LayoutProblem(self) }
}

extension LayoutWork.Stop: ProblemConvertible {
  var problem: LayoutProblem { LayoutProblem(self) }
}
