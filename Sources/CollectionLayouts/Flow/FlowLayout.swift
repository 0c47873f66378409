// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// Lines of items, as UICollectionViewFlowLayout breaks and justifies them.
///
/// Sizes and spacings of sections and items in the data win over these. Where all items of a section
/// have one size, the last line keeps the gaps of the full ones; otherwise it has the minimum
/// spacing.
public struct FlowLayout: Hashable, Sendable {
  /// Where the items of a line go.
  public enum Alignment: Hashable, Sendable, CaseIterable {
    /// UIKit's: full lines reach both edges, the last line starts at the leading edge.
    case justified
    /// Exact minimum spacing, from the named edge or about the centre.
    case leading
    case center
    case trailing
  }

  /// Where an item smaller than its line sits across the line.
  public enum CrossAlignment: Hashable, Sendable, CaseIterable {
    case center
    case start
    case end
  }

  public var scrollDirection: ScrollAxis
  /// For items without a size of their own.
  public var itemSize: Size
  /// Not nil = items are self-sizing from this estimate until measured.
  public var estimatedItemSize: Size?
  /// Between lines.
  public var minimumLineSpacing: Double
  /// Between the items of a line.
  public var minimumInteritemSpacing: Double
  public var sectionInset: EdgeInsets
  /// Only the length along the scroll direction counts; 0 = no header.
  public var headerReferenceSize: Size
  /// Only the length along the scroll direction counts; 0 = no footer.
  public var footerReferenceSize: Size
  public var sectionHeadersPinToVisibleBounds: Bool
  public var sectionFootersPinToVisibleBounds: Bool
  public var alignment: Alignment
  public var crossAlignment: CrossAlignment
  /// z-index of headers and footers that are pinned.
  public var pinnedZIndex: Int

  public init(
    scrollDirection: ScrollAxis = .vertical,
    itemSize: Size = Size(width: 50, height: 50),
    estimatedItemSize: Size? = nil,
    minimumLineSpacing: Double = 10,
    minimumInteritemSpacing: Double = 10,
    sectionInset: EdgeInsets = .zero,
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
    self.headerReferenceSize = headerReferenceSize
    self.footerReferenceSize = footerReferenceSize
    self.sectionHeadersPinToVisibleBounds = sectionHeadersPinToVisibleBounds
    self.sectionFootersPinToVisibleBounds = sectionFootersPinToVisibleBounds
    self.alignment = alignment
    self.crossAlignment = crossAlignment
    self.pinnedZIndex = pinnedZIndex
  }
}
