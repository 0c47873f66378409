// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// Finds what is where along one axis of the content.
struct ScrollMapSearch {
  private let queries: LayoutQueries
  private let axis: ScrollAxis
  private let line: ScrollLine
  private let work: LayoutWork

  init(_ queries: LayoutQueries, axis: ScrollAxis?) {
    self.queries = queries
    let size = queries.prepared.contentSize
    self.axis =
      axis ?? queries.prepared.scrollAxis ?? (size.width > size.height ? .horizontal : .vertical)
    line = ScrollLine(self.axis, viewport: queries.viewport, contentSize: size)
    // Without limits, but counted.
    work = queries.work ?? LayoutWork()
  }

  private var prepared: any PreparedLayout { queries.prepared }
  private var contents: CollectionContents { queries.prepared.context.contents }
  private var extent: Double { axis.main(queries.prepared.contentSize) }

  func map(_ request: ScrollMapRequest) -> ScrollMap {
    let isInOrder = progress(at: 0) != nil
    return ScrollMap(
      axis: axis,
      isInOrder: isInOrder,
      places: isInOrder
        ? places(of: request.fractions) { orderedPlace(atFraction: $0) }
        : loosePlaces(of: request.fractions),
      sections: places(of: request.sections) { place(ofSection: $0) },
      buckets: isInOrder ? orderedBuckets(request.bucketCount) : looseBuckets(request.bucketCount)
    )
  }

  private func progress(at position: Double) -> ItemProgress? {
    prepared.itemProgress(at: position, along: axis, work: work)
  }

  // MARK: - Places

  /// What a place takes besides the steps of the layout.
  private static var stepsPerPlace: Int { 16 }
  /// Places are looked up one by one in so many steps in any case: a tenth of a millisecond or so.
  private static var fewSteps: Int { 4096 }

  /// The places of some things, up to the one at which the work stops.
  private func places<Thing>(
    of things: [Thing],
    _ place: (Thing) -> ScrollMap.Place
  ) -> [ScrollMap.Place] {
    var places: [ScrollMap.Place] = []
    places.reserveCapacity(things.count)
    for thing in things {
      guard work.proceed(Self.stepsPerPlace) else { break }
      places.append(place(thing))
    }
    return places
  }

  private func position(ofFraction fraction: Double) -> Double {
    let (least, greatest) = line.legalStarts
    return least + fraction * (greatest - least) + line.startInset
  }

  private func place(
    atFraction fraction: Double,
    item: IndexPath?,
    section: Int?
  ) -> ScrollMap.Place {
    let (least, greatest) = line.legalStarts
    var place = place(at: position(ofFraction: fraction))
    place.fraction = greatest > least ? fraction : 0
    place.item = item
    place.section = section ?? item?.section
    return place
  }

  private func orderedPlace(atFraction fraction: Double) -> ScrollMap.Place {
    let position = position(ofFraction: fraction)
    // A section in which items are in no order does not say how far they are.
    guard let progress = progress(at: position) else {
      return place(atFraction: fraction, item: firstItem(inViewAt: position), section: nil)
    }
    return place(atFraction: fraction, item: progress.item, section: progress.section)
  }

  /// The places of fractions in a layout in which items are in no order along the axis. They are
  /// looked up one by one as long as that takes no more steps than to look at all items once; the
  /// others in one pass for all.
  private func loosePlaces(of fractions: [Double]) -> [ScrollMap.Place] {
    let start = work.steps
    var items: [IndexPath?] = []
    items.reserveCapacity(fractions.count)
    while items.count < fractions.count, work.steps - start <= Self.fewSteps + contents.itemCount {
      guard work.proceed(Self.stepsPerPlace) else { break }
      items.append(firstItem(inViewAt: position(ofFraction: fractions[items.count])))
    }
    if !work.isStopped { items += firstItems(inViewAt: fractions[items.count...]) }
    return zip(fractions, items).map { place(atFraction: $0, item: $1, section: nil) }
  }

  /// The first item in view at each of some fractions, by a look at every item.
  private func firstItems(inViewAt fractions: ArraySlice<Double>) -> [IndexPath?] {
    guard !fractions.isEmpty, work.proceed(Self.stepsPerPlace * fractions.count) else { return [] }
    let positions = fractions.map { position(ofFraction: $0) }
    let order = positions.indices.sorted { positions[$0] < positions[$1] }
    let view = ItemsInView(places: order.map { positions[$0] }, line: line)
    lookThrough { view.take($0) }
    var items = [IndexPath?](repeating: nil, count: positions.count)
    for (index, item) in zip(order, view.items) { items[index] = item }
    return items
  }

  /// A place without what is there.
  private func place(at position: Double) -> ScrollMap.Place {
    let start = position - line.startInset
    let (least, greatest) = line.legalStarts
    let way = greatest - least
    let offset = line.offset(queries.viewport.offset, start: start)
    return ScrollMap.Place(
      fraction: way > 0 ? min(max((start - least) / way, 0), 1) : 0,
      position: position,
      offset: queries.clamped(offset, along: [axis])
    )
  }

  private func place(ofSection section: Int) -> ScrollMap.Place {
    let before = contents.itemCount(before: section)
    // An empty section starts with the next item.
    let item = contents.indexPath(ofOrdinal: before)
    let own = prepared.sectionStart(section, along: axis)
    var place = place(at: own ?? item.flatMap { start(of: $0) } ?? extent)
    place.section = section
    if let item, item.section == section { place.item = item }
    return place
  }

  /// Where an item is first seen.
  private func start(of item: IndexPath) -> Double? {
    guard let key = prepared.cellKey(at: item) else { return nil }
    let viewport = queries.viewport
    if let offset = prepared.scrollOffset(showing: key, position: .start, viewport: viewport) {
      return line.start(offset) + line.startInset
    }
    return prepared.attributes(of: key, viewport: viewport, work: work).map {
      line.span(of: $0.frame).start
    }
  }

  /// The first item, in order, that meets the point just after a position.
  private func firstItem(inViewAt position: Double) -> IndexPath? {
    @Sendable func first(of buffer: borrowing ElementBuffer) -> Int? {
      var first: Int?
      for index in buffer.elements.indices where buffer.elements[index].category == .cell {
        let path = buffer.elements[index].indexPath
        if let first, buffer.elements[first].indexPath <= path { continue }
        first = index
      }
      return first
    }
    var buffer = ElementBuffer(
      keepingBest: first,
      stepLimit: ElementBuffer.defaultStepLimit,
      work: work
    )
    buffer.wantsCellsOnly = true
    let strip = line.rect(.everywhere, from: position, to: position + 1)
    prepared.appendElements(in: strip, viewport: queries.viewport, to: &buffer)
    return first(of: buffer).map { buffer.elements[$0].indexPath }
  }

  // MARK: - Buckets

  private func position(ofEdge edge: Int, of count: Int) -> Double {
    extent * (Double(edge) / Double(count))
  }

  private func orderedBuckets(_ count: Int) -> [ScrollMap.Bucket] {
    var buckets: [ScrollMap.Bucket] = []
    buckets.reserveCapacity(count)
    var passed = 0
    var section = 0
    for edge in stride(from: 1, through: count, by: 1) {
      var next = (passed: contents.itemCount, section: contents.sectionCount)
      if edge < count {
        let position = position(ofEdge: edge, of: count)
        next.passed = max(passed, progress(at: position)?.passed ?? 0)
        next.section = max(section, firstSection(startingAt: position, afterItems: next.passed))
      }
      buckets.append(
        ScrollMap.Bucket(
          itemCount: next.passed - passed,
          firstSection: next.section > section ? section : nil
        )
      )
      (passed, section) = next
      guard work.proceed(Self.stepsPerPlace) else { return [] }
    }
    return buckets
  }

  /// The first section that starts at a position or behind it; the number of sections if there is
  /// none.
  ///
  /// - Parameter passed: the number of items before the position.
  private func firstSection(startingAt position: Double, afterItems passed: Int) -> Int {
    guard contents.sectionCount > 0, prepared.sectionStart(0, along: axis) != nil else {
      guard let path = contents.indexPath(ofOrdinal: passed) else { return contents.sectionCount }
      return path.item == 0 ? path.section : path.section + 1
    }
    return (0 ..< contents.sectionCount).partitioningIndex { section in
      guard let start = prepared.sectionStart(section, along: axis) else { return true }
      return !(start < position)
    }
  }

  /// Buckets of a layout in which items are in no order along the axis.
  private func looseBuckets(_ count: Int) -> [ScrollMap.Bucket] {
    guard count > 0 else { return [] }
    let edges = (1 ..< max(count, 1)).map { position(ofEdge: $0, of: count) }
    // The last bucket has all that is left.
    let counts = startCounts(before: edges + [.infinity])
    var before = 0
    return counts.map { passed in
      defer { before = max(before, passed) }
      return ScrollMap.Bucket(itemCount: max(0, passed - before), firstSection: nil)
    }
  }

  /// How many items start before each of some places in ascending order.
  private func startCounts(before places: [Double]) -> [Int] {
    let counted = prepared.itemCounts(
      startingBefore: places,
      along: axis,
      isReversed: line.isReversed,
      work: work
    )
    if let counted { return counted }
    let starts = ItemStarts(places: places, line: line)
    lookThrough { starts.take($0) }
    return starts.counts
  }

  /// Passes on all elements, some thousand at a time.
  private func lookThrough(_ take: @escaping @Sendable ([LayoutElement]) -> Void) {
    var buffer = ElementBuffer(
      narrowingAt: ElementBuffer.narrowingLimit,
      partLimit: Self.partLimit,
      work: work
    ) { buffer in
      take(buffer.elements)
      buffer.elements.removeAll(keepingCapacity: true)
      buffer.dropUnusedExtras()
      return true
    }
    buffer.wantsCellsOnly = true
    prepared.appendElements(in: .everywhere, viewport: queries.viewport, to: &buffer)
    take(buffer.elements)
  }

  /// The most elements that a layout which mixes others takes of each.
  private static let partLimit = 1 << 20
}
