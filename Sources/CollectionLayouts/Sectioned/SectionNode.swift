// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// A section in the tree of prepared sections.
struct SectionNode: SummarizedElement {
  let solved: SolvedSection

  var summary: SectionStackSummary {
    SectionStackSummary(count: 1, length: solved.length, overhang: solved.overhang)
  }
}

/// Of consecutive sections.
struct SectionStackSummary: Hashable, TreeSummary {
  var count: Int
  /// Without the spacing between sections.
  var length: Double
  var overhang: SolvedSection.Overhang

  static let zero = SectionStackSummary(count: 0, length: 0, overhang: .none)

  static func + (a: SectionStackSummary, b: SectionStackSummary) -> SectionStackSummary {
    SectionStackSummary(
      count: a.count + b.count,
      length: a.length + b.length,
      overhang: a.overhang.union(b.overhang)
    )
  }

  /// Where the section after these starts.
  func end(spacing: Double) -> Double { length + Double(count) * spacing }
}
