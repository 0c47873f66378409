// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

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
  private var shape: Shape

  /// The size of the element's frame, in points; nil = its settled size.
  public var size: Size? {
    get { shape.size }
    set { shape = Shape(size: newValue, transform: transform) }
  }
  /// Applied after the settled transform and `scale`.
  public var transform: Transform {
    get { shape.transform }
    set { shape = Shape(size: size, transform: newValue) }
  }

  /// Makes an animation; the defaults fade the element in place.
  public init(
    alpha: Double = 0,
    scale: Double = 1,
    center: Center = .unchanged,
    size: Size? = nil,
    transform: Transform = .identity
  ) {
    self.alpha = alpha
    self.scale = scale
    self.center = center
    shape = Shape(size: size, transform: transform)
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
    if transform != .identity {
      attributes.transform = attributes.transform.concatenating(transform)
    }
    let center: Point =
      switch self.center {
      case .unchanged: settled.frame.center
      case .viewportCenter: viewport.rect.center
      case .offset(let offset): settled.frame.center + offset
      case .point(let point): point
      }
    attributes.frame = settled.frame.offset(by: center - settled.frame.center)
    if let size {
      attributes.frame = Rect(
        x: center.x - size.width / 2,
        y: center.y - size.height / 2,
        width: size.width,
        height: size.height
      )
    }
    return attributes
  }
}

/// Rarely used changes, stored out of line so that all layouts stay small.
private enum Shape: Hashable, Sendable {
  case settled
  indirect case changed(size: Size?, transform: Transform)

  init(size: Size?, transform: Transform) {
    self =
      size == nil && transform == .identity
      ? .settled : .changed(size: size, transform: transform)
  }

  var size: Size? {
    if case .changed(let size, _) = self { size } else { nil }
  }

  var transform: Transform {
    if case .changed(_, let transform) = self { transform } else { .identity }
  }
}

/// How some elements enter and leave in an animated update, instead of the layout's own way.
public struct AppearanceRule: Hashable, Sendable {
  /// Limits on the number and the size of rules.
  public enum Limit {
    /// The most rules of one layout.
    public static let rules = 64
    /// The most kinds of one rule.
    public static let kinds = 64
    /// The most item keys of all rules of one layout.
    public static let itemKeys = 1024
  }

  /// The category that the rule applies to.
  public var category: ElementCategory
  /// The element kinds that the rule applies to; empty = all of the category.
  public var kinds: Set<String>
  /// The keys of the items that the rule applies to; empty = all. Only cells have items.
  public var itemKeys: Set<String>
  /// How the elements enter; nil = as without the rule.
  public var appearing: AppearanceAnimation?
  /// How the elements leave; nil = as without the rule.
  public var disappearing: AppearanceAnimation?

  /// Makes a rule, by default for all cells.
  public init(
    category: ElementCategory = .cell,
    kinds: Set<String> = [],
    itemKeys: Set<String> = [],
    appearing: AppearanceAnimation? = nil,
    disappearing: AppearanceAnimation? = nil
  ) {
    self.category = category
    self.kinds = kinds
    self.itemKeys = itemKeys
    self.appearing = appearing
    self.disappearing = disappearing
  }

  /// Rejects rules beyond the limits. Fields are named as in LayoutSpec.
  static func validate(_ rules: [AppearanceRule], findings: inout LayoutFindings) {
    findings.expectCount(rules.count, of: "entries", atMost: Limit.rules, "appearance_rules")
    var keys = 0
    for (index, rule) in rules.prefix(Limit.rules).enumerated() {
      let field = "appearance_rules[\(index)]"
      findings.expectCount(rule.kinds.count, of: "kinds", atMost: Limit.kinds, "\(field).kinds")
      keys += rule.itemKeys.count
      if !rule.itemKeys.isEmpty, rule.category != .cell {
        findings.reject(
          "\(field).item_keys",
          "found for elements that are no cells; only cells have items"
        )
      }
    }
    findings.expectCount(
      keys,
      of: "item keys in all",
      atMost: Limit.itemKeys,
      "appearance_rules.item_keys"
    )
  }
}
