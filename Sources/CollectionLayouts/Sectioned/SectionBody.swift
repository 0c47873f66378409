// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// The solved items of one section, without the section's insets, headers and footers.
///
/// Immutable. Coordinates are axis space with the origin at the body's own start and leading edge,
/// so that a body stays valid wherever its section moves and may be shared between sections: it
/// does not know its section's index, the sink does.
public protocol SectionBody: Sendable {
  /// Extent along the scroll axis. Where elements reach beyond 0…length the section says so with
  /// `SolvedSection.overhang`.
  var length: Double { get }

  /// Hands the sink every element that may meet `span`; the sink drops those that do not.
  ///
  /// Cells need no kind: the frame fills it in from the contents.
  /// - Complexity: O(log n + k), and nothing is allocated for each element.
  func appendElements(in span: AxisRect, to sink: inout ElementSink)

  /// Hands the sink one element, if there is such a one.
  ///
  /// - Parameter kind: index into `SectionedLayout.elementKinds`; 0 for cells.
  /// - Parameter item: of a cell or a badge its item, of a group's badge the group's ordinal. It may
  ///   be out of range.
  /// - Complexity: O(log n)
  func appendElement(
    _ category: ElementCategory,
    kind: Int,
    item: Int,
    to sink: inout ElementSink
  )

  /// Roughly what it keeps in memory, in bytes.
  var byteCount: Int { get }
}
