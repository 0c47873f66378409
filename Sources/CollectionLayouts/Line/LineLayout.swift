// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// One line of equal items that magnifies those near the viewport's centre and comes to rest with
/// one of them centred: the line layout of WWDC 2012, session 219.
///
/// All sections follow one another in the one line. Sizes that the data gives do not count: every
/// item has `itemSize`. A section's own inset and line spacing override the layout's.
public struct LineLayout: CollectionLayout {
  public var scrollDirection: ScrollAxis
  public var itemSize: Size
  /// Between neighbours of a section, along the line. Negative = they overlap.
  public var lineSpacing: Double
  public var sectionInset: EdgeInsets
  /// Items whose centre is nearer than this to the viewport's are magnified, with z-index 1.
  public var activeDistance: Double
  /// scale = 1 + zoomFactor · (1 − distance / activeDistance).
  public var zoomFactor: Double

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

  public var kindName: String { "line" }
}
