// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension GridLayout {
  /// A section as a row of its own, with the line spacing above and below it.
  ///
  /// - Complexity: O(1)
  func lane(of section: SectionContents, in environment: SectionEnvironment) -> SolvedSection {
    let count = section.items.count
    let body = GridLaneBody(
      count: count,
      itemSize: environment.pixelGrid?.round(itemSize) ?? itemSize,
      spacing: interitemSpacing
    )
    return SolvedSection(
      length: lineSpacing + body.length + lineSpacing,
      crossLength: interitemSpacing + Double(count) * body.step,
      itemCount: count,
      body: count > 0 ? body : nil,
      bodyMain: lineSpacing,
      bodyCross: interitemSpacing,
      hasBackgrounds: count > 0,
      backgroundsCoverBody: true,
      isShareable: true
    )
  }
}

/// The cells of one row of a grid. Rows follow each other vertically.
struct GridLaneBody: SectionBody {
  let count: Int
  /// The size of every cell, rounded to whole pixels if the layout is pixel-aligned.
  let itemSize: Size
  /// The distance between cells, in points.
  let spacing: Double

  var length: Double { itemSize.height }
  var byteCount: Int { 64 }
  /// From the start of a cell to the start of the next.
  var step: Double { itemSize.width + spacing }

  func appendElements(in span: AxisRect, to sink: inout ElementSink) {
    let items = PreparedGrid.indices(
      meeting: span.cross,
      span.crossLength,
      first: 0,
      step: step,
      count: count
    )
    for item in items {
      guard sink.visit(1), !sink.isFull else { return }
      sink.appendCell(item, frame: frame(of: item))
    }
  }

  func appendElement(
    _ category: ElementCategory,
    kind: Int,
    item: Int,
    to sink: inout ElementSink
  ) {
    guard category == .cell, item >= 0, item < count else { return }
    sink.appendCell(item, frame: frame(of: item))
  }

  private func frame(of item: Int) -> AxisRect {
    AxisRect(
      main: 0,
      cross: Double(item) * step,
      mainLength: itemSize.height,
      crossLength: itemSize.width
    )
  }
}
