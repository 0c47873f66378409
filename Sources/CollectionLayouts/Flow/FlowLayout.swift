// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Lines of items, broken and justified as UICollectionViewFlowLayout does it.
///
/// Sizes and spacings that the data gives for sections and items override these. If all items of a
/// section have the same size, its last line keeps the gaps of the full lines; otherwise the last
/// line has the minimum spacing. For self-sizing items, the same extent across the scroll axis is
/// enough. An item that is longer than its line starts at the line's start.
public struct FlowLayout: Hashable, Sendable {
  /// How the items of a line share the line's length.
  public enum Alignment: Hashable, Sendable, CaseIterable {
    /// As in UIKit: full lines reach both edges, and the last line starts at the leading edge.
    case justified
    /// The items start at the leading edge, with exactly the minimum spacing.
    case leading
    /// The items are centred in the line, with exactly the minimum spacing.
    case center
    /// The items end at the trailing edge, with exactly the minimum spacing.
    case trailing
  }

  /// Where an item that is smaller than its line lies along the scroll axis.
  public enum CrossAlignment: Hashable, Sendable, CaseIterable {
    /// In the middle of the line, as in UIKit.
    case center
    /// At the start of the line.
    case start
    /// At the end of the line.
    case end
  }

  /// The axis along which lines follow each other. Default: vertical.
  public var scrollDirection: ScrollAxis
  /// The size of items for which the data gives none, in points. Default 50 × 50.
  public var itemSize: Size
  /// The size that items without a size of their own are assumed to have until some items have been
  /// measured, in points; not nil = items are self-sizing. From the first measurement on, they are
  /// assumed to have the mean of all measured sizes. Default nil.
  public var estimatedItemSize: Size?
  /// The distance between lines, in points; at least 0. Default 10.
  public var minimumLineSpacing: Double
  /// The least distance between the items of a line, in points; at least 0. Default 10.
  public var minimumInteritemSpacing: Double
  /// Room around the lines of a section, in points, from `sectionInsetReference`. Default 0.
  public var sectionInset: EdgeInsets
  /// What the insets of sections are measured from across the scroll axis. `automatic`, the
  /// default, and `none` = the content insets. From anything else an inset is max(inset + reference
  /// − content inset, 0). Headers and footers do not follow it.
  public var sectionInsetReference: InsetsReference
  /// The size of section headers, in points. Only the length along the scroll axis counts; 0 = no
  /// header. Default 0.
  public var headerReferenceSize: Size
  /// The size of section footers, in points. Only the length along the scroll axis counts; 0 = no
  /// footer. Default 0.
  public var footerReferenceSize: Size
  /// Whether a header stays at the start of the visible bounds while its section passes. Default
  /// false.
  public var sectionHeadersPinToVisibleBounds: Bool
  /// Whether a footer stays at the end of the visible bounds while its section passes. Default
  /// false.
  public var sectionFootersPinToVisibleBounds: Bool
  /// How the items of a line share the line's length. Default: justified.
  public var alignment: Alignment
  /// Where an item that is smaller than its line lies along the scroll axis. Default: centre.
  public var crossAlignment: CrossAlignment
  /// The z-index of headers and footers that pin, a 32-bit integer. Default 10; others have 0.
  public var pinnedZIndex: Int

  /// Makes a flow layout with UIKit's defaults.
  public init(
    scrollDirection: ScrollAxis = .vertical,
    itemSize: Size = Size(width: 50, height: 50),
    estimatedItemSize: Size? = nil,
    minimumLineSpacing: Double = 10,
    minimumInteritemSpacing: Double = 10,
    sectionInset: EdgeInsets = .zero,
    sectionInsetReference: InsetsReference = .automatic,
    headerReferenceSize: Size = .zero,
    footerReferenceSize: Size = .zero,
    sectionHeadersPinToVisibleBounds: Bool = false,
    sectionFootersPinToVisibleBounds: Bool = false,
    alignment: Alignment = .justified,
    crossAlignment: CrossAlignment = .center,
    pinnedZIndex: Int = 10
  ) {
    self.scrollDirection = scrollDirection
    self.itemSize = itemSize
    self.estimatedItemSize = estimatedItemSize
    self.minimumLineSpacing = minimumLineSpacing
    self.minimumInteritemSpacing = minimumInteritemSpacing
    self.sectionInset = sectionInset
    self.sectionInsetReference = sectionInsetReference
    self.headerReferenceSize = headerReferenceSize
    self.footerReferenceSize = footerReferenceSize
    self.sectionHeadersPinToVisibleBounds = sectionHeadersPinToVisibleBounds
    self.sectionFootersPinToVisibleBounds = sectionFootersPinToVisibleBounds
    self.alignment = alignment
    self.crossAlignment = crossAlignment
    self.pinnedZIndex = pinnedZIndex
  }
}
