// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// The place and the appearance of an element.
public struct PlacedElement: Hashable, Sendable {
  /// The frame in content coordinates, in points.
  public var frame: Rect
  /// Elements with higher values are in front.
  public var zIndex: Int32
  /// Opacity, 0 to 1.
  public var alpha: Double

  /// Creates an element, opaque by default.
  public init(
    x: Double,
    y: Double,
    width: Double,
    height: Double,
    zIndex: Int32 = 0,
    alpha: Double = 1
  ) {
    frame = Rect(x: x, y: y, width: width, height: height)
    self.zIndex = zIndex
    self.alpha = alpha
  }
}

/// All elements that a layout has placed.
public struct PlacedItems: Sendable {
  /// An element that is not a cell: a supplementary element, or a decoration, which shows no data.
  public struct Other: Hashable, Sendable {
    /// The element's kind.
    public var kind: String
    /// The element's place and appearance.
    public var element: PlacedElement
    /// The index of its section.
    public var section: Int
    /// The index of its item in the section; nil = it belongs to the section.
    public var item: Int?
    /// Whether it is a decoration.
    public var isDecoration: Bool

    /// An element of a section, or of an item in it.
    public init(
      _ kind: String,
      _ element: PlacedElement,
      section: Int,
      item: Int? = nil,
      isDecoration: Bool = false
    ) {
      self.kind = kind
      self.element = element
      self.section = section
      self.item = item
      self.isDecoration = isDecoration
    }
  }

  /// The cells in the order of the items; nil = the item is not shown.
  public var cells: [PlacedElement?] = []
  /// All other elements, in any order.
  public var others: [Other] = []
  /// The size of the whole content, in points; nil = it ends at the farthest edges of cells.
  public var contentSize: Size?

  /// Creates an empty result.
  public init() {}

  /// The size of the content, computed if necessary.
  var size: Size {
    if let contentSize { return contentSize }
    return cells.reduce(.zero) { size, cell in
      guard let frame = cell?.frame else { return size }
      return Size(
        width: max(size.width, frame.x + frame.width),
        height: max(size.height, frame.y + frame.height)
      )
    }
  }
}
