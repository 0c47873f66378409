// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol

/// What metrics and traces say of the end of a call.
enum CallStatus {
  /// gRPC's name of the status that a call ends with for an error: "DEADLINE_EXCEEDED".
  static func name(of error: any Error) -> String {
    let code: RPCError.Code =
      switch error {
      case let error as RPCError: error.code
      case let error as any RPCErrorConvertible: error.rpcErrorCode
      case is CancellationError: .cancelled
      default: .unknown
      }
    // gRPC's own name of the code is shorter than Swift's.
    return code == .internalError ? "INTERNAL" : code.description.snakeCased
  }

  /// Whether a status tells of a fault of the server rather than of the client's, by OpenTelemetry's
  /// conventions.
  static func isServerFault(_ name: String) -> Bool {
    switch name {
    case "UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS":
      true
    default: false
    }
  }

  /// The reason of a refusal: "QUOTA_MEMORY"; nil = the error has none.
  static func reason(of error: any Error) -> String? {
    problem(of: error).flatMap { $0.reason == .none ? nil : $0.reason.rawValue }
  }

  /// What the client is told; nil = nothing in particular.
  static func problem(of error: any Error) -> LayoutProblem? {
    switch error {
    case let problem as LayoutProblem: problem
    case let error as any ProblemConvertible: error.problem
    // As an interceptor outside of others sees it: the details are read again.
    case let error as RPCError: LayoutProblem(error)
    default: nil
    }
  }
}

extension String {
  /// "deadlineExceeded" is "DEADLINE_EXCEEDED".
  fileprivate var snakeCased: String {
    reduce(into: "") { name, character in
      if character.isUppercase { name += "_" }
      name += character.uppercased()
    }
  }
}
