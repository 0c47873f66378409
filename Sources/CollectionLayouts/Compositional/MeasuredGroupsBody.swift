// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The items of one section in groups of a `GroupShape`: the body of a compositional section whose
/// cells have lengths of their own.
///
/// Stores sums of group lengths. Where a group begins, and where its items are, is computed when a
/// query asks for it.
final class MeasuredGroupsBody: SectionBody {
  let groups: MeasuredGroups
  let zIndex: Int32
  /// By how much the last group is shorter, because it has fewer items, in points.
  private let shortening: Double

  private var shape: GroupShape { groups.shape }

  init(_ groups: MeasuredGroups, zIndex: Int32) {
    self.groups = groups
    self.zIndex = zIndex
    shortening = Self.shortening(groups.shape, groups.items)
  }

  /// As recorded from UIKit: the last group is shorter than a full one by the distance between its
  /// last item and the last place.
  private static func shortening(_ shape: GroupShape, _ items: ItemSequence) -> Double {
    let count = items.count % shape.count
    guard count > 0 else { return 0 }
    var reader = GroupReader(shape, items)
    var (end, longest) = (-Double.infinity, 0.0)
    var isMeasured = false
    for cell in 0 ..< count {
      let length = reader.length(of: items.count - count + cell)
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
    groups.count == 0 ? 0 : groups.length - shape.spacing - shortening
  }

  /// How far cells extend before the start of the body and beyond its end.
  var overhang: SolvedSection.Overhang { shape.reach }

  /// Without the shape, which belongs to the template.
  var byteCount: Int { 128 + groups.byteCount }

  // MARK: - Queries

  func appendElements(in span: AxisRect, to sink: inout ElementSink) {
    let reach = shape.reach
    let end = span.mainEnd + reach.start
    guard var cursor = groups.cursor(endingAt: span.main - reach.end) else { return }
    var reader = GroupReader(shape, groups.items)
    guard sink.visit(cursor.steps / 4) else { return }
    repeat {
      guard cursor.start <= end, !sink.isFull, sink.visit(1 + cursor.items.count / 4) else {
        return
      }
      let (items, start) = (cursor.items, cursor.start)
      for item in items {
        appendCell(item, item - items.lowerBound, main: start, &reader, to: &sink)
      }
    } while cursor.next()
  }

  func appendElement(
    _ category: ElementCategory,
    kind: Int,
    item: Int,
    to sink: inout ElementSink
  ) {
    guard category == .cell, let cursor = groups.cursor(ofItem: item) else { return }
    var reader = GroupReader(shape, groups.items)
    appendCell(item, item - cursor.first, main: cursor.start, &reader, to: &sink)
  }

  /// - Parameter main: where the group starts.
  @inline(__always)
  private func appendCell(
    _ item: Int,
    _ cell: Int,
    main: Double,
    _ reader: inout GroupReader,
    to sink: inout ElementSink
  ) {
    var frame = shape.frame(ofCell: cell, length: reader.length(of: item))
    frame.main += main
    sink.appendCell(item, frame: frame, zIndex: zIndex)
  }

  func progress(at main: Double, work: LayoutWork) -> BodyProgress? {
    firstItem(in: .from(main), isInOrder: true, work: work).map { BodyProgress(upTo: $0) }
  }
}

extension MeasuredGroupsBody: GroupedBody {
  var groupCount: Int { groups.count }

  func group(nearestTo main: Double) -> Int {
    guard groupCount > 0 else { return 0 }
    // The first group that ends after the place, with the spacing after it: this or the next one is
    // nearest.
    guard var cursor = groups.cursor(endingAt: main.nextUp) else { return groupCount - 1 }
    while cursor.start + cursor.pitch <= main, cursor.next() {}
    let (group, start, next) = (cursor.index, cursor.start, cursor.start + cursor.pitch)
    guard group + 1 < groupCount else { return group }
    return main - start <= next - main ? group : group + 1
  }

  func extent(ofGroup group: Int) -> (start: Double, length: Double, firstItem: Int)? {
    guard group >= 0, group < groupCount, let cursor = groups.cursor(ofItem: group * shape.count)
    else { return nil }
    let isLast = group == groupCount - 1
    return (
      cursor.start,
      cursor.pitch - shape.spacing - (isLast ? shortening : 0),
      cursor.first
    )
  }
}
