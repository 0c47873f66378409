// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Finds placed elements by their frames.
///
/// Most layouts place items one after the other. Sixteen consecutive ones then lie as close
/// together as along any curve, so the index keeps the elements in the order of answers: neither
/// the index nor an answer is sorted, and the elements of an answer are next to each other in
/// memory. The index follows a curve only if its leaves would otherwise be touched by too many
/// viewports.
struct PlacedIndex: Sendable {
  /// The slots are in the order of the tree; an ordinal is the index of an element in the
  /// placement.
  let frames: SpatialIndex
  /// Whether slots are in the order of answers.
  let isInOrder: Bool

  /// A viewport touches at best the leaves of sixteen elements in a square without gaps. If it
  /// touches at most this many times as many, no other order is tried.
  private static let goodEnough = 1.5
  /// The order of answers is kept if a viewport touches at most this many times as many leaves as
  /// along a curve: sorting an answer costs about as much as finding it.
  private static let worthKeeping = 2.0

  /// Indexes the elements of a placement.
  ///
  /// - Parameters:
  ///   - viewport: the size of most queries.
  ///   - work: told of the elements. Once it has stopped, nobody uses the index.
  /// - Complexity: O(elements), and O(k · log k) for k elements other than cells
  init(_ placement: Placement, viewport: Size, work: LayoutWork) {
    let numbers = Self.order(of: placement, work)
    let elements = placement.elements
    let count = work.proceed(numbers.count) ? numbers.count : 0
    let sizes = Self.sizes(of: elements)
    func index(isOrdered: Bool) -> SpatialIndex {
      var entries = SpatialEntries(uniformSize: sizes, capacity: count)
      for number in numbers[..<count] {
        let frame = elements[Int(number)].frame
        entries.append(Int(number), at: [frame.x, frame.y], size: frame.size)
      }
      return SpatialIndex(
        entries,
        curve: nil,
        content: .corners,
        isOrdered: isOrdered,
        work: work
      )
    }
    let ordered = index(isOrdered: true)
    let touched = ordered.leavesTouched(by: viewport)
    let least = Self.leastTouched(elements, numbers[..<count], by: viewport)
    guard touched > Self.goodEnough * least, work.proceed(count) else {
      (frames, isInOrder) = (ordered, true)
      return
    }
    let along = index(isOrdered: false)
    isInOrder = touched <= Self.worthKeeping * along.leavesTouched(by: viewport)
    frames = isInOrder ? ordered : along
  }

  /// The size that all elements have; nil if they differ.
  private static func sizes(of elements: [LayoutElement]) -> Size? {
    guard let size = elements.first?.frame.size else { return .zero }
    return elements.allSatisfy { $0.frame.size == size } ? size : nil
  }

  /// The indices of the elements in the order of answers: by section, item, category and kind.
  private static func order(of placement: Placement, _ work: LayoutWork) -> [UInt32] {
    let elements = placement.elements
    let others = placement.others.values.sorted {
      LayoutElement.precedes(elements[Int($0)], elements[Int($1)])
    }
    guard work.proceed(others.count * 8) else { return [] }
    var order: [UInt32] = []
    order.reserveCapacity(elements.count)
    var next = 0
    for cell in placement.cells where cell != Placement.missing {
      while next < others.count,
        LayoutElement.precedes(elements[Int(others[next])], elements[Int(cell)])
      {
        order.append(others[next])
        next += 1
      }
      order.append(cell)
    }
    return order + others[next...]
  }

  /// `SpatialIndex.leavesTouched(by:)` if every sixteen elements lay in a square without gaps.
  private static func leastTouched(
    _ elements: [LayoutElement],
    _ numbers: ArraySlice<UInt32>,
    by viewport: Size
  ) -> Double {
    var sum = 0.0
    for start in stride(from: 0, to: numbers.count, by: SpatialIndex.fanOut) {
      var area = 0.0
      for number in numbers[start ..< min(start + SpatialIndex.fanOut, numbers.count)] {
        let size = elements[Int(number)].frame.size
        area += size.width * size.height
      }
      let side = area.squareRoot()
      sum += (side + viewport.width) * (side + viewport.height)
    }
    return sum
  }
}
