// SPDX-License-Identifier: Apache-2.0

internal import NIOCore
internal import NIOHTTP2

/// The frames of one call that wait to be handed on, DATA with many messages in small pieces.
///
/// One frame can hold three thousand empty messages, and one window two hundred thousand. Handed on
/// at once, they would delay all other connections of the event loop.
struct HeldFrames {
  /// DATA with at most this many messages is handed on as it is. A piece of other DATA has about as
  /// many.
  static let fewMessages = 64
  /// The most bytes of a piece that is put together from several frames.
  private static let joinedBytes = 4096
  /// The fewest bytes of a piece.
  private static let leastBytes = 256

  /// What a piece takes in memory besides its bytes, in bytes: a piece may be a single byte.
  static let overhead = 128

  /// A frame or a piece of one, and its cost in frames of the connection.
  struct Piece {
    fileprivate(set) var payload: HTTP2Frame.FramePayload
    fileprivate(set) var units: Int
    /// About how many messages end in it.
    fileprivate var messages = 0

    fileprivate var byteCount: Int {
      guard case .data(let part) = payload else { return HeldFrames.overhead }
      return HeldFrames.overhead + part.data.readableBytes
    }

    /// Adds DATA if the piece stays small.
    ///
    /// - Returns: whether it did.
    fileprivate mutating func join(_ next: Piece) -> Bool {
      guard case .data(let part) = payload, case .byteBuffer(var bytes) = part.data,
        case .data(let nextPart) = next.payload, case .byteBuffer(let more) = nextPart.data,
        !part.endStream, messages + next.messages <= HeldFrames.fewMessages,
        bytes.readableBytes + more.readableBytes <= HeldFrames.joinedBytes
      else { return false }
      payload = .data(.init(data: .byteBuffer(ByteBuffer())))
      bytes.writeImmutableBuffer(more)
      payload = .data(.init(data: .byteBuffer(bytes), endStream: nextPart.endStream))
      units += next.units
      messages += next.messages
      return true
    }
  }

  private var pieces = CircularBuffer<Piece>()
  /// What the waiting frames take, in bytes.
  private(set) var byteCount = 0

  var isEmpty: Bool { pieces.isEmpty }

  mutating func append(_ payload: HTTP2Frame.FramePayload) {
    append(Piece(payload: payload, units: 0))
  }

  private mutating func append(_ piece: Piece) {
    if let last = pieces.indices.last {
      let before = pieces[last].byteCount
      if pieces[last].join(piece) {
        byteCount += pieces[last].byteCount - before
        return
      }
    }
    pieces.append(piece)
    byteCount += piece.byteCount
  }

  /// Appends DATA in pieces of about `fewMessages` messages. O(pieces).
  ///
  /// - Parameters:
  ///   - bytes: the DATA.
  ///   - isLast: whether it ends the client's side of the call.
  ///   - messages: how many messages end in it.
  ///   - units: its cost, which its pieces share.
  mutating func append(_ bytes: ByteBuffer, isLast: Bool, messages: Int, units: Int) {
    var rest = bytes
    let share = bytes.readableBytes * Self.fewMessages / max(1, messages)
    let length = max(Self.leastBytes, share)
    var (unitsLeft, messagesLeft, bytesLeft) = (units, messages, bytes.readableBytes)
    repeat {
      let count = min(length, rest.readableBytes)
      guard let piece = rest.readSlice(length: count) else { return }
      let cost = bytesLeft > 0 ? unitsLeft * count / bytesLeft : unitsLeft
      unitsLeft -= cost
      bytesLeft -= count
      let data = HTTP2Frame.FramePayload.Data(
        data: .byteBuffer(piece),
        endStream: isLast && rest.readableBytes == 0
      )
      let share = bytesLeft > 0 ? messagesLeft * count / (bytesLeft + count) : messagesLeft
      messagesLeft -= share
      append(Piece(payload: .data(data), units: cost, messages: share))
    } while rest.readableBytes > 0
  }

  mutating func next() -> Piece? {
    guard let piece = pieces.popFirst() else { return nil }
    byteCount -= piece.byteCount
    return piece
  }

  mutating func removeAll() {
    pieces = CircularBuffer()
    byteCount = 0
  }
}
