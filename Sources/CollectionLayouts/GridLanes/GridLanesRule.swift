// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Everything that decides where the items of one section go.
///
/// The state holds where each lane ends and then one number more: the lane after those of the last
/// item that had no given lane. With dense packing, the gaps that items have left follow. Lanes are
/// numbered in the order of filling here.
struct GridLanesRule: Hashable, UniformColumnRule {
  let axis: ScrollAxis
  let itemSpacing: Double
  let flowTolerance: Double
  let fillsFromEnd: Bool
  let pixelGrid: PixelGrid?
  private let placements: CellPlacements
  /// Whether lanes are filled from the trailing edge on.
  private let isTrackReversed: Bool
  /// From the leading edge on.
  private let lanes: [PlacedLanes.Lane]
  /// Whether all lanes are equally wide.
  private let isEven: Bool
  /// The memory of what only this section uses, in bytes: an estimate.
  let byteCount: Int
  /// The gaps of dense packing; nil = items only go behind others.
  private let gaps: LaneGaps?

  /// Makes the rule of one section. Its metrics replace the layout's spacings.
  ///
  /// - Parameter extent: the section's extent across the scroll axis, in points.
  /// - Parameter work: told of the steps that depend on the number of lanes.
  init(
    _ layout: GridLanesLayout,
    metrics: SectionMetrics,
    plan: GridLanesPlan,
    extent: Double,
    environment: SectionEnvironment,
    work: LayoutWork
  ) {
    axis = environment.axis
    pixelGrid = environment.pixelGrid
    itemSpacing = max(0, metrics.lineSpacing ?? layout.itemSpacing)
    flowTolerance = max(0, layout.flowTolerance)
    fillsFromEnd = layout.fillReverse
    isTrackReversed = layout.trackReverse
    placements = plan.placements
    let spacing = max(0, metrics.interitemSpacing ?? layout.laneSpacing)
    let place = PlacedLanes.Place(extent: extent, spacing: spacing)
    let found = plan.lanes.lanes(of: layout, at: place, in: environment)
    lanes = found.lanes.lanes
    isEven = found.lanes.isEven
    byteCount = found.areShared ? 0 : found.lanes.byteCount
    // Whether items have one length is asked of each lane if these differ.
    work.proceed(found.steps + (isEven ? 0 : lanes.count / 8))
    let isDense = layout.isDense && lanes.count <= LaneGaps.maximumLaneCount
    gaps = isDense ? LaneGaps(laneCount: lanes.count) : nil
  }

  var columnCount: Int { lanes.count }
  var stateCount: Int { lanes.count + 1 + (gaps?.stateCount ?? 0) }
  var stride: Int { max(128, gaps == nil ? lanes.count * 8 : stateCount) }
  var lookBack: Int { gaps == nil ? 0 : LaneGaps.lifetime }

  /// Whether items may leave gaps, which later items then look at.
  private var mayHaveGaps: Bool { gaps != nil && placements.haveSpans }

  /// Each item is compared with all lanes, and perhaps with the gaps of all lanes.
  @inline(__always)
  func steps(toPlace count: Int) -> Int {
    let perLane = mayHaveGaps ? 1 + LaneGaps.perLane : 1
    return count * (1 + lanes.count * perLane / 8)
  }

  var start: [Double] {
    let ends = [Double](repeating: 0, count: lanes.count + 1)
    return gaps?.extend(ends) ?? ends
  }

  func column(ofPlace place: Int) -> Int { place }

  func offset(ofColumn column: Int) -> Double { lanes[place(of: column, span: 1)].start }

  func width(ofColumn column: Int) -> Double { lanes[place(of: column, span: 1)].width }

  /// An item across several lanes lies in the room between them too. So a lane reaches to the next
  /// one then, and a little farther: a query without extent that lies at the start of that one does
  /// not meet it.
  func reach(ofColumn column: Int) -> Double {
    let place = place(of: column, span: 1)
    let lane = lanes[place]
    guard placements.haveSpans, place + 1 < lanes.count else { return lane.width }
    return lanes[place + 1].start - lane.start + 1
  }

  /// The first of some lanes from the leading edge on, given the first in the order of filling, or
  /// the other way round.
  private func place(of lane: Int, span: Int) -> Int {
    isTrackReversed ? lanes.count - lane - span : lane
  }

  /// An item's extent along the scroll axis, in points: see `ScaledLength`.
  private func length(width: Double?, height: Double?, across: Double) -> Double {
    let length = ScaledLength.length(of: (width, height), along: axis, across: across)
    return pixelGrid?.round(length) ?? length
  }

  // MARK: - Lanes

  /// The first lane for an item.
  ///
  /// A lane qualifies if it ends no later than the shortest lane plus the tolerance. The rule takes
  /// the next lane that qualifies, from the one after the last item's on; else the first that does.
  ///
  /// - Parameter state: where each lane's next item begins, and the lane after the last item.
  @inline(__always)
  private func lane(_ state: [Double], count: Int) -> Int {
    var least = state[0]
    for lane in 1 ..< max(count, 1) where state[lane] < least { least = state[lane] }
    let most = least + flowTolerance
    // Always the number of a lane, up to their count.
    let next = Int(state[count])
    for lane in min(next, count) ..< count where state[lane] <= most { return lane }
    for lane in 0 ..< count where state[lane] <= most { return lane }
    return 0
  }

  /// The first lane for an item that takes several, and where it begins.
  private func lane(_ state: [Double], span: Int) -> (lane: Int, start: Double) {
    let last = lanes.count - span
    let starts = Self.greatest(state.prefix(lanes.count), ofEach: span)
    let most = (starts.min() ?? 0) + flowTolerance
    // Always the number of a lane, up to their count.
    let next = Int(state[lanes.count])
    for lane in min(next, last + 1) ..< last + 1 where starts[lane] <= most {
      return (lane, starts[lane])
    }
    let first = starts.firstIndex { $0 <= most } ?? 0
    return (first, starts[first])
  }

  /// The maxima of all windows of `span` neighbours.
  ///
  /// - Complexity: O(values)
  private static func greatest(_ values: ArraySlice<Double>, ofEach span: Int) -> [Double] {
    // Blocks of `span` values: each window is the end of one block and the beginning of the next.
    var fromStart = Array(values)
    var fromEnd = fromStart
    for index in fromStart.indices.dropFirst() where index % span != 0 {
      fromStart[index] = max(fromStart[index], fromStart[index - 1])
    }
    for index in fromEnd.indices.reversed().dropFirst() where (index + 1) % span != 0 {
      fromEnd[index] = max(fromEnd[index], fromEnd[index + 1])
    }
    return (0 ... fromStart.count - span).map { max(fromEnd[$0], fromStart[$0 + span - 1]) }
  }

  // MARK: - Items

  func stack(
    _ items: ItemSequence,
    in range: Range<Int>,
    columns: inout [Double],
    stride: Int,
    mark: ([Double]) -> Bool,
    pause: (Int) -> Bool
  ) {
    // An item that takes several lanes looks at each of them several times, and one that may go
    // into gaps looks at these very often.
    let piece =
      mayHaveGaps
      ? max(16, Self.piece / lanes.count / LaneGaps.perLane) : max(64, Self.piece / lanes.count)
    var gapSteps = 0
    for start in Swift.stride(from: range.lowerBound, to: range.upperBound, by: stride) {
      guard mark(columns) else { return }
      let end = min(start + stride, range.upperBound)
      for first in Swift.stride(from: start, to: end, by: piece) {
        let last = min(first + piece, end)
        guard first == start || pause((last - first) * lanes.count + gapSteps) else { return }
        gapSteps = 0
        place(items, in: first ..< last, columns: &columns, &gapSteps) { _, _ in true }
      }
    }
  }

  /// How many lanes are looked at before other computations may run.
  private static let piece = 16_384

  @inline(__always)
  func place(
    _ items: ItemSequence,
    in range: Range<Int>,
    columns: inout [Double],
    _ body: (Int, AxisRect) -> Bool
  ) {
    var gapSteps = 0
    place(items, in: range, columns: &columns, &gapSteps, body)
  }

  /// - Parameter gapSteps: grows by the steps that searches for gaps take.
  @inline(__always)
  private func place(
    _ items: ItemSequence,
    in range: Range<Int>,
    columns: inout [Double],
    _ gapSteps: inout Int,
    _ body: (Int, AxisRect) -> Bool
  ) {
    items.forEachChunk(in: range) { chunk, start in
      let first = max(range.lowerBound - start, 0)
      for index in first ..< min(chunk.count, range.upperBound - start) {
        let frame = place(
          start + index,
          width: chunk.widths.value(at: index),
          height: chunk.heights.value(at: index),
          placements.isEmpty
            ? .anywhere : placements.placement(ofKind: chunk.cellKinds.value(at: index)),
          state: &columns,
          &gapSteps
        )
        guard body(start + index, frame) else { return false }
      }
      return true
    }
  }

  /// The frame of the next item.
  @inline(__always)
  private func place(
    _ item: Int,
    width: Double?,
    height: Double?,
    _ placement: CellPlacements.Placement,
    state: inout [Double],
    _ gapSteps: inout Int
  ) -> AxisRect {
    let count = lanes.count
    let span = min(placement.span, count)
    var chosen: Int
    var main: Double
    if let given = placement.lane {
      chosen = place(of: min(given, count - span), span: span)
      main = state[chosen ..< chosen + span].max() ?? 0
    } else if span == 1 {
      chosen = lane(state, count: count)
      main = state[chosen]
    } else {
      (chosen, main) = lane(state, span: span)
    }
    let across = across(chosen, span: span)
    let length = length(width: width, height: height, across: across)
    // As in Chromium: neither items with a given lane nor items in gaps change which lane is next.
    var countsForNext = placement.lane == nil
    if let gaps {
      gaps.expire(at: item, in: &state)
      let room = length + itemSpacing
      let lanes = placement.lane == nil ? 0 ..< count - span + 1 : chosen ..< chosen + 1
      if gaps.isOpen(state),
        let gap = gap(for: room, in: lanes, span, like: chosen, gaps, state, &gapSteps)
      {
        (chosen, main) = gap
        countsForNext = false
      }
      for lane in chosen ..< chosen + span {
        gaps.take(room, at: main, of: lane, for: item, in: &state)
      }
    } else {
      for lane in chosen ..< chosen + span { state[lane] = main + length + itemSpacing }
    }
    if countsForNext { state[count] = Double(chosen + span) }
    let start = lanes[place(of: chosen, span: span)].start
    return AxisRect(main: main, cross: start, mainLength: length, crossLength: across)
  }

  /// The extent of some lanes with the spacing between them, given the first in the order of
  /// filling.
  @inline(__always)
  private func across(_ lane: Int, span: Int) -> Double {
    let leading = place(of: lane, span: span)
    let last = lanes[leading + span - 1]
    return span == 1 ? last.width : last.start - lanes[leading].start + last.width
  }

  // MARK: - Dense packing

  /// Where an item goes into a gap; nil if none before the lanes' ends fits.
  ///
  /// Of the lanes whose gap lies within the tolerance of the first gap that fits, it takes the
  /// first in the order of filling. Only lanes as wide as the usual ones count, so that the item
  /// keeps its length.
  ///
  /// - Parameter room: the item's length with the spacing after it.
  /// - Parameter lanes: the first lanes that it may take.
  /// - Parameter usual: the lane that it takes behind all items.
  /// - Parameter steps: grows by the steps that the search takes.
  private func gap(
    for room: Double,
    in lanes: Range<Int>,
    _ span: Int,
    like usual: Int,
    _ gaps: LaneGaps,
    _ state: [Double],
    _ steps: inout Int
  ) -> (lane: Int, main: Double)? {
    let slack = 1e-6
    let width = across(usual, span: span)
    let places = lanes.map { lane in
      guard abs(across(lane, span: span) - width) <= slack else { return Double.infinity }
      return gaps.place(for: room, in: lane ..< lane + span, of: state, &steps)
    }
    let most = (places.min() ?? .infinity) + flowTolerance + slack
    guard let index = places.firstIndex(where: { $0 <= most }) else { return nil }
    let (lane, main) = (lanes.lowerBound + index, places[index])
    let end = state[lane ..< lane + span].max() ?? 0
    return main < end - slack ? (lane, main) : nil
  }

  // MARK: - Equal items

  /// The extent that all items have along the scroll axis, if they take the lanes in turn; nil if
  /// they differ, or some take several lanes or a given one.
  ///
  /// - Complexity: O(1) if lanes are equally wide, otherwise O(lanes)
  func uniformLength(of items: ItemSequence) -> Double? {
    guard let width = items.summary.width.commonValue, let height = items.summary.height.commonValue
    else { return nil }
    if !placements.isEmpty {
      guard case .constant(let kind) = items.summary.cellKind,
        placements.placement(ofKind: kind) == .anywhere
      else { return nil }
    }
    func length(_ lane: PlacedLanes.Lane) -> Double {
      self.length(width: width.value, height: height.value, across: lane.width)
    }
    guard let first = lanes.first else { return nil }
    let common = length(first)
    return isEven || lanes.allSatisfy { length($0) == common } ? common : nil
  }
}
