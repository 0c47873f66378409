// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry
internal import Synchronization

/// Counts items by where they start, for layouts in which every item has to be looked at.
final class ItemStarts: Sendable {
  /// In ascending order.
  private let places: [Double]
  private let line: ScrollLine
  /// For each place, the number of items that start before it but not before the previous place.
  private let between: Mutex<[Int]>

  init(places: [Double], line: ScrollLine) {
    self.places = places
    self.line = line
    between = Mutex([Int](repeating: 0, count: places.count))
  }

  /// Counts the cells among some elements.
  ///
  /// - Complexity: O(elements · log places)
  func take(_ elements: [LayoutElement]) {
    between.withLock { between in
      for element in elements where element.category == .cell {
        let start = line.span(of: element.frame).start
        let place = places.partitioningIndex { start < $0 }
        if place < places.count { between[place] += 1 }
      }
    }
  }

  /// For each place, the number of items that start before it.
  var counts: [Int] {
    var total = 0
    return between.withLock { between in
      between.map { count in
        total += count
        return total
      }
    }
  }
}
