// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import TestSupport

/// Random containers and contents to lay out.
extension SplitMix64 {
  /// Whole, half or arbitrary: ties and exact fits are where layouts go wrong.
  mutating func length(_ range: ClosedRange<Double>) -> Double {
    switch int(0 ... 3) {
    case 0: double(range)
    case 1: double(range).rounded(.down) + 0.5
    default: double(range).rounded()
    }
  }

  mutating func size(_ range: ClosedRange<Double>) -> Size {
    Size(width: length(range), height: length(range))
  }

  mutating func insets(_ range: ClosedRange<Double>) -> EdgeInsets {
    chance(40)
      ? .zero
      : EdgeInsets(
        top: length(range),
        leading: length(range),
        bottom: length(range),
        trailing: length(range)
      )
  }

  mutating func container() -> LayoutContainer {
    LayoutContainer(
      size: chance(5) ? .zero : size(50 ... 900),
      insets: insets(0 ... 40),
      displayScale: Double(int(1 ... 3)),
      isRightToLeft: chance(40)
    )
  }

  /// A container that may have a safe area and margins, inside and outside of its content insets.
  mutating func marginedContainer() -> LayoutContainer {
    var container = container()
    guard chance(50) else { return container }
    container.references = ReferenceInsets(
      safeArea: insets(0 ... 60),
      layoutMargins: insets(-5 ... 60),
      readableContent: insets(0 ... 90)
    )
    return container
  }

  mutating func insetsReference() -> InsetsReference {
    InsetsReference.allCases[int(0 ... InsetsReference.allCases.count - 1)]
  }

  /// Sections of items without sizes, some empty.
  mutating func contents(
    sections: ClosedRange<Int> = 0 ... 4,
    items: Int = 30
  ) -> CollectionContents {
    let kinds = chance(30) ? ["photo", "video"] : []
    let sections = (0 ..< int(sections)).map { _ in
      let count = chance(20) ? 0 : int(0 ... items)
      var metrics = SectionMetrics()
      if chance(30) { metrics.inset = insets(0 ... 60) }
      if chance(30) { metrics.lineSpacing = length(0 ... 40) }
      let cellKinds = kinds.isEmpty ? [] : (0 ..< count).map { _ in int(0 ... 1) }
      return SectionContents(
        metrics: metrics,
        blocks: count == 0 ? [] : [ItemBlock(count: count, cellKinds: cellKinds)]
      )
    }
    return CollectionContents(sections: sections, cellKindNames: kinds)
  }
}
