// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

extension SpatialIndex {
  /// The frames on one side of a line across an axis.
  struct Side {
    let axis: ScrollAxis
    let place: Double
    /// Whether it means frames that end behind the place, not frames that start before it.
    let isBehind: Bool

    /// Frames that start before a place; if `isReversed`, it counts from the far edge of the
    /// content.
    init(startingBefore place: Double, along axis: ScrollAxis, in extent: Double, isReversed: Bool)
    {
      self.axis = axis
      self.place = isReversed ? extent - place : place
      isBehind = isReversed
    }

    func contains(_ frame: Rect) -> Bool {
      isBehind
        ? axis.main(frame.origin) + axis.main(frame.size) > place : axis.main(frame.origin) < place
    }

    /// Whether all frames with this box are on the side; nil = some may be.
    fileprivate func contains(box: SIMD4<Double>) -> Bool? {
      let (low, high) = axis == .vertical ? (box.y, box.w) : (box.x, box.z)
      if isBehind { return !(high > place) ? false : low > place ? true : nil }
      return !(low < place) ? false : high < place ? true : nil
    }
  }

  /// How many frames are on a side, including those whose items are gone.
  ///
  /// - Parameter placement: how frames are placed; nil = as when the index was made.
  /// - Parameter work: told of the nodes.
  /// - Parameter frame: returns the frame in a slot, whether or not its item is gone. Its size does
  ///   not matter for frames that start before a place.
  /// - Complexity: O(√n) for frames that are spread evenly and small
  func slotCount(
    on side: Side,
    seenBy placement: SpatialPlacement? = nil,
    work: LayoutWork,
    frame: (Int) -> Rect
  ) -> Int {
    guard levelCount > 0 else { return 0 }
    return slotCount(below: 0, levelCount - 1, on: side, placement, work, frame)
  }

  private func slotCount(
    below node: Int,
    _ level: Int,
    on side: Side,
    _ placement: SpatialPlacement?,
    _ work: LayoutWork,
    _ frame: (Int) -> Rect
  ) -> Int {
    switch side.contains(box: box(of: node, level, seenBy: placement)) {
    case true?: return slots(below: node, level).count
    case false?: return 0
    case nil: break
    }
    let children = children(of: node, level)
    guard work.proceed(1 + children.count / 4) else { return 0 }
    return children.reduce(0) { count, child in
      if level > 0 {
        return count + slotCount(below: child, level - 1, on: side, placement, work, frame)
      }
      return count + (side.contains(frame(child)) ? 1 : 0)
    }
  }
}

extension SpatialLayer {
  /// The share of slots whose items still exist, estimated from some of them if the layer is large.
  var shareOfKept: Double {
    guard !isWhole, index.count > 0 else { return 1 }
    let step = max(1, index.count / Self.sampleCount)
    var (looked, kept) = (0, 0)
    for slot in stride(from: 0, to: index.count, by: step) {
      looked += 1
      if currentOrdinal(inSlot: slot) != nil { kept += 1 }
    }
    return Double(kept) / Double(looked)
  }

  private static let sampleCount = 1024
}

extension PreparedSpatial {
  /// Counts nodes of the indices instead of items. Items that have gone since a layer was built are
  /// taken off in proportion.
  ///
  /// - Complexity: O(places · √n) for items that are spread evenly
  func itemCounts(
    startingBefore places: [Double],
    along axis: ScrollAxis,
    isReversed: Bool,
    work: LayoutWork
  ) -> [Int]? {
    let extent = axis.main(contentSize)
    let sides = places.map {
      SpatialIndex.Side(startingBefore: $0, along: axis, in: extent, isReversed: isReversed)
    }
    var counts = [Int](repeating: 0, count: places.count)
    for layer in layers {
      let share = layer.shareOfKept
      for (number, side) in sides.enumerated() {
        let count = layer.index.slotCount(on: side, seenBy: placement, work: work) { slot in
          let size = layer.index.size(at: slot) ?? currentSize(in: layer, slot) ?? .zero
          return placement.frame(at: layer.index.positions[slot], size: size)
        }
        counts[number] += Int((Double(count) * share).rounded())
      }
    }
    for rank in added.indices {
      guard let item = added[rank], pieces.currentOrdinal(ofAdded: rank) != nil else { continue }
      let frame = placement.frame(of: item)
      guard work.proceed(sides.count / 16 + 1) else { return counts }
      for (number, side) in sides.enumerated() where side.contains(frame) { counts[number] += 1 }
    }
    return counts
  }
}

extension PreparedPlacement {
  /// Counts nodes of the index instead of elements, if all elements are cells.
  ///
  /// - Complexity: O(places · √n) for elements that are spread evenly
  func itemCounts(
    startingBefore places: [Double],
    along axis: ScrollAxis,
    isReversed: Bool,
    work: LayoutWork
  ) -> [Int]? {
    guard placement.others.isEmpty else { return nil }
    return places.map { place in
      let side = SpatialIndex.Side(
        startingBefore: place,
        along: axis,
        in: axis.main(contentSize),
        isReversed: isReversed
      )
      return index.frames.slotCount(on: side, work: work) { slot in
        placement.elements[Int(index.frames.ordinals[slot])].frame
      }
    }
  }
}
