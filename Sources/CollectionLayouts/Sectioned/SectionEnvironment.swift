// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// What the sections of one prepared layout have in common, in axis space.
public struct SectionEnvironment: Hashable, Sendable {
  public let axis: ScrollAxis
  public let container: LayoutContainer
  public let options: LayoutOptions
  /// Extent of the content across the scroll axis: the container less its insets.
  public let crossLength: Double
  /// Extent of the container along the scroll axis, less its insets.
  public let mainLength: Double
  /// The pixels that lengths and positions are rounded to; nil = not at all.
  public let pixelGrid: PixelGrid?

  public init(axis: ScrollAxis, container: LayoutContainer, options: LayoutOptions) {
    self.axis = axis
    self.container = container
    self.options = options
    crossLength = axis.cross(container.contentSize)
    mainLength = axis.main(container.contentSize)
    pixelGrid = options.pixelGrid(for: container)
  }

  /// A length in whole pixels where the layout is pixel-aligned.
  ///
  /// Solvers round the sizes of elements with it and accumulate positions from the result, without
  /// rounding those: the frame does that last, as measured from UIKit.
  @inlinable
  public func pixelAligned(_ length: Double) -> Double {
    guard let pixelGrid else { return length }
    return pixelGrid.round(length)
  }
}
