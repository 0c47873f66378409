// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// What the sections of one prepared layout have in common, in axis space.
public struct SectionEnvironment: Hashable, Sendable {
  /// The scroll axis.
  public let axis: ScrollAxis
  /// The container that the layout is prepared for.
  public let container: LayoutContainer
  /// The options that all layouts have in common.
  public let options: LayoutOptions
  /// The extent of the content across the scroll axis: the container less its insets, in points.
  public let crossLength: Double
  /// The extent of the container along the scroll axis less its insets, in points.
  public let mainLength: Double
  /// The pixels that lengths and positions are rounded to; nil = nothing is rounded.
  public let pixelGrid: PixelGrid?
  /// The names of the contents' kinds of cells, if the layout depends on them
  /// (`SectionedLayout.usesCellKinds`); else empty.
  public let cellKindNames: [String]

  /// Makes the environment of a container.
  public init(
    axis: ScrollAxis,
    container: LayoutContainer,
    options: LayoutOptions,
    cellKindNames: [String] = []
  ) {
    self.axis = axis
    self.cellKindNames = cellKindNames
    self.container = container
    self.options = options
    crossLength = axis.cross(container.contentSize)
    mainLength = axis.main(container.contentSize)
    pixelGrid = options.pixelGrid(for: container)
  }

  /// The length, rounded to whole pixels if the layout is pixel-aligned.
  ///
  /// Solvers round the sizes of elements with it and add positions up exactly; the frame around
  /// them rounds positions at the end. UIKit was measured to do the same.
  @inlinable
  public func pixelAligned(_ length: Double) -> Double {
    guard let pixelGrid else { return length }
    return pixelGrid.round(length)
  }
}
