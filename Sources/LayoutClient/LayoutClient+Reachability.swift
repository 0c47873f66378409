// SPDX-License-Identifier: Apache-2.0

package import GRPCCore
internal import GRPCNIOTransportHTTP2Posix
internal import LayoutProtocol

extension LayoutClient {
  /// Waits until a server sends any answer. The calls that follow go to the first server that
  /// answers.
  ///
  /// A peer that accepts connections and stays silent, such as a server that is stopped or does not
  /// speak HTTP/2, would otherwise keep a call without a deadline waiting forever.
  ///
  /// - Throws: `RPCError` with UNAVAILABLE if no server answers within `limit`. Other errors are
  ///   left to the calls that follow.
  package func waitForAnswer(within limit: Duration) async throws(RPCError) {
    var options = CallOptions.defaults
    options.timeout = limit
    for others in (0 ..< connections.addressCount).reversed() {
      let generation = connections.current.generation
      do {
        // This call needs no rights.
        _ = try await Grpc_Health_V1_Health.Client(wrapping: grpc).check(.init(), options: options)
        return
      } catch let error as RPCError where error.code == .deadlineExceeded && others == 0 {
        throw RPCError(
          code: .unavailable,
          message:
            "Nothing answered within \(limit.components.seconds) s. Check that a layout server "
            + "runs at this address, and that it is not stopped."
        )
      } catch let error as RPCError where Self.silent.contains(error.code) && others > 0 {
        do { _ = try connections.connection(after: generation) } catch { return }
      } catch { return }
    }
  }

  /// The codes of a server that does not answer.
  private static let silent: Set<RPCError.Code> = [.unavailable, .deadlineExceeded]
}
