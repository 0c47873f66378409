// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Where a step of the focus leads.
public enum FocusStep: Hashable, Sendable {
  /// To an element.
  case to(ElementKey)
  /// Nowhere.
  case nowhere
}

/// How attributes depend on the viewport's offset.
public enum ScrollDependence: Hashable, Sendable {
  /// Scrolling only changes which elements are seen.
  case none
  /// Pinned headers and footers move along. Renderers that pin by themselves need not report
  /// scrolling.
  case pinnedElements
  /// Any element may change with any step.
  case everything
}

/// What a change of the viewport invalidates.
public enum BoundsInvalidation: Hashable, Sendable {
  /// Nothing.
  case none
  /// The places of pinned elements.
  case pinnedElements
  /// The attributes of all elements.
  case everything
}

/// The offset at which scrolling ends, and the element that it rests on.
public struct ScrollTarget: Hashable, Sendable {
  /// The viewport's offset in content coordinates; the section's own offset if only a section
  /// scrolls.
  public var offset: Point
  /// The element that was scrolled to; nil = none in particular.
  public var element: ElementKey?
  /// The offset at which the element's section shows it, in points along the section's own axis;
  /// nil = the section does not scroll by itself, or only that section scrolls.
  public var sectionOffset: Double?
  /// More about the element if a step leads to it; nil = it was scrolled to for another reason.
  public var neighbor: Neighbor?

  /// Makes a target from an offset and the element there.
  public init(
    offset: Point,
    element: ElementKey? = nil,
    sectionOffset: Double? = nil,
    neighbor: Neighbor? = nil
  ) {
    self.offset = offset
    self.element = element
    self.sectionOffset = sectionOffset
    self.neighbor = neighbor
  }
}
