// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// The way from axis space to content coordinates: swap the axes, round to pixels, mirror.
public struct SectionPlacement: Hashable, Sendable {
  public let axis: ScrollAxis
  public let pixelGrid: PixelGrid?
  /// Whether the finished layout is mirrored, for right-to-left environments.
  public let isMirrored: Bool
  /// The width of the content.
  public let contentWidth: Double

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

  /// A frame in content coordinates.
  @inlinable
  public func rect(_ frame: AxisRect) -> Rect {
    var rect = axis.rect(frame)
    if let pixelGrid {
      rect = Rect(origin: pixelGrid.round(rect.origin), size: pixelGrid.round(rect.size))
    }
    return isMirrored ? rect.mirrored(inWidth: contentWidth) : rect
  }

  /// A rect of content coordinates in axis space, as it is, without rounding.
  @inlinable
  public func axisRect(_ rect: Rect) -> AxisRect {
    axis.axisRect(isMirrored ? rect.mirrored(inWidth: contentWidth) : rect)
  }

  /// What to search in axis space for elements of a rect: larger by what rounding may move them.
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
