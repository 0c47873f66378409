// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry
internal import Synchronization

/// Finds the first item in view at each of many places, for layouts that have to be looked through
/// as a whole: in one pass over the elements, in any order.
final class ItemsInView: Sendable {
  /// In ascending order.
  private let places: [Double]
  private let line: ScrollLine
  /// The raw values of index paths in a segment tree over the places: node 1 is the root, the
  /// children of node n are 2n and 2n + 1, and the last nodes are the places. Each holds the first
  /// item that is in view at all its places, unless a node above has an earlier one.
  private let firsts: Mutex<[UInt64]>

  /// No index path has it: items are counted up to one less.
  private static let none = UInt64.max

  /// - Parameter places: in ascending order.
  init(places: [Double], line: ScrollLine) {
    self.places = places
    self.line = line
    firsts = Mutex([UInt64](repeating: Self.none, count: 2 * places.count))
  }

  /// Takes the cells among some elements.
  ///
  /// - Complexity: O(elements · log places)
  func take(_ elements: [LayoutElement]) {
    firsts.withLock { firsts in
      for element in elements where element.category == .cell {
        let span = line.span(of: element.frame)
        // In view are those that end behind the place and start less than a point behind it.
        var low = first { $0 + 1 > span.start }
        var high = first { $0 >= span.start + span.length }
        guard low < high else { continue }
        (low, high) = (low + places.count, high + places.count)
        let path = element.indexPath.rawValue
        while low < high {
          if low & 1 == 1 {
            firsts[low] = min(firsts[low], path)
            low += 1
          }
          if high & 1 == 1 {
            high -= 1
            firsts[high] = min(firsts[high], path)
          }
          (low, high) = (low / 2, high / 2)
        }
      }
    }
  }

  /// The first place for which a condition holds from there on.
  private func first(_ condition: (Double) -> Bool) -> Int {
    places.partitioningIndex(where: condition)
  }

  /// For each place the first item in view there; nil = there is none.
  var items: [IndexPath?] {
    firsts.withLock { firsts in
      places.indices.map { place in
        var node = place + places.count
        var found = firsts[node]
        while node > 1 {
          node /= 2
          found = min(found, firsts[node])
        }
        return found == Self.none ? nil : IndexPath(rawValue: found)
      }
    }
  }
}
