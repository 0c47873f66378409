// SPDX-License-Identifier: Apache-2.0

/// Numbers cell kinds as contents do, and new ones behind them.
struct KindNames {
  private var numbers: [String: Int] = [:]
  private let knownCount: Int
  /// The kinds that the contents lack, in the order of their numbers.
  private(set) var new: [String] = []

  /// - Parameter names: the kinds of the contents.
  init(_ names: [String]) {
    knownCount = names.count
    for (i, name) in names.enumerated() where numbers[name] == nil { numbers[name] = i }
  }

  private mutating func number(of name: String) -> Int {
    if let number = numbers[name] { return number }
    let number = knownCount + new.count
    numbers[name] = number
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
