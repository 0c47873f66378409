// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutProtocol
internal import LayoutSession

extension SessionCore {
  // MARK: - Following commits

  /// Takes over what was committed since.
  func followCollection() throws {
    guard let collection, !collection.isDeleted else { return }
    let version = reading { $0.dataVersion }
    guard share != nil || collection.dataVersion != version else { return }
    let oldest: ContinuousClock.Instant?
    if let share {
      let done = try independentSession.catchUp(with: share)
      take(done.messages)
      oldest = done.oldest
    } else {
      stepAhead()
      isQueryNew = true
      let done = try sessionInPlace.catchUp(with: collection)
      // A session that has missed too much starts over, and so will the others in its state.
      if done.isReset {
        leaving?.giveUpNext()
        leaveForGood()
      }
      oldest = done.oldest
    }
    if unshown == nil, let oldest { unshown = (oldest, version &+ 1) }
  }

  /// Until when what was committed is left alone, by the session's clock; nil = it may be taken
  /// over now.
  func followingDelay(at now: Duration) -> Duration? {
    if let end = alikeDelay(at: now) { return end }
    guard let lastFollowing, let collection else { return nil }
    let end = lastFollowing + reading { $0.followingPause }
    guard end > now else { return nil }
    // A session that misses too many starts over, and what is held is put back.
    let (version, shared) = reading { ($0.dataVersion, $0.sharedVersion) }
    let newest = (collection.dataVersion, share?.group.version ?? 0)
    let missed = max(newest.0 - min(newest.0, version), newest.1 - min(newest.1, shared))
    return missed > Self.mostMissedCommits ? nil : end
  }

  /// How many commits a session may leave alone.
  private static let mostMissedCommits: UInt64 = 64

  /// The turn in which what was committed is to be taken over; nil = it may be taken over now.
  func turnToFollow(in turn: SessionTurn?) -> SessionTurn.Kind? {
    if share?.group.takesLong ?? false {
      if case .uninterrupted = turn { return nil }
      return .uninterrupted
    }
    guard takesLongToFollow else { return nil }
    // What is held follows in one piece, for which computations would have to wait.
    guard reading({ $0.holdsMuch }) else { return turn == nil ? .building : nil }
    if case .uninterrupted = turn { return nil }
    return .uninterrupted
  }

  /// Whether taking over what was committed is for the session's turn: a commit is news to all
  /// viewers at once.
  var takesLongToFollow: Bool {
    guard reading({ $0.takesLongToFollow }), let collection, !collection.isDeleted else {
      return false
    }
    let (version, shared) = reading { ($0.dataVersion, $0.sharedVersion) }
    return collection.dataVersion != version || share.map { $0.group.version != shared } ?? false
  }
}
