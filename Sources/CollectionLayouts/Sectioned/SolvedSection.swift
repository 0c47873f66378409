// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// One section of a prepared layout: where its body lies, and the elements around it.
///
/// Coordinates are axis space with the origin at the section's start and the content's leading
/// edge. Nothing depends on where the section is, so versions share it by reference, and so do
/// equal sections.
public final class SolvedSection: Sendable {
  /// The extent along the scroll axis of all that belongs to the section, in points. The next
  /// section starts there, after the layout's spacing between sections.
  public let length: Double
  /// The extent across the scroll axis, in points, if that may be longer than the container's; else
  /// 0. Content is as wide as its widest section.
  public let crossLength: Double
  /// The number of the section's items.
  public let itemCount: Int
  /// The section's items; nil = there are none to show.
  public let body: (any SectionBody)?
  /// Where the body starts along the scroll axis, in points.
  public let bodyMain: Double
  /// Where the body starts across the scroll axis, in points.
  public let bodyCross: Double
  /// Headers, footers and the layout's own decorations.
  public let elements: [SectionElement]
  /// How far elements reach before 0 and beyond `length`; never negative.
  public let overhang: Overhang
  /// Whether the section has the backgrounds of `LayoutOptions.sectionBackgrounds`.
  public let hasBackgrounds: Bool
  /// Whether these backgrounds cover only the body, which then has equal margins in `crossLength`.
  /// Others cover the whole section and are as wide as the container.
  public let backgroundsCoverBody: Bool
  /// Whether the section follows from its metrics, layout name and item summary alone, so that
  /// another section with the same may use it too.
  public let isShareable: Bool
  /// Whether some items are only provisionally placed, until all have been placed again after an
  /// edit.
  public let isDraft: Bool
  /// The memory that it takes, in bytes: an estimate.
  public let byteCount: Int

  /// Makes a section.
  ///
  /// - Parameter hasBackgrounds: nil = if the section has any length.
  public init(
    length: Double,
    crossLength: Double = 0,
    itemCount: Int,
    body: (any SectionBody)?,
    bodyMain: Double = 0,
    bodyCross: Double = 0,
    elements: [SectionElement] = [],
    overhang: Overhang = .none,
    hasBackgrounds: Bool? = nil,
    backgroundsCoverBody: Bool = false,
    isShareable: Bool = false
  ) {
    self.length = length
    self.crossLength = crossLength
    self.itemCount = itemCount
    self.body = body
    self.bodyMain = bodyMain
    self.bodyCross = bodyCross
    self.elements = elements
    self.overhang = overhang
    self.hasBackgrounds = hasBackgrounds ?? (length > 0)
    self.backgroundsCoverBody = backgroundsCoverBody
    self.isShareable = isShareable
    isDraft = body?.isDraft ?? false
    byteCount =
      136 + elements.count * MemoryLayout<SectionElement>.stride + (body?.byteCount ?? 0)
  }

  /// About how many steps it takes to put the section together, apart from its items.
  var steps: Int { 1 + elements.count / 4 }

  /// The distances by which elements stick out at the two ends of a span, in points.
  public struct Overhang: Hashable, Sendable {
    /// The distance before the start.
    public var start: Double
    /// The distance beyond the end.
    public var end: Double

    /// Makes an overhang from its distances, which must not be negative.
    public init(start: Double, end: Double) {
      self.start = start
      self.end = end
    }

    /// Nothing sticks out.
    public static let none = Overhang(start: 0, end: 0)

    /// The larger distance at each end.
    public func union(_ other: Overhang) -> Overhang {
      Overhang(start: max(start, other.start), end: max(end, other.end))
    }
  }
}

/// A supplementary or decoration element of a section, or of a whole layout, that is not part of a
/// body. Its index path is that of the section.
public struct SectionElement: Hashable, Sendable {
  /// What the element shows; default: supplementary.
  public var category: ElementCategory
  /// Index into `SectionedLayout.elementKinds`.
  public var kind: Int
  /// The element's natural place, relative to the section.
  public var frame: AxisRect
  /// Elements with a higher z-index lie nearer to the viewer. Default 0.
  public var zIndex: Int32
  /// How the element is pinned; nil = it stays at its natural place.
  public var pin: SectionPin?
  /// Attributes of the layout's own; nil = none.
  public var custom: [String: CustomValue]?

  /// Makes an element at its natural place.
  public init(
    category: ElementCategory = .supplementary,
    kind: Int,
    frame: AxisRect,
    zIndex: Int32 = 0,
    pin: SectionPin? = nil,
    custom: [String: CustomValue]? = nil
  ) {
    self.category = category
    self.kind = kind
    self.frame = frame
    self.zIndex = zIndex
    self.pin = pin
    self.custom = custom
  }
}

/// How an element is kept in the visible bounds while its section passes.
public struct SectionPin: Hashable, Sendable {
  /// The edge of the visible bounds at which an element is kept.
  public enum Edge: Hashable, Sendable {
    /// The element's start is kept at the start of the visible bounds.
    case start
    /// The element's end is kept at the end of the visible bounds.
    case end
  }

  /// The edge of the visible bounds at which the element is kept.
  public var edge: Edge
  /// The least `frame.main` that the element may have, relative to the section.
  public var min: Double
  /// The greatest `frame.main` that the element may have, relative to the section.
  public var max: Double
  /// The distance kept from the edge, in points, for elements that are pinned one behind the other.
  public var distance: Double

  /// Makes a pin. If `max` is less than `min`, it becomes `min`.
  public init(edge: Edge, min: Double, max: Double, distance: Double = 0) {
    self.edge = edge
    self.min = min
    self.max = Swift.max(min, max)
    self.distance = distance
  }
}
