// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// A section in the tree of prepared sections.
struct SectionNode: SummarizedElement {
  let solved: SolvedSection
  /// How the solution depends on the section's index: see `SectionedLayout.indexPeriod`.
  let indexPeriod: Int
  /// The memory that this section alone takes, in bytes.
  private let byteCount: Int

  /// Makes the node of a solved section.
  ///
  /// - Parameter isShared: whether another node counts the memory of `solved` already.
  init(solved: SolvedSection, indexPeriod: Int, isShared: Bool = false) {
    self.solved = solved
    self.indexPeriod = indexPeriod
    byteCount = 32 + (isShared ? 0 : solved.byteCount)
  }

  /// Whether the solution still holds if the section's index changes by `distance`.
  func holds(movedBy distance: Int) -> Bool {
    distance == 0 || (indexPeriod > 0 && distance % indexPeriod == 0)
  }

  var summary: SectionStackSummary {
    SectionStackSummary(
      count: 1,
      indexedCount: indexPeriod == 1 ? 0 : 1,
      draftCount: solved.isDraft ? 1 : 0,
      length: solved.length,
      crossLength: solved.crossLength,
      overhang: solved.overhang,
      byteCount: byteCount
    )
  }
}

/// A summary of consecutive sections.
struct SectionStackSummary: Hashable, TreeSummary {
  var count: Int
  /// The number of sections whose solutions depend on their indices.
  var indexedCount: Int
  /// The number of sections that are drafts.
  var draftCount: Int
  /// The sum of the sections' lengths without the spacing between them, in points.
  var length: Double
  /// The greatest of the sections' `crossLength`.
  var crossLength: Double
  /// The greatest distances by which elements stick out of their sections.
  var overhang: SolvedSection.Overhang
  /// The memory that the sections take, in bytes.
  var byteCount: Int

  static let zero = SectionStackSummary(
    count: 0,
    indexedCount: 0,
    draftCount: 0,
    length: 0,
    crossLength: 0,
    overhang: .none,
    byteCount: 0
  )

  static func + (a: SectionStackSummary, b: SectionStackSummary) -> SectionStackSummary {
    SectionStackSummary(
      count: a.count + b.count,
      indexedCount: a.indexedCount + b.indexedCount,
      draftCount: a.draftCount + b.draftCount,
      length: a.length + b.length,
      crossLength: max(a.crossLength, b.crossLength),
      overhang: a.overhang.union(b.overhang),
      byteCount: a.byteCount + b.byteCount
    )
  }

  /// Where the section after these starts.
  func end(spacing: Double) -> Double { length + Double(count) * spacing }
}
