// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import ResourceAccounting
internal import SwiftProtobuf
internal import Synchronization

/// A state that several sessions share: they were opened alike and have only followed their
/// collection since, as on walls and dashboards. The first session that builds the next frame
/// builds it for all.
final class AlikeState: AlarmTarget {
  /// A frame as it is sent.
  struct Frame: Sendable {
    var sequence: UInt64
    var isKeyframe: Bool
    var dataVersion: UInt64
    /// The number of new and changed elements.
    var elementCount: Int
    var responses: [EncodedResponse]
    /// When the oldest commit that the frame shows was made; nil = it shows no new one.
    var oldestCommit: ContinuousClock.Instant?

    fileprivate func isSame(as other: Frame) -> Bool {
      dataVersion == other.dataVersion && responses.count == other.responses.count
        && zip(responses, other.responses).allSatisfy { $0.bytes == $1.bytes }
    }
  }

  private struct Neighbours {
    /// The state after the next frame.
    var next: AlikeState?
    weak var previous: AlikeState?
    /// Who makes the next frame.
    var claim = FrameClaim()
  }

  /// How many states a session follows one by one. A session that is further behind builds one
  /// frame of all that it has missed, which it shares with those equally far behind.
  static let mostSteps: UInt64 = 2

  /// What the sessions in this state have in common.
  let common: CommonState
  let encoder: FrameEncoder
  /// The frame that led to this state.
  let frame: Frame
  /// The layout that is shown, charged to the same account as the state.
  let layout: LayoutLease
  private let charge: Lease
  private let clock: SessionClock
  private let neighbours = Mutex(Neighbours())

  /// The state of a session after a frame; nil = it is so large that each session keeps its own and
  /// is charged for it.
  ///
  /// - Parameter account: charged for the state as long as a session is in it.
  /// - Throws: if the account has no room.
  init?(
    _ common: CommonState,
    _ encoder: FrameEncoder,
    frame: Frame,
    layout: LayoutLease,
    account: Account,
    clock: SessionClock
  ) throws(LimitExceeded) {
    let bytes = frame.responses.reduce(Self.fixedBytes + common.byteCount) { $0 + $1.bytes.count }
    guard bytes <= Self.mostBytes else { return nil }
    self.common = common
    self.encoder = encoder
    self.frame = frame
    self.layout = try layout.copy(for: account)
    charge = try account.charge(bytes)
    self.clock = clock
  }

  /// The largest state that is shared. The account charged for it may outlive its own sessions in
  /// the state.
  static let mostBytes = 256 << 10
  private static let fixedBytes = MemoryLayout<ViewportSession>.size + 512

  /// The state after the next frame, if that frame brings a session to a data version or near it;
  /// nil = there is no such frame.
  func next(towards version: UInt64) -> AlikeState? {
    guard let next = neighbours.withLock({ $0.next }) else { return nil }
    let reached = next.frame.dataVersion
    return version <= reached || version - reached < Self.mostSteps ? next : nil
  }

  /// Notes the state after a frame that was made in this state.
  ///
  /// - Returns: the state for the session that made the frame: `state`, or the equal one that
  ///   another session noted first; nil = the one noted first differs.
  func noteNext(_ state: AlikeState) -> AlikeState? {
    var dropped: AlikeState?
    // After the frame can be found.
    defer {
      withExtendedLifetime(dropped) {}
      tell { $0.made() }
    }
    let (noted, isNew) = neighbours.withLock { neighbours -> (AlikeState?, Bool) in
      guard let known = neighbours.next, known.frame.dataVersion >= state.frame.dataVersion else {
        dropped = neighbours.next
        neighbours.next = state
        return (state, true)
      }
      // Equal frames made in the same state lead to the same state.
      return (known.frame.isSame(as: state.frame) ? known : nil, false)
    }
    if isNew {
      state.neighbours.withLock { $0.previous = self }
      letGo(behind: Self.mostSteps)
    }
    return noted
  }

  /// Asks who makes the next frame: see `FrameClaim.ask`.
  func askForNext(
    for session: ObjectIdentifier,
    at now: ContinuousClock.Instant,
    wake: @escaping FrameClaim.Wake
  ) -> FrameClaim.Answer {
    let answer = neighbours.withLock { $0.claim.ask(for: session, at: now, wake: wake) }
    if case .waits(let alarm?) = answer { clock.arm(alarm, for: self) }
    return answer
  }

  /// Wakes those who have waited for the next frame for too long.
  func ring(_ deadline: ContinuousClock.Instant) {
    let now = clock.now
    let (wakes, alarm) = neighbours.withLock { $0.claim.ring(deadline, now: now) }
    for wake in wakes { wake() }
    if let alarm { clock.arm(alarm, for: self) }
  }

  /// Notes that a session which was to make the next frame will not.
  func leaveNext(_ session: ObjectIdentifier) { tell { $0.leave(session) } }

  /// Notes that the next frame is of no use to others.
  func giveUpNext() { tell { $0.giveUp() } }

  private func tell(_ change: (inout FrameClaim) -> [FrameClaim.Wake]) {
    for wake in neighbours.withLock({ change(&$0.claim) }) { wake() }
  }

  /// Releases the successor of the state `steps` back. Sessions still in that state have missed too
  /// much to follow step by step.
  private func letGo(behind steps: UInt64) {
    var (state, next) = (self, self)
    for _ in 0 ..< steps {
      guard let previous = state.neighbours.withLock({ $0.previous }) else { return }
      (state, next) = (previous, state)
    }
    // Only `next` and the sessions in that state still refer to it.
    state.neighbours.withLock { if $0.next === next { $0.next = nil } }
  }
}

/// A digest of what a session was opened with, which finds sessions opened alike.
struct AlikeOpening: Hashable, Sendable {
  private let digest: SHA256Digest

  /// - Parameters:
  ///   - collection: `LiveCollection.contentsIdentity`.
  ///   - layout: the number of the stored layout; nil = the layout is in the request.
  /// - Returns: nil = the request cannot be encoded.
  init?(
    _ message: Wire.OpenSession,
    eventSequence: UInt64,
    collection: UInt64,
    layout: UInt64?
  ) {
    guard let bytes: [UInt8] = try? message.serializedBytes() else { return nil }
    var hash = SHA256()
    hash.update(data: Array("\(eventSequence) \(collection) \(layout ?? 0) ".utf8))
    hash.update(data: bytes)
    digest = hash.finalize()
  }
}

/// Finds the states of sessions that have made their first frame, for sessions that are opened
/// alike.
final class AlikeSessions: Sendable {
  /// What the first frame of a session depends on.
  struct Key: Hashable {
    var opening: AlikeOpening
    /// `ViewportSession.finishedLayout`
    var layout: UInt64
    var dataVersion: UInt64
  }

  enum Finding {
    /// Another session is in that state already.
    case state(AlikeState)
    /// Another session was opened alike before. From this one on, they share a state.
    case second
    /// No session was opened alike, as far as is remembered.
    case first
  }

  private struct Entry {
    weak var state: AlikeState?
  }

  /// Openings that are remembered, half a megabyte in all, which is in no account. Those of long
  /// ago are forgotten together.
  private static let most = 4096

  private let entries = Mutex<[Key: Entry]>([:])

  /// Looks for sessions that were opened alike, and remembers this opening.
  func find(_ key: Key) -> Finding {
    entries.withLock { entries in
      if let entry = entries[key] { return entry.state.map { .state($0) } ?? .second }
      if entries.count >= Self.most {
        entries = entries.filter { $0.value.state != nil }
        if entries.count >= Self.most { entries = [:] }
      }
      entries[key] = Entry()
      return .first
    }
  }

  /// Notes the state of sessions that were opened alike.
  func note(_ state: AlikeState, of key: Key) {
    entries.withLock { $0[key] = Entry(state: state) }
  }
}
