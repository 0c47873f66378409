// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry
internal import Synchronization

/// An index of the elements of one query: for each of up to 512 ranges of index paths, the number
/// of elements and their bounding box. A later page is found with it without visiting the elements
/// of other pages. It takes a few kilobytes.
struct ElementIndex: Sendable {
  struct Bucket: Sendable {
    var count = 0
    /// The union of the elements' bounding boxes; nil if the bucket has no elements.
    var bounds: Rect?
  }

  private(set) var buckets: [Bucket]
  /// How many consecutive places form one bucket.
  private let width: Int

  private static let bucketCount = 512
  private static let smallestWidth = 512

  init(_ contents: CollectionContents) {
    let places = contents.itemCount + contents.sectionCount + 1
    width = max(Self.smallestWidth, places / Self.bucketCount + 1)
    buckets = Array(repeating: Bucket(), count: places / width + 1)
  }

  /// The bucket of an element.
  ///
  /// - Parameter places: the places of the contents that the index was made for.
  func bucket(of path: IndexPath, _ places: inout ElementPlaces) -> Int {
    min(places.place(of: path) / width, buckets.count - 1)
  }

  mutating func add(
    _ element: LayoutElement,
    _ transform: Transform,
    _ places: inout ElementPlaces
  ) {
    let box = transform == .identity ? element.frame : transform.boundingBox(of: element.frame)
    let bucket = bucket(of: element.indexPath, &places)
    buckets[bucket].count += 1
    buckets[bucket].bounds = buckets[bucket].bounds.map { $0.union(box) } ?? box
  }

  /// An upper estimate of the elements that a query for `rect` visits: the elements of all buckets
  /// whose bounds touch it.
  func estimatedCount(in rect: Rect) -> Int {
    buckets.reduce(0) { sum, bucket in
      guard let bounds = bucket.bounds, Self.touch(bounds, rect) else { return sum }
      return sum + bucket.count
    }
  }

  private static func touch(_ a: Rect, _ b: Rect) -> Bool {
    a.minX <= b.maxX && b.minX <= a.maxX && a.minY <= b.maxY && b.minY <= a.maxY
  }
}

/// Maps index paths to consecutive numbers in order, a section before its items.
///
/// Do not store values of this type: they keep the contents alive.
struct ElementPlaces {
  private let contents: CollectionContents
  /// The section of the last query, and the place of that section.
  private var section = 0
  private var start = 0

  init(_ contents: CollectionContents) { self.contents = contents }

  /// The place of an index path.
  ///
  /// - Complexity: O(1) in the same section as the call before, O(log n) otherwise.
  mutating func place(of path: IndexPath) -> Int {
    let wanted = min(path.section, contents.sectionCount)
    if wanted != section {
      section = wanted
      start = contents.itemCount(before: wanted) + wanted
    }
    return start + (path.item.map { $0 + 1 } ?? 0)
  }
}

/// Caches the indices of recent queries. The least recently used one is evicted.
final class ElementIndexCache: Sendable {
  /// One query about one version of one collection.
  struct Key: Hashable {
    /// A hash of the query that no client can aim at: an index of another query would hide
    /// elements.
    var query: Int
    /// `LiveCollection.contentsIdentity`.
    var identity: UInt64
    var dataVersion: UInt64
  }

  private struct State {
    var entries: [Key: (index: ElementIndex, use: UInt64)] = [:]
    var uses: UInt64 = 0
  }

  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int = 64) { self.capacity = capacity }

  func index(for key: Key) -> ElementIndex? {
    state.withLock { state in
      guard let index = state.entries[key]?.index else { return nil }
      state.uses += 1
      state.entries[key]?.use = state.uses
      return index
    }
  }

  /// Adds an index.
  ///
  /// - Complexity: O(capacity) if another index has to be evicted, otherwise O(1).
  func insert(_ index: ElementIndex, for key: Key) {
    state.withLock { state in
      state.uses += 1
      state.entries[key] = (index, state.uses)
      guard state.entries.count > capacity,
        let oldest = state.entries.min(by: { $0.value.use < $1.value.use })?.key
      else { return }
      state.entries[oldest] = nil
    }
  }
}
