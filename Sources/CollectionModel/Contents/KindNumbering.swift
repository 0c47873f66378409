// SPDX-License-Identifier: Apache-2.0

/// Numbers names of cell kinds as contents do, and those that these lack after theirs.
///
/// Contents may have tens of thousands of kinds, of which most batches name a few. So a few names
/// are searched for, and a table is made only for more.
struct KindNumbering {
  private let known: [String]
  private var numbers: [ExactText: Int] = [:]
  private var searches = 0
  /// The kinds that the contents lack, in the order of their numbers.
  private(set) var new: [String] = []

  /// So many names are searched for one by one.
  private static let few = 16

  /// - Parameter names: the kinds of the contents.
  init(_ names: [String]) { known = names }

  /// The number of a name.
  ///
  /// - Parameter expected: the number that it probably has.
  /// - Complexity: O(bytes of the name), and O(kinds) for few names and once for more
  mutating func number(of name: String, expected: Int = -1) -> Int {
    if known.indices.contains(expected), known[expected].hasSameBytes(as: name) { return expected }
    if let number = numbers[ExactText(name)] { return number }
    if searches < Self.few, let number = known.firstIndex(where: { $0.hasSameBytes(as: name) }) {
      searches += 1
      numbers[ExactText(name)] = number
      return number
    }
    searches += 1
    if searches == Self.few + 1 {
      for (number, name) in known.enumerated() where numbers[ExactText(name)] == nil {
        numbers[ExactText(name)] = number
      }
      if let number = numbers[ExactText(name)] { return number }
    }
    let number = known.count + new.count
    numbers[ExactText(name)] = number
    new.append(name)
    return number
  }

  /// The same items with the kinds' numbers.
  ///
  /// - Parameter names: what the block's kinds refer to; kinds beyond these count as unnamed.
  mutating func renumbered(_ block: ItemBlock, from names: [String]) -> ItemBlock {
    var block = block
    // An empty column means kind 0.
    let old = block.cellKinds.isEmpty ? [0] : block.cellKinds
    block.cellKinds = old.map { number(of: names.indices.contains($0) ? names[$0] : "") }
    return block
  }
}
