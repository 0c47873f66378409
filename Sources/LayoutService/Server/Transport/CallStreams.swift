// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import NIOHPACK
internal import Synchronization

/// Where the streams of calls and the handlers of these calls meet, whichever comes first.
///
/// The gRPC library hands a call's cancellation handle to the stream once the call's task runs. If
/// the stream is gone by then, because the client has reset it, or the deadline has passed on a
/// busy server, the library begins the call nevertheless, and nothing would ever cancel it. So each
/// stream has a number, which goes to the call's handler as a header. The handler of a layout
/// stream also gets its lane here.
final class CallStreams: Sendable {
  /// The header with which a stream tells the handler its number.
  static let header = "layout-call-number"

  private struct Stream {
    /// Sessions can send and receive here without the library; nil = this is another call.
    let lane: StreamLane?
    /// nil = the handler has not begun.
    var handle: ServerContext.RPCCancellationHandle?
  }

  /// Streams that have not ended.
  private let open = Mutex<[UInt64: Stream]>([:])

  /// Numbers a stream that begins, and tells its handler the number.
  ///
  /// The number is random: clients of other transports can send the header themselves, and must not
  /// meet a stream that is not theirs.
  ///
  /// - Parameters:
  ///   - headers: the client's; a number among them is not the client's to say.
  ///   - lane: nil = this is no layout stream.
  func begin(_ headers: inout HPACKHeaders, lane: StreamLane? = nil) -> UInt64 {
    var number: UInt64
    var isFree: Bool
    repeat {
      // Outside of the lock: the system makes random numbers.
      number = UInt64.random(in: .min ... .max)
      isFree = open.withLock { [number] open in
        guard open[number] == nil else { return false }
        open[number] = Stream(lane: lane)
        return true
      }
    } while !isFree
    // Removing copies the headers, even if there is nothing to remove.
    if headers.contains(name: Self.header) { headers.remove(name: Self.header) }
    headers.add(name: Self.header, value: String(number))
    return number
  }

  /// Notes that a stream has ended.
  ///
  /// - Parameter isComplete: whether it has its whole answer. Otherwise its call is cancelled.
  func end(_ number: UInt64, isComplete: Bool) {
    let handle = open.withLock { $0.removeValue(forKey: number) }?.handle
    if !isComplete { handle?.cancel() }
  }

  /// Notes the handle of a call that begins, and cancels it if the stream has ended.
  ///
  /// - Parameter metadata: of the call; without a number, as of a WebSocket or in the same process,
  ///   the call is left to its transport.
  /// - Returns: the lane of its stream; nil = there is none.
  @discardableResult
  func attach(
    _ handle: ServerContext.RPCCancellationHandle,
    of metadata: Metadata
  ) -> StreamLane? {
    guard let text = metadata[stringValues: Self.header].first(where: { _ in true }),
      let number = UInt64(text)
    else { return nil }
    let (isOpen, lane) = open.withLock { open -> (Bool, StreamLane?) in
      guard let stream = open[number] else { return (false, nil) }
      // Each stream has one handler.
      guard stream.handle == nil else { return (true, nil) }
      open[number]?.handle = handle
      return (true, stream.lane)
    }
    if !isOpen { handle.cancel() }
    return lane
  }

  /// The number of streams that have not ended, for tests.
  var openCount: Int { open.withLock(\.count) }
}
