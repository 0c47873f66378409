// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The items of one section in groups of a `GroupShape`: the body of a compositional section whose cells have
/// lengths of their own.
///
/// The tree stores where groups start. Where the items of a group lie is computed when a query asks for it.
final class GroupLinesBody: SectionBody {
  let shape: GroupShape
  let items: ItemSequence
  let lines: SummaryTree<LineLeaf>
  let zIndex: Int32
  /// By how much the last group is shorter, because it has fewer items, in points.
  private let shortening: Double

  init(_ shape: GroupShape, _ items: ItemSequence, _ lines: SummaryTree<LineLeaf>, zIndex: Int32) {
    self.shape = shape
    self.items = items
    self.lines = lines
    self.zIndex = zIndex
    shortening = Self.shortening(shape, items)
  }

  /// As recorded from UIKit: the last group ends before a full one by as much as its last item ends before the
  /// last place.
  private static func shortening(_ shape: GroupShape, _ items: ItemSequence) -> Double {
    let count = items.count % shape.count
    guard count > 0 else { return 0 }
    var lengths = MeasuredLengths(items, along: shape.axis)
    var (end, longest) = (-Double.infinity, 0.0)
    var isMeasured = false
    for cell in 0 ..< count {
      let length = lengths.length(at: items.count - count + cell).map(shape.length(_:))
      end = max(end, shape.frame(ofCell: cell, length: length).mainEnd)
      longest = max(longest, shape.extent(ofCell: cell, length: length))
      isMeasured = isMeasured || length != nil
    }
    var fullEnd = end
    for cell in count ..< shape.count {
      fullEnd = max(fullEnd, shape.frame(ofCell: cell, length: nil).mainEnd)
      longest = max(longest, shape.extent(ofCell: cell, length: nil))
    }
    let length = isMeasured ? shape.groupLength(longest: longest) : shape.pattern.length
    return min(length, fullEnd - end)
  }

  var length: Double {
    let total = lines.summary
    return total.lines == 0 ? 0 : total.length - shape.spacing - shortening
  }

  /// How far cells reach before the start of the body and beyond its end.
  var overhang: SolvedSection.Overhang { shape.reach }

  /// The shape is that of the template.
  var byteCount: Int { 128 + lines.summary.byteCount }

  // MARK: - Queries

  func appendElements(in span: AxisRect, to sink: inout ElementSink) {
    let reach = shape.reach
    let begin = span.main - reach.end
    let end = span.mainEnd + reach.start
    var lengths = MeasuredLengths(items, along: shape.axis)
    func append(_ leaf: LineLeaf, after before: LineSummary) -> Bool {
      guard before.length <= end else { return false }
      var line = leaf.firstLine(endingAt: begin - before.length)
      while line < leaf.summary.lines {
        let start = leaf.start(ofLine: line)
        guard before.length + start.offset <= end, !sink.isFull else { return false }
        let range =
          before.items + start.item ..< before.items + leaf.firstItem(ofLine: line + 1)
        guard sink.visit(1 + range.count / 4) else { return false }
        for item in range {
          appendCell(
            item,
            item - range.lowerBound,
            main: before.length + start.offset,
            &lengths,
            to: &sink
          )
        }
        line += 1
      }
      return true
    }
    lines.forEach(
      where: { $0.length >= begin },
      body: { leaf, _, before in append(leaf, after: before) }
    )
  }

  func appendElement(
    _ category: ElementCategory,
    kind: Int,
    item: Int,
    to sink: inout ElementSink
  ) {
    guard category == .cell, item >= 0, item < items.count,
      let position = lines.firstPosition(where: { $0.items > item })
    else { return }
    let leaf = position.element
    let (offset, first) = leaf.start(ofLine: leaf.line(ofItem: item - position.prefix.items))
    var lengths = MeasuredLengths(items, along: shape.axis)
    appendCell(
      item,
      item - position.prefix.items - first,
      main: position.prefix.length + offset,
      &lengths,
      to: &sink
    )
  }

  /// - Parameter main: where the group starts.
  @inline(__always)
  private func appendCell(
    _ item: Int,
    _ cell: Int,
    main: Double,
    _ lengths: inout MeasuredLengths,
    to sink: inout ElementSink
  ) {
    var frame = shape.frame(
      ofCell: cell,
      length: lengths.length(at: item).map(shape.length(_:))
    )
    frame.main += main
    sink.appendCell(item, frame: frame, zIndex: zIndex)
  }

  func progress(at main: Double, work: LayoutWork) -> BodyProgress? {
    firstItem(in: .from(main), isInOrder: true, work: work).map { BodyProgress(upTo: $0) }
  }
}

extension GroupLinesBody: GroupedBody {
  var groupCount: Int { lines.summary.lines }

  func group(nearestTo main: Double) -> Int {
    guard groupCount > 0 else { return 0 }
    // The first group that ends, with the spacing after it, behind the place: that one or the next is nearest.
    guard let position = lines.firstPosition(where: { $0.length > main }) else {
      return groupCount - 1
    }
    let leaf = position.element
    var line = leaf.firstLine(endingAt: main - position.prefix.length)
    while line + 1 < leaf.summary.lines,
      position.prefix.length + leaf.start(ofLine: line + 1).offset <= main
    { line += 1 }
    let group = position.prefix.lines + line
    let start = position.prefix.length + leaf.start(ofLine: line).offset
    let next = position.prefix.length + leaf.start(ofLine: line + 1).offset
    guard group + 1 < groupCount else { return group }
    return main - start <= next - main ? group : group + 1
  }

  func extent(ofGroup group: Int) -> (start: Double, length: Double, firstItem: Int)? {
    guard group >= 0, let position = lines.firstPosition(where: { $0.lines > group }) else {
      return nil
    }
    let leaf = position.element
    let line = group - position.prefix.lines
    let start = leaf.start(ofLine: line)
    let end = leaf.start(ofLine: line + 1)
    let isLast = group == groupCount - 1
    return (
      position.prefix.length + start.offset,
      end.offset - start.offset - shape.spacing - (isLast ? shortening : 0),
      position.prefix.items + start.item
    )
  }
}
