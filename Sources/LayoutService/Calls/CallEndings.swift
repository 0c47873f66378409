// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import NIOHPACK
internal import Synchronization

/// Cancels the work of calls whose streams have ended before the gRPC library watches them.
///
/// The library hands a call's cancellation handle to the stream once the call's task runs. If the
/// stream is gone by then, because the client has reset it, or the deadline has passed on a busy
/// server, the library begins the call nevertheless, and nothing would ever cancel it. So each
/// stream has a number, which goes to the call's handler as a header, and the stream and the
/// handler meet here, whichever is first.
final class CallEndings: Sendable {
  /// The header with which a stream tells the handler its number.
  static let header = "layout-call-number"

  private struct State {
    var lastNumber: UInt64 = 0
    /// Streams that have not ended, with the handles of those whose handlers have begun.
    var open: [UInt64: ServerContext.RPCCancellationHandle?] = [:]
  }

  private let state = Mutex(State())

  /// Numbers a stream that begins, and tells its handler the number.
  ///
  /// - Parameter headers: the client's; a number among them is not the client's to say.
  func begin(_ headers: inout HPACKHeaders) -> UInt64 {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.open[state.lastNumber] = .some(nil)
      return state.lastNumber
    }
    // Removing copies the headers, even if there is nothing to remove.
    if headers.contains(name: Self.header) { headers.remove(name: Self.header) }
    headers.add(name: Self.header, value: String(number))
    return number
  }

  /// Notes that a stream has ended.
  ///
  /// - Parameter isComplete: whether it has its whole answer. Otherwise its call is cancelled.
  func end(_ number: UInt64, isComplete: Bool) {
    let handle = state.withLock { $0.open.removeValue(forKey: number) } ?? nil
    if !isComplete { handle?.cancel() }
  }

  /// Notes the handle of a call that begins, and cancels it if the stream has ended.
  ///
  /// - Parameter metadata: of the call; without a number, as of a WebSocket or in the same process,
  ///   the call is left to its transport.
  func attach(_ handle: ServerContext.RPCCancellationHandle, of metadata: Metadata) {
    guard let text = metadata[stringValues: Self.header].first(where: { _ in true }),
      let number = UInt64(text)
    else { return }
    let isOpen = state.withLock { state in
      guard state.open[number] != nil else { return false }
      state.open[number] = .some(handle)
      return true
    }
    if !isOpen { handle.cancel() }
  }

  /// The number of streams that have not ended, for tests.
  var openCount: Int { state.withLock { $0.open.count } }
}
