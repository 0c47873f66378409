// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// The offsets of sections as a renderer that scrolls sections has them, so that it is told where
/// the session has moved a section without its report.
struct RendererOffsets: Hashable, Sendable {
  /// The offsets other than 0, by index. A renderer keeps an offset with the index, whatever
  /// section is there.
  private var offsets: [Int: Double] = [:]
  /// The sections that it was told to move, and the newest frames that said so.
  private var resets: [Int: Int64] = [:]

  /// If there are more, only those that are reported or told at the time are kept.
  private static let limit = 2 * SessionLimits.scrolledSections

  var isEmpty: Bool { offsets.isEmpty && resets.isEmpty }
  /// Whether the renderer was ever told to move a section.
  var hasResets: Bool { !resets.isEmpty }

  /// Roughly the memory in use, in bytes.
  var byteCount: Int {
    MemoryLayout<RendererOffsets>.size + 64 + (offsets.capacity + resets.capacity) * 24
  }

  /// Adds to the numbers of the frames that said so.
  mutating func renumber(by shift: Int64) { resets = resets.mapValues { $0 &+ shift } }

  /// Notes what the renderer has reported.
  mutating func report(_ reported: [Int: Double]) {
    for (section, offset) in reported { note(offset, of: section) }
    if offsets.count > Self.limit { offsets = offsets.filter { reported[$0.key] != nil } }
  }

  /// Whether the renderer would have a section elsewhere than at `scroll.offset`.
  ///
  /// - Parameter lastApplied: the last frame that it has applied, if it is now sent everything
  ///   anew; else nil.
  func differ(from scroll: SectionScroll, of section: Int, lastApplied: UInt64?) -> Bool {
    if let lastApplied, let frame = resets[section], frame > Int64(clamping: lastApplied) {
      return true
    }
    let own = offsets[section] ?? 0
    return min(max(own, scroll.minimumOffset), scroll.maximumOffset) != scroll.offset
  }

  /// Notes what the renderer is told.
  ///
  /// - Parameter frame: the sequence number of the frame.
  mutating func tell(_ states: [SectionScrollState], frame: UInt64) {
    let told = Set(states.map(\.section))
    if offsets.count > Self.limit { offsets = offsets.filter { told.contains($0.key) } }
    if resets.count > Self.limit { resets = resets.filter { told.contains($0.key) } }
    for state in states {
      note(state.scroll.offset, of: state.section)
      if state.isReset { resets[state.section] = Int64(clamping: frame) }
    }
  }

  private mutating func note(_ offset: Double, of section: Int) {
    offsets[section] = offset == 0 ? nil : offset
  }
}
