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
  /// - Returns: nil = something else is to be done, or this session makes the next frame.
  func workInCommon(at instant: ContinuousClock.Instant) throws -> SessionWork? {
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
    var rest = nextToken
    if !mail.marks.isEmpty {
      mail.marks = .collectionChanged
      try followAlike(at: now)
      guard let wait = waitForOthers(at: instant) else { return nil }
      rest = min(rest, wait)
    }
    guard case .common(let state) = form else { return nil }
    do throws(LimitExceeded) {
      try charges.follow(state.common, and: answers.byteCount)
    } catch { throw LayoutProblem(error) }
    sendHeartbeat(at: instant, now)
    isToldRate = false
    try checkHealth(at: now)
    let deadline = state.common.nextDeadline(link, after: now)
    rest = min(rest, start + max(deadline, now + .milliseconds(1)))
    commonRest = rest
    return responses.isEmpty ? .rest(until: rest) : write(restingUntil: rest)
  }

  /// Whether the session leaves what was committed to others, and until when at the latest.
  ///
  /// - Returns: nil = it takes it over now. If it has all of it, that leaves no mark.
  private func waitForOthers(at instant: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    guard case .common(let state) = form, let collection, !collection.isDeleted else { return nil }
    let version = collection.dataVersion
    guard version != state.common.dataVersion else {
      mail.marks = []
      return nextToken
    }
    if isAwaited { return nil }
    let now = start.duration(to: instant)
    if let end = alikeDelay(at: now) { return start + end }
    guard let wake, state.common.canFollow(link, at: now) else { return nil }
    return state.claimNext(for: ObjectIdentifier(self), at: instant, otherwise: wake)
  }
}
