// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry
internal import LayoutProtocol

/// The position of an element in the order of answers. A page begins after the last element of the
/// page before.
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
  /// The elements in the order of answers. `QueryResponder` requests one more than a page holds, to see
  /// whether another page follows.
  var buffer: ElementBuffer
  /// How many elements were visited to find these.
  var visited: Int
}

/// Finds the pages of a query for the elements in a rect.
struct ElementPager: Sendable {
  let queries: LayoutQueries
  /// In content coordinates; nil = the whole content.
  let rect: Rect?
  /// The largest number of elements in the rect, all pages together.
  let limit: Int

  /// Finds the page after `start` by visiting all elements in the rect.
  ///
  /// - Returns: the page, and an index that speeds up later pages.
  /// - Throws: QUOTA_ELEMENTS if there are more than `limit` elements.
  /// - Complexity: O(log n + k + p log p) for k elements in the rect and p in the page.
  func first(
    _ count: Int,
    after start: ElementPosition?
  ) throws(LayoutProblem) -> (page: ElementPage, index: ElementIndex) {
    var buffer = ElementBuffer(limit: limit < .max ? limit + 1 : limit)
    queries.prepared.appendElements(
      in: rect ?? .everywhere,
      viewport: queries.viewport,
      to: &buffer
    )
    guard buffer.elements.count <= limit else {
      throw .quotaExceeded(
        .elements,
        limit: UInt64(limit),
        found: UInt64(buffer.elements.count),
        field: "rect"
      )
    }
    var index = ElementIndex(contents)
    var places = ElementPlaces(contents)
    for element in buffer.elements {
      index.add(element, buffer.transform(of: element), &places)
    }
    let visited = buffer.elements.count
    Self.keep(count, after: start, of: &buffer)
    return (ElementPage(buffer: buffer, visited: visited), index)
  }

  /// Finds the page after `start` by visiting only the buckets that hold its elements.
  ///
  /// - Returns: nil if those elements are so scattered that visiting all elements is cheaper.
  /// - Complexity: about O(p log p + log n) for p elements in the page, for layouts whose items lie
  ///   roughly in order.
  func page(_ count: Int, after start: ElementPosition, by index: ElementIndex) -> ElementPage? {
    var found = ElementBuffer()
    var visited = 0
    var places = ElementPlaces(contents)
    let begin = index.bucket(of: start.indexPath, &places)
    for bucket in begin ..< index.buckets.count where found.elements.count < count {
      guard let bounds = index.buckets[bucket].bounds else { continue }
      guard index.estimatedCount(in: bounds) <= Self.mostVisited else { return nil }
      var buffer = ElementBuffer()
      queries.prepared.appendElements(
        in: around(bounds),
        viewport: queries.viewport,
        to: &buffer
      )
      visited += buffer.elements.count
      buffer.elements.removeAll { index.bucket(of: $0.indexPath, &places) != bucket }
      Self.keep(count - found.elements.count, after: start, of: &buffer)
      found.append(buffer)
    }
    return ElementPage(buffer: found, visited: visited)
  }

  private var contents: CollectionContents { queries.prepared.context.contents }

  /// The largest number of elements to visit for one bucket.
  private static let mostVisited = 65_536

  /// A rect that meets every element of the query whose bounding box lies within `bounds`.
  private func around(_ bounds: Rect) -> Rect {
    // The margin must not vanish in rounding where coordinates are large.
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

  /// Keeps only the first `count` elements after `start`, in the order of answers.
  private static func keep(
    _ count: Int,
    after start: ElementPosition?,
    of buffer: inout ElementBuffer
  ) {
    if let start { buffer.elements.removeAll { ElementPosition($0) <= start } }
    buffer.sort()
    if buffer.elements.count > count {
      buffer.elements.removeLast(buffer.elements.count - count)
    }
    // A new buffer releases the capacity, and the rare attributes of the elements that were removed.
    var kept = ElementBuffer()
    kept.append(buffer)
    buffer = kept
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
