// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import LayoutGeometry

/// What a layout is prepared for: the viewport without its offset.
public struct LayoutContainer: Hashable, Sendable {
  /// The size of the whole viewport, in points, content insets included.
  public var size: Size
  /// Content insets, in points. Content coordinates begin inside them.
  public var insets: EdgeInsets
  /// Pixels per point; default 1. Nothing is rounded to pixels unless it is finite and greater than
  /// 0.
  public var displayScale: Double
  /// Whether reading runs from right to left, so that the finished layout is mirrored.
  public var isRightToLeft: Bool
  /// Further insets, from which layouts may measure those of sections. Default: none.
  public var references: ReferenceInsets

  /// Makes a container of this size, in points.
  public init(
    size: Size,
    insets: EdgeInsets = .zero,
    displayScale: Double = 1,
    isRightToLeft: Bool = false,
    references: ReferenceInsets = .none
  ) {
    self.size = size
    self.insets = insets
    self.displayScale = displayScale
    self.isRightToLeft = isRightToLeft
    self.references = references
  }

  /// The size less the insets; no length falls below 0.
  public var contentSize: Size {
    Size(
      width: max(0, size.width - insets.horizontal),
      height: max(0, size.height - insets.vertical)
    )
  }
}

/// Everything that `prepare` may read.
public struct LayoutContext: Sendable {
  /// The sections and items to lay out.
  public var contents: CollectionContents
  /// The viewport that the layout is prepared for, without its offset.
  public var container: LayoutContainer
  /// The options that all layouts have in common.
  public var options: LayoutOptions

  /// Makes a context; without `options` it has their defaults.
  public init(
    contents: CollectionContents,
    container: LayoutContainer,
    options: LayoutOptions = .init()
  ) {
    self.contents = contents
    self.container = container
    self.options = options
  }

  /// The pixels that sizes and positions are rounded to; nil = nothing is rounded.
  var pixelGrid: PixelGrid? { options.pixelGrid(for: container) }
}

extension LayoutOptions {
  /// The pixels that sizes and positions are rounded to. nil if the layout is not pixel-aligned, or
  /// if the display scale is not finite or not positive.
  func pixelGrid(for container: LayoutContainer) -> PixelGrid? {
    let scale = container.displayScale
    return isPixelAligned && scale > 0 && scale.isFinite ? PixelGrid(scale: scale) : nil
  }
}

/// Where content lies that is shorter than the viewport less its insets; raw values are those of
/// the contract.
public enum ContentAlignment: UInt8, Hashable, Sendable, CaseIterable {
  /// At the top, or at the leading edge.
  case start = 1
  /// In the middle.
  case center = 2
  /// At the bottom, or at the trailing edge.
  case end = 3
}

/// The part of the content that a viewer sees at the moment.
public struct Viewport: Hashable, Sendable {
  /// The viewport's top-left corner in content coordinates. At rest at the start it is minus the
  /// insets.
  public var offset: Point
  /// The size of the whole viewport, in points, content insets included.
  public var size: Size
  /// Content insets: the margins of the viewport in which content may be covered.
  public var insets: EdgeInsets
  /// Whether reading runs from right to left.
  public var isRightToLeft: Bool
  /// The offsets of sections that scroll orthogonally, by section index: points along the section's
  /// own axis. At 0 its first group is at its leading inset. A section without an entry is where it
  /// starts, which for most is 0.
  public var sectionOffsets: [Int: Double]
  /// Whether the renderer moves pinned elements itself. Elements are then returned at their natural
  /// place with a `PinRange`, not where they are pinned.
  public var rendererPins: Bool
  /// Where content lies along the horizontal axis if it is shorter than the viewport less its
  /// insets; nil = at the left, whatever the reading direction.
  public var horizontalAlignment: ContentAlignment?
  /// The same along the vertical axis; nil = at the top.
  public var verticalAlignment: ContentAlignment?

  /// Makes a viewport at an offset in content coordinates, with short content in its upper left
  /// corner.
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

  /// The whole viewport in content coordinates, content insets included.
  public var rect: Rect { Rect(origin: offset, size: size) }

  /// The viewport less its content insets, in content coordinates.
  public var unobscuredRect: Rect { rect.inset(by: insets, rightToLeft: isRightToLeft) }

  /// The least and the greatest offset at which scrolling may rest, on both axes.
  ///
  /// The least is minus the start inset; the greatest is content + end inset − viewport. Content
  /// that is shorter than the viewport less its insets has one legal offset: the least, or that of
  /// its alignment.
  public func legalOffsets(contentSize: Size) -> (min: Point, max: Point) {
    let left = isRightToLeft ? insets.trailing : insets.leading
    let right = isRightToLeft ? insets.leading : insets.trailing
    let x = Self.legalRange(
      low: -left,
      high: contentSize.width + right - size.width,
      horizontalAlignment,
      isReversed: isRightToLeft
    )
    let y = Self.legalRange(
      low: -insets.top,
      high: contentSize.height + insets.bottom - size.height,
      verticalAlignment,
      isReversed: false
    )
    return (Point(x: x.min, y: y.min), Point(x: x.max, y: y.max))
  }

  /// The legal offsets along one axis.
  ///
  /// - Parameter low: the offset at which the content's low edge meets the viewport's inset.
  /// - Parameter high: the same for the high edges.
  /// - Parameter isReversed: whether the content starts at its high edge.
  private static func legalRange(
    low: Double,
    high: Double,
    _ alignment: ContentAlignment?,
    isReversed: Bool
  ) -> (min: Double, max: Double) {
    guard high < low, let alignment else { return (low, max(low, high)) }
    let offset =
      switch alignment {
      case .start: isReversed ? high : low
      case .center: low + (high - low) / 2
      case .end: isReversed ? low : high
      }
    return (offset, offset)
  }

  /// The offset nearest to `offset` within `legalOffsets(contentSize:)`.
  public func clamped(_ offset: Point, contentSize: Size) -> Point {
    let legal = legalOffsets(contentSize: contentSize)
    return Point(
      x: min(max(offset.x, legal.min.x), legal.max.x),
      y: min(max(offset.y, legal.min.y), legal.max.y)
    )
  }
}
