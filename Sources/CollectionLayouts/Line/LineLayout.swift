// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// One line of equal items that magnifies those near the viewport's centre and comes to rest with
/// one of them centred: the line layout of WWDC 2012, session 219.
///
/// All sections follow each other in the one line. Sizes that the data gives are ignored: every
/// item has `itemSize`. A section's own inset and line spacing override the layout's.
public struct LineLayout: CollectionLayout {
  /// The axis of the line. Default: horizontal.
  public var scrollDirection: ScrollAxis
  /// The size of every item, in points. Default 200 × 200.
  public var itemSize: Size
  /// The distance between neighbours in a section, in points along the line; at least minus the
  /// item's extent. If it is negative, items overlap. Default 50.
  public var lineSpacing: Double
  /// Room around the items of a section, in points. Default 200 at the top and the bottom.
  public var sectionInset: EdgeInsets
  /// Items whose centre is nearer than this to the viewport's centre are magnified and have z-index
  /// 1. In points along the line; at least 0. Default 200.
  public var activeDistance: Double
  /// The factor in scale = 1 + zoomFactor · (1 − distance / activeDistance); at least −1. Default
  /// 0.3.
  public var zoomFactor: Double

  /// Makes a line with the defaults of the WWDC sample.
  public init(
    scrollDirection: ScrollAxis = .horizontal,
    itemSize: Size = Size(width: 200, height: 200),
    lineSpacing: Double = 50,
    sectionInset: EdgeInsets = EdgeInsets(top: 200, leading: 0, bottom: 200, trailing: 0),
    activeDistance: Double = 200,
    zoomFactor: Double = 0.3
  ) {
    self.scrollDirection = scrollDirection
    self.itemSize = itemSize
    self.lineSpacing = lineSpacing
    self.sectionInset = sectionInset
    self.activeDistance = activeDistance
    self.zoomFactor = zoomFactor
  }

  /// "line".
  public var kindName: String { "line" }
}
