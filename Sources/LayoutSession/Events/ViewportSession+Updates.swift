// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
public import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  // MARK: - The session's own batches

  /// Applies a batch of the client to private contents, or asks the owner of a shared session to
  /// commit it.
  ///
  /// - Throws: why the batch is refused; the contents have not changed then.
  mutating func apply(_ batch: UpdateBatch, seq: UInt64) throws(Refusal) -> [SessionMessage] {
    if isShared {
      unsettled.append(seq)
      return [.commit(eventSequence: seq, batch)]
    }
    if let earlier = requests.batch(of: batch.requestID) {
      if let found = batch.digest, let digest = earlier.digest, found != digest {
        throw .requestIDTaken(batch.requestID, version: earlier.version)
      }
      let version = earlier.version
      return [
        .eventResult(EventResult(eventSequence: seq, dataVersion: version, isDuplicate: true))
      ]
    }
    if let expected = batch.expectedDataVersion, expected != contents.version {
      throw .versionConflict(expected: expected, current: contents.version)
    }
    let change = try contents.whole.applying(batch, limits: contentsLimits)
    // Does not overflow: the owner gave the first version, and each batch adds one.
    let version = contents.version + 1
    follow(change, toVersion: version)
    requests.record(batch, version: version)
    return [.eventResult(EventResult(eventSequence: seq, dataVersion: version))]
  }

  // MARK: - Batches of a shared collection

  /// Follows a batch that was committed to a shared collection, by this session or by anybody else.
  ///
  /// - Parameter change: what the batch did; its `old` contents are those that the session has,
  ///   with all items of outlines.
  /// - Parameter version: the data version that the batch led to.
  /// - Precondition: batches are passed in order and without gaps. Where one is missing, use
  ///   `collectionReset`.
  public mutating func collectionChanged(
    _ change: ContentsChange,
    toVersion version: UInt64
  ) {
    collectionChanged(CollectionOfOne((change: change, version: version)))
  }

  /// Follows several batches of a shared collection, with the same result as passing them one by
  /// one, which takes longer if much is held.
  ///
  /// - Parameter batches: what each batch did, and the version that it led to.
  public mutating func collectionChanged(
    _ batches: some Collection<(change: ContentsChange, version: UInt64)>
  ) {
    eventsSinceFrame += batches.count
    withMovementSuspended(over: batches) { session, batch in
      session.followReleased(batch.change, toVersion: batch.version)
      return batch.change
    }
  }

  /// Replaces the contents by others whose items cannot be matched with the old ones. The next
  /// frame is a keyframe, and all elements get new slots.
  public mutating func collectionReset(
    contents newContents: CollectionContents,
    version: UInt64
  ) {
    endMovement()
    eventsSinceFrame += 1
    let expansions = pendingExpansions?.value ?? contents.base.viewerExpansions
    contents.reset(to: newContents, version: version)
    restore(expansions)
    resetStart()
    live.departAll()
    prefetching.value?.loseAll()
    sightings.value?.loseAll()
    dropLostSectionOffsets()
    geometry += 1
    needsKeyframe = true
    isAnchoringSuspended = true
  }

  /// Takes the outcome of a batch that the session asked its owner to commit.
  ///
  /// - Parameter seq: the sequence number that came with `SessionMessage.commit`; others are
  ///   ignored.
  /// - Parameter now: the time since the same moment in all calls.
  /// - Precondition: a committed batch has been passed to `collectionChanged` before.
  /// - Returns: the result of the event, for the client.
  public mutating func updateSettled(
    seq: UInt64,
    _ outcome: UpdateOutcome,
    at now: Duration
  ) -> [SessionMessage] {
    guard let index = unsettled.firstIndex(of: seq) else { return [] }
    unsettled.remove(at: index)
    if movement?.committing == seq { endMovement() }
    link.lastOutgoing = max(link.lastOutgoing, now)
    switch outcome {
    case .committed(let version, let isDuplicate):
      return [
        .eventResult(
          EventResult(eventSequence: seq, dataVersion: version, isDuplicate: isDuplicate)
        )
      ]
    case .refused(let problem):
      return [.eventResult(EventResult(eventSequence: seq, problem: problem))]
    }
  }

  // MARK: - Following

  /// Updates everything that refers to items or sections after a committed batch.
  mutating func follow(_ change: ContentsChange, toVersion version: UInt64) {
    withMovementSuspended(over: CollectionOfOne(change)) { session, change in
      session.followReleased(change, toVersion: version)
      return change
    }
  }

  /// The same while nothing is held.
  mutating func followReleased(_ change: ContentsChange, toVersion version: UInt64) {
    let seen = contents.follow(change, toVersion: version)
    follow(seen)
    forgetPendingExpansionsOfMissingItems()
    geometry += 1
    if change.isAnimated { isAnimationWanted = true }
    if let rules = movementRules?.value.following(change) { movementRules = Boxed(rules) }
  }

  /// Changes the session's private contents, and not the collection.
  ///
  /// - Returns: what that did to `effective`.
  @discardableResult
  mutating func diverge(by change: ContentsChange) -> ContentsChange {
    let seen = contents.diverge(by: change)
    follow(seen)
    geometry += 1
    return seen
  }

  /// Sets measured sizes in the session's private contents.
  ///
  /// - Parameter whole: the same for all items of outlines; nil = there are none.
  /// - Parameter measured: the items that have been measured so far.
  mutating func measure(
    by change: ContentsChange,
    whole: ContentsChange?,
    _ measured: MeasuredItems
  ) {
    follow(contents.measure(by: change, whole: whole, measured))
    geometry += 1
  }

  /// Updates live elements, the start, candidates and section offsets after a change of the
  /// effective contents.
  mutating func follow(_ change: ContentsChange) {
    live.follow(change, tellsData: capabilities.itemData)
    followStart(change)
    if !prefetching.isEmpty { prefetching.value?.follow(change) }
    if !sightings.isEmpty { sightings.value?.follow(change) }
    guard !viewport.sectionOffsets.isEmpty else { return }
    var offsets: [Int: Double] = [:]
    for (section, offset) in viewport.sectionOffsets {
      // A section that is reloaded is still the same to the user.
      if let path = change.newPlace(ofOld: IndexPath(section: section)) {
        offsets[path.section] = offset
      }
    }
    viewport.sectionOffsets = offsets
    dropLostSectionOffsets()
  }
}
