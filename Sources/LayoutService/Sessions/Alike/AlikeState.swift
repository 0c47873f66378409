// SPDX-License-Identifier: Apache-2.0

internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import ResourceAccounting
internal import Synchronization

/// A state that several sessions share: they were opened alike, at whatever time, and have only
/// followed their collection since, as on walls and dashboards. The first session that builds the
/// next frame builds it for all. Only the numbers of the frames differ.
final class AlikeState: AlarmTarget {
  /// A frame as it is sent.
  struct Frame: Sendable {
    /// Its number in the session that made it.
    var sequence: UInt64
    var isKeyframe: Bool
    var dataVersion: UInt64
    /// The number of new and changed elements.
    var elementCount: Int
    var responses: [EncodedResponse]
    /// When the oldest commit that the frame shows was made; nil = it shows no new one.
    var oldestCommit: ContinuousClock.Instant?

    /// The frame as it is sent to a session in which it has another number.
    ///
    /// - Returns: nil = that cannot be made of it.
    func numbered(_ number: UInt64) -> Frame? {
      // Sessions that were opened together have the same numbers.
      if number == sequence { return self }
      var frame = self
      frame.sequence = number
      frame.responses = []
      frame.responses.reserveCapacity(responses.count)
      for part in responses {
        guard let part = part.renumbered(number, base: isKeyframe ? 0 : number - 1) else {
          return nil
        }
        frame.responses.append(part)
      }
      return frame
    }

    fileprivate func isSame(as other: Frame) -> Bool {
      guard dataVersion == other.dataVersion, isKeyframe == other.isKeyframe,
        responses.count == other.responses.count, let other = other.numbered(sequence)
      else { return false }
      return zip(responses, other.responses).allSatisfy { $0.bytes == $1.bytes }
    }
  }

  /// The frame that brings a new session to this state.
  private enum FirstFrame {
    case notMade
    case made(Frame)
    /// There is none, or no room for it.
    case missing
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
  /// The same state as others have reached by other frames, which the session that is sent this
  /// frame joins; nil = nobody has.
  let twin: AlikeState?
  /// The layout that is shown, charged to the same account as the state.
  let layout: LayoutLease
  private let charge: Lease
  /// The bytes without those of `firstFrame`.
  private let stateBytes: Int
  private let firstFrame = Mutex(FirstFrame.notMade)
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
    twin: AlikeState? = nil,
    layout: LayoutLease,
    account: Account,
    clock: SessionClock
  ) throws(LimitExceeded) {
    let bytes = frame.responses.reduce(Self.fixedBytes + common.byteCount) { $0 + $1.bytes.count }
    guard bytes <= Self.mostBytes else { return nil }
    self.common = common
    self.encoder = encoder
    self.frame = frame
    self.twin = twin
    self.layout = try layout.copy(for: account)
    charge = try account.charge(bytes)
    stateBytes = bytes
    self.clock = clock
  }

  /// The largest state that is shared. The account charged for it may outlive its own sessions in
  /// the state.
  static let mostBytes = 256 << 10
  private static let fixedBytes = MemoryLayout<ViewportSession>.size + 512

  /// The frame that brings a session to this state which was opened like those in it and has built
  /// no frame. It is made once for all of them.
  ///
  /// - Returns: nil = there is none.
  func firstFrame(from scratch: ScratchPool) -> Frame? {
    switch firstFrame.withLock({ $0 }) {
    case .made(let frame): return frame
    case .missing: return nil
    case .notMade: break
    }
    let made = makeFirstFrame(from: scratch)
    return firstFrame.withLock { first in
      // Another session may have made it at the same time.
      if case .made(let frame) = first { return frame }
      first = made.map { .made($0) } ?? .missing
      return made
    }
  }

  private func makeFirstFrame(from scratch: ScratchPool) -> Frame? {
    if frame.isKeyframe, frame.sequence == 1 { return frame }
    return scratch.withScratch { scratch -> Frame? in
      guard let keyframe = common.keyframe(scratch: &scratch) else { return nil }
      defer { scratch.takeBack(keyframe) }
      var encoder = encoder
      guard let responses = try? encoder.encode(keyframe),
        encoder.hasTold(asMuchAs: self.encoder)
      else { return nil }
      let bytes = responses.reduce(stateBytes) { $0 + $1.bytes.count }
      guard bytes <= Self.mostBytes, (try? charge.adjust(to: bytes)) != nil else { return nil }
      return Frame(
        sequence: keyframe.sequence,
        isKeyframe: true,
        dataVersion: keyframe.dataVersion,
        elementCount: keyframe.upserts.count,
        responses: responses,
        oldestCommit: nil
      )
    }
  }

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
    hasTurn: Bool,
    wake: @escaping FrameClaim.Wake
  ) -> FrameClaim.Answer {
    let answer = neighbours.withLock {
      $0.claim.ask(for: session, at: now, hasTurn: hasTurn, wake: wake)
    }
    if case .waits(let alarm?) = answer { clock.arm(alarm, for: self) }
    return answer
  }

  /// Wakes one of those who have waited for the next frame for too long.
  func ring(_ deadline: ContinuousClock.Instant) {
    let now = clock.now
    let (wake, alarm) = neighbours.withLock { $0.claim.ring(deadline, now: now) }
    wake?()
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
