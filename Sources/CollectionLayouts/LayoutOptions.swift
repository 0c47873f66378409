// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// What every layout has besides its own parameters: the fields of LayoutSpec outside of `kind`.
public struct LayoutOptions: Hashable, Sendable {
  /// Decorations behind whole sections. If a section has several of one kind, only the first is
  /// shown. At most `maximumSectionBackgrounds` are used.
  public var sectionBackgrounds: [SectionBackground]
  /// The initial attributes of inserted elements; nil = the layout's own, which for most is a fade
  /// in place.
  public var appearing: AppearanceAnimation?
  /// The final attributes of deleted elements; nil = the layout's own, which for most is a fade in
  /// place.
  public var disappearing: AppearanceAnimation?
  /// How some elements enter and leave instead. At most `AppearanceRule.Limit.rules`.
  public var appearanceRules: [AppearanceRule]
  /// Where scrolling may come to rest; nil = the layout's own rule.
  public var scrollSnap: ScrollSnap?
  /// What comes to rest, and where; nil = as `scrollSnap` says. If it has a unit, `scrollSnap` must
  /// be nil.
  public var scrollTargets: ScrollTargets?
  /// Whether sizes, then positions, are rounded to the pixels of the container's display scale.
  /// Default false.
  public var isPixelAligned: Bool

  /// Makes options; the defaults leave everything to the layout.
  public init(
    sectionBackgrounds: [SectionBackground] = [],
    appearing: AppearanceAnimation? = nil,
    disappearing: AppearanceAnimation? = nil,
    appearanceRules: [AppearanceRule] = [],
    scrollSnap: ScrollSnap? = nil,
    scrollTargets: ScrollTargets? = nil,
    isPixelAligned: Bool = false
  ) {
    self.sectionBackgrounds = sectionBackgrounds
    self.appearing = appearing
    self.disappearing = disappearing
    self.appearanceRules = appearanceRules
    self.scrollSnap = scrollSnap
    self.scrollTargets = scrollTargets
    self.isPixelAligned = isPixelAligned
  }

  /// The most entries of `sectionBackgrounds`. A query looks at each of them for every visible
  /// section.
  public static let maximumSectionBackgrounds = 64

  /// Rejects options that no layout can work with. Fields are named as in LayoutSpec.
  public func validate(findings: inout LayoutFindings) {
    findings.expectCount(
      sectionBackgrounds.count,
      of: "entries",
      atMost: Self.maximumSectionBackgrounds,
      "section_backgrounds"
    )
    AppearanceRule.validate(appearanceRules, findings: &findings)
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
