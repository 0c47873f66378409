// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts

/// Which elements a client wants to be told of when they have been seen.
public struct VisibilityOptions: Hashable, Sendable {
  /// When an element counts as seen, at most 8 rules; each rule applies by itself.
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

/// When an element counts as seen. Elements without an area, hidden ones and fully transparent ones
/// never do. Elements in front of it are not considered.
public struct VisibilityRule: Hashable, Sendable {
  /// What a part of an element is measured by; raw values are those of the contract.
  public enum Measure: UInt8, Hashable, Sendable, CaseIterable {
    /// The part of the element's area.
    case area = 1
    /// The part of its length along the scroll axis; if content scrolls both ways, the smaller part
    /// of both lengths.
    case length = 2
  }

  /// How much of the element must be within the viewport less its content insets: 0 to 1; 0 = any
  /// part of it.
  public var threshold: Double
  /// What the part is measured by.
  public var measure: Measure
  /// How long it must be visible without interruption: 0 to 10 minutes.
  public var duration: Duration
  /// Whether an element is told only once, as long as the session remembers it.
  public var isOnce: Bool
  /// The categories that the rule applies to; empty = cells.
  public var categories: Set<ElementCategory>
  /// The kinds that the rule applies to, at most 16; empty = all.
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

  /// Whether the rule applies to a category.
  func isFor(_ category: ElementCategory) -> Bool {
    categories.isEmpty ? category == .cell : categories.contains(category)
  }

  /// Roughly the memory that lists of the rule take, in bytes.
  fileprivate var byteCount: Int {
    kinds.reduce(categories.capacity) { $0 + MemoryLayout<String>.stride + $1.utf8.count }
  }
}
