// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import DequeModule
internal import LayoutProtocol
internal import LayoutSession
internal import ResourceAccounting

extension SessionCore {
  /// Work on a session that is in the same state as others, as long as it can stay so:
  /// acknowledgements, the frames that others have made, heartbeats, and the client's health.
  ///
  /// - Parameter turn: nil = the session has none.
  /// - Returns: nil = something else is to be done, or this session makes the next frame.
  func workInCommon(
    at instant: ContinuousClock.Instant,
    in turn: SessionTurn?
  ) throws -> SessionWork? {
    guard counts.responses > 0, messages.isEmpty, mail.requestsEnd == nil,
      mail.marks.isSubset(of: [.collectionChanged, .versionAwaited]),
      mail.inputs.allSatisfy({ $0.event == nil }), var state = alike
    else { return nil }
    if !form.isCommon { join(state) }
    let now = start.duration(to: instant)
    if !mail.inputs.isEmpty {
      while let input = mail.inputs.popFirst() { try acknowledge(input.ack, at: instant) }
      // Most sessions rest most of the time, and then keep no room.
      mail.inputs = []
      // A frame that the client has not applied takes the session out of the state.
      guard form.isCommon else { return nil }
    }
    // An acknowledgement brings nothing forward.
    if mail.marks.isEmpty, responses.isEmpty, !isToldSlow, let commonRest, instant < commonRest {
      return .rest(until: commonRest)
    }
    var waitsUntil: ContinuousClock.Instant?
    if !mail.marks.isEmpty {
      mail.marks = .collectionChanged
      state = try followAlike(from: state, at: now)
      switch following(in: state, at: instant, hasTurn: turn != nil) {
      case .done: mail.marks = []
      case .waits(let end): waitsUntil = end
      case .byItself: return nil
      }
    }
    do throws(LimitExceeded) {
      try charges.follow(state.common, and: answers.byteCount)
    } catch { throw LayoutProblem(error) }
    let due = state.common.due(&link, at: now, isForced: instant >= nextToken)
    send(due.heartbeat, at: instant)
    isToldRate = false
    try tell(due.health)
    let deadline = max(due.next, now + .milliseconds(1))
    let rest = min(start + deadline, nextToken, waitsUntil ?? nextToken)
    commonRest = rest
    return responses.isEmpty ? .rest(until: rest) : write(restingUntil: rest)
  }

  /// How a session in common form follows what was committed, after the frames of others.
  private enum Following {
    /// It has all.
    case done
    /// It leaves it to others, until then at the latest; nil = until they wake it.
    case waits(until: ContinuousClock.Instant?)
    /// It takes it over now.
    case byItself
  }

  private func following(
    in state: AlikeState,
    at instant: ContinuousClock.Instant,
    hasTurn: Bool
  ) -> Following {
    guard let collection, !collection.isDeleted else { return .byItself }
    let version = state.common.dataVersion
    if collection.dataVersion == version { return .done }
    if live.isAwaited(after: version) { return .byItself }
    let now = start.duration(to: instant)
    if let end = delay(in: state, at: now) { return .waits(until: start + end) }
    // A session that cannot take the frames of others does not make frames for them either.
    guard let wake, canFollow(state, at: now) else { return .byItself }
    let id = ObjectIdentifier(self)
    switch state.askForNext(for: id, at: instant, hasTurn: hasTurn, wake: wake) {
    case .makes, .alone: return .byItself
    case .waits: return .waits(until: nil)
    }
  }
}
