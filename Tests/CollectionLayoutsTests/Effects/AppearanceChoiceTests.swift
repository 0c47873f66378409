// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CollectionLayouts

/// The choice of rules against looking at them one after the other.
@Suite("Choosing how elements enter and leave", .timeLimit(.minutes(1)))
struct AppearanceChoiceTests {
  private static let names = ["", "a", "b", "\u{E9}", "e\u{301}", "c"]

  private func some(_ random: inout SplitMix64) -> Set<String> {
    // Of texts that look the same, a set keeps one.
    Set((0 ..< random.below(3)).map { _ in Self.names[random.below(Self.names.count)] })
  }

  private func expected(
    _ rules: [AppearanceRule],
    _ animation: (AppearanceRule) -> AppearanceAnimation?,
    _ category: ElementCategory,
    _ kind: String,
    _ key: String?
  ) -> AppearanceAnimation? {
    func names(_ texts: Set<String>, _ text: String) -> Bool {
      texts.contains { Array($0.utf8) == Array(text.utf8) }
    }
    for rule in rules where rule.category == category {
      guard let found = animation(rule), rule.kinds.isEmpty || names(rule.kinds, kind) else {
        continue
      }
      guard rule.itemKeys.isEmpty || key.map({ names(rule.itemKeys, $0) }) ?? false else {
        continue
      }
      return found
    }
    return nil
  }

  @Test("the first rule that is for an element decides")
  func random() {
    for seed in 0 ..< 200 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let count = random.chance(10) ? AppearanceRule.Limit.rules : random.below(6)
      let rules = (0 ..< count).map { index in
        AppearanceRule(
          category: random.chance(80) ? .cell : .supplementary,
          kinds: some(&random),
          itemKeys: some(&random),
          appearing: random.chance(60) ? AppearanceAnimation(alpha: Double(index) / 64) : nil,
          disappearing: random.chance(60) ? AppearanceAnimation(scale: Double(index + 1)) : nil
        )
      }
      let own = AppearanceAnimation(alpha: 0.999)
      let options = LayoutOptions(appearing: own, appearanceRules: rules)
      var choice = AppearanceChoice(options)
      for _ in 0 ..< 60 {
        let category: ElementCategory = random.chance(70) ? .cell : .supplementary
        let kind = random.below(Self.names.count)
        let key = random.chance(20) ? nil : Self.names[random.below(Self.names.count)]
        let entering = choice.appearing(
          category,
          kind: UInt16(kind),
          name: Self.names[kind],
          itemKey: { key }
        )
        #expect(entering == expected(rules, \.appearing, category, Self.names[kind], key) ?? own)
        let leaving = choice.disappearing(
          category,
          kind: UInt16(kind),
          name: Self.names[kind],
          itemKey: { key }
        )
        #expect(leaving == expected(rules, \.disappearing, category, Self.names[kind], key))
      }
    }
  }

  @Test("a kind's name is asked for once, and keys only where a rule names items")
  func effort() {
    let rule = AppearanceRule(kinds: ["a"], appearing: AppearanceAnimation(alpha: 0.5))
    var choice = AppearanceChoice(LayoutOptions(appearanceRules: [rule]))
    var asked = 0
    func name() -> String {
      asked += 1
      return "a"
    }
    for _ in 0 ..< 1000 {
      let found = choice.appearing(.cell, kind: 3, name: name()) {
        Issue.record("a key is not needed")
        return nil
      }
      #expect(found?.alpha == 0.5)
    }
    #expect(asked == 1)
  }
}
