// SPDX-License-Identifier: Apache-2.0

/// The room that items across several lanes leave open before them. Dense packing gives it to later
/// items. In the state it follows the lanes' ends and the next lane.
///
/// It is limited, so that an edit changes few places behind it and a query looks at few items: each
/// lane keeps only its latest gaps, and forgets a gap that many items have passed by.
struct LaneGaps: Hashable {
  let laneCount: Int

  /// The most gaps of a lane; the first of more is forgotten.
  static let perLane = 8
  /// The number of items for which a gap stays open.
  static let lifetime = 512
  /// More lanes than this are not packed densely.
  static let maximumLaneCount = 64

  /// Where a gap begins and ends, along the scroll axis, and which item left it.
  private static let fieldCount = 3
  /// Differences of rounding, in points.
  private static let slack = 1e-6

  /// The number of numbers in the state.
  var stateCount: Int { (laneCount * Self.perLane) * Self.fieldCount + 1 }

  /// The index of the number of all gaps, after the ends and the next lane.
  private var total: Int { laneCount + 1 }

  private func index(ofGap gap: Int, in lane: Int) -> Int {
    total + 1 + (lane * Self.perLane + gap) * Self.fieldCount
  }

  /// Adds an empty part to a state of ends and next lane.
  func extend(_ state: [Double]) -> [Double] {
    var part = [Double](repeating: 0, count: stateCount)
    for gap in stride(from: 1, to: stateCount, by: Self.fieldCount) { part[gap] = .infinity }
    return state + part
  }

  /// Forgets gaps that have been open for long enough when an item comes.
  func expire(at item: Int, in state: inout [Double]) {
    guard state[total] > 0, item >= Self.lifetime else { return }
    let oldest = Double(item - Self.lifetime)
    for lane in 0 ..< laneCount {
      for gap in (0 ..< Self.perLane).reversed() {
        let index = index(ofGap: gap, in: lane)
        if state[index] < .infinity, state[index + 2] < oldest {
          remove(gap, of: lane, from: &state)
        }
      }
    }
  }

  /// Whether there is any gap.
  func isOpen(_ state: [Double]) -> Bool { state[total] > 0 }

  /// The first place at which all of some lanes have room for a length.
  ///
  /// - Parameter steps: grows by the number of times that the gaps of a lane are looked at.
  func place(
    for length: Double,
    in lanes: Range<Int>,
    of state: [Double],
    _ steps: inout Int
  ) -> Double {
    var place = 0.0
    var fitting = 0
    var lane = lanes.lowerBound
    // Around and around, until no lane moves the place farther.
    while fitting < lanes.count {
      let next = self.place(for: length, in: lane, from: place, of: state)
      steps += 1
      fitting = next > place ? 1 : fitting + 1
      place = max(place, next)
      lane = lane + 1 < lanes.upperBound ? lane + 1 : lanes.lowerBound
    }
    return place
  }

  private func place(
    for length: Double,
    in lane: Int,
    from place: Double,
    of state: [Double]
  ) -> Double {
    for gap in 0 ..< Self.perLane {
      let index = index(ofGap: gap, in: lane)
      guard state[index] < .infinity else { break }
      let start = max(place, state[index])
      if start + length <= state[index + 1] + Self.slack { return start }
    }
    return max(place, state[lane])
  }

  /// Takes room of a lane for an item.
  ///
  /// - Parameter place: where the item begins; there is room for it.
  func take(
    _ length: Double,
    at place: Double,
    of lane: Int,
    for item: Int,
    in state: inout [Double]
  ) {
    let end = place + length
    guard place + Self.slack < state[lane] else {
      insert(state[lane], place, left: Double(item), in: lane, of: &state)
      state[lane] = max(end, state[lane])
      return
    }
    for gap in 0 ..< Self.perLane {
      let index = index(ofGap: gap, in: lane)
      let (start, limit, left) = (state[index], state[index + 1], state[index + 2])
      guard start <= place + Self.slack, end <= limit + Self.slack else { continue }
      remove(gap, of: lane, from: &state)
      insert(start, place, left: left, in: lane, of: &state)
      insert(end, limit, left: left, in: lane, of: &state)
      return
    }
  }

  private func remove(_ gap: Int, of lane: Int, from state: inout [Double]) {
    let first = index(ofGap: gap, in: lane)
    let last = index(ofGap: Self.perLane - 1, in: lane)
    for index in first ..< last { state[index] = state[index + Self.fieldCount] }
    state[last] = .infinity
    state[last + 1] = 0
    state[last + 2] = 0
    state[total] -= 1
  }

  private func insert(
    _ start: Double,
    _ end: Double,
    left item: Double,
    in lane: Int,
    of state: inout [Double]
  ) {
    guard end - start > Self.slack else { return }
    if state[index(ofGap: Self.perLane - 1, in: lane)] < .infinity {
      remove(0, of: lane, from: &state)
    }
    var gap = Self.perLane - 1
    while gap > 0, state[index(ofGap: gap - 1, in: lane)] > start {
      for field in 0 ..< Self.fieldCount {
        state[index(ofGap: gap, in: lane) + field] = state[index(ofGap: gap - 1, in: lane) + field]
      }
      gap -= 1
    }
    let index = index(ofGap: gap, in: lane)
    state[index] = start
    state[index + 1] = end
    state[index + 2] = item
    state[total] += 1
  }
}
