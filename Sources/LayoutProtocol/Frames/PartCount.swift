// SPDX-License-Identifier: Apache-2.0

/// How many elements some parts of a frame contain, counted before any of them is made: a few bytes
/// of packed columns can stand for millions.
struct PartCount {
  /// The most parts of one frame: 1 GiB in the parts of 64 KiB that servers send.
  static let maxParts = 1 << 14

  private var parts = 0
  /// Elements that are put, and those of which the index path is shifted.
  private var put = 0
  /// Slots that are emptied.
  private var removed = 0

  /// Counts another part.
  ///
  /// - Throws: `MirrorFault.malformed`, `.tooLarge`.
  /// - Complexity: O(numbers of the part's runs).
  mutating func add(
    _ part: Wire.LayoutFrame,
    within limits: MirrorLimits
  ) throws(MirrorFault) {
    parts += 1
    guard parts <= Self.maxParts else {
      throw .tooLarge("frame \(part.frameSeq) has more than \(Self.maxParts) parts")
    }
    switch part.body {
    case .elements(let changes):
      try Self.add(changes.removedSlots.count, "removed_slots", to: &removed, limits)
      try Self.add(changes.upserts.count, "upserts", to: &put, limits)
    case .packed(let packed):
      let slots = try Self.total(of: packed.removedSlotRuns, inGroupsOf: 2, "removed_slot_runs")
      try Self.add(slots, "removed_slot_runs", to: &removed, limits)
      let shifted = try Self.total(of: packed.indexShiftRuns, inGroupsOf: 4, "index_shift_runs")
      try Self.add(shifted, "index_shift_runs", to: &put, limits)
      try Self.add(Int(packed.upsertCount), "upsert_count", to: &put, limits)
      try Self.add(packed.exceptions.count, "exceptions", to: &put, limits)
    case nil: break
    }
  }

  private static func add(
    _ count: Int,
    _ name: String,
    to sum: inout Int,
    _ limits: MirrorLimits
  ) throws(MirrorFault) {
    guard count <= limits.elements - sum else {
      throw .tooLarge(
        "\(name) has \(count) elements after \(sum) of the same frame; \(limits.elements) in all are allowed"
      )
    }
    sum += count
  }

  /// The sum of the lengths in runs, which are the second number of each group.
  private static func total(
    of runs: [Int32],
    inGroupsOf size: Int,
    _ name: String
  ) throws(MirrorFault) -> Int {
    guard runs.count.isMultiple(of: size) else {
      throw .malformed("\(name) has \(runs.count) numbers; a multiple of \(size) is needed")
    }
    var total = 0
    for index in stride(from: 1, to: runs.count, by: size) {
      guard runs[index] > 0 else {
        throw .malformed("\(name) has a run of \(runs[index]); at least 1 is needed")
      }
      // No overflow: a message has fewer than 2³² numbers, each below 2³¹.
      total += Int(runs[index])
    }
    return total
  }
}
