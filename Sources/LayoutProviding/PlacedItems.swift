// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Where an element is, and how it looks.
public struct PlacedElement: Hashable, Sendable {
  /// In content coordinates, in points.
  public var frame: Rect
  /// Elements with a higher one lie nearer to the viewer.
  public var zIndex: Int32
  /// Opacity, 0 to 1.
  public var alpha: Double

  /// An element, opaque unless told otherwise.
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

/// Where everything is.
public struct PlacedItems: Sendable {
  /// An element that is no cell: a supplementary element, or a decoration, which shows no data.
  public struct Other: Hashable, Sendable {
    /// What it is called.
    public var kind: String
    /// Where it is.
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

  /// The items' cells in the order of the items; nil = the item is not shown.
  public var cells: [PlacedElement?] = []
  /// All other elements, in any order.
  public var others: [Other] = []
  /// The size of the whole content, in points; nil = up to the farthest edges of cells.
  public var contentSize: Size?

  /// Nothing.
  public init() {}

  /// The size that counts.
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
