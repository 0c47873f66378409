// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

extension PreparedSections {
  /// How many items a place has passed: see `PreparedLayout`.
  ///
  /// - Complexity: O(log sections + log items), plus the number of sections that may stick out of
  ///   their extents
  public func itemProgress(
    at place: Double,
    along axis: ScrollAxis,
    work: LayoutWork
  ) -> ItemProgress? {
    guard axis == environment.axis else { return nil }
    let contents = context.contents
    let covering = sectionIndex(nearest: place)
    var index = firstSection(endingAfter: place - overhang.end)
    while let (solved, start) = section(at: index), work.proceed(Self.stepsPerSection) {
      let before = contents.itemCount(before: index)
      guard solved.itemCount > 0 else {
        // The next section that has items.
        index = contents.indexPath(ofOrdinal: before)?.section ?? sectionCount
        continue
      }
      if let progress = solved.body?.progress(at: place - start - solved.bodyMain, work: work) {
        return ItemProgress(
          passed: before + progress.passed,
          item: IndexPath(section: index, item: progress.item),
          section: covering
        )
      }
      index += 1
    }
    return ItemProgress(passed: contents.itemCount, item: nil, section: covering)
  }

  private static var stepsPerSection: Int { 4 }

  /// Where a section starts: see `PreparedLayout`.
  public func sectionStart(_ section: Int, along axis: ScrollAxis) -> Double? {
    axis == environment.axis ? self.section(at: section)?.start : nil
  }
}
