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
  public var rpcErrorMessage: String { cut.message }
  /// The trailers, which hold the encoded `status`.
  public var rpcErrorMetadata: Metadata { status.rpcErrorMetadata }

  /// The status with its details: `ErrorInfo` if there is a reason or metadata, and those of
  /// `BadRequest`, `QuotaFailure`, `ResourceInfo` and `RetryInfo` that apply.
  public var status: GoogleRPCStatus { cut.wholeStatus }

  private var wholeStatus: GoogleRPCStatus {
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

extension LayoutProblem {
  /// The most bytes of a text, and the most entries of a list or dictionary: problems travel in
  /// HTTP/2 headers, of which clients accept 8 KiB or 16 KiB.
  private static let textBytes = 1024
  private static let detailBytes = 256
  private static let mostDetails = 8

  /// The problem, with its texts cut to what clients accept, and those for people printable: they
  /// often quote what was found.
  var cut: LayoutProblem {
    var problem = self
    problem.message = message.shown(inBytes: Self.textBytes)
    problem.violations = violations.prefix(Self.mostDetails).map {
      FieldViolation(
        field: $0.field.shown(inBytes: Self.detailBytes),
        description: $0.description.shown(inBytes: Self.textBytes)
      )
    }
    if metadata.count > Self.mostDetails
      || metadata.contains(where: { $0.value.utf8.count > Self.detailBytes })
    {
      let kept = metadata.sorted { $0.key < $1.key }.prefix(Self.mostDetails)
      // Two long keys may be the same once they are cut.
      problem.metadata = Dictionary(
        kept.map {
          ($0.key.cut(toBytes: Self.detailBytes), $0.value.cut(toBytes: Self.detailBytes))
        },
        uniquingKeysWith: { first, _ in first }
      )
    }
    if let resource {
      problem.resource = .init(
        type: resource.type.cut(toBytes: Self.detailBytes),
        name: resource.name.cut(toBytes: Self.detailBytes)
      )
    }
    return problem
  }
}
