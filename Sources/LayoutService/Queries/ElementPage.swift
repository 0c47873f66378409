// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry
internal import LayoutProtocol
internal import Synchronization

/// The position of an element in the order of answers. A page begins after the last element of the
/// previous page.
struct ElementPosition: Hashable, Comparable, Sendable {
  var indexPath: IndexPath
  var classRank: UInt32

  init(indexPath: IndexPath, classRank: UInt32) {
    self.indexPath = indexPath
    self.classRank = classRank
  }

  init(_ element: LayoutElement) {
    self.init(indexPath: element.indexPath, classRank: element.classRank)
  }

  static func < (a: ElementPosition, b: ElementPosition) -> Bool {
    a.indexPath == b.indexPath ? a.classRank < b.classRank : a.indexPath < b.indexPath
  }
}

/// One page of the elements in a rect.
struct ElementPage: Sendable {
  /// The elements in the order of answers. `QueryResponder` requests one more than a page holds, to
  /// see whether another page follows.
  var buffer: ElementBuffer
  /// How many elements were visited to find these.
  var visited: Int
}

/// Finds pages of the elements in a rect.
///
/// Keeps little more than one page at a time, however many elements there are.
struct ElementPager: Sendable {
  let queries: LayoutQueries
  /// In content coordinates; nil = all of the content.
  let rect: Rect?
  /// The largest number of elements in the rect, all pages together.
  let limit: Int

  /// A page after `start`, found without an index.
  ///
  /// - Returns: the page, and an index that makes later pages faster; nil = the page was found
  ///   without visiting all elements in the rect.
  /// - Throws: QUOTA_ELEMENTS; why the query was stopped.
  /// - Complexity: O(log n + p) for the first p elements of layouts that append in order; otherwise
  ///   O(log n + k + p log p) for k elements in the rect, or O(log n + k log p) if they are
  ///   scattered.
  func first(
    _ count: Int,
    after start: ElementPosition?
  ) throws -> (page: ElementPage, index: ElementIndex?) {
    if start == nil, let page = try beginning(count) { return (page, nil) }
    let gathering = PageGathering(count, after: start, of: contents, limit: limit)
    var buffer = ElementBuffer(
      narrowingAt: Self.roomForPage(count),
      partLimit: limit < .max ? limit + 1 : limit,
      work: queries.work
    ) { gathering.narrow(&$0) }
    append(in: rect ?? .everywhere, to: &buffer)
    let isWithinLimit = gathering.narrow(&buffer)
    guard isWithinLimit else {
      throw LayoutProblem.quotaExceeded(
        .elements,
        limit: UInt64(limit),
        found: UInt64(gathering.visited),
        field: "rect"
      )
    }
    try checkWhole(buffer)
    let page = ElementPage(buffer: kept(buffer), visited: gathering.visited)
    return (page, gathering.index)
  }

  /// The first page of a layout that appends in order, which is complete as soon as it is full; nil
  /// = more elements have to be visited.
  private func beginning(_ count: Int) throws -> ElementPage? {
    // This way cannot tell whether the rect has more elements than allowed.
    guard queries.prepared.appendsInOrder, contents.itemCount <= limit else { return nil }
    var buffer = ElementBuffer(limit: count + Self.margin, work: queries.work)
    append(in: rect ?? .everywhere, to: &buffer)
    try checkWhole(buffer)
    let visited = buffer.elements.count
    if buffer.isFull, let last = buffer.elements.map(\.indexPath).max() {
      // The section or item that was being appended may have more elements.
      buffer.elements.removeAll { $0.indexPath >= last }
      guard buffer.elements.count >= count else { return nil }
    }
    Self.keep(count, after: nil, of: &buffer)
    return ElementPage(buffer: kept(buffer), visited: visited)
  }

  /// Finds the page after `start` by visiting only the buckets that hold its elements.
  ///
  /// - Returns: nil = they lie so scattered that all elements have to be visited.
  /// - Throws: why the query was stopped.
  /// - Complexity: about O(p log p + log n) for p elements in the page, if the layout's items lie
  ///   roughly in order.
  func page(
    _ count: Int,
    after start: ElementPosition,
    by index: ElementIndex
  ) throws -> ElementPage? {
    var found = ElementBuffer()
    var visited = 0
    var places = ElementPlaces(contents)
    let begin = index.bucket(of: start.indexPath, &places)
    for bucket in begin ..< index.buckets.count where found.elements.count < count {
      guard let bounds = index.buckets[bucket].bounds else { continue }
      guard index.estimatedCount(in: bounds) <= Self.mostVisited, visited <= limit else {
        return nil
      }
      var buffer = ElementBuffer(work: queries.work)
      append(in: around(bounds), to: &buffer)
      try checkWhole(buffer)
      visited += buffer.elements.count
      buffer.elements.removeAll { index.bucket(of: $0.indexPath, &places) != bucket }
      Self.keep(count - found.elements.count, after: start, of: &buffer)
      found.append(buffer)
    }
    return ElementPage(buffer: found, visited: visited)
  }

  /// The memory for finding a page, in bytes, roughly.
  func byteCount(ofPage count: Int) -> Int {
    let most = max(2 * Self.roomForPage(count), Self.mostVisited)
    return min(most, 2 * contents.itemCount + 256) * MemoryLayout<LayoutElement>.stride
  }

  private func append(in rect: Rect, to buffer: inout ElementBuffer) {
    queries.shown.appendElements(in: rect, viewport: queries.viewport, to: &buffer)
  }

  /// - Throws: why the query was stopped before it had visited everything.
  private func checkWhole(_ buffer: borrowing ElementBuffer) throws {
    try queries.work?.throwIfStopped()
    guard buffer.isCutShort else { return }
    throw LayoutWork.Stop.tooManySteps(limit: buffer.stepLimit)
  }

  /// A copy that holds no more memory than it needs.
  private func kept(_ buffer: ElementBuffer) -> ElementBuffer {
    var kept = ElementBuffer()
    kept.append(buffer)
    return kept
  }

  private static func roomForPage(_ count: Int) -> Int { max(8192, 2 * count) }

  /// How many elements the first page visits beyond its own, so that the elements of one last item
  /// do not make it start again.
  private static let margin = 64

  private var contents: CollectionContents { queries.prepared.context.contents }

  /// The largest number of elements to visit for one bucket.
  private static let mostVisited = 65_536

  /// A rect that meets every element of the query whose bounding box lies in `bounds`.
  private func around(_ bounds: Rect) -> Rect {
    // The margin must not vanish by rounding when coordinates are large.
    let largest = max(bounds.minX.magnitude, bounds.maxX.magnitude, bounds.minY.magnitude)
    let margin = max(1, max(largest, bounds.maxY.magnitude) * 0x1p-40)
    let wider = Rect(
      x: bounds.x - margin,
      y: bounds.y - margin,
      width: bounds.width + 2 * margin,
      height: bounds.height + 2 * margin
    )
    guard let rect else { return wider }
    // There is no intersection only if a rect has no area; then the query's rect is used unchanged.
    return wider.intersection(rect) ?? rect
  }

  /// Keeps the first `count` elements after `start`, in the order of answers.
  fileprivate static func keep(
    _ count: Int,
    after start: ElementPosition?,
    of buffer: inout ElementBuffer
  ) {
    if let start { buffer.elements.removeAll { ElementPosition($0) <= start } }
    buffer.sort()
    if buffer.elements.count > count {
      buffer.elements.removeLast(buffer.elements.count - count)
    }
    buffer.dropUnusedExtras()
  }
}

/// Visits all elements of a query and keeps those of one page.
private final class PageGathering: Sendable {
  private struct State {
    var index: ElementIndex
    /// The number of elements visited.
    var visited = 0
    /// The elements at the beginning of the buffer that were visited and kept, in order.
    var kept = 0
  }

  private let count: Int
  private let start: ElementPosition?
  private let contents: CollectionContents
  private let limit: Int
  private let state: Mutex<State>

  /// - Parameter limit: the most elements that may be visited.
  init(
    _ count: Int,
    after start: ElementPosition?,
    of contents: CollectionContents,
    limit: Int
  ) {
    self.count = count
    self.start = start
    self.contents = contents
    self.limit = limit
    state = Mutex(State(index: ElementIndex(contents)))
  }

  var visited: Int { state.withLock { $0.visited } }
  /// The index of all visited elements.
  var index: ElementIndex { state.withLock { $0.index } }

  /// Adds the new elements of a buffer to the index, and keeps only the first of all in the buffer.
  ///
  /// - Returns: false = there are more elements than allowed.
  func narrow(_ buffer: inout ElementBuffer) -> Bool {
    state.withLock { state in
      var places = ElementPlaces(contents)
      for element in buffer.elements[state.kept...] {
        state.index.add(element, buffer.transform(of: element), &places)
      }
      state.visited += buffer.elements.count - state.kept
      if state.kept == count, count > 0 {
        // Most of them come after all that are kept.
        let last = buffer.elements[count - 1]
        let new = buffer.elements[count...].filter { LayoutElement.precedes($0, last) }
        buffer.elements.replaceSubrange(count..., with: new)
      }
      ElementPager.keep(count, after: start, of: &buffer)
      state.kept = buffer.elements.count
      return state.visited <= limit
    }
  }
}

extension ElementBuffer {
  /// Appends the elements of another buffer, including their rare attributes.
  fileprivate mutating func append(_ other: ElementBuffer) {
    elements.reserveCapacity(elements.count + other.elements.count)
    for var element in other.elements {
      if element.extra >= 0 {
        let extra = other.extras[Int(element.extra)]
        element.extra = -1
        append(element, extra: extra)
      } else {
        append(element)
      }
    }
  }
}
