// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// What a layout is prepared for: the viewport without its offset.
public struct LayoutContainer: Hashable, Sendable {
  /// The viewport's whole size.
  public var size: Size
  /// Content insets; content starts inside them.
  public var insets: EdgeInsets
  /// Pixels to a point.
  public var displayScale: Double
  public var isRightToLeft: Bool

  public init(
    size: Size,
    insets: EdgeInsets = .zero,
    displayScale: Double = 1,
    isRightToLeft: Bool = false
  ) {
    self.size = size
    self.insets = insets
    self.displayScale = displayScale
    self.isRightToLeft = isRightToLeft
  }

  /// The size less the insets, not below zero.
  public var contentSize: Size {
    Size(
      width: max(0, size.width - insets.horizontal),
      height: max(0, size.height - insets.vertical)
    )
  }
}

/// Everything that `prepare` may read.
public struct LayoutContext: Sendable {
  public var contents: CollectionContents
  public var container: LayoutContainer
  public var options: LayoutOptions

  public init(
    contents: CollectionContents,
    container: LayoutContainer,
    options: LayoutOptions = .init()
  ) {
    self.contents = contents
    self.container = container
    self.options = options
  }

  /// The pixels that sizes and positions are rounded to; nil = they are not rounded.
  var pixelGrid: PixelGrid? { options.pixelGrid(for: container) }
}

extension LayoutOptions {
  /// nil also for a scale that nothing can be rounded to.
  func pixelGrid(for container: LayoutContainer) -> PixelGrid? {
    let scale = container.displayScale
    return isPixelAligned && scale > 0 && scale.isFinite ? PixelGrid(scale: scale) : nil
  }
}

/// What a viewer sees of the content just now.
public struct Viewport: Hashable, Sendable {
  /// The top-left corner in content coordinates.
  public var offset: Point
  public var size: Size
  public var insets: EdgeInsets
  public var isRightToLeft: Bool
  /// Offsets of the sections that scroll orthogonally; absent = 0.
  public var sectionOffsets: [Int: Double]
  /// Whether pinned elements are wanted at their natural place with a `PinRange`, because the
  /// renderer moves them itself, rather than where they are pinned.
  public var rendererPins: Bool

  public init(
    offset: Point,
    size: Size,
    insets: EdgeInsets = .zero,
    isRightToLeft: Bool = false,
    sectionOffsets: [Int: Double] = [:],
    rendererPins: Bool = false
  ) {
    self.offset = offset
    self.size = size
    self.insets = insets
    self.isRightToLeft = isRightToLeft
    self.sectionOffsets = sectionOffsets
    self.rendererPins = rendererPins
  }

  /// The whole viewport in content coordinates.
  public var rect: Rect { Rect(origin: offset, size: size) }

  /// The viewport less its content insets.
  public var unobscuredRect: Rect { rect.inset(by: insets, rightToLeft: isRightToLeft) }

  /// The offsets that scrolling may rest at for content of the given size: from minus the start
  /// inset to content + end inset − viewport, and never less than the start.
  public func legalOffsets(contentSize: Size) -> (min: Point, max: Point) {
    let left = isRightToLeft ? insets.trailing : insets.leading
    let right = isRightToLeft ? insets.leading : insets.trailing
    let lowest = Point(x: -left, y: -insets.top)
    return (
      lowest,
      Point(
        x: max(lowest.x, contentSize.width + right - size.width),
        y: max(lowest.y, contentSize.height + insets.bottom - size.height)
      )
    )
  }

  /// `offset` within `legalOffsets`.
  public func clamped(_ offset: Point, contentSize: Size) -> Point {
    let legal = legalOffsets(contentSize: contentSize)
    return Point(
      x: min(max(offset.x, legal.min.x), legal.max.x),
      y: min(max(offset.y, legal.min.y), legal.max.y)
    )
  }
}
