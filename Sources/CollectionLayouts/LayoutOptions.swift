// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// What every layout has besides its own parameters: the fields of LayoutSpec outside of `kind`.
public struct LayoutOptions: Hashable, Sendable {
  /// Decorations behind whole sections. Of several with one kind in one section only the first is
  /// shown. At most `maximumSectionBackgrounds` are used.
  public var sectionBackgrounds: [SectionBackground]
  /// The initial attributes of inserted elements; nil = the layout's own, which for most is a fade
  /// in place.
  public var appearing: AppearanceAnimation?
  /// The final attributes of deleted elements; nil = the layout's own, which for most is a fade in
  /// place.
  public var disappearing: AppearanceAnimation?
  /// Where scrolling may come to rest; nil = the layout's own rule.
  public var scrollSnap: ScrollSnap?
  /// What comes to rest where; nil = as `scrollSnap` says. If it has a unit, `scrollSnap` must be nil.
  public var scrollTargets: ScrollTargets?
  /// Whether sizes, then positions, are rounded to the pixels of the container's display scale.
  /// Default false.
  public var isPixelAligned: Bool

  /// Makes options; the defaults leave everything to the layout.
  public init(
    sectionBackgrounds: [SectionBackground] = [],
    appearing: AppearanceAnimation? = nil,
    disappearing: AppearanceAnimation? = nil,
    scrollSnap: ScrollSnap? = nil,
    scrollTargets: ScrollTargets? = nil,
    isPixelAligned: Bool = false
  ) {
    self.sectionBackgrounds = sectionBackgrounds
    self.appearing = appearing
    self.disappearing = disappearing
    self.scrollSnap = scrollSnap
    self.scrollTargets = scrollTargets
    self.isPixelAligned = isPixelAligned
  }

  /// The most entries that `sectionBackgrounds` may have. A query looks at each of them for every
  /// visible section.
  public static let maximumSectionBackgrounds = 64

  /// Rejects options that no layout can work with. Fields are named as in LayoutSpec.
  public func validate(findings: inout LayoutFindings) {
    findings.expectCount(
      sectionBackgrounds.count,
      of: "entries",
      atMost: Self.maximumSectionBackgrounds,
      "section_backgrounds"
    )
    scrollTargets?.validate(beside: scrollSnap, findings: &findings)
  }

  /// The entries of `sectionBackgrounds` within the limit; the others are ignored.
  var usedSectionBackgrounds: ArraySlice<SectionBackground> {
    sectionBackgrounds.prefix(Self.maximumSectionBackgrounds)
  }
}

/// A decoration behind a section: it covers the section's header, items and footer with their
/// insets.
public struct SectionBackground: Hashable, Sendable {
  /// The element kind of the decoration.
  public var kind: String
  /// Distances by which the decoration is smaller than the section, in points; negative = larger.
  public var insets: EdgeInsets
  /// The z-index of the decoration; default −1, behind the cells. It is limited to 32 bits.
  public var zIndex: Int
  /// Indices of the sections that have it; nil = all sections.
  public var sections: Set<Int>?
  /// Custom attributes of the decoration; nil = none.
  public var custom: [String: CustomValue]?

  /// Makes a background of this kind, behind all sections unless `sections` says otherwise.
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
  /// Wherever it ends by itself.
  case none
  /// With the nearest item's centre in the middle of the viewport less its content insets.
  case itemCenter
  /// With the nearest item's leading edge at the viewport's, inside the content insets.
  case itemLeading
  /// At whole pages of the viewport less its insets plus the layout's page spacing, at most one
  /// page from the viewport's offset.
  case page
}

/// Initial or final attributes of an element, given as changes to its settled attributes.
public struct AppearanceAnimation: Hashable, Sendable {
  /// Where the element's centre is, relative to its settled place.
  public enum Center: Hashable, Sendable {
    /// At its settled place.
    case unchanged
    /// In the middle of the viewport.
    case viewportCenter
    /// Displaced from its settled place by this vector, in points.
    case offset(Point)
    /// At this place in content coordinates.
    case point(Point)
  }

  /// The opacity, 0…1; it replaces the settled one.
  public var alpha: Double
  /// A factor applied after the settled transform; 1 = unchanged.
  public var scale: Double
  /// Where the element's centre is.
  public var center: Center

  /// Makes an animation; the defaults fade the element in place.
  public init(alpha: Double = 0, scale: Double = 1, center: Center = .unchanged) {
    self.alpha = alpha
    self.scale = scale
    self.center = center
  }

  /// The element fades in place: UIKit's default for inserted and deleted elements.
  public static let fade = AppearanceAnimation()

  /// The attributes of an element before it appears or after it has disappeared.
  ///
  /// - Parameter settled: its attributes once it has appeared.
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
