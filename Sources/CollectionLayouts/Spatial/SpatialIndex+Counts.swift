// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

extension SpatialIndex {
  /// The frames on one side of a line across an axis.
  struct Side {
    let axis: ScrollAxis
    let place: Double
    /// Whether frames that end behind the place are meant, rather than those that start before it.
    let isBehind: Bool

    /// Frames that start before a place, which counts from the far edge of the content where `isReversed`.
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

  /// How many frames are on a side, those included whose items are gone.
  ///
  /// - Parameter size: returns the size of the frame in a slot.
  /// - Parameter work: told of the nodes.
  /// - Complexity: O(√n) for frames that are spread evenly and small
  func slotCount(on side: Side, work: LayoutWork, size: (Int) -> Size) -> Int {
    guard levelCount > 0 else { return 0 }
    return slotCount(below: 0, levelCount - 1, on: side, work, size)
  }

  private func slotCount(
    below node: Int,
    _ level: Int,
    on side: Side,
    _ work: LayoutWork,
    _ size: (Int) -> Size
  ) -> Int {
    switch side.contains(box: box(of: node, level)) {
    case true?: return slots(below: node, level).count
    case false?: return 0
    case nil: break
    }
    let children = children(of: node, level)
    guard work.proceed(1 + children.count / 4) else { return 0 }
    return children.reduce(0) { count, child in
      if level > 0 { return count + slotCount(below: child, level - 1, on: side, work, size) }
      let origin = Point(x: xs[child], y: ys[child])
      let frame = Rect(origin: origin, size: side.isBehind ? size(child) : .zero)
      return count + (side.contains(frame) ? 1 : 0)
    }
  }
}

extension SpatialLayer {
  /// The part of the slots whose items are still there, by a look at some of them if the layer is large.
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
  /// Counts nodes of the indices instead of items. Items that have gone since a layer was built are taken off
  /// in proportion.
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
        let count = layer.index.slotCount(on: side, work: work) { slot in
          layer.index.size(at: slot) ?? indexedFrame(in: layer, slot)?.size ?? .zero
        }
        counts[number] += Int((Double(count) * share).rounded())
      }
    }
    for rank in added.indices {
      guard let frame = added[rank]?.frame, pieces.currentOrdinal(ofAdded: rank) != nil else {
        continue
      }
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
        placement.elements[Int(index.frames.ordinals[slot])].frame.size
      }
    }
  }
}
