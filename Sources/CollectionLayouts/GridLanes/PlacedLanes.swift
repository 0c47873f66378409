// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Lanes as they lie in sections of one width.
struct PlacedLanes: Hashable, Sendable {
  struct Lane: Hashable, Sendable {
    /// Where it begins across the scroll axis, in points.
    var start: Double
    /// Its width in points; not the distance of its edges, which rounding makes different for lanes
    /// of one width.
    var width: Double
  }

  /// From the leading edge on; at least one.
  let lanes: [Lane]
  /// Whether all are equally wide.
  let isEven: Bool

  /// Places the lanes of a layout.
  ///
  /// - Complexity: O(n log n) for n lanes
  init(_ layout: GridLanesLayout, at place: Place, in environment: SectionEnvironment) {
    var start = 0.0
    let sizes = LaneSizes(layout.lanes, extent: place.extent, spacing: place.spacing).sizes
    let lanes = sizes.map { size in
      let lane = Lane(start: start, width: environment.pixelAligned(size))
      start += lane.width + place.spacing
      return lane
    }
    self.lanes = lanes
    isEven = lanes.allSatisfy { $0.width == lanes.first?.width }
  }

  /// The memory that they take, in bytes: an estimate.
  var byteCount: Int { 32 + lanes.count * MemoryLayout<Lane>.stride }

  /// What lanes of one layout depend on in one environment.
  struct Place: Hashable, Sendable {
    /// The section's extent across the scroll axis, in points.
    var extent: Double
    /// The distance between lanes, in points.
    var spacing: Double
  }
}

/// The lanes that the sections of a prepared layout and of its later versions share: those of the
/// first section that was solved. Few sections have others, by their metrics, and these have them
/// to themselves.
final class SharedLanes: Sendable {
  private let first = Mutex<(place: PlacedLanes.Place, lanes: PlacedLanes)?>(nil)

  /// Lanes at a place.
  ///
  /// - Returns: the lanes, whether they are shared, and the steps that it took to find them.
  func lanes(
    of layout: GridLanesLayout,
    at place: PlacedLanes.Place,
    in environment: SectionEnvironment
  ) -> (lanes: PlacedLanes, areShared: Bool, steps: Int) {
    let shared = first.withLock { first in
      if let first { return first.place == place ? (first.lanes, 0) : nil }
      let lanes = PlacedLanes(layout, at: place, in: environment)
      first = (place, lanes)
      return (lanes, lanes.lanes.count)
    }
    if let (lanes, steps) = shared { return (lanes, true, steps) }
    let lanes = PlacedLanes(layout, at: place, in: environment)
    return (lanes, false, lanes.lanes.count)
  }

  /// The memory that it takes, in bytes: an estimate.
  var byteCount: Int { first.withLock { 64 + ($0?.lanes.byteCount ?? 0) } }
}
