// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel
internal import LayoutGeometry

/// What measured sizes depend on, besides the renderer: sessions with equal keys can share them.
public struct MeasurementKey: Hashable, Sendable {
  /// The layout without scroll effects.
  public var configuration: LayoutConfiguration
  /// Those parts of the container on which the layout depends.
  public var container: LayoutContainer
  /// The traits that the client stated.
  public var traits: LayoutTraits

  /// Roughly the memory that it takes, in bytes.
  public var byteCount: Int {
    configuration.byteCount + container.references.byteCount + traits.byteCount
  }
}

extension ViewportSession {
  /// What the session's measured sizes depend on. Unchanged while `measuringVersion` is.
  public var measurementKey: MeasurementKey {
    MeasurementKey(
      configuration: configuration.settled,
      container: container,
      traits: traits?.value ?? .none
    )
  }

  /// Whether the session shows shared sizes.
  public var isSharing: Bool { contents.isSharing }

  /// Whether the session also has sizes that it measured for itself.
  public var keepsMeasurements: Bool { contents.isMeasured }

  /// The version of `SharedContents` that the session has seen, or its data version if it shares
  /// none.
  public var sharedVersion: UInt64 { contents.sharedVersion }

  // MARK: - Which contents

  /// Replaces the collection's contents, or other shared ones, by contents with shared sizes. Sizes
  /// that the session measured for itself are forgotten. Elements keep their identity, and the
  /// viewport its anchor.
  ///
  /// - Parameter shared: at the session's data version.
  /// - Returns: the results of reports that waited; nil = `shared` is at another version, and
  ///   nothing has changed.
  public mutating func share(_ shared: SharedContents) -> [SessionMessage]? {
    let sharing = SessionContents.Sharing(version: shared.version, measured: shared.measured)
    guard shared.dataVersion == contents.version else { return nil }
    return change(to: shared.contents, sharing)
  }

  /// Shows the collection's own contents again.
  ///
  /// - Parameters:
  ///   - contents: with all items.
  ///   - version: their data version.
  /// - Returns: as `share`.
  public mutating func endSharing(
    contents: CollectionContents,
    version: UInt64
  ) -> [SessionMessage]? {
    guard version == self.contents.version else { return nil }
    return change(to: contents, nil)
  }

  private mutating func change(
    to new: CollectionContents,
    _ sharing: SessionContents.Sharing?
  ) -> [SessionMessage]? {
    let held = suspendMovement()
    guard let change = contents.change(to: new, sharing) else {
      if let held { resumeMovement(held, after: nil) }
      return nil
    }
    follow(change)
    geometry += 1
    layoutVersion += 1
    if let held { resumeMovement(held, after: change) }
    return settleOffers(upTo: .max)
  }

  /// Replaces the contents by shared ones whose items cannot be matched with the old ones, like
  /// `collectionReset`.
  ///
  /// - Returns: the results of reports that waited.
  public mutating func sharedReset(to shared: SharedContents) -> [SessionMessage] {
    collectionReset(contents: shared.contents, version: shared.dataVersion)
    contents.begin(.init(version: shared.version, measured: shared.measured))
    return settleOffers(upTo: .max)
  }

  // MARK: - Following

  /// Follows changes of the contents that the session shares.
  ///
  /// - Parameter steps: in order and without gaps.
  /// - Returns: the results of reports that waited for them.
  public mutating func sharedChanged(_ steps: some Collection<SharedChange>) -> [SessionMessage] {
    var messages: [SessionMessage] = []
    withMovementSuspended(over: steps) { session, step in
      session.followReleased(step)
      messages += session.settleOffers(upTo: step.version)
      return step.change
    }
    return messages
  }

  /// The same for one change.
  public mutating func sharedChanged(_ step: SharedChange) -> [SessionMessage] {
    sharedChanged(CollectionOfOne(step))
  }

  private mutating func followReleased(_ step: SharedChange) {
    if let sizes = step.sizes {
      follow(contents.follow(sizes, step.change))
      geometry += 1
      layoutVersion += 1
    } else {
      eventsSinceFrame += 1
      followReleased(step.change, toVersion: step.dataVersion)
    }
    contents.note(sharedVersion: step.version, step.measured)
  }

  // MARK: - Measuring

  /// Processes the outcome of an offer.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  /// - Precondition: the session has followed no change since it made the offer.
  /// - Returns: the result of the event, unless it waits for a change that has yet to be followed.
  public mutating func offered(
    _ offer: SharedOffer,
    _ outcome: SharedOutcome,
    at now: Duration
  ) -> [SessionMessage] {
    link.lastOutgoing = max(link.lastOutgoing, now)
    do throws(Refusal) {
      if contents.isMeasured {
        // Sizes that the session measured for itself take precedence over shared ones.
        try keep(offer, at: nil)
      } else if !outcome.refused.isEmpty {
        try keep(offer, at: Set(outcome.refused.keys))
      }
    } catch {
      return [.eventResult(EventResult(eventSequence: offer.eventSequence, problem: error))]
    }
    guard let version = outcome.version, version > contents.sharedVersion else {
      return [.eventResult(EventResult(eventSequence: offer.eventSequence))]
    }
    unsettled.append(offer.eventSequence)
    waitingOffers.append((offer.eventSequence, version))
    return []
  }

  private mutating func settleOffers(upTo version: UInt64) -> [SessionMessage] {
    guard !waitingOffers.isEmpty else { return [] }
    let settled = waitingOffers.filter { $0.version <= version }.map(\.seq)
    waitingOffers.removeAll { $0.version <= version }
    unsettled.removeAll { settled.contains($0) }
    return settled.map { .eventResult(EventResult(eventSequence: $0)) }
  }
}
