// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// What has to hold for a variant of a responsive layout. Everything that is given has to hold; nil
/// and empty = not asked.
public struct LayoutCondition: Hashable, Sendable {
  /// The least width of the content area, in points.
  public var minimumWidth: Double?
  /// The width has to be below it, in points.
  public var widthBelow: Double?
  /// The least height of the content area, in points.
  public var minimumHeight: Double?
  /// The height has to be below it, in points.
  public var heightBelow: Double?
  /// The fewest pixels per point.
  public var minimumDisplayScale: Double?
  /// The pixels per point have to be below it.
  public var displayScaleBelow: Double?
  /// Whether reading has to run from right to left.
  public var isRightToLeft: Bool?
  /// Names that the viewer has to state.
  public var requiredTraits: Set<String>
  /// Names that the viewer must not state.
  public var excludedTraits: Set<String>
  /// What the viewer has to state of the room from side to side.
  public var horizontalSizeClass: SizeClass?
  /// What the viewer has to state of the room from top to bottom.
  public var verticalSizeClass: SizeClass?

  /// A condition that only asks for what is given.
  public init(
    minimumWidth: Double? = nil,
    widthBelow: Double? = nil,
    minimumHeight: Double? = nil,
    heightBelow: Double? = nil,
    minimumDisplayScale: Double? = nil,
    displayScaleBelow: Double? = nil,
    isRightToLeft: Bool? = nil,
    requiredTraits: Set<String> = [],
    excludedTraits: Set<String> = [],
    horizontalSizeClass: SizeClass? = nil,
    verticalSizeClass: SizeClass? = nil
  ) {
    self.minimumWidth = minimumWidth
    self.widthBelow = widthBelow
    self.minimumHeight = minimumHeight
    self.heightBelow = heightBelow
    self.minimumDisplayScale = minimumDisplayScale
    self.displayScaleBelow = displayScaleBelow
    self.isRightToLeft = isRightToLeft
    self.requiredTraits = requiredTraits
    self.excludedTraits = excludedTraits
    self.horizontalSizeClass = horizontalSizeClass
    self.verticalSizeClass = verticalSizeClass
  }

  /// The most names that a condition may require, and the most that it may exclude.
  public static let maximumTraits = 16

  /// Whether the condition holds.
  ///
  /// - Complexity: O(names of the condition)
  public func holds(in environment: LayoutEnvironment) -> Bool {
    holds(for: environment.contentSize)
      && Self.contains(
        environment.displayScale,
        from: minimumDisplayScale,
        below: displayScaleBelow
      )
      && (isRightToLeft ?? environment.isRightToLeft) == environment.isRightToLeft
      && holds(for: environment.traits)
  }

  /// Whether the conditions on the size hold.
  func holds(for size: Size) -> Bool {
    Self.contains(size.width, from: minimumWidth, below: widthBelow)
      && Self.contains(size.height, from: minimumHeight, below: heightBelow)
  }

  private func holds(for traits: LayoutTraits) -> Bool {
    (horizontalSizeClass == nil || horizontalSizeClass == traits.horizontalSizeClass)
      && (verticalSizeClass == nil || verticalSizeClass == traits.verticalSizeClass)
      && requiredTraits.isSubset(of: traits.names) && excludedTraits.isDisjoint(with: traits.names)
  }

  private static func contains(_ value: Double, from lower: Double?, below upper: Double?) -> Bool {
    value >= lower ?? -.infinity && (upper.map { value < $0 } ?? true)
  }

  /// Whether nothing but the size is asked.
  var asksOnlySize: Bool {
    var others = self
    others.minimumWidth = nil
    others.widthBelow = nil
    others.minimumHeight = nil
    others.heightBelow = nil
    return others == LayoutCondition()
  }

  /// Rejects a condition that asks nothing or that can never hold. Fields are named as in the
  /// contract.
  func validate(findings: inout LayoutFindings) {
    if self == LayoutCondition() {
      findings.reject("", "asks nothing; what counts in all other cases is `otherwise`")
    }
    check("width", minimumWidth, widthBelow, &findings)
    check("height", minimumHeight, heightBelow, &findings)
    check("display_scale", minimumDisplayScale, displayScaleBelow, &findings)
    check("required_traits", requiredTraits, &findings)
    check("excluded_traits", excludedTraits, &findings)
    let both = requiredTraits.intersection(excludedTraits).count
    if both > 0 { findings.reject("excluded_traits", "\(both) names found that are required too") }
  }

  private func check(
    _ field: String,
    _ lower: Double?,
    _ upper: Double?,
    _ findings: inout LayoutFindings
  ) {
    if let lower, !(lower.isFinite && lower >= 0) {
      findings.reject("min_\(field)", "\(lower) found; finite numbers from 0 are allowed")
    }
    guard let upper else { return }
    let least = max(0, lower ?? 0)
    if !(upper.isFinite && upper > least) {
      findings.reject("below_\(field)", "\(upper) found; finite numbers above \(least) are allowed")
    }
  }

  private func check(_ field: String, _ names: Set<String>, _ findings: inout LayoutFindings) {
    findings.expectCount(names.count, of: "names", atMost: Self.maximumTraits, field)
    for name in names where !(1 ... LayoutTraits.maximumNameBytes).contains(name.utf8.count) {
      findings.reject(
        field,
        "a name of \(name.utf8.count) bytes found; 1 to \(LayoutTraits.maximumNameBytes) are allowed"
      )
    }
  }

  /// The memory that it takes, in bytes: an estimate.
  var byteCount: Int {
    requiredTraits.union(excludedTraits).reduce(MemoryLayout<Self>.stride) {
      $0 + 32 + $1.utf8.count
    }
  }
}
