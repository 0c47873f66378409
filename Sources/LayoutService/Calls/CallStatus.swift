// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutProtocol
internal import NIOCore

/// How metrics and traces describe the end of a call.
enum CallStatus {
  /// gRPC's name of the status that an error becomes: "DEADLINE_EXCEEDED".
  static func name(of error: any Error) -> String {
    let code: RPCError.Code =
      switch error {
      case let error as RPCError: error.code
      case let error as any RPCErrorConvertible: error.rpcErrorCode
      case is CancellationError: .cancelled
      // What a write gets whose connection is gone before the call is told so.
      case is ChannelError, is IOError: .cancelled
      default: .unknown
      }
    // gRPC's name of this code is shorter than Swift's.
    return code == .internalError ? "INTERNAL" : code.description.snakeCased
  }

  /// Whether a status is the server's fault and not the client's, by OpenTelemetry's conventions.
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

  /// The problem that the client is told; nil = the error has none.
  static func problem(of error: any Error) -> LayoutProblem? {
    switch error {
    case let problem as LayoutProblem: problem
    case let error as any ProblemConvertible: error.problem
    // An outer interceptor only sees the status: read the problem from its details.
    case let error as RPCError: LayoutProblem(error)
    default: nil
    }
  }
}

extension String {
  /// "deadlineExceeded" becomes "DEADLINE_EXCEEDED".
  fileprivate var snakeCased: String {
    reduce(into: "") { name, character in
      if character.isUppercase { name += "_" }
      name += character.uppercased()
    }
  }
}
