// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Adds ranges of items that stay, but have to be laid out again, to the splices of a change.
struct SpliceMerge {
  private let splices: [Splice]
  /// The index of the next splice to take.
  private var next = 0
  /// The new index less the old one, for items after the splices taken so far.
  private var shift = 0
  private var merged: [Splice] = []
  /// Up to so many items between two ranges are laid out again too: that takes less time than to
  /// note down another splice, and there may be millions of ranges.
  private static let mostBetween = 16

  /// - Parameter splices: sorted and disjoint.
  init(_ splices: [Splice]) { self.splices = splices }

  /// Adds a range.
  ///
  /// - Parameter range: new indices, not empty, after those of earlier calls.
  mutating func add(_ range: Range<Int>) {
    while next < splices.count, splices[next].new.upperBound < range.lowerBound { take() }
    var new = range
    var oldStart = range.lowerBound - shift
    if next < splices.count, splices[next].new.lowerBound < new.lowerBound {
      new = splices[next].new.lowerBound ..< new.upperBound
      oldStart = splices[next].old.lowerBound
    }
    if let last = merged.last, last.new.upperBound + Self.mostBetween >= new.lowerBound {
      new = last.new.lowerBound ..< max(last.new.upperBound, new.upperBound)
      oldStart = last.old.lowerBound
      merged.removeLast()
    }
    while next < splices.count, splices[next].new.lowerBound <= new.upperBound {
      new = new.lowerBound ..< max(new.upperBound, splices[next].new.upperBound)
      skip()
    }
    merged.append(Splice(old: oldStart ..< new.upperBound - shift, new: new))
  }

  /// All splices, sorted and disjoint.
  mutating func finish() -> [Splice] {
    while next < splices.count { take() }
    return merged
  }

  private mutating func take() {
    merged.append(splices[next])
    skip()
  }

  private mutating func skip() {
    shift = splices[next].new.upperBound - splices[next].old.upperBound
    next += 1
  }
}
