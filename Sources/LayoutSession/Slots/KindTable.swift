// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

/// The numbers that a session gives to kinds of elements. A kind keeps its number when data or
/// layout change.
struct KindTable: Sendable {
  /// The names of all kinds, by number.
  private(set) var names: [String] = []
  /// `StateChecksum.hash(ofKind:)` of each name.
  private(set) var hashes: [UInt32] = []
  /// The number of each name; empty while there are at most `few` names.
  private var numbers: [ExactText: UInt16] = [:]

  /// Roughly the memory that the names use, in bytes.
  private(set) var byteCount = 0

  /// Up to this many names are searched one by one. Most sessions have no more.
  private static let few = 16

  /// The name of a kind; "" if the number has no name.
  func name(_ number: UInt16) -> String {
    Int(number) < names.count ? names[Int(number)] : ""
  }

  /// The hash of a kind's name; 0 if the number has no name.
  ///
  /// - Parameter hashes: `hashes` of the table.
  @inline(__always)
  static func hash(of number: UInt16, in hashes: [UInt32]) -> UInt32 {
    Int(number) < hashes.count ? hashes[Int(number)] : 0
  }

  /// The number of a kind, which gets the next free one if it is new.
  mutating func number(of name: String) -> UInt16 {
    if names.count > Self.few {
      if let number = numbers[ExactText(name)] { return number }
    } else if let index = names.firstIndex(where: { $0.hasSameBytes(as: name) }) {
      return UInt16(index)
    }
    // Beyond 65,536 kinds all new ones share the highest number.
    let number = UInt16(clamping: names.count)
    guard names.count <= Int(UInt16.max) else { return number }
    names.append(name)
    hashes.append(StateChecksum.hash(ofKind: name))
    // The text, its place in both arrays and in the dictionary.
    byteCount += name.utf8.count + 80
    if numbers.isEmpty, names.count > Self.few {
      // The first name beyond `few`, so every index fits 16 bits.
      for (index, name) in names.enumerated() { numbers[ExactText(name)] = UInt16(index) }
    } else if !numbers.isEmpty {
      numbers[ExactText(name)] = number
    }
    return number
  }

  /// The number of each kind of a prepared layout. Called once for each prepared layout.
  mutating func numbers(of names: [String]) -> [UInt16] {
    if self.names.isEmpty, names.count <= Self.few {
      self.names.reserveCapacity(names.count)
      hashes.reserveCapacity(names.count)
    }
    return names.map { number(of: $0) }
  }
}

/// Maps the kind numbers of one prepared layout to those of the session.
struct KindMap: Sendable {
  /// The names of the layout's kinds. Versions of a layout share them.
  let names: [String]
  private var numbers: [UInt16] = []
  private let isIdentity: Bool

  /// - Parameter numbers: the session's number of each of `names`.
  init(_ names: [String], _ numbers: [UInt16]) {
    self.names = names
    isIdentity = numbers.indices.allSatisfy { Int(numbers[$0]) == $0 }
    self.numbers = isIdentity ? [] : numbers
  }

  /// Replaces the layout's kind numbers by the session's. Does nothing if they are the same.
  func apply(to elements: inout [LayoutElement]) {
    guard !isIdentity else { return }
    for index in elements.indices {
      let kind = Int(elements[index].kind)
      if kind < numbers.count { elements[index].kind = numbers[kind] }
    }
  }
}
