// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry
internal import Synchronization

/// Where the elements of one query lie, bucket by bucket in the order of answers: a few kilobytes,
/// by which any page is found without a look at the others.
struct ElementIndex: Sendable {
  struct Bucket: Sendable {
    var count = 0
    /// Around the boxes of the bucket's elements; nil = it has none.
    var bounds: Rect?
  }

  private(set) var buckets: [Bucket]
  /// Consecutive places in one bucket.
  private let width: Int

  private static let bucketCount = 512
  private static let smallestWidth = 512

  init(_ contents: CollectionContents) {
    let places = contents.itemCount + contents.sectionCount + 1
    width = max(Self.smallestWidth, places / Self.bucketCount + 1)
    buckets = Array(repeating: Bucket(), count: places / width + 1)
  }

  /// - Parameter places: of the contents that the index was made for.
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

  /// How many elements a query for a rect may look at.
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

/// Numbers that grow with index paths, densely: sections and items in order, a section before its
/// items. Not kept, since it holds on to the contents.
struct ElementPlaces {
  private let contents: CollectionContents
  /// The section that was asked for last, and its own place.
  private var section = 0
  private var start = 0

  init(_ contents: CollectionContents) { self.contents = contents }

  /// - Complexity: O(1) within one section, O(log n) from one to another.
  mutating func place(of path: IndexPath) -> Int {
    let wanted = min(path.section, contents.sectionCount)
    if wanted != section {
      section = wanted
      start = contents.itemCount(before: wanted) + wanted
    }
    return start + (path.item.map { $0 + 1 } ?? 0)
  }
}

/// The indices of the latest queries.
final class ElementIndexCache: Sendable {
  /// One question about one version of one collection.
  struct Key: Hashable {
    var fingerprint: UInt64
    var incarnation: UInt64
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

  /// - Complexity: O(capacity) where one has to go.
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
