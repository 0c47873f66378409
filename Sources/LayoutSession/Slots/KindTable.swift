// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// The numbers that a session gives to kinds of elements, the same through changes of data and
/// layout.
struct KindTable: Sendable {
  private(set) var names: [String] = []
  /// `StateChecksum.hash(ofKind:)` of each.
  private(set) var hashes: [UInt32] = []
  /// Once there are many.
  private var numbers: [String: UInt16] = [:]

  /// What the names keep in memory, in bytes.
  private(set) var byteCount = 0

  /// So many are searched one by one: most sessions have a few.
  private static let few = 16

  /// The name of a number; "" for a number that no name has.
  func name(_ number: UInt16) -> String {
    Int(number) < names.count ? names[Int(number)] : ""
  }

  /// The hash of a number's name, from `hashes`; 0 for a number that no name has.
  @inline(__always)
  static func hash(of number: UInt16, in hashes: [UInt32]) -> UInt32 {
    Int(number) < hashes.count ? hashes[Int(number)] : 0
  }

  mutating func number(of name: String) -> UInt16 {
    if names.count > Self.few {
      if let number = numbers[name] { return number }
    } else if let index = names.firstIndex(of: name) {
      return UInt16(index)
    }
    // A session that has seen 65,536 kinds is no longer told them apart.
    let number = UInt16(clamping: names.count)
    guard names.count <= Int(UInt16.max) else { return number }
    names.append(name)
    hashes.append(StateChecksum.hash(ofKind: name))
    // The text, its place in both arrays and in the dictionary.
    byteCount += name.utf8.count + 80
    if numbers.isEmpty, names.count > Self.few {
      for (index, name) in names.enumerated() { numbers[name] = UInt16(index) }
    } else if !numbers.isEmpty {
      numbers[name] = number
    }
    return number
  }

  /// For each kind of a prepared layout its number here. Made once for each prepared layout.
  mutating func numbers(of names: [String]) -> [UInt16] {
    if self.names.isEmpty, names.count <= Self.few {
      self.names.reserveCapacity(names.count)
      hashes.reserveCapacity(names.count)
    }
    return names.map { number(of: $0) }
  }
}

/// The session's numbers for the kinds of one prepared layout.
struct KindMap: Sendable {
  private var numbers: [UInt16] = []
  private let isIdentity: Bool

  init(_ numbers: [UInt16]) {
    isIdentity = numbers.indices.allSatisfy { Int(numbers[$0]) == $0 }
    self.numbers = isIdentity ? [] : numbers
  }

  func apply(to elements: inout [LayoutElement]) {
    guard !isIdentity else { return }
    for index in elements.indices {
      let kind = Int(elements[index].kind)
      if kind < numbers.count { elements[index].kind = numbers[kind] }
    }
  }
}
