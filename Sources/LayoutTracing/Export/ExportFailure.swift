// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import GRPCProtobuf

/// A request that a collector did not accept.
struct ExportFailure: Error, CustomStringConvertible {
  var description: String
  /// Whether it may be sent again.
  var isTransient: Bool
  /// How long the collector asks to wait before that; nil = it does not say.
  var delay: Duration?

  init(_ error: any Error) {
    description = "\(error)"
    guard let error = error as? RPCError else {
      isTransient = false
      return
    }
    description = "\(error.code): \(error.message)"
    // A malformed status counts as none.
    let status = try? error.unpackGoogleRPCStatus()
    delay = status?.details.lazy.compactMap { $0.retryInfo?.delay }.first
    switch error.code {
    case .cancelled, .deadlineExceeded, .aborted, .outOfRange, .unavailable, .dataLoss:
      isTransient = true
    case .resourceExhausted:
      // Without a delay, the request is too large.
      isTransient = delay != nil
    default: isTransient = false
    }
  }
}
