// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry
internal import LayoutProtocol

/// Where a page of elements begins: behind this element, in the order of answers.
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
  /// In the order of answers, one more than asked for where another page follows.
  var buffer: ElementBuffer
  /// Elements that were looked at to find these.
  var visited: Int
}

/// Finds pages of the elements in a rect.
struct ElementPager: Sendable {
  let queries: LayoutQueries
  /// nil = everything.
  let rect: Rect?
  /// Of elements in the rect, all pages together.
  let limit: Int

  /// The page after `start`, found by looking at all elements in the rect.
  ///
  /// - Returns: with an index by which later pages are found faster.
  /// - Throws: QUOTA_ELEMENTS.
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

  /// The page after `start`, found by looking only where its elements are.
  ///
  /// - Returns: nil where those lie so scattered that all elements have to be looked at.
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

  /// More than this for one bucket are not looked at.
  private static let mostVisited = 65_536

  /// A rect that all elements within `bounds` meet which meet the query's.
  private func around(_ bounds: Rect) -> Rect {
    // Wide enough to count where numbers are large.
    let largest = max(bounds.minX.magnitude, bounds.maxX.magnitude, bounds.minY.magnitude)
    let margin = max(1, max(largest, bounds.maxY.magnitude) * 0x1p-40)
    let wider = Rect(
      x: bounds.x - margin,
      y: bounds.y - margin,
      width: bounds.width + 2 * margin,
      height: bounds.height + 2 * margin
    )
    guard let rect else { return wider }
    // Without a common area nothing is left out but rects without area, which are as they are.
    return wider.intersection(rect) ?? rect
  }

  /// Leaves the first `count` elements after `start`, in the order of answers.
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
    // What the buffer had room for is let go of, with the rarer attributes of the others.
    var kept = ElementBuffer()
    kept.append(buffer)
    buffer = kept
  }
}

extension ElementBuffer {
  /// Appends the elements of another buffer with their rarer attributes.
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
