// SPDX-License-Identifier: Apache-2.0

/// A layout with the options that every layout has: what a LayoutSpec stands for.
public struct LayoutConfiguration: Hashable, Sendable {
  /// The layout with its own parameters.
  public var layout: any CollectionLayout { didSet { knownHash = nil } }
  /// The options that do not depend on the layout.
  public var options: LayoutOptions { didSet { knownHash = nil } }
  /// How elements change as they scroll through the viewport. Prepared layouts do not depend on it:
  /// `PreparedLayout.showing(_:)` applies the effects to a prepared layout.
  public var scrollEffects: [ScrollEffect] { didSet { knownHash = nil } }
  /// nil = it is computed each time.
  private var knownHash: Int?

  /// Makes a configuration; without `options` it has their defaults, and without effects none.
  public init(
    _ layout: any CollectionLayout,
    options: LayoutOptions = .init(),
    scrollEffects: [ScrollEffect] = []
  ) {
    self.layout = layout
    self.options = options
    self.scrollEffects = scrollEffects
  }

  /// The configuration with only what prepared layouts depend on: without effects, and with the
  /// layout's basis.
  /// `CollectionLayout.view(of:)` makes the layout's own of what was prepared for another with the
  /// same one.
  public var settled: LayoutConfiguration {
    let basis = layout.basis
    if scrollEffects.isEmpty, basis == nil { return self }
    return LayoutConfiguration(basis ?? layout, options: options)
  }

  /// Whether layouts, options and effects are equal. Layouts of different types are not.
  public static func == (a: LayoutConfiguration, b: LayoutConfiguration) -> Bool {
    a.options == b.options && a.scrollEffects == b.scrollEffects
      && AnyHashable(a.layout) == AnyHashable(b.layout)
  }

  /// Hashes the options, the effects and the layout.
  ///
  /// - Complexity: O(1) after `rememberHash()`, else O(size of the layout)
  public func hash(into hasher: inout Hasher) { hasher.combine(knownHash ?? ownHash) }

  /// Computes the hash once for all copies, until one is changed.
  public mutating func rememberHash() { knownHash = ownHash }

  private var ownHash: Int {
    var hasher = Hasher()
    hasher.combine(options)
    hasher.combine(scrollEffects)
    hasher.combine(AnyHashable(layout))
    return hasher.finalize()
  }
}
