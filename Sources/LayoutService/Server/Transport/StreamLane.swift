// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import NIOCore
internal import Synchronization

/// A session that takes scroll steps from its lane.
protocol LaneSession: AnyObject, Sendable {
  /// Takes a request on the stream's event loop, as if it had read it.
  ///
  /// - Returns: whether there is room for the next; otherwise that waits in the call.
  func receive(_ step: ScrollStep) -> Bool
}

/// The short way between a layout stream and its session, past the gRPC library.
///
/// In the library a message changes tasks and threads several times, which takes longer than most
/// frames do. Scroll steps, acknowledgements and responses take this way whenever nothing of the
/// same direction is still on the long one, so their order stays. All else takes the long one:
/// headers, large and rare requests, the end, and responses that have to wait for the client.
final class StreamLane: @unchecked Sendable {
  // Unchecked: what is not atomic and not locked is used on the event loop alone, which is checked.

  /// Bytes before each message of a call (gRPC's "Length-Prefixed-Message").
  private static let prefixBytes = 5

  private let loop: LaneLoop
  /// nil = the stream has ended.
  private var stream: StreamGuard?
  /// Whether the next request takes the long way, because the session has no room.
  private(set) var isFull = false
  /// Bytes of responses that the session has given to the library.
  private let given = Atomic(0)
  /// Bytes of responses that the library has written to the stream.
  private let written = Atomic(0)
  /// Responses of the session that wait for the event loop.
  private let waiting = Atomic(0)
  private let isWritable = Atomic(true)
  /// Requests that the session has taken from the library.
  private let taken = Atomic(0)
  /// nil = it has not begun, or has ended.
  private let session = Mutex<(any LaneSession)?>(nil)

  init(_ stream: StreamGuard, on loop: LaneLoop) {
    self.stream = stream
    self.loop = loop
  }

  // MARK: - The session's side

  /// Lets a session take requests, until `leave()`.
  func join(_ session: any LaneSession) { self.session.withLock { $0 = session } }

  func leave() {
    // Released after the lock.
    var old: (any LaneSession)?
    session.withLock { swap(&old, &$0) }
  }

  /// Notes that the session is done with a request that came from the library.
  func noteTaken() { taken.add(1, ordering: .releasing) }

  /// Notes that the session gives responses to the library.
  func noteGiven(_ responses: [EncodedResponse]) {
    given.add(Self.byteCount(of: responses), ordering: .relaxed)
  }

  /// Writes responses, in order with all others. Called by one thread at a time.
  ///
  /// - Returns: false = they have to be given to the library, where they wait until the client
  ///   has taken earlier ones.
  func write(_ responses: [EncodedResponse]) -> Bool {
    // The library writes the headers before the first response.
    let bytes = written.load(ordering: .acquiring)
    guard bytes > 0, given.load(ordering: .relaxed) == bytes else { return false }
    // Whatever the client has acknowledged: that is its word, and it may have read nothing.
    guard isWritable.load(ordering: .relaxed), waiting.load(ordering: .relaxed) == 0 else {
      return false
    }
    guard !responses.isEmpty else { return true }
    var messages = ByteBufferAllocator().buffer(capacity: Self.byteCount(of: responses))
    for response in responses {
      // Messages are far below 4 GB, and their limit is checked before.
      messages.writeInteger(UInt8(0))
      messages.writeInteger(UInt32(truncatingIfNeeded: response.bytes.count))
      messages.writeBytes(response.bytes)
    }
    if loop.isCurrent {
      stream?.write(messages)
    } else {
      waiting.add(1, ordering: .relaxed)
      loop.add(messages, for: self)
    }
    return true
  }

  private static func byteCount(of responses: [EncodedResponse]) -> Int {
    responses.reduce(0) { $0 + prefixBytes + $1.bytes.count }
  }

  // MARK: - The stream's side, on its event loop

  /// Notes what the library has written.
  func noteWritten(_ bytes: Int) { written.add(bytes, ordering: .releasing) }

  func noteWritable(_ isWritable: Bool) { self.isWritable.store(isWritable, ordering: .relaxed) }

  func noteEnd() {
    loop.check()
    stream = nil
  }

  /// Writes what waited.
  func write(_ messages: ByteBuffer) {
    loop.check()
    stream?.write(messages)
    waiting.subtract(1, ordering: .relaxed)
  }

  /// Hands a request to the session.
  ///
  /// - Parameters:
  ///   - message: one whole message, with its prefix.
  ///   - before: the number of requests that the library was given.
  /// - Returns: false = it has to take the long way.
  func take(_ message: ByteBuffer, after before: Int) -> Bool {
    loop.check()
    guard before > 0, taken.load(ordering: .acquiring) == before, !isFull, loop.hasTime else {
      isFull = false
      return false
    }
    // Safe: the step has copies of the bytes, no views.
    let step = unsafe message.withUnsafeReadableBytes { bytes in
      unsafe ScrollStep(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(Self.prefixBytes)).bytes)
    }
    guard let step, let session = session.withLock({ $0 }) else { return false }
    loop.spend { isFull = !session.receive(step) }
    return true
  }
}
