// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Gives the room that fixed columns leave to columns with shares, each within its minimum and
/// maximum.
///
/// All get the same points for one share, the most at which they do not take more than the room.
/// Those whose least width is more than that have it, and those whose greatest width is less have
/// that one.
struct SharedRoom {
  struct Part {
    var share: Double
    var least: Double
    var greatest: Double

    func width(_ pointsPerShare: Double) -> Double {
      max(least, min(greatest, share * pointsPerShare))
    }
  }

  /// The greatest width, in points: sums of widths stay finite.
  static let greatestWidth = PlacementBuilder.furthest
  /// The smallest share, relative to the greatest, which is from 1 to 2. The remaining room is
  /// divided by it.
  private static let leastShare = 0x1p-300

  private let parts: [Part]

  /// Shares of any size count in proportion to the greatest.
  init(parts: [Part]) {
    let greatest = parts.reduce(0) { max($0, $1.share) }
    // A power of two, which leaves all digits as they are.
    let exponent = greatest > 0 && greatest.isFinite ? -Int(greatest.exponent) : 0
    self.parts = parts.map { part in
      let share = Double(sign: .plus, exponent: exponent, significand: part.share)
      return Part(
        share: share > Self.leastShare && share.isFinite ? share : Self.leastShare,
        least: min(part.least, Self.greatestWidth),
        greatest: min(part.greatest, Self.greatestWidth)
      )
    }
  }

  /// The width of each part.
  ///
  /// - Complexity: O(n log n) for n parts
  func widths(in room: Double) -> [Double] {
    // Between two bends all widths grow in a straight line or not at all.
    let bends = parts.flatMap { [$0.least / $0.share, $0.greatest / $0.share] }
      .filter { $0 > 0 }.sorted()
    let low = bends.partitioningIndex { !(taken($0) <= room) }
    // At `start` they take at most the room, unless their least widths exceed it.
    let start = low > 0 ? bends[low - 1] : 0
    let end = low < bends.count ? bends[low] : .infinity
    // Whether a width grows is decided halfway between the bends, where rounding cannot matter.
    let middle = end.isFinite ? start + (end - start) / 2 : start * 2 + 1
    let growing = parts.reduce(0) { sum, part in
      let width = part.share * middle
      return part.least <= width && width <= part.greatest ? sum + part.share : sum
    }
    let left = room - taken(start)
    let pointsPerShare = growing > 0 && left > 0 ? min(start + left / growing, end) : start
    return parts.map { $0.width(pointsPerShare) }
  }

  private func taken(_ pointsPerShare: Double) -> Double {
    parts.reduce(0) { $0 + $1.width(pointsPerShare) }
  }
}
