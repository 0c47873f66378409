// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// A section in the tree of prepared sections.
struct SectionNode: SummarizedElement {
  let solved: SolvedSection
  /// What it keeps in memory for itself alone.
  private let byteCount: Int

  /// - Parameter isShared: whether another section counts the memory already.
  init(solved: SolvedSection, isShared: Bool = false) {
    self.solved = solved
    byteCount = 24 + (isShared ? 0 : solved.byteCount)
  }

  var summary: SectionStackSummary {
    SectionStackSummary(
      count: 1,
      length: solved.length,
      overhang: solved.overhang,
      byteCount: byteCount
    )
  }
}

/// Of consecutive sections.
struct SectionStackSummary: Hashable, TreeSummary {
  var count: Int
  /// Without the spacing between sections.
  var length: Double
  var overhang: SolvedSection.Overhang
  var byteCount: Int

  static let zero = SectionStackSummary(count: 0, length: 0, overhang: .none, byteCount: 0)

  static func + (a: SectionStackSummary, b: SectionStackSummary) -> SectionStackSummary {
    SectionStackSummary(
      count: a.count + b.count,
      length: a.length + b.length,
      overhang: a.overhang.union(b.overhang),
      byteCount: a.byteCount + b.byteCount
    )
  }

  /// Where the section after these starts.
  func end(spacing: Double) -> Double { length + Double(count) * spacing }
}
