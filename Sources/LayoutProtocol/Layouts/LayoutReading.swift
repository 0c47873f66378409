// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
package import CollectionModel
package import LayoutGeometry

/// The result of validating a layout: everything that is wrong with it, not only the first problem.
package struct LayoutVerdict: Sendable {
  /// The layout; nil = there are violations.
  package var configuration: LayoutConfiguration?
  /// The invalid fields, with paths from `LayoutSpec`.
  package var violations: [FieldViolation]
  /// Fields that are valid but probably unintended, with paths from `LayoutSpec`.
  package var warnings: [FieldViolation]
}

extension Wire.LayoutSpec {
  /// Reads and validates the layout.
  ///
  /// - Parameter prefix: the path of the spec in its request: "collection.default_layout".
  /// - Throws: FIELD_INVALID, LAYOUT_KIND_UNKNOWN.
  package func decoded(
    by rules: ReadingRules,
    prefix: String
  ) throws(LayoutProblem) -> LayoutConfiguration {
    var reader = FieldReader(prefix: prefix)
    var findings = LayoutFindings()
    let layout = reader.layout(self, rules: rules, viewportSize: nil, findings: &findings)
    try reader.finish()
    // nil comes only with a refusal, which `finish` has thrown.
    guard let layout else { throw .fieldInvalid(prefix, "the layout was refused") }
    return layout
  }

  /// Validates the layout and collects all violations and warnings.
  ///
  /// - Parameter viewportSize: in points, for warnings about what would not fit; nil = not known.
  /// - Throws: LAYOUT_KIND_UNKNOWN.
  package func verdict(
    by rules: ReadingRules,
    viewportSize: Size?
  ) throws(LayoutProblem) -> LayoutVerdict {
    var reader = FieldReader()
    var findings = LayoutFindings()
    let layout = reader.layout(
      self,
      rules: rules,
      viewportSize: viewportSize,
      findings: &findings
    )
    do {
      try reader.finish()
    } catch  where error.reason != .fieldInvalid {
      throw error
    } catch {
      // FIELD_INVALID is not thrown: its violations are part of the verdict.
    }
    return LayoutVerdict(
      configuration: layout,
      violations: reader.violations,
      warnings: findings.warnings
    )
  }
}

extension LayoutRegistry {
  /// The kinds of layouts for errors: the field names of `LayoutSpec.kind`, and the registered
  /// custom layouts as "custom:NAME".
  package var supportedKinds: [String] {
    [
      "flow", "list", "grid", "waterfall", "compositional", "line", "circle", "carousel", "stack",
      "spatial", "sections", "responsive", "grid_lanes", "table",
    ] + names.map { "custom:\($0)" }
  }
}

// MARK: - The spec

extension FieldReader {
  /// Reads and validates the layout in the field `name`.
  ///
  /// - Returns: nil = something was refused.
  package mutating func layout(
    _ message: Wire.LayoutSpec,
    _ name: StaticString,
    rules: ReadingRules
  ) -> LayoutConfiguration? {
    within(name) { reader in
      var findings = LayoutFindings()
      return reader.layout(message, rules: rules, viewportSize: nil, findings: &findings)
    }
  }

  /// Reads and validates a layout, which is the current message.
  ///
  /// - Parameters:
  ///   - viewportSize: in points; nil = not known.
  ///   - findings: the layout's warnings are added here, with paths from the spec.
  /// - Returns: nil = something was refused.
  mutating func layout(
    _ message: Wire.LayoutSpec,
    rules: ReadingRules,
    viewportSize: Size?,
    findings: inout LayoutFindings
  ) -> LayoutConfiguration? {
    let violationsBefore = violations.count
    let options = options(of: message)
    var shared = LayoutFindings()
    options.validate(findings: &shared)
    let effects = scrollEffects(message.scrollEffects)
    ScrollEffect.validate(effects, findings: &shared)
    for violation in shared.violations { reject(path: violation.field, violation.description) }
    guard let kind = message.kind else {
      fail(
        .layoutKindUnknown(
          field: path().isEmpty ? "kind" : path(),
          found: "no kind found that this server knows",
          supported: rules.registry.supportedKinds
        )
      )
      return nil
    }
    if case .responsive = kind { rejectOptions(beside: message) }
    let read = layout(of: kind, rules: rules, viewportSize: viewportSize, findings: &findings)
    guard let (layout, field) = read else { return nil }
    var own = LayoutFindings()
    if let responsive = layout as? ResponsiveLayout {
      // Its variants were validated as they were read.
      responsive.validateRules(findings: &own)
    } else {
      layout.validate(viewportSize: viewportSize, findings: &own)
    }
    merge(own, under: field, knownFrom: violationsBefore, into: &findings)
    guard violations.count == violationsBefore, isClean else { return nil }
    var configuration = LayoutConfiguration(layout, options: options, scrollEffects: effects)
    // Every request for a prepared layout looks the configuration up, and it may be large.
    configuration.rememberHash()
    return configuration
  }

  /// Adds the findings of a layout's own validation. Fields that were refused while reading are
  /// skipped, since the layout has a replacement value there.
  ///
  /// - Parameters:
  ///   - field: the path of the layout in the spec.
  ///   - start: the number of violations before the layout was read.
  private mutating func merge(
    _ own: LayoutFindings,
    under field: String,
    knownFrom start: Int,
    into findings: inout LayoutFindings
  ) {
    let prefix = path()
    let known = Set(violations.dropFirst(start).map(\.field))
    for violation in own.violations {
      let name = violation.within(field).field
      let full = prefix.isEmpty ? name : "\(prefix).\(name)"
      let isKnown = known.contains { $0 == full || $0.hasPrefix("\(full).") }
      if !isKnown { reject(path: name, violation.description) }
    }
    for warning in own.warnings {
      findings.warn(warning.within(field).field, warning.description)
    }
  }

  /// Reads the layout of a kind.
  ///
  /// - Returns: the layout and the path of its fields in the spec; nil = it was refused.
  private mutating func layout(
    of kind: Wire.LayoutSpec.OneOf_Kind,
    rules: ReadingRules,
    viewportSize: Size?,
    findings: inout LayoutFindings
  ) -> (layout: any CollectionLayout, field: String)? {
    switch kind {
    case .flow(let message): (within("flow") { $0.flow(message) }, "flow")
    case .list(let message): (within("list") { $0.list(message) }, "list")
    case .grid(let message): (within("grid") { $0.grid(message) }, "grid")
    case .waterfall(let message): (within("waterfall") { $0.waterfall(message) }, "waterfall")
    case .compositional(let message):
      (within("compositional") { $0.compositional(message) }, "compositional")
    case .line(let message): (within("line") { $0.line(message) }, "line")
    case .circle(let message): (within("circle") { $0.circle(message) }, "circle")
    case .carousel(let message): (within("carousel") { $0.carousel(message) }, "carousel")
    case .stack(let message): (within("stack") { $0.stack(message) }, "stack")
    case .spatial(let message): (within("spatial") { $0.spatial(message) }, "spatial")
    case .sections(let message): (within("sections") { $0.sections(message) }, "sections")
    case .gridLanes(let message): (within("grid_lanes") { $0.gridLanes(message) }, "grid_lanes")
    case .table(let message): (within("table") { $0.table(message) }, "table")
    case .responsive(let message):
      responsive(message, rules: rules, viewportSize: viewportSize, findings: &findings)
        .map { ($0, "responsive") }
    case .custom(let message):
      within("custom") { $0.custom(message, rules: rules, findings: &findings) }
        .map { ($0, "custom.parameters") }
    }
  }

  /// Makes a registered custom layout from its parameters.
  ///
  /// - Returns: nil = there is none of this name, or it refused its parameters.
  private mutating func custom(
    _ message: Wire.CustomLayout,
    rules: ReadingRules,
    findings: inout LayoutFindings
  ) -> (any CollectionLayout)? {
    guard let factory = rules.registry.factory(named: message.name) else {
      fail(
        .layoutKindUnknown(
          field: path(to: "name"),
          found: "\(Quoted(message.name)) found",
          supported: rules.registry.supportedKinds
        )
      )
      return nil
    }
    let parameters = custom(message.parameters, "parameters", limits: .parameters)
    var own = LayoutFindings()
    let layout = factory(parameters, &own)
    for violation in own.violations {
      reject(path: "parameters.\(violation.field)", violation.description)
    }
    for warning in own.warnings {
      findings.warn("custom.parameters.\(warning.field)", warning.description)
    }
    if layout == nil, own.violations.isEmpty {
      reject(
        "parameters",
        "the layout \(Quoted(message.name)) refused its parameters without saying why"
      )
    }
    return own.violations.isEmpty ? layout : nil
  }
}

// MARK: - The options of every layout

extension FieldReader {
  private mutating func options(of message: Wire.LayoutSpec) -> LayoutOptions {
    LayoutOptions(
      sectionBackgrounds: each(message.sectionBackgrounds, "section_backgrounds") {
        $1.background($0)
      },
      appearing: message.hasAppearing ? animation(message.appearing, "appearing") : nil,
      disappearing: message.hasDisappearing ? animation(message.disappearing, "disappearing") : nil,
      appearanceRules: appearanceRules(message.appearanceRules),
      scrollSnap: choice(message.scrollSnap, "scroll_snap") { snap -> ScrollSnap?? in
        switch snap {
        case .unspecified: .some(nil)
        case .none: .some(ScrollSnap.none)
        case .itemCenter: .itemCenter
        case .itemLeading: .itemLeading
        case .page: .page
        case .UNRECOGNIZED: nil
        }
      } ?? nil,
      scrollTargets: message.hasScrollTargets
        ? within("scroll_targets") { $0.scrollTargets(message.scrollTargets) } : nil,
      isPixelAligned: message.pixelAligned
    )
  }

  /// Reads what insets are measured from.
  mutating func insetsReference(
    _ message: Wire.InsetsReference,
    _ name: StaticString
  ) -> InsetsReference {
    choice(message, name) { reference -> InsetsReference? in
      switch reference {
      case .unspecified, .automatic: .automatic
      case .none: InsetsReference.none
      case .safeArea: .safeArea
      case .layoutMargins: .layoutMargins
      case .readableContent: .readableContent
      case .UNRECOGNIZED: nil
      }
    } ?? .automatic
  }

  private mutating func scrollTargets(_ message: Wire.ScrollTargets) -> ScrollTargets {
    ScrollTargets(
      unit: choice(message.unit, "unit") { unit -> ScrollTargets.Unit?? in
        switch unit {
        case .unspecified: .some(nil)
        case .items: .items
        case .groups: .groups
        case .UNRECOGNIZED: nil
        }
      } ?? nil,
      anchor: number(message.anchor, "anchor", in: 0 ... 1),
      kindAnchors: kindAnchors(message.kindAnchors),
      isLimitedToOne: message.atMostOne
    )
  }

  private mutating func kindAnchors(_ messages: [Wire.KindAnchor]) -> [String: Double] {
    guard limit(messages.count, "kind_anchors", to: ScrollTargets.maximumKindAnchors) else {
      return [:]
    }
    var anchors: [String: Double] = [:]
    for (index, message) in messages.enumerated() {
      within("kind_anchors", at: index) { reader in
        let kind = reader.text(message.kind, "kind", maxBytes: FieldReader.maxNameBytes)
        let anchor = reader.number(message.anchor, "anchor", in: 0 ... 1)
        if anchors.updateValue(anchor, forKey: kind) != nil {
          reader.reject("kind", "\(Quoted(kind)) found before; each kind is allowed once")
        }
      }
    }
    return anchors
  }

  mutating func background(_ message: Wire.SectionBackground) -> SectionBackground {
    SectionBackground(
      kind: text(message.kind, "kind", maxBytes: FieldReader.maxNameBytes),
      insets: message.hasInsets ? insets(message.insets, "insets") : .zero,
      zIndex: message.hasZIndex ? Int(message.zIndex) : -1,
      sections: message.sections.isEmpty ? nil : sections(message.sections),
      custom: message.hasCustom ? custom(message.custom, "custom", limits: .attributes) : nil
    )
  }

  private mutating func sections(_ indices: [UInt32]) -> Set<Int> {
    guard limit(indices.count, "sections", to: FieldReader.maxBackgroundSections) else { return [] }
    return Set(distinct: indices.lazy.map { Int($0) })
  }
}

extension Set {
  /// The distinct elements of a sequence from outside. Memory is reserved for the distinct elements
  /// only, not for repeated ones.
  init(distinct elements: some Sequence<Element>) {
    self.init()
    for element in elements { insert(element) }
  }
}
