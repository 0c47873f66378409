// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

// Only sections that exist and scroll by themselves have an offset, and those at their start need
// none: what is kept is bounded by what the user has really scrolled.

extension ViewportSession {
  /// The offsets of sections after a change of the viewport; nil = they are as before.
  ///
  /// Offsets of sections that are not there, or do not scroll, are ignored: the client may have read
  /// them before a batch or another layout.
  /// - Throws: FIELD_INVALID where more sections are scrolled than `SessionLimits` allow.
  /// - Complexity: O(offsets of the change), and O(offsets kept) where one differs.
  func sectionOffsets(after change: ViewportChange) throws(Refusal) -> [Int: Double]? {
    guard !change.sectionOffsets.isEmpty else { return nil }
    let merged = merging(change.sectionOffsets, into: viewport.sectionOffsets)
    guard let merged, merged.count > SessionLimits.scrolledSections else { return merged }
    throw Refusal(
      .fieldInvalid,
      field: "section_offsets",
      "\(merged.count) sections away from their start where "
        + "\(SessionLimits.scrolledSections) are allowed"
    )
  }

  private func merging(_ new: [Int: Double], into old: [Int: Double]) -> [Int: Double]? {
    var result: [Int: Double]?
    for (section, offset) in new where (old[section] ?? 0) != offset && canScroll(section) {
      result = result ?? old
      result?[section] = offset == 0 ? nil : offset
    }
    return result
  }

  /// Takes the offsets that the session is opened with: of too many those of the first sections.
  mutating func openSectionOffsets(_ offsets: [Int: Double]) {
    guard !offsets.isEmpty else { return }
    let kept = offsets.filter { $0.value != 0 && canScroll($0.key) }
    viewport.sectionOffsets =
      kept.count <= SessionLimits.scrolledSections
      ? kept
      : Dictionary(
        uniqueKeysWithValues: kept.sorted { $0.key < $1.key }
          .prefix(SessionLimits.scrolledSections)
          .map { ($0.key, $0.value) }
      )
  }

  /// Drops the offsets of sections that are gone, or no longer scroll.
  ///
  /// - Complexity: O(offsets kept).
  mutating func dropLostSectionOffsets() {
    guard !viewport.sectionOffsets.allSatisfy({ canScroll($0.key) }) else { return }
    viewport.sectionOffsets = viewport.sectionOffsets.filter { canScroll($0.key) }
  }

  /// Whether there is such a section, and it scrolls by itself in the layout of now or in the one
  /// that a transition leads to.
  private func canScroll(_ section: Int) -> Bool {
    guard section >= 0, section < contents.effective.sectionCount else { return false }
    let name = contents.effective.section(at: section).layoutName
    return configuration.layout.scrollsOrthogonally(section: section, named: name)
      || target?.configuration.layout.scrollsOrthogonally(section: section, named: name) == true
  }
}
