// SPDX-License-Identifier: Apache-2.0

/// Sizes the lanes of a section, as CSS sizes the tracks of a grid whose items ask for no width.
///
/// First every lane is as wide as its minimum. Then lanes with a length grow equally into the room
/// that is left, until each has its length. Last, lanes with a fraction share the rest in
/// proportion; a lane whose share would be less than its minimum keeps the minimum.
struct LaneSizes {
  private struct Lane {
    var base: Double
    /// The greatest size; nil = it has a fraction.
    var limit: Double?
    var fraction: Double

    init(_ lane: GridLane) {
      switch lane.size {
      case .length(let length):
        base = max(0, lane.minimum ?? length)
        limit = max(base, length)
        fraction = 0
      case .fraction(let part):
        base = max(0, lane.minimum ?? 0)
        limit = nil
        fraction = max(0, part)
      }
    }

    /// Its size when lanes are repeated until they fill the room.
    var fillingSize: Double { max(limit ?? base, 1) }
  }

  /// The size of each lane, in points.
  let sizes: [Double]

  /// - Parameter extent: the room for the lanes and the spacing between them, in points.
  init(_ lanes: [GridLane], extent: Double, spacing: Double) {
    var expanded = Self.expanded(lanes, extent: extent, spacing: spacing)
    let room = extent - spacing * Double(max(expanded.count - 1, 0))
    Self.grow(&expanded, in: room)
    Self.share(&expanded, in: room)
    // Rounded to 2⁻³⁰ points, so that sums of sizes are exact and equal items end at the same
    // place. Otherwise rounding errors would decide which lane is next.
    let step = 0x1p-30
    sizes = expanded.map { $0.base.isFinite ? ($0.base / step).rounded() * step : 0 }
  }

  /// Each lane by itself: at least one, and no more than the limit.
  private static func expanded(_ lanes: [GridLane], extent: Double, spacing: Double) -> [Lane] {
    let most = GridLanesLayout.maximumLaneCount
    var counted = 0
    var length = 0.0
    for lane in lanes.prefix(most) {
      guard case .count(let given) = lane.repetition else { continue }
      let count = min(max(given, 1), most - min(counted, most))
      counted += count
      length += Double(count) * (Lane(lane).fillingSize + spacing)
    }
    var expanded: [Lane] = []
    var hasFilled = false
    for lane in lanes.prefix(most) {
      var count = 1
      switch lane.repetition {
      case .count(let given): count = max(given, 1)
      case .autoFill where !hasFilled:
        hasFilled = true
        let fitting = (extent + spacing - length) / (Lane(lane).fillingSize + spacing)
        count = fitting > 1 ? Int(min(fitting.rounded(.down), Double(most))) : 1
      case .autoFill: break
      }
      expanded += repeatElement(Lane(lane), count: min(count, most - expanded.count))
    }
    return expanded.isEmpty ? [Lane(GridLane(.fraction(1)))] : expanded
  }

  /// Lets lanes with a length grow towards it.
  private static func grow(_ lanes: inout [Lane], in room: Double) {
    var free = room - lanes.reduce(0) { $0 + $1.base }
    // The lanes with the least to grow come first: then each may take an equal part of what is
    // left.
    let growing = lanes.indices.filter { (lanes[$0].limit ?? 0) > lanes[$0].base }
      .sorted { wanted(lanes[$0]) < wanted(lanes[$1]) }
    for (place, index) in growing.enumerated() {
      let part = free / Double(growing.count - place)
      let wanted = wanted(lanes[index])
      guard wanted <= part else {
        // Exactly the same part for all, so that lanes that are alike stay so.
        if part > 0 { for index in growing[place...] { lanes[index].base += part } }
        return
      }
      lanes[index].base += wanted
      free -= wanted
    }
  }

  private static func wanted(_ lane: Lane) -> Double { (lane.limit ?? lane.base) - lane.base }

  /// Lets lanes with a fraction share the rest.
  private static func share(_ lanes: inout [Lane], in room: Double) {
    // Lanes whose minimum is large for their fraction keep it, so they are looked at first.
    let flexible = lanes.indices.filter { lanes[$0].fraction > 0 && lanes[$0].limit == nil }
      .sorted {
        lanes[$0].base / lanes[$0].fraction > lanes[$1].base / lanes[$1].fraction
      }
    let others = lanes.indices.reduce(0) {
      $0 + (lanes[$1].fraction > 0 && lanes[$1].limit == nil ? 0 : lanes[$1].base)
    }
    var free = room - others
    var fractions = flexible.reduce(0) { $0 + lanes[$1].fraction }
    var sharing = flexible[...]
    while let first = sharing.first {
      let unit = free / max(fractions, 1)
      guard lanes[first].base > unit * lanes[first].fraction else {
        for index in sharing { lanes[index].base = unit * lanes[index].fraction }
        return
      }
      free -= lanes[first].base
      fractions -= lanes[first].fraction
      sharing = sharing.dropFirst()
    }
  }
}
