// SPDX-License-Identifier: Apache-2.0

/// Chooses how elements enter and leave: the first rule that is for an element decides.
///
/// Kinds and keys are looked up in tables of all rules: there may be many rules, and many elements
/// in a frame.
package struct AppearanceChoice {
  private let options: LayoutOptions
  private let kinds: TextMasks
  private let itemKeys: TextMasks
  /// The rules that name items.
  private var naming: UInt64 = 0
  /// The rules that say how elements enter, and how they leave.
  private var (entering, leaving): (UInt64, UInt64) = (0, 0)
  /// The rules for elements of a category and a kind, by both.
  private var known: [UInt32: UInt64] = [:]

  /// - Complexity: O(kinds and keys of all rules)
  package init(_ options: LayoutOptions) {
    self.options = options
    let rules = options.appearanceRules.prefix(AppearanceRule.Limit.rules)
    kinds = TextMasks(rules.map(\.kinds))
    itemKeys = TextMasks(rules.map(\.itemKeys))
    for (index, rule) in rules.enumerated() {
      let bit: UInt64 = 1 << UInt64(index)
      if !rule.itemKeys.isEmpty { naming |= bit }
      if rule.appearing != nil { entering |= bit }
      if rule.disappearing != nil { leaving |= bit }
    }
  }

  /// How an element enters; nil = the layout's own way.
  ///
  /// - Parameters:
  ///   - kind: the number of its kind, the same for each name in all calls.
  ///   - name: returns the name of its kind.
  ///   - itemKey: returns the key of a cell's item; called only if a rule names items.
  package mutating func appearing(
    _ category: ElementCategory,
    kind: UInt16,
    name: @autoclosure () -> String,
    itemKey: () -> String?
  ) -> AppearanceAnimation? {
    guard entering != 0 else { return options.appearing }
    let rule = firstRule(among: entering, category, kind: kind, name: name, itemKey: itemKey)
    return rule.map { options.appearanceRules[$0].appearing } ?? options.appearing
  }

  /// How an element leaves; nil = the layout's own way.
  ///
  /// - Parameters: as for `appearing`.
  package mutating func disappearing(
    _ category: ElementCategory,
    kind: UInt16,
    name: @autoclosure () -> String,
    itemKey: () -> String?
  ) -> AppearanceAnimation? {
    guard leaving != 0 else { return options.disappearing }
    let rule = firstRule(among: leaving, category, kind: kind, name: name, itemKey: itemKey)
    return rule.map { options.appearanceRules[$0].disappearing } ?? options.disappearing
  }

  /// - Returns: the index of the rule; nil = none is for the element.
  private mutating func firstRule(
    among wanted: UInt64,
    _ category: ElementCategory,
    kind: UInt16,
    name: () -> String,
    itemKey: () -> String?
  ) -> Int? {
    let place = UInt32(category.rawValue) << 16 | UInt32(kind)
    let ofKind = known[place] ?? mask(category, name())
    known[place] = ofKind
    var found = ofKind & wanted
    if found & naming != 0 {
      found &= itemKey().map { itemKeys.mask(of: $0) } ?? ~naming
    }
    return found == 0 ? nil : found.trailingZeroBitCount
  }

  private func mask(_ category: ElementCategory, _ kind: String) -> UInt64 {
    let ofCategory = options.appearanceRules.enumerated().reduce(UInt64.zero) { mask, rule in
      rule.element.category == category ? mask | 1 << UInt64(rule.offset) : mask
    }
    return ofCategory & kinds.mask(of: kind)
  }
}
