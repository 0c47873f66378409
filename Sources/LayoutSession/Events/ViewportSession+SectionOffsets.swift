// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

// Only offsets of sections that exist, scroll orthogonally and are not at their start are kept. So
// a client cannot make the session keep more than its user has scrolled.

extension ViewportSession {
  /// The offsets of all sections after a viewport change; nil = they do not change.
  ///
  /// Offsets of sections that do not exist or do not scroll are ignored: the client may have read
  /// them before a batch or a change of layout.
  ///
  /// - Throws: FIELD_INVALID if more sections would be scrolled than `SessionLimits` allow.
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

  /// Offsets with some replaced; nil = none differs.
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

  /// Sets the offsets with which the session is opened; if there are too many, those of the first
  /// sections.
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

  /// Whether an offset leaves a section that can scroll at its start, so that it need not be kept.
  func isStart(_ offset: Double, of section: Int) -> Bool {
    guard offset == 0 else { return false }
    let name = contents.effective.section(at: section).layoutName
    return configuration.layout.startsAtOffsetZero(section: section, named: name)
      && target?.configuration.layout.startsAtOffsetZero(section: section, named: name) != false
      && prepared?.standIn?.value.layout.startsAtOffsetZero(section: section, named: name) != false
  }

  /// Whether a section exists, and scrolls orthogonally in the session's layout, in what is shown
  /// in its place, or in the one at which a transition ends. The index is the client's choice.
  func canScroll(_ section: Int) -> Bool {
    guard section >= 0, section < contents.effective.sectionCount else { return false }
    let name = contents.effective.section(at: section).layoutName
    return configuration.layout.scrollsOrthogonally(section: section, named: name)
      || target?.configuration.layout.scrollsOrthogonally(section: section, named: name) == true
      || prepared?.standIn?.value.layout.scrollsOrthogonally(section: section, named: name) == true
  }
}
