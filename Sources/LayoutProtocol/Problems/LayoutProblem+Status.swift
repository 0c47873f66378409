// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import GRPCCore
public import GRPCProtobuf

/// A problem that a handler throws becomes the status of the call, with `google.rpc` details.
extension LayoutProblem: RPCErrorConvertible {
  /// The domain of every `ErrorInfo`.
  public static let domain = "collection_layout.v1"

  /// The code of the status.
  public var rpcErrorCode: RPCError.Code { code }
  /// The message of the status.
  public var rpcErrorMessage: String { message }
  /// The trailers, which hold the encoded `status`.
  public var rpcErrorMetadata: Metadata { status.rpcErrorMetadata }

  /// The status with its details: `ErrorInfo` if there is a reason or metadata, and those of `BadRequest`,
  /// `QuotaFailure`, `ResourceInfo` and `RetryInfo` that apply.
  public var status: GoogleRPCStatus {
    var details: [ErrorDetails] = []
    if reason != .none || !metadata.isEmpty {
      details.append(
        .errorInfo(reason: reason.rawValue, domain: LayoutProblem.domain, metadata: metadata)
      )
    }
    if !violations.isEmpty {
      details.append(
        .badRequest(
          violations: violations.map { .init(field: $0.field, description: $0.description) }
        )
      )
    }
    if reason.isQuota {
      details.append(
        .quotaFailure(violations: [.init(subject: reason.rawValue, description: message)])
      )
    }
    if let resource {
      details.append(
        .resourceInfo(.init(type: resource.type, name: resource.name, errorDescription: message))
      )
    }
    if let retryDelay { details.append(.retryInfo(delay: retryDelay)) }
    return GoogleRPCStatus(code: code, message: message, details: details)
  }

  /// The problem that the status of a failed call describes.
  ///
  /// Details that cannot be read are left out; code and message still say what happened.
  public init(_ error: RPCError) {
    self.init(code: error.code, reason: .none, message: error.message)
    guard let status = try? error.unpackGoogleRPCStatus() else {
      // The transport's own errors have no details, but may name a cause.
      if let cause = error.cause { message += " (\(cause))" }
      return
    }
    for detail in status.details {
      if let info = detail.errorInfo, info.domain == LayoutProblem.domain {
        reason = Reason(rawValue: info.reason)
        metadata = info.metadata
      } else if let request = detail.badRequest {
        violations = request.violations.map {
          FieldViolation(field: $0.field, description: $0.violationDescription)
        }
      } else if let info = detail.resourceInfo {
        resource = Resource(type: info.type, name: info.name)
      } else if let info = detail.retryInfo {
        retryDelay = info.delay
      }
    }
  }
}
