// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutSession
internal import ResourceAccounting
internal import Synchronization

/// The measured sizes that viewers of one collection share, while its contents are in memory.
///
/// Sizes without viewers stay for the next viewer, until their room is needed.
final class CollectionMeasurements: Sendable {
  private struct State {
    var groups: [MeasurementGroupKey: Entry] = [:]
    var uses: UInt64 = 0
  }

  private struct Entry {
    let group: MeasurementGroup
    /// The value of `uses` at the last use.
    var lastUse: UInt64
    /// Whether somebody joined who may give sizes to others.
    var hasContributor: Bool
  }

  /// The most groups of one collection.
  static let groupLimit = 64
  /// The most groups of viewers only, who wait for somebody to give them sizes. Viewers choose the
  /// names of renderers, and could otherwise use up the groups.
  static let viewerGroupLimit = 32

  private let use = MeasurementUse()
  private let account: Account
  /// The most bytes of `use`.
  private let limit: Int
  private let state = Mutex(State())

  /// - Parameter id: the collection's identifier.
  init(of id: String, services: SessionServices) {
    limit = services.configuration.limits.sharedMeasurementBytes
    account = services.accounts.measurements(of: id)
  }

  /// The shared sizes of a collection.
  static func of(
    _ collection: LiveCollection,
    services: SessionServices
  ) -> CollectionMeasurements {
    collection.companion { CollectionMeasurements(of: collection.id, services: services) }
  }

  var groupCount: Int { state.withLock { $0.groups.count } }

  /// The bytes of all sizes.
  var byteCount: Int { use.bytes.load(ordering: .relaxed) }

  /// Whether joining a group may take longer than a shared thread may be kept.
  var takesLong: Bool { state.withLock { $0.groups.contains { $1.group.takesLong } } }

  /// Adds a viewer to the group of a key, and returns both.
  ///
  /// - Parameters:
  ///   - mayContribute: whether the viewer may give sizes to others.
  ///   - wake: called after commits; must return at once.
  /// - Returns: nil = the maximum number of groups have viewers, or there is no room for another
  ///   group.
  func join(
    _ key: MeasurementGroupKey,
    of collection: LiveCollection,
    mayContribute: Bool = true,
    services: SessionServices,
    wake: @escaping @Sendable () -> Void
  ) -> (group: MeasurementGroup, viewer: UInt64)? {
    var dropped: [MeasurementGroup] = []
    defer { withExtendedLifetime(dropped) {} }
    return state.withLock { state in
      state.uses += 1
      if let known = state.groups[key] {
        state.groups[key]?.lastUse = state.uses
        if mayContribute { state.groups[key]?.hasContributor = true }
        return (known.group, known.group.join(wake))
      }
      guard mayContribute || Self.hasRoomForViewers(state) else { return nil }
      var room = limit - byteCount
      while state.groups.count >= Self.groupLimit || room < key.byteCount {
        guard let unused = Self.takeUnused(from: &state) else { return nil }
        room += unused.byteCount
        dropped.append(unused)
      }
      let group = MeasurementGroup(
        key,
        collection.snapshot,
        use: use,
        account: account,
        services: services
      )
      guard !group.isRefused else {
        // Its end purges the engine's cache, which is not for under the lock.
        dropped.append(group)
        return nil
      }
      state.groups[key] = Entry(
        group: group,
        lastUse: state.uses,
        hasContributor: mayContribute
      )
      return (group, group.join(wake))
    }
  }

  /// Removes a viewer from a group. A group without sizes is dropped with its last viewer.
  func leave(_ group: MeasurementGroup, _ viewer: UInt64) {
    let dropped = state.withLock { state in
      guard group.leave(viewer), state.groups[group.key]?.group === group else {
        return MeasurementGroup?.none
      }
      return state.groups.removeValue(forKey: group.key)?.group
    }
    withExtendedLifetime(dropped) {}
  }

  /// Makes room for new sizes: drops groups without viewers, the least recently used first.
  ///
  /// - Returns: how many bytes new sizes may take; `bytes` or more if possible.
  func room(for bytes: Int) -> Int {
    while limit - byteCount < bytes {
      guard let unused = state.withLock({ Self.takeUnused(from: &$0) }) else { break }
      withExtendedLifetime(unused) {}
    }
    return max(0, limit - byteCount)
  }

  /// O(groups)
  private static func hasRoomForViewers(_ state: State) -> Bool {
    let count = state.groups.values.count {
      !$0.hasContributor && $0.group.viewerCount > 0
    }
    return count < viewerGroupLimit
  }

  private static func takeUnused(from state: inout State) -> MeasurementGroup? {
    let unused = state.groups.filter { $0.value.group.viewerCount == 0 }
    guard let oldest = unused.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return nil }
    return state.groups.removeValue(forKey: oldest.key)?.group
  }
}
