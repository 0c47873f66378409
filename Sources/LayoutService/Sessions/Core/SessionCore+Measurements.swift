// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutProtocol
internal import LayoutSession

/// How a session takes part in shared measurements, behind a reference.
final class SessionMeasurements: Sendable {
  /// What the client measures with.
  let renderer: String
  let access: CallAccess
  let wake: @Sendable () -> Void

  init(renderer: String, access: CallAccess, wake: @escaping @Sendable () -> Void) {
    self.renderer = renderer
    self.access = access
    self.wake = wake
  }
}

extension SessionCore {
  /// Whether beginning to share sizes, or ending it, is for the session's turn: every element that
  /// the client has follows, and what is held is put back and shown again; or others of the
  /// collection change many sizes.
  var takesLongToFollowMeasurements: Bool {
    guard measurements != nil, let collection, !collection.isDeleted else { return false }
    guard reading({ $0.measuringVersion }) != sharedFor else { return false }
    return reading { $0.takesLongToFollow }
      || CollectionMeasurements.of(collection, services: services).takesLong
  }

  /// Begins to share sizes, or to share others, where what they depend on has changed.
  ///
  /// - Returns: whether it did.
  /// - Complexity: O(1) where it has not
  /// - Throws: COLLECTION_NOT_FOUND once the collection is deleted.
  func followMeasurements() throws -> Bool {
    guard let measurements, let collection, !collection.isDeleted else { return false }
    let version = reading { $0.measuringVersion }
    guard version != sharedFor else { return false }
    sharedFor = version
    let key = MeasurementGroupKey(
      renderer: measurements.renderer,
      measured: reading { $0.measurementKey }
    )
    if let share, share.group.key == key { return false }
    guard collection.snapshot.record.sharesMeasurements else { return try endSharing() }
    let joined = MeasurementShare(
      key,
      of: collection,
      access: measurements.access,
      services: services,
      wake: measurements.wake
    )
    guard let joined else { return try endSharing() }
    try begin(joined)
    return true
  }

  /// How often a session tries to catch up with new commits before it is reset.
  private static let attempts = 8

  private func begin(_ joined: MeasurementShare) throws {
    for _ in 0 ..< Self.attempts {
      try followCollection()
      let shared = try current(joined)
      guard let messages = independentSession.share(shared) else { continue }
      take(messages)
      share = joined
      return
    }
    // The collection changes faster than that.
    share = joined
    take(independentSession.sharedReset(to: try current(joined)))
  }

  private func current(_ share: MeasurementShare) throws -> SharedContents {
    do throws(StoreError) { return try share.group.current(of: share.collection) } catch {
      throw LayoutProblem(error)
    }
  }

  private func endSharing() throws -> Bool {
    guard share != nil, let collection else { return false }
    for _ in 0 ..< Self.attempts {
      try followCollection()
      let snapshot = collection.snapshot
      let version = snapshot.record.dataVersion
      guard
        let messages = independentSession.endSharing(contents: snapshot.contents, version: version)
      else { continue }
      take(messages)
      share = nil
      return true
    }
    share = nil
    let snapshot = collection.snapshot
    independentSession.collectionReset(
      contents: snapshot.contents,
      version: snapshot.record.dataVersion
    )
    return true
  }

  /// Whether an offer has to wait for the session's turn, because others change many sizes.
  func mustWaitToOffer(in turn: SessionTurn?) -> Bool {
    if case .uninterrupted = turn { return false }
    return share?.group.takesLong ?? false
  }

  /// Offers sizes to the sessions with which this one shares them.
  func offer(_ offer: SharedOffer) {
    let version = reading { $0.sharedVersion }
    let outcome =
      share?.offer(offer, at: version)
      ?? SharedOutcome(refusing: offer.sizes.keys, .behind)
    take(independentSession.offered(offer, outcome, at: start.duration(to: services.clock.now)))
    // What is committed already is followed in the same step.
    if outcome.version != nil { mail.marks.insert(.collectionChanged) }
  }

  /// What the client is told.
  var sharingState: Wire.MeasurementSharingState {
    guard let collection else { return .inlineContents }
    guard measurements != nil else { return .noRenderer }
    guard let share else {
      return collection.snapshot.record.sharesMeasurements ? .limit : .notShared
    }
    return share.mayContribute ? .contributes : .reads
  }
}

extension ViewportSession {
  /// Takes over what was committed to the collection since, and the sizes that were shared.
  ///
  /// - Returns: the results of reports that waited, and when the oldest batch was committed; nil =
  ///   none was.
  /// - Throws: COLLECTION_NOT_FOUND once the collection is deleted.
  mutating func catchUp(
    with share: MeasurementShare
  ) throws(LayoutProblem) -> (messages: [SessionMessage], oldest: ContinuousClock.Instant?) {
    let catchUp: MeasurementGroup.CatchUp
    let oldest = share.collection.oldestCommit(after: dataVersion)
    do throws(StoreError) {
      catchUp = try share.group.catchUp(from: sharedVersion, with: share.collection)
    } catch { throw LayoutProblem(error) }
    switch catchUp {
    case .reset(let shared): return (sharedReset(to: shared), oldest)
    case .changes(let changes): return (sharedChanged(changes), oldest)
    }
  }
}
