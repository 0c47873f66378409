// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// The rules that apply to an element, as bits: one for each rule, by its index.
///
/// Names of kinds are compared once for each kind, and not for each element.
struct VisibilityRuleMasks {
  /// The rules for each category, by its raw value.
  private let categories: [UInt64]
  private let names: TextMasks
  /// The rules for each kind number that was asked for.
  private var kinds: [UInt16: UInt64] = [:]

  init(_ rules: [VisibilityRule]) {
    categories = (0 ... (ElementCategory.allCases.map(\.rawValue).max() ?? 0)).map { value in
      rules.indices.reduce(UInt64.zero) { mask, index in
        guard let category = ElementCategory(rawValue: value), rules[index].isFor(category)
        else { return mask }
        return mask | 1 << UInt64(index)
      }
    }
    names = TextMasks(rules.map(\.kinds))
  }

  /// The rules that apply to an element.
  mutating func mask(of element: LayoutElement, _ table: KindTable) -> UInt64 {
    let category = categories[Int(element.category.rawValue)]
    guard !names.isEmpty, category != 0 else { return category }
    if let known = kinds[element.kind] { return category & known }
    let mask = names.mask(of: table.name(element.kind))
    kinds[element.kind] = mask
    return category & mask
  }
}
