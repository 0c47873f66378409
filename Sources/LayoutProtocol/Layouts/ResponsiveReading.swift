// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry

extension FieldReader {
  /// Reads the responsive layout of a spec, which is the current message, and validates each
  /// variant.
  ///
  /// - Parameters:
  ///   - viewportSize: in points; nil = not known.
  ///   - findings: the warnings are added here, with paths from the spec.
  /// - Returns: nil = something was refused.
  mutating func responsive(
    _ message: Wire.ResponsiveLayout,
    rules: ReadingRules,
    viewportSize: Size?,
    findings: inout LayoutFindings
  ) -> ResponsiveLayout? {
    var inner = LayoutFindings()
    let layout = within("responsive") {
      $0.variants(of: message, rules: rules, viewportSize: viewportSize, findings: &inner)
    }
    for warning in inner.warnings {
      findings.warn("responsive.\(warning.field)", warning.description)
    }
    return layout
  }

  /// Refuses options beside a responsive layout: they belong to the layout of each variant.
  mutating func rejectOptions(beside spec: Wire.LayoutSpec) {
    let options: [(name: StaticString, isSet: Bool)] = [
      ("section_backgrounds", !spec.sectionBackgrounds.isEmpty),
      ("appearing", spec.hasAppearing),
      ("disappearing", spec.hasDisappearing),
      ("appearance_rules", !spec.appearanceRules.isEmpty),
      ("scroll_snap", spec.scrollSnap != .unspecified),
      ("pixel_aligned", spec.pixelAligned),
      ("scroll_targets", spec.hasScrollTargets),
      ("scroll_effects", !spec.scrollEffects.isEmpty),
    ]
    for option in options where option.isSet {
      reject(option.name, "found beside responsive; each variant states its own")
    }
  }

  private mutating func variants(
    of message: Wire.ResponsiveLayout,
    rules: ReadingRules,
    viewportSize: Size?,
    findings: inout LayoutFindings
  ) -> ResponsiveLayout? {
    guard limit(message.variants.count, "variants", to: ResponsiveLayout.maximumVariants) else {
      return nil
    }
    let conditions = each(message.variants, "variants") { variant, reader in
      reader.within("condition") { $0.condition(variant.condition) }
    }
    let sizes = ResponsiveLayout.sizes(viewportSize, for: conditions)
    var variants: [ResponsiveLayout.Variant] = []
    for (index, variant) in message.variants.enumerated() {
      let configuration = within("variants", at: index) {
        $0.variant(
          variant.hasLayout ? variant.layout : nil,
          "layout",
          path: "variants[\(index)].layout",
          rules: rules,
          viewportSize: sizes[index],
          findings: &findings
        )
      }
      if let configuration { variants.append(.init(conditions[index], configuration)) }
    }
    let otherwise = variant(
      message.hasOtherwise ? message.otherwise : nil,
      "otherwise",
      path: "otherwise",
      rules: rules,
      viewportSize: sizes.last ?? nil,
      findings: &findings
    )
    guard let otherwise, variants.count == message.variants.count else { return nil }
    return ResponsiveLayout(
      variants: variants,
      otherwise: otherwise,
      isAnimated: message.animated
    )
  }

  /// Reads the layout of a variant.
  ///
  /// - Parameters:
  ///   - path: of the field from the responsive layout, for warnings.
  /// - Returns: nil = it was refused.
  private mutating func variant(
    _ message: Wire.LayoutSpec?,
    _ name: StaticString,
    path: String,
    rules: ReadingRules,
    viewportSize: Size?,
    findings: inout LayoutFindings
  ) -> LayoutConfiguration? {
    guard let message else {
      reject(name, "nothing found; a layout is needed")
      return nil
    }
    if case .responsive = message.kind {
      reject(name, "responsive found; a layout of another kind is needed")
      return nil
    }
    var own = LayoutFindings()
    let layout = within(name) {
      $0.layout(message, rules: rules, viewportSize: viewportSize, findings: &own)
    }
    for warning in own.warnings {
      let warning = warning.within(path)
      findings.warn(warning.field, warning.description)
    }
    return layout
  }

  private mutating func condition(_ message: Wire.LayoutCondition) -> LayoutCondition {
    LayoutCondition(
      minimumWidth: message.hasMinWidth ? length(message.minWidth, "min_width") : nil,
      widthBelow: message.hasBelowWidth ? length(message.belowWidth, "below_width") : nil,
      minimumHeight: message.hasMinHeight ? length(message.minHeight, "min_height") : nil,
      heightBelow: message.hasBelowHeight ? length(message.belowHeight, "below_height") : nil,
      minimumDisplayScale: message.hasMinDisplayScale
        ? length(message.minDisplayScale, "min_display_scale") : nil,
      displayScaleBelow: message.hasBelowDisplayScale
        ? length(message.belowDisplayScale, "below_display_scale") : nil,
      isRightToLeft: message.hasRightToLeft ? message.rightToLeft : nil,
      requiredTraits: traitNames(
        message.requiredTraits,
        "required_traits",
        to: LayoutCondition.maximumTraits
      ),
      excludedTraits: traitNames(
        message.excludedTraits,
        "excluded_traits",
        to: LayoutCondition.maximumTraits
      ),
      horizontalSizeClass: sizeClass(message.horizontalSizeClass, "horizontal_size_class"),
      verticalSizeClass: sizeClass(message.verticalSizeClass, "vertical_size_class")
    )
  }

  /// Reads names of traits, of 1 to 64 bytes.
  mutating func traitNames(
    _ names: [String],
    _ field: StaticString,
    to limit: Int
  ) -> Set<String> {
    guard self.limit(names.count, field, to: limit) else { return [] }
    for (index, name) in names.enumerated()
    where !(1 ... LayoutTraits.maximumNameBytes).contains(name.utf8.count) {
      reject(
        field,
        at: index,
        "\(name.utf8.count) bytes found; 1 to \(LayoutTraits.maximumNameBytes) are allowed"
      )
      return []
    }
    return Set(distinct: names)
  }

  /// - Returns: nil = unspecified, or unknown and refused.
  mutating func sizeClass(_ message: Wire.SizeClass, _ name: StaticString) -> SizeClass? {
    choice(message, name) { sizeClass -> SizeClass?? in
      switch sizeClass {
      case .unspecified: .some(nil)
      case .compact: SizeClass.compact
      case .regular: SizeClass.regular
      case .UNRECOGNIZED: nil
      }
    } ?? nil
  }
}
