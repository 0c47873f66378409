// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Converts frames from axis space to content coordinates: swaps the axes, rounds to pixels,
/// mirrors.
public struct SectionPlacement: Hashable, Sendable {
  /// The scroll axis.
  public let axis: ScrollAxis
  /// The pixels that frames are rounded to; nil = they are not rounded.
  public let pixelGrid: PixelGrid?
  /// Whether the finished layout is mirrored, as in right-to-left environments.
  public let isMirrored: Bool
  /// The width of the content, about whose middle frames are mirrored, in points.
  public let contentWidth: Double

  /// Makes a placement; the defaults neither round nor mirror.
  @inlinable
  public init(
    axis: ScrollAxis,
    pixelGrid: PixelGrid? = nil,
    isMirrored: Bool = false,
    contentWidth: Double = 0
  ) {
    self.axis = axis
    self.pixelGrid = pixelGrid
    self.isMirrored = isMirrored
    self.contentWidth = contentWidth
  }

  /// The frame in content coordinates, rounded and mirrored.
  @inlinable
  public func rect(_ frame: AxisRect) -> Rect {
    var rect = axis.rect(frame)
    if let pixelGrid {
      rect = Rect(origin: pixelGrid.round(rect.origin), size: pixelGrid.round(rect.size))
    }
    return isMirrored ? rect.mirrored(inWidth: contentWidth) : rect
  }

  /// A rect of content coordinates in axis space. It is not rounded.
  @inlinable
  public func axisRect(_ rect: Rect) -> AxisRect {
    axis.axisRect(isMirrored ? rect.mirrored(inWidth: contentWidth) : rect)
  }

  /// The span of axis space in which to search for the elements of a rect. It is larger than the
  /// rect by as much as rounding may move them.
  @inlinable
  public func searchSpan(_ rect: Rect) -> AxisRect {
    var span = axisRect(rect)
    if let pixelGrid {
      let slack = 1 / pixelGrid.scale
      span.main -= slack
      span.cross -= slack
      span.mainLength += 2 * slack
      span.crossLength += 2 * slack
    }
    return span
  }
}
