// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry
internal import Synchronization

/// Clusters that took long to work out, of one version of a spatial layout, so that the next query
/// has them.
///
/// Most clusters are found in few steps. One of whose items many are gone is not: each of these is
/// looked at.
final class ClusterMemory: Sendable {
  /// Names a cluster of one version.
  struct Key: Hashable, Sendable {
    /// How the cluster is seen: its bounds depend on the zoom.
    var layout: SpatialLayout
    /// The least key of its cell.
    var firstKey: UInt64
  }

  /// What takes long to find of a cluster.
  struct Cluster: Sendable {
    /// The item with the least key, and of several the first; nil = all items are gone.
    var representative: IndexPath?
    /// The rect around the frames of all items.
    var bounds: Rect
  }

  private let clusters = Mutex<[Key: Cluster]>([:])
  /// The most clusters that are kept: one more takes the place of all.
  private let limit: Int

  /// The most clusters of any layout.
  private static let mostClusters = 256
  /// How many zooms of a small layout are remembered.
  private static let zooms = 4

  /// - Parameter count: the number of the layout's slots. At one zoom, only one cluster in
  ///   `SpatialLimits.clusterSteps` slots takes long.
  init(slots count: Int, _ limits: SpatialLimits) {
    limit = min(Self.mostClusters, Self.zooms * (count / max(limits.clusterSteps, 1)))
  }

  /// What it takes at most, in bytes: an estimate.
  var byteCount: Int { 2 * limit * (MemoryLayout<Key>.stride + MemoryLayout<Cluster>.stride) }

  /// The cluster that was kept under a key; nil = none.
  func cluster(_ key: Key) -> Cluster? { clusters.withLock { $0[key] } }

  /// Keeps a cluster.
  func keep(_ cluster: Cluster, as key: Key) {
    guard limit > 0 else { return }
    clusters.withLock { clusters in
      if clusters.count >= limit { clusters.removeAll() }
      clusters[key] = cluster
    }
  }
}
