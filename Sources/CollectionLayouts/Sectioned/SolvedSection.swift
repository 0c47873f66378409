// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// One section of a prepared layout: where its body lies, and the elements around it.
///
/// Coordinates are axis space with the origin at the section's start and the content's leading
/// edge. Nothing in it depends on where the section is, so versions share it by reference, and equal
/// sections share one.
public final class SolvedSection: Sendable {
  /// Extent along the scroll axis with all that belongs to the section. The next one starts there,
  /// after the layout's spacing between sections.
  public let length: Double
  public let itemCount: Int
  /// nil = no items to show.
  public let body: (any SectionBody)?
  /// The body's origin.
  public let bodyMain: Double
  public let bodyCross: Double
  /// Headers, footers and the layout's own decorations.
  public let elements: [SectionElement]
  /// How far elements reach before 0 and beyond `length`; never negative.
  public let overhang: Overhang
  /// Whether `LayoutOptions.sectionBackgrounds` apply.
  public let hasBackgrounds: Bool
  /// Whether it follows from the section's metrics, layout name and item summary alone, so that
  /// another section with the same may use it too.
  public let isShareable: Bool
  /// Roughly what it keeps in memory, in bytes.
  public let byteCount: Int

  /// - Parameter hasBackgrounds: nil = where the section has any length.
  public init(
    length: Double,
    itemCount: Int,
    body: (any SectionBody)?,
    bodyMain: Double = 0,
    bodyCross: Double = 0,
    elements: [SectionElement] = [],
    overhang: Overhang = .none,
    hasBackgrounds: Bool? = nil,
    isShareable: Bool = false
  ) {
    self.length = length
    self.itemCount = itemCount
    self.body = body
    self.bodyMain = bodyMain
    self.bodyCross = bodyCross
    self.elements = elements
    self.overhang = overhang
    self.hasBackgrounds = hasBackgrounds ?? (length > 0)
    self.isShareable = isShareable
    byteCount =
      128 + elements.count * MemoryLayout<SectionElement>.stride + (body?.byteCount ?? 0)
  }

  /// Distances by which elements stick out of a span.
  public struct Overhang: Hashable, Sendable {
    public var start: Double
    public var end: Double

    public init(start: Double, end: Double) {
      self.start = start
      self.end = end
    }

    public static let none = Overhang(start: 0, end: 0)

    /// The larger distance on each side.
    public func union(_ other: Overhang) -> Overhang {
      Overhang(start: max(start, other.start), end: max(end, other.end))
    }
  }
}

/// A supplementary or decoration element of a section, or of a whole layout, that is no part of a
/// body. Its index path is the section.
public struct SectionElement: Hashable, Sendable {
  public var category: ElementCategory
  /// Index into `SectionedLayout.elementKinds`.
  public var kind: Int
  /// Its natural place, relative to the section.
  public var frame: AxisRect
  public var zIndex: Int32
  /// nil = it stays at its natural place.
  public var pin: SectionPin?
  public var custom: [String: CustomValue]?

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

/// How an element keeps to the visible bounds while its section is passing by.
public struct SectionPin: Hashable, Sendable {
  /// Which edge of the visible bounds an element keeps to.
  public enum Edge: Hashable, Sendable {
    /// Its start keeps to the start of the visible bounds.
    case start
    /// Its end keeps to their end.
    case end
  }

  public var edge: Edge
  /// The least and the greatest `frame.main` that it may have, relative to the section.
  public var min: Double
  public var max: Double
  /// Distance kept from the edge, for elements pinned one behind the other.
  public var distance: Double

  public init(edge: Edge, min: Double, max: Double, distance: Double = 0) {
    self.edge = edge
    self.min = min
    self.max = Swift.max(min, max)
    self.distance = distance
  }
}
