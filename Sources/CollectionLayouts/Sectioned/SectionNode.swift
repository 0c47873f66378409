// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// A section in the tree of prepared sections.
struct SectionNode: SummarizedElement {
  let solved: SolvedSection
  /// The memory that this section alone takes, in bytes.
  private let byteCount: Int

  /// Makes the node of a solved section.
  ///
  /// - Parameter isShared: whether another node counts the memory of `solved` already.
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

/// A summary of consecutive sections.
struct SectionStackSummary: Hashable, TreeSummary {
  var count: Int
  /// The sum of the sections' lengths without the spacing between them, in points.
  var length: Double
  /// The greatest distances by which elements stick out of their sections.
  var overhang: SolvedSection.Overhang
  /// The memory that the sections take, in bytes.
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

  /// Where the section behind these starts.
  func end(spacing: Double) -> Double { length + Double(count) * spacing }
}
