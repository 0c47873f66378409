// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Finds placed elements by their frames.
///
/// Most layouts place items one behind the other. Sixteen of these then lie as close together as along any curve,
/// so the elements are indexed in the order of answers: nothing is sorted, neither now nor for each answer, and
/// the elements of an answer lie behind each other in memory. Only where that makes leaves that viewports touch too
/// often, the index is along a curve.
struct PlacedIndex: Sendable {
  /// The slots are in the order of the tree; an ordinal is the index of an element in the placement.
  let frames: SpatialIndex
  /// Whether slots are in the order of answers.
  let isInOrder: Bool

  /// How much more leaves a viewport may touch than if sixteen elements lay in a square without gaps: below that,
  /// no other order is tried.
  private static let goodEnough = 1.5
  /// How much more leaves a viewport may touch than with the order along a curve: to sort an answer costs about as
  /// much as to find it.
  private static let worthKeeping = 2.0

  /// Indexes the elements of a placement.
  ///
  /// - Parameters:
  ///   - viewport: the size of what is mostly asked for.
  ///   - work: told of the elements. Once it has stopped, nobody uses the index.
  /// - Complexity: O(elements), and O(k · log k) for k elements that are no cells
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

  /// As `SpatialIndex.leavesTouched(by:)`, if each sixteen elements lay in a square without gaps.
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
