// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

extension ViewportSession {
  // MARK: - Sessions in the same state

  /// Whether a session that was opened with the same parameters, and has made the same frames
  /// since, is in the same state: everything that it shows follows from these, and from the commits
  /// of its collection.
  ///
  /// Valid only while the client has sent nothing but acknowledgements for which `acknowledge`
  /// returned false.
  public var followsFromOpening: Bool {
    isShared && !isClosed && !contents.isDerived && !contents.isSharing && !contents.hasOwnRows
      && pendingExpansions == nil && start == nil && velocity == nil && target == nil
      && prefetching.isEmpty && sightings.isEmpty && prepared?.isProvisional != true
  }

  /// The number of the layout that is shown, as the owner passed it to `supply`; nil = another
  /// layout has to be supplied, or the one shown is not the final one.
  public var finishedLayout: UInt64? {
    guard isPrepared, let held = heldPresented, !held.value.isDraft else { return nil }
    return held.pinned.identity
  }

  /// Whether the window and the shortest interval allow a frame that another session has made.
  public func canFollowTwin(at now: Duration) -> Bool { canSend(at: now) }

  /// When the shortest interval since the newest frame ends; nil = it is over.
  public func intervalEnd(after now: Duration) -> Duration? {
    guard let lastFrameAt, now - lastFrameAt < options.minFrameInterval else { return nil }
    return lastFrameAt + options.minFrameInterval
  }

  /// Takes over the state of another session after a frame.
  ///
  /// - Parameters:
  ///   - twin: the other session, right after it made the frame.
  ///   - now: the time since the same moment in all calls.
  /// - Precondition: both sessions were in the same state before the frame (`followsFromOpening`),
  ///   and `canFollowTwin(at:)` is true.
  /// - Complexity: O(1): the sessions share their elements until one of them changes.
  public mutating func follow(twin: ViewportSession, at now: Duration) {
    let own = (window, lastIncoming, lastOutgoing)
    self = twin
    (window, lastIncoming, lastOutgoing) = own
    window.sent(
      twin.window.lastSent,
      isKeyframe: twin.window.lastKeyframe == twin.window.lastSent,
      checksum: live.checksum,
      at: now
    )
    lastFrameAt = now
    lastOutgoing = max(lastOutgoing, now)
  }
}
