// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// The newest elements that were told by rules which tell each element only once.
///
/// Every rule searches for each element that comes into sight, so they are kept in order.
struct RememberedElements: Sendable {
  /// An element, and a rule that told it.
  struct Entry: Comparable, Sendable {
    var path: IndexPath
    var classRank: UInt32
    var rule: Int

    static func < (a: Entry, b: Entry) -> Bool {
      (a.path, a.classRank, a.rule) < (b.path, b.classRank, b.rule)
    }
  }

  /// A ring buffer once it has `limit` entries; `oldest` is replaced next.
  private var entries: [Entry] = []
  private var oldest = 0
  /// Indices of `entries`, sorted by entry, and by index for equal entries.
  private var order: [UInt16] = []

  /// The most elements that are remembered.
  static let limit = 1024

  /// The elements, the oldest first.
  var inOrder: [Entry] { Array(entries[oldest...] + entries[..<oldest]) }

  /// Roughly the memory in use, in bytes.
  var byteCount: Int {
    entries.capacity * MemoryLayout<Entry>.stride + order.capacity * MemoryLayout<UInt16>.stride
  }

  /// - Complexity: O(log remembered)
  func contains(_ entry: Entry) -> Bool {
    let place = place(of: entry, at: 0)
    return place < order.count && entries[Int(order[place])] == entry
  }

  /// Remembers an element, and forgets the oldest one if there are too many.
  ///
  /// - Complexity: O(log remembered), and a move of `order`
  mutating func insert(_ entry: Entry) {
    guard entries.count >= Self.limit else {
      let index = UInt16(entries.count)
      order.insert(index, at: place(of: entry, at: index))
      entries.append(entry)
      return
    }
    let index = UInt16(oldest)
    order.remove(at: place(of: entries[oldest], at: index))
    order.insert(index, at: place(of: entry, at: index))
    entries[oldest] = entry
    oldest = (oldest + 1) % Self.limit
  }

  /// Updates the index paths after a change of the contents, and forgets what is gone.
  ///
  /// - Complexity: O(remembered · log operations), and O(remembered · log remembered) if items have
  ///   moved
  mutating func follow(_ change: ContentsChange) {
    guard !entries.isEmpty else { return }
    var kept: [Entry] = []
    var places = [UInt16?](repeating: nil, count: entries.count)
    for index in Array(oldest ..< entries.count) + Array(0 ..< oldest) {
      var entry = entries[index]
      guard let path = change.newIndexPath(ofOld: entry.path) else { continue }
      entry.path = path
      places[index] = UInt16(kept.count)
      kept.append(entry)
    }
    // Most keep their order, which makes this a single pass.
    order = order.compactMap { places[Int($0)] }
      .sorted { (kept[Int($0)], $0) < (kept[Int($1)], $1) }
    entries = kept
    oldest = 0
  }

  mutating func forgetAll() { self = RememberedElements() }

  /// The first place in `order` that does not precede an entry and its index.
  private func place(of entry: Entry, at index: UInt16) -> Int {
    order.partitioningIndex { (entries[Int($0)], $0) >= (entry, index) }
  }
}
