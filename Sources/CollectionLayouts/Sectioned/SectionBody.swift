// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// The solved items of one section, without the section's insets, headers and footers.
///
/// A body is immutable. Its coordinates are axis space, with the origin at the body's own start and
/// leading edge. So it stays valid wherever its section moves, and sections may share it. It does
/// not know the index of its section; the sink does.
public protocol SectionBody: Sendable {
  /// The extent along the scroll axis, in points. If elements reach beyond 0…length, the section
  /// declares that with `SolvedSection.overhang`.
  var length: Double { get }

  /// Hands the sink every element that may meet `span`; the sink drops those that do not.
  ///
  /// Cells need no kind: the surrounding section fills it in from the contents.
  ///
  /// - Complexity: O(log n + k) for k elements; nothing is allocated for single elements.
  func appendElements(in span: AxisRect, to sink: inout ElementSink)

  /// Hands the sink one element, if it exists.
  ///
  /// - Parameter kind: index into `SectionedLayout.elementKinds`; 0 for cells.
  /// - Parameter item: the item for a cell or a badge on an item, the group's ordinal for a badge
  ///   on a group. It may be out of range.
  /// - Complexity: O(log n)
  func appendElement(
    _ category: ElementCategory,
    kind: Int,
    item: Int,
    to sink: inout ElementSink
  )

  /// How many items a place along the scroll axis has passed; nil = no item ends behind it.
  ///
  /// The default looks at all items behind the place. A body that places items in order does
  /// better.
  ///
  /// - Parameter main: in points from the body's start.
  /// - Parameter work: told of the steps.
  func progress(at main: Double, work: LayoutWork) -> BodyProgress?

  /// The memory that it takes, in bytes: an estimate.
  var byteCount: Int { get }

  /// Whether some items are only provisionally placed, until all have been placed again after an
  /// edit.
  var isDraft: Bool { get }

  /// Whether all items in a span of a draft follow each other as in the finished layout.
  func isSettled(in span: AxisRect) -> Bool
}

extension SectionBody {
  /// All items are in their final places.
  public var isDraft: Bool { false }

  /// There is nothing to settle.
  public func isSettled(in span: AxisRect) -> Bool { true }
}
