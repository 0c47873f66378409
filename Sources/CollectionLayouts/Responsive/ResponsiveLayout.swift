// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import LayoutGeometry

/// Layouts for different environments; the first whose condition holds applies. In UIKit, section
/// providers decide this by the environment that they are given.
///
/// Sessions and queries choose the layout (`LayoutConfiguration.resolved(in:)`) before they ask for
/// a prepared one. So viewers to whom the same layout applies share it, even if they state traits
/// that no condition asks for.
public struct ResponsiveLayout: Hashable, Sendable {
  /// A layout and when it applies.
  public struct Variant: Hashable, Sendable {
    /// What has to hold.
    public var condition: LayoutCondition
    /// The layout, which must not be responsive.
    public var configuration: LayoutConfiguration

    /// A layout that applies if the condition holds.
    public init(_ condition: LayoutCondition, _ configuration: LayoutConfiguration) {
      self.condition = condition
      self.configuration = configuration
    }
  }

  /// In order: the first whose condition holds applies. 1 to `maximumVariants`.
  public var variants: [Variant]
  /// The layout that applies if no condition holds; must not be responsive.
  public var otherwise: LayoutConfiguration
  /// Whether a change from one variant to another is animated.
  public var isAnimated: Bool

  /// Makes a layout of variants.
  public init(variants: [Variant], otherwise: LayoutConfiguration, isAnimated: Bool = false) {
    self.variants = variants
    self.otherwise = otherwise
    self.isAnimated = isAnimated
  }

  /// The most variants, besides `otherwise`.
  public static let maximumVariants = 16

  /// The index of the variant that counts in an environment; the number of variants = `otherwise`.
  ///
  /// - Complexity: O(conditions)
  public func variant(in environment: LayoutEnvironment) -> Int {
    variants.firstIndex { $0.condition.holds(in: environment) } ?? variants.count
  }

  /// The layout of a variant, by an index that `variant(in:)` returned.
  public func configuration(ofVariant index: Int) -> LayoutConfiguration {
    variants.indices.contains(index) ? variants[index].configuration : otherwise
  }
}

extension LayoutConfiguration {
  /// The layout that counts in an environment: of a responsive layout a variant, which is not
  /// responsive; any other layout itself.
  ///
  /// - Complexity: O(conditions)
  public func resolved(in environment: LayoutEnvironment) -> LayoutConfiguration {
    guard let responsive = layout as? ResponsiveLayout else { return self }
    // Values hold each other without cycles, so this ends, whatever was not validated.
    let index = responsive.variant(in: environment)
    return responsive.configuration(ofVariant: index).resolved(in: environment)
  }

  /// Whether the layout depends on the viewer's environment.
  public var isResponsive: Bool { layout is ResponsiveLayout }
}

// MARK: - As a layout

/// So that it stands wherever a layout does. Who prepares it without resolving it gets the variant
/// for the container of the context and for no traits.
extension ResponsiveLayout: CollectionLayout {
  /// "responsive".
  public var kindName: String { "responsive" }

  /// Rejects missing and too many variants, conditions that can never hold, and whatever the
  /// variants reject. Only variants that may apply to viewports of the size are held against it.
  public func validate(viewportSize: Size?, findings: inout LayoutFindings) {
    validateRules(findings: &findings)
    let sizes = Self.sizes(viewportSize, for: variants.map(\.condition))
    for (index, (variant, size)) in zip(variants, sizes).enumerated() {
      variant.configuration.validate(
        viewportSize: size,
        within: "variants[\(index)].layout",
        &findings
      )
    }
    otherwise.validate(viewportSize: sizes.last ?? nil, within: "otherwise", &findings)
  }

  /// Rejects what `validate` does, except for what the layouts of the variants reject.
  package func validateRules(findings: inout LayoutFindings) {
    if variants.isEmpty { findings.reject("variants", "is empty; at least one is needed") }
    findings.expectCount(
      variants.count,
      of: "entries",
      atMost: Self.maximumVariants,
      "variants"
    )
    for (index, variant) in variants.prefix(Self.maximumVariants).enumerated() {
      var own = LayoutFindings()
      variant.condition.validate(findings: &own)
      findings.take(own, within: "variants[\(index)].condition")
    }
  }

  /// The viewport sizes against which the layouts of the variants, and then `otherwise`, are
  /// checked.
  ///
  /// - Parameter size: of the viewport; nil = not known.
  /// - Returns: nil for layouts that do not apply to such a viewport.
  package static func sizes(_ size: Size?, for conditions: [LayoutCondition]) -> [Size?] {
    var left = size
    var sizes: [Size?] = []
    for condition in conditions {
      let isMet = left.map { condition.holds(for: $0) } ?? false
      sizes.append(isMet ? left : nil)
      if isMet, condition.asksOnlySize { left = nil }
    }
    return sizes + [left]
  }

  /// Everything, since any part of it may decide.
  public func significantParts(of container: LayoutContainer) -> LayoutContainer { container }

  /// The memory that all variants take, in bytes: an estimate.
  ///
  /// - Complexity: O(parameters)
  public var parameterByteCount: Int {
    variants.reduce(otherwise.byteCount) {
      $0 + $1.condition.byteCount + $1.configuration.byteCount
    }
  }

  /// Places all elements by the variant for the container.
  public func prepare(_ context: LayoutContext) -> any PreparedLayout {
    let (layout, own) = resolved(context)
    return layout.prepare(own)
  }

  /// Places all elements by the variant for the container, and checks the limits of `work` while it
  /// does.
  ///
  /// - Throws: the reason to stop, as `work.stop` gives it.
  public func prepare(
    _ context: LayoutContext,
    work: LayoutWork
  ) throws(LayoutWork.Stop) -> any PreparedLayout {
    let (layout, own) = resolved(context)
    return try layout.prepare(own, work: work)
  }

  private func resolved(_ context: LayoutContext) -> (any CollectionLayout, LayoutContext) {
    let configuration = LayoutConfiguration(self).resolved(in: LayoutEnvironment(context.container))
    var own = context
    own.options = configuration.options
    return (configuration.layout, own)
  }
}

extension LayoutConfiguration {
  /// - Parameter field: the path of the layout from that of the variants.
  fileprivate func validate(
    viewportSize: Size?,
    within field: String,
    _ findings: inout LayoutFindings
  ) {
    guard !isResponsive else {
      findings.reject(field, "responsive found; a layout of another kind is needed")
      return
    }
    var own = LayoutFindings()
    options.validate(findings: &own)
    findings.take(own, within: field)
    own = LayoutFindings()
    layout.validate(viewportSize: viewportSize, findings: &own)
    findings.take(own, within: "\(field).\(layout.kindName)")
  }
}

extension LayoutFindings {
  /// Adds other findings, whose fields lie within a field.
  fileprivate mutating func take(_ others: LayoutFindings, within field: String) {
    for violation in others.violations {
      let violation = violation.within(field)
      reject(violation.field, violation.description)
    }
    for warning in others.warnings {
      let warning = warning.within(field)
      warn(warning.field, warning.description)
    }
  }
}
