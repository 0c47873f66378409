// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts

/// Which elements a client wants to know to have been seen.
public struct VisibilityOptions: Hashable, Sendable {
  /// When an element counts as seen; each rule for itself. At most 8.
  public var rules: [VisibilityRule]

  /// The most rules that a client may have.
  public static let maxRules = 8

  /// Options with the given rules; by default there is none.
  public init(rules: [VisibilityRule] = []) { self.rules = rules }

  /// Roughly the memory that the rules take, in bytes.
  package var byteCount: Int {
    rules.reduce(0) { $0 + MemoryLayout<VisibilityRule>.stride + $1.byteCount }
  }

  /// The options that a session uses: every value is brought within its range.
  var granted: VisibilityOptions {
    VisibilityOptions(rules: rules.prefix(Self.maxRules).map(\.granted))
  }
}

/// When an element counts as seen. Elements without an area, hidden ones and wholly transparent ones never
/// do. What covers an element is not looked at.
public struct VisibilityRule: Hashable, Sendable {
  /// What a part of an element is measured by; raw values are those of the contract.
  public enum Measure: UInt8, Hashable, Sendable, CaseIterable {
    /// The part of the element's area.
    case area = 1
    /// The part of its length along the axis along which content scrolls; if it scrolls both ways, the
    /// lesser part of both lengths.
    case length = 2
  }

  /// How much of the element lies within what the content insets leave of the viewport: 0 to 1; 0 = any
  /// part of it.
  public var threshold: Double
  /// What the part is measured by.
  public var measure: Measure
  /// For how long without a break: 0 to 10 minutes.
  public var duration: Duration
  /// Whether an element is told once only, as long as the session remembers it.
  public var isOnce: Bool
  /// What the rule is for; empty = cells.
  public var categories: Set<ElementCategory>
  /// The kinds that the rule is for, at most 16; empty = all.
  public var kinds: [String]

  /// The longest duration.
  static let greatestDuration = Duration.seconds(600)
  /// The most kinds that a rule may name.
  public static let maxKinds = 16

  /// A rule with the given values; by default for cells of which any part is in sight.
  public init(
    threshold: Double = 0,
    measure: Measure = .area,
    duration: Duration = .zero,
    isOnce: Bool = false,
    categories: Set<ElementCategory> = [],
    kinds: [String] = []
  ) {
    self.threshold = threshold
    self.measure = measure
    self.duration = duration
    self.isOnce = isOnce
    self.categories = categories
    self.kinds = kinds
  }

  /// The rule with every value brought within its range.
  var granted: VisibilityRule {
    var rule = self
    rule.threshold = threshold.isFinite ? min(max(threshold, 0), 1) : 0
    rule.duration = min(max(duration, .zero), Self.greatestDuration)
    rule.kinds = Array(kinds.prefix(Self.maxKinds))
    return rule
  }

  /// Whether the rule is for a category.
  func isFor(_ category: ElementCategory) -> Bool {
    categories.isEmpty ? category == .cell : categories.contains(category)
  }

  /// Roughly the memory that lists of the rule take, in bytes.
  fileprivate var byteCount: Int {
    kinds.reduce(categories.capacity) { $0 + MemoryLayout<String>.stride + $1.utf8.count }
  }
}
