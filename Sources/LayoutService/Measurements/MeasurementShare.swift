// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutGeometry
internal import LayoutSession
internal import LayoutTrust

/// One session's membership in a group of shared sizes, until it is released.
final class MeasurementShare: Sendable {
  let group: MeasurementGroup
  let collection: LiveCollection
  private let measurements: CollectionMeasurements
  private let viewer: UInt64
  private let access: CallAccess

  /// - Parameters:
  ///   - access: the rights of the session's client.
  ///   - wake: called after commits; must return at once.
  /// - Returns: nil = the maximum number of groups have viewers, or there is no room for another
  ///   group.
  init?(
    _ key: MeasurementGroupKey,
    of collection: LiveCollection,
    access: CallAccess,
    services: SessionServices,
    wake: @escaping @Sendable () -> Void
  ) {
    measurements = CollectionMeasurements.of(collection, services: services)
    let joined = measurements.join(
      key,
      of: collection,
      mayContribute: access.allows(.measure, on: collection.id),
      services: services,
      wake: wake
    )
    guard let joined else { return nil }
    (group, viewer) = joined
    self.collection = collection
    self.access = access
  }

  /// The same membership for another stream of the session.
  init(_ other: MeasurementShare, access: CallAccess, wake: @escaping @Sendable () -> Void) {
    group = other.group
    collection = other.collection
    measurements = other.measurements
    viewer = group.join(wake)
    self.access = access
  }

  deinit { measurements.leave(group, viewer) }

  /// Whether the client may change what other viewers see.
  var mayContribute: Bool { access.allows(.measure, on: collection.id) }

  /// Offers sizes to the other sessions.
  func offer(_ offer: SharedOffer, at version: UInt64) -> SharedOutcome {
    let mayContribute = mayContribute
    let wanted = offer.sizes.count * 64
    return group.offer(
      offer.sizes,
      at: version,
      mayContribute: mayContribute,
      room: mayContribute ? measurements.room(for: wanted) : 0,
      by: viewer
    )
  }
}
