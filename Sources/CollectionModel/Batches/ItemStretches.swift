// SPDX-License-Identifier: Apache-2.0

/// Ranges of items that move with changes of the contents, with something that is spread over each
/// of them.
///
/// Items of all sections are numbered consecutively. There are few ranges: where there would be
/// more, those with the fewest items between them are joined.
struct ItemStretches: Sendable {
  /// Consecutive items.
  struct Stretch: Sendable {
    var items: Range<Int>
    /// Something of which a part is lost with a part of the items.
    var spread = 0
  }

  /// Sorted, and apart from each other.
  private(set) var stretches: [Stretch] = []

  /// The most stretches.
  static let limit = 64

  /// The number of items in all of them.
  var itemCount: Int { stretches.reduce(0) { $0 + $1.items.count } }
  /// What is spread over all of them.
  var spread: Int { stretches.reduce(0) { $0 + $1.spread } }

  /// Moves to where the items are after splices. Items that are gone are in no stretch any more.
  ///
  /// - Parameter splices: sorted and disjoint.
  /// - Complexity: O(stretches + splices)
  mutating func move(by splices: [Splice]) {
    guard !splices.isEmpty, !stretches.isEmpty else { return }
    var next = 0
    var moved: [Stretch] = []
    moved.reserveCapacity(stretches.count)
    for stretch in stretches {
      let items = stretch.items
      while next < splices.count, splices[next].old.upperBound <= items.lowerBound { next += 1 }
      let start = Self.place(of: items.lowerBound, before: next, in: splices)
      var gone = 0
      while next < splices.count, splices[next].old.lowerBound < items.upperBound {
        gone += splices[next].old.clamped(to: items).count
        // The next stretch may begin in the same splice.
        guard splices[next].old.upperBound <= items.upperBound else { break }
        next += 1
      }
      let end = Self.place(of: items.upperBound, before: next, in: splices)
      guard start < end else { continue }
      let kept = Double(items.count - gone) / Double(max(1, items.count))
      let spread = (kept * Double(stretch.spread)).rounded(.up)
      moved.append(Stretch(items: start ..< end, spread: Int(spread)))
    }
    stretches = moved
  }

  /// Where a place between items is after splices; inside of a replaced range, where its
  /// replacement begins.
  ///
  /// - Parameter next: the first splice that ends behind the place; all before it end before the
  ///   place or at it.
  private static func place(of old: Int, before next: Int, in splices: [Splice]) -> Int {
    if next < splices.count, splices[next].old.lowerBound < old {
      return splices[next].new.lowerBound
    }
    guard next > 0 else { return old }
    return splices[next - 1].new.upperBound + old - splices[next - 1].old.upperBound
  }

  /// Adds stretches, which may overlap others.
  ///
  /// - Complexity: O(n log n) for n stretches in all
  mutating func join(with added: [Stretch]) {
    guard !added.isEmpty else { return }
    stretches = Self.joined(
      (stretches + added).sorted { $0.items.lowerBound < $1.items.lowerBound },
      over: 0
    )
    guard stretches.count > Self.limit else { return }
    let gaps = zip(stretches, stretches.dropFirst())
      .map { $1.items.lowerBound - $0.items.upperBound }
      .sorted()
    stretches = Self.joined(stretches, over: gaps[stretches.count - Self.limit - 1])
  }

  /// - Parameter gap: the most items between stretches that are joined.
  private static func joined(_ sorted: [Stretch], over gap: Int) -> [Stretch] {
    var result: [Stretch] = []
    for stretch in sorted {
      guard let last = result.last, stretch.items.lowerBound <= last.items.upperBound + gap else {
        result.append(stretch)
        continue
      }
      let end = max(last.items.upperBound, stretch.items.upperBound)
      result[result.count - 1] = Stretch(
        items: last.items.lowerBound ..< end,
        spread: last.spread + stretch.spread
      )
    }
    return result
  }
}
