// SPDX-License-Identifier: Apache-2.0

package import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import LayoutProtocol

extension LayoutClient {
  /// Waits until the server answers something, whatever it is.
  ///
  /// A peer that accepts connections and is silent, such as a server that is stopped or does not speak
  /// HTTP/2, would otherwise keep a call without a deadline waiting for ever.
  ///
  /// - Throws: `RPCError` with UNAVAILABLE if there is no answer within `limit`. Other errors are left to
  ///   the calls that follow.
  package func waitForAnswer(within limit: Duration) async throws(RPCError) {
    var options = CallOptions.defaults
    options.timeout = limit
    do {
      // This call needs no rights.
      _ = try await Grpc_Health_V1_Health.Client(wrapping: grpc).check(.init(), options: options)
    } catch let error as RPCError where error.code == .deadlineExceeded {
      throw RPCError(
        code: .unavailable,
        message:
          "Nothing answered within \(limit.components.seconds) s. Check that a layout server "
          + "runs at this address, and that it is not stopped."
      )
    } catch {}
  }
}
