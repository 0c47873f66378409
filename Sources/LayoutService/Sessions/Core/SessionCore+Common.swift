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
    guard let alike, counts.responses > 0, messages.isEmpty, mail.requestsEnd == nil,
      mail.marks.isSubset(of: [.collectionChanged, .versionAwaited]),
      mail.inputs.allSatisfy({ $0.event == nil })
    else { return nil }
    join(alike)
    let now = start.duration(to: instant)
    while let input = mail.inputs.popFirst() { try acknowledge(input.ack, at: instant) }
    // Most sessions rest most of the time, and then keep no room.
    mail.inputs = []
    // An acknowledgement brings nothing forward.
    if mail.marks.isEmpty, responses.isEmpty, !isToldSlow, let commonRest, instant < commonRest {
      return .rest(until: commonRest)
    }
    var waitsUntil: ContinuousClock.Instant?
    if !mail.marks.isEmpty {
      mail.marks = .collectionChanged
      try followAlike(at: now)
      switch following(at: instant, hasTurn: turn != nil) {
      case .done: mail.marks = []
      case .waits(let end): waitsUntil = end
      case .byItself: return nil
      }
    }
    guard case .common(let state) = form else { return nil }
    do throws(LimitExceeded) {
      try charges.follow(state.common, and: answers.byteCount)
    } catch { throw LayoutProblem(error) }
    sendHeartbeat(at: instant, now)
    isToldRate = false
    try checkHealth(at: now)
    let deadline = max(state.common.nextDeadline(link, after: now), now + .milliseconds(1))
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

  private func following(at instant: ContinuousClock.Instant, hasTurn: Bool) -> Following {
    guard case .common(let state) = form, let collection, !collection.isDeleted else {
      return .byItself
    }
    if collection.dataVersion == state.common.dataVersion { return .done }
    if isAwaited { return .byItself }
    let now = start.duration(to: instant)
    if let end = alikeDelay(at: now) { return .waits(until: start + end) }
    // A session that cannot take the frames of others does not make frames for them either.
    guard let wake, canFollowAlike(at: now) else { return .byItself }
    let id = ObjectIdentifier(self)
    switch state.askForNext(for: id, at: instant, hasTurn: hasTurn, wake: wake) {
    case .makes, .alone: return .byItself
    case .waits: return .waits(until: nil)
    }
  }
}
