// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

extension SpatialIndex {
  /// Lines across an axis, each of which has frames on one side.
  struct Lines {
    private let axis: ScrollAxis
    /// The more frames are on the side of a line, the later it is among these.
    private let places: [Double]
    /// Whether the side has frames that end behind the line, not frames that start before it.
    private let isBehind: Bool

    /// Frames that start before places; if `isReversed`, these count from the far edge of the
    /// content.
    ///
    /// - Parameter places: in ascending order.
    init(
      startingBefore places: [Double],
      along axis: ScrollAxis,
      in extent: Double,
      isReversed: Bool
    ) {
      self.axis = axis
      self.places = isReversed ? places.map { extent - $0 } : places
      isBehind = isReversed
    }

    var count: Int { places.count }

    /// The first line, among some, that has a frame on its side; the end of these if none has.
    ///
    /// - Complexity: O(log lines)
    func first(having frame: Rect, among lines: Range<Int>) -> Int {
      let start = axis.main(frame.origin)
      return first(having: isBehind ? start + axis.main(frame.size) : start, among: lines)
    }

    /// The lines, among some, that may have some but not all frames with this box on their side.
    /// Those after them have all, those before them none.
    ///
    /// - Complexity: O(log lines)
    fileprivate func lines(
      through box: SIMD4<Double>,
      among lines: Range<Int>
    ) -> Range<Int> {
      let (low, high) = axis == .vertical ? (box.y, box.w) : (box.x, box.z)
      let start = first(having: isBehind ? high : low, among: lines)
      return start ..< first(having: isBehind ? low : high, among: start ..< lines.upperBound)
    }

    private func first(having edge: Double, among lines: Range<Int>) -> Int {
      lines.partitioningIndex { isBehind ? edge > places[$0] : edge < places[$0] }
    }
  }

  /// How many frames are on the side of each line, including those whose items are gone.
  ///
  /// No node is looked at twice, however many lines go through it, because the frames of all items
  /// may lie across all lines.
  ///
  /// - Parameter placement: how frames are placed; nil = as when the index was made.
  /// - Parameter work: told of the nodes.
  /// - Parameter frame: returns the frame in a slot, whether or not its item is gone. Its size does
  ///   not matter for frames that start before a place.
  /// - Complexity: O(lines · √n) for frames that are spread evenly and small; O(n · log lines) at
  ///   most
  func slotCounts(
    on lines: Lines,
    seenBy placement: SpatialPlacement? = nil,
    work: LayoutWork,
    frame: (Int) -> Rect
  ) -> [Int] {
    guard levelCount > 0 else { return [Int](repeating: 0, count: lines.count) }
    // The frames that each line has and the one before it has not; the last are on no side.
    var counts = [Int](repeating: 0, count: lines.count + 1)
    count(below: 0, levelCount - 1, on: lines, 0 ..< lines.count, placement, work, frame, &counts)
    counts.removeLast()
    var sum = 0
    for line in counts.indices {
      sum += counts[line]
      counts[line] = sum
    }
    return counts
  }

  /// - Parameter range: lines of which those after it have all frames of the node on their side.
  private func count(
    below node: Int,
    _ level: Int,
    on lines: Lines,
    _ range: Range<Int>,
    _ placement: SpatialPlacement?,
    _ work: LayoutWork,
    _ frame: (Int) -> Rect,
    _ counts: inout [Int]
  ) {
    let own = lines.lines(through: box(of: node, level, seenBy: placement), among: range)
    guard !own.isEmpty else {
      counts[own.lowerBound] += slots(below: node, level).count
      return
    }
    let children = children(of: node, level)
    guard work.proceed(1 + children.count / 4) else { return }
    for child in children {
      if level > 0 {
        count(below: child, level - 1, on: lines, own, placement, work, frame, &counts)
      } else {
        counts[lines.first(having: frame(child), among: own)] += 1
      }
    }
  }
}

extension SpatialLayer {
  /// A layer with more slots is counted by looking at about as many of them.
  private static let mostLooks = 1 << 16
  private static let looksPerStep = 4
  private static let looksAtOnce = 1024

  /// How many of the items that have gone had each line as the first with them on its side. The
  /// last count is of those that are on the side of none.
  ///
  /// Estimated if the layer has more than 65,536 slots. Neighbours in space have neighbouring
  /// slots, so each part of the map has its share of those that are looked at.
  ///
  /// - Parameter work: told of the slots. Once it has stopped, the counts must not be used.
  /// - Parameter frame: returns the frame in a slot.
  /// - Complexity: O(min(n, 65,536) · (log lines + log pieces))
  fileprivate func goneCounts(
    on lines: SpatialIndex.Lines,
    work: LayoutWork,
    frame: (Int) -> Rect
  ) -> [Int] {
    var counts = [Int](repeating: 0, count: lines.count + 1)
    guard !isWhole else { return counts }
    let step = max(1, (index.count + Self.mostLooks - 1) / Self.mostLooks)
    for (look, slot) in stride(from: 0, to: index.count, by: step).enumerated() {
      if look % Self.looksAtOnce == 0 {
        guard work.proceed(Self.looksAtOnce / Self.looksPerStep) else { return counts }
      }
      guard currentOrdinal(inSlot: slot) == nil else { continue }
      counts[lines.first(having: frame(slot), among: 0 ..< lines.count)] += step
    }
    return counts
  }
}

extension PreparedSpatial {
  /// Counts nodes of the indices instead of items. Items that have gone since a layer was built
  /// are taken off where they were.
  ///
  /// - Complexity: O(places · √n) for items that are spread evenly; O(n · log places) at most;
  ///   after edits also that of `SpatialLayer.goneCounts`
  func itemCounts(
    startingBefore places: [Double],
    along axis: ScrollAxis,
    isReversed: Bool,
    work: LayoutWork
  ) -> [Int]? {
    let extent = axis.main(contentSize)
    let lines = SpatialIndex.Lines(
      startingBefore: places,
      along: axis,
      in: extent,
      isReversed: isReversed
    )
    var counts = [Int](repeating: 0, count: places.count)
    for layer in layers {
      func frame(inSlot slot: Int) -> Rect {
        let size = layer.index.size(at: slot) ?? currentSize(in: layer, slot) ?? .zero
        return placement.frame(at: layer.index.positions[slot], size: size)
      }
      let all = layer.index.slotCounts(
        on: lines,
        seenBy: placement,
        work: work,
        frame: frame(inSlot:)
      )
      let gone = layer.goneCounts(on: lines, work: work, frame: frame(inSlot:))
      var (before, sum, remaining) = (0, 0, 0)
      for line in counts.indices {
        // An estimate may take off more than there are here: the rest is taken off further on.
        remaining += all[line] - before - gone[line]
        if remaining > 0 { (sum, remaining) = (sum + remaining, 0) }
        before = all[line]
        counts[line] += sum
      }
    }
    var more = [Int](repeating: 0, count: places.count + 1)
    for rank in added.indices {
      guard let item = added[rank], pieces.currentOrdinal(ofAdded: rank) != nil else { continue }
      guard work.proceed(1) else { return counts }
      more[lines.first(having: placement.frame(of: item), among: 0 ..< places.count)] += 1
    }
    var sum = 0
    for line in counts.indices {
      sum += more[line]
      counts[line] += sum
    }
    return counts
  }
}

extension PreparedPlacement {
  /// Counts nodes of the index instead of elements, if all elements are cells.
  ///
  /// - Complexity: O(places · √n) for elements that are spread evenly; O(n · log places) at most
  func itemCounts(
    startingBefore places: [Double],
    along axis: ScrollAxis,
    isReversed: Bool,
    work: LayoutWork
  ) -> [Int]? {
    guard placement.others.isEmpty else { return nil }
    let lines = SpatialIndex.Lines(
      startingBefore: places,
      along: axis,
      in: axis.main(contentSize),
      isReversed: isReversed
    )
    return index.frames.slotCounts(on: lines, work: work) { slot in
      placement.elements[Int(index.frames.ordinals[slot])].frame
    }
  }
}
