// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

// Offsets are kept only for sections that exist, scroll orthogonally and are not at their start. So a
// client cannot make the session keep more than its user has scrolled.

extension ViewportSession {
  /// The offsets of all sections after a change of the viewport; nil = they stay as they are.
  ///
  /// Offsets of sections that do not exist or do not scroll are ignored: the client may have read them
  /// before a batch or a change of layout.
  ///
  /// - Throws: FIELD_INVALID where more sections would be scrolled than `SessionLimits` allow.
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

  /// Offsets with some of them replaced; nil = none differs.
  private func merging(_ new: [Int: Double], into old: [Int: Double]) -> [Int: Double]? {
    var result: [Int: Double]?
    for (section, offset) in new where canScroll(section) {
      let kept = isStart(offset, of: section) ? nil : offset
      guard old[section] != kept else { continue }
      result = result ?? old
      result?[section] = kept
    }
    return result
  }

  /// Takes over the offsets with which the session is opened; of too many those of the first sections.
  mutating func openSectionOffsets(_ offsets: [Int: Double]) {
    guard !offsets.isEmpty else { return }
    let kept = offsets.filter { canScroll($0.key) && !isStart($0.value, of: $0.key) }
    viewport.sectionOffsets =
      kept.count <= SessionLimits.scrolledSections
      ? kept
      : Dictionary(
        uniqueKeysWithValues: kept.sorted { $0.key < $1.key }
          .prefix(SessionLimits.scrolledSections)
          .map { ($0.key, $0.value) }
      )
  }

  /// Removes the offsets of sections that no longer exist or no longer scroll.
  ///
  /// - Complexity: O(offsets kept).
  mutating func dropLostSectionOffsets() {
    guard !viewport.sectionOffsets.allSatisfy({ canScroll($0.key) }) else { return }
    viewport.sectionOffsets = viewport.sectionOffsets.filter { canScroll($0.key) }
  }

  /// Whether a section that can scroll is at its start at an offset, so that the offset need not be
  /// kept.
  func isStart(_ offset: Double, of section: Int) -> Bool {
    guard offset == 0 else { return false }
    let name = contents.effective.section(at: section).layoutName
    return configuration.layout.startsAtOffsetZero(section: section, named: name)
      && target?.configuration.layout.startsAtOffsetZero(section: section, named: name) != false
  }

  /// Whether a section exists, and scrolls orthogonally in the session's layout or in that at which a
  /// transition ends. A client chooses the index.
  func canScroll(_ section: Int) -> Bool {
    guard section >= 0, section < contents.effective.sectionCount else { return false }
    let name = contents.effective.section(at: section).layoutName
    return configuration.layout.scrollsOrthogonally(section: section, named: name)
      || target?.configuration.layout.scrollsOrthogonally(section: section, named: name) == true
  }
}
