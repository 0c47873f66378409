// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The backgrounds of `LayoutOptions`, looked up by section.
///
/// If several backgrounds of one kind apply to a section, only the first is used. None is used if
/// the section has a decoration of that kind of its own, because their element keys would be equal.
struct SectionBackgrounds: Sendable {
  private struct Entry {
    let background: SectionBackground
    /// Index into `kinds`; 0…63, because at most 64 backgrounds are used.
    let kind: Int
  }

  /// The different kinds, in the order of their first use.
  let kinds: [String]
  private let entries: [Entry]

  init(_ options: LayoutOptions) {
    var kinds: [String] = []
    var entries: [Entry] = []
    for background in options.usedSectionBackgrounds {
      let kind = kinds.firstIndex { $0.hasSameBytes(as: background.kind) } ?? kinds.count
      if kind == kinds.count { kinds.append(background.kind) }
      entries.append(Entry(background: background, kind: kind))
    }
    self.kinds = kinds
    self.entries = entries
  }

  var isEmpty: Bool { entries.isEmpty }

  /// Calls `body` with each background of a section and the index of its kind in `kinds`.
  ///
  /// - Complexity: O(backgrounds), which are at most 64.
  func forEach(of section: Int, _ body: (SectionBackground, Int) -> Void) {
    var seen: UInt64 = 0
    for entry in entries where entry.background.applies(to: section) {
      // Does not trap: a shift by 64 or more gives 0. Clients cannot reach that, as at most 64
      // backgrounds are allowed.
      let bit: UInt64 = 1 << UInt64(entry.kind)
      if seen & bit == 0 { body(entry.background, entry.kind) }
      seen |= bit
    }
  }

  /// The background of this kind behind a section; nil if the section has none.
  func background(ofKind kind: String, section: Int) -> SectionBackground? {
    entries.first {
      $0.background.kind.hasSameBytes(as: kind) && $0.background.applies(to: section)
    }?.background
  }

  /// The greatest distances by which insets let backgrounds lie beyond their sections.
  ///
  /// Insets that leave no length place a background where the start inset ends, which may be beyond
  /// the end.
  func overhang(along axis: ScrollAxis) -> SolvedSection.Overhang {
    entries.reduce(.none) { overhang, entry in
      let (start, end) = (
        axis.mainStart(entry.background.insets), axis.mainEnd(entry.background.insets)
      )
      return overhang.union(
        SolvedSection.Overhang(start: max(0, -start), end: max(0, -end, start))
      )
    }
  }
}

extension SectionBackground {
  func applies(to section: Int) -> Bool { sections?.contains(section) ?? true }
}
