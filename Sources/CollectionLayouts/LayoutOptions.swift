// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// What every layout has besides its own parameters: the fields of LayoutSpec outside of `kind`.
public struct LayoutOptions: Hashable, Sendable {
  public var sectionBackgrounds: [SectionBackground]
  /// nil = the layout's own: fade in place for most.
  public var appearing: AppearanceAnimation?
  public var disappearing: AppearanceAnimation?
  /// nil = the layout's own rule.
  public var scrollSnap: ScrollSnap?
  /// Whether sizes, then positions, are rounded to the pixels of the container's display scale.
  public var isPixelAligned: Bool

  public init(
    sectionBackgrounds: [SectionBackground] = [],
    appearing: AppearanceAnimation? = nil,
    disappearing: AppearanceAnimation? = nil,
    scrollSnap: ScrollSnap? = nil,
    isPixelAligned: Bool = false
  ) {
    self.sectionBackgrounds = sectionBackgrounds
    self.appearing = appearing
    self.disappearing = disappearing
    self.scrollSnap = scrollSnap
    self.isPixelAligned = isPixelAligned
  }

  /// The most entries that `sectionBackgrounds` may have: each is looked at for every visible section.
  public static let maximumSectionBackgrounds = 64

  /// Reports options that no layout can work with. Fields are named as in LayoutSpec.
  public func validate(findings: inout LayoutFindings) {
    findings.expectCount(
      sectionBackgrounds.count,
      of: "entries",
      atMost: Self.maximumSectionBackgrounds,
      "section_backgrounds"
    )
  }

  /// The backgrounds that count.
  var usedSectionBackgrounds: ArraySlice<SectionBackground> {
    sectionBackgrounds.prefix(Self.maximumSectionBackgrounds)
  }
}

/// A decoration element behind a section's header, items and footer with its insets.
public struct SectionBackground: Hashable, Sendable {
  public var kind: String
  /// Taken off the section's rect.
  public var insets: EdgeInsets
  public var zIndex: Int
  /// Indices of the sections that have it; nil = all.
  public var sections: Set<Int>?
  public var custom: [String: CustomValue]?

  public init(
    kind: String,
    insets: EdgeInsets = .zero,
    zIndex: Int = -1,
    sections: Set<Int>? = nil,
    custom: [String: CustomValue]? = nil
  ) {
    self.kind = kind
    self.insets = insets
    self.zIndex = zIndex
    self.sections = sections
    self.custom = custom
  }
}

/// Where scrolling may come to rest.
public enum ScrollSnap: UInt8, Hashable, Sendable, CaseIterable {
  case none
  case itemCenter
  case itemLeading
  case page
}

/// Initial or final attributes as changes to an element's settled ones.
public struct AppearanceAnimation: Hashable, Sendable {
  /// Where the element's centre is, seen from its settled place.
  public enum Center: Hashable, Sendable {
    case unchanged
    case viewportCenter
    case offset(Point)
    case point(Point)
  }

  public var alpha: Double
  public var scale: Double
  public var center: Center

  public init(alpha: Double = 0, scale: Double = 1, center: Center = .unchanged) {
    self.alpha = alpha
    self.scale = scale
    self.center = center
  }

  /// UIKit's default for inserted and deleted elements.
  public static let fade = AppearanceAnimation()

  /// The settled attributes as they are before the element appears or after it disappeared.
  public func applied(to settled: LayoutAttributes, viewport: Viewport) -> LayoutAttributes {
    var attributes = settled
    attributes.alpha = alpha
    if scale != 1 { attributes.transform = settled.transform.concatenating(.scale(scale)) }
    let center: Point =
      switch self.center {
      case .unchanged: settled.frame.center
      case .viewportCenter: viewport.rect.center
      case .offset(let offset): settled.frame.center + offset
      case .point(let point): point
      }
    attributes.frame = settled.frame.offset(by: center - settled.frame.center)
    return attributes
  }
}
