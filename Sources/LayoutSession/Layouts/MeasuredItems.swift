// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The items that a session has measured, and the mean of their sizes.
struct MeasuredItems: Sendable {
  /// The measured items of each section that has any: sorted ranges that neither overlap nor touch.
  private(set) var ranges: [Int: [Range<Int>]] = [:]
  /// How many items have been measured.
  private(set) var count = 0
  /// A size near the others, from which they are counted: if all sizes are equal, so is their mean,
  /// to the last bit.
  private var origin = Size(width: 0, height: 0)
  /// The sum of all sizes less `origin`.
  private var excess = Point.zero
  /// Roughly the memory that the ranges use, in bytes.
  private(set) var byteCount = 0

  /// The mean of the measured sizes, in points; nil = nothing has been measured.
  var mean: Size? {
    guard count > 0 else { return nil }
    return Size(
      width: max(0, origin.width + excess.x / Double(count)),
      height: max(0, origin.height + excess.y / Double(count))
    )
  }

  /// Whether an item has been measured.
  ///
  /// - Complexity: O(log ranges of the section)
  func contains(_ path: IndexPath) -> Bool {
    guard let item = path.item, let list = ranges[path.section] else { return false }
    let index = list.partitioningIndex { $0.upperBound > item }
    return index < list.count && list[index].contains(item)
  }

  /// The size of an item.
  struct Measurement: Sendable {
    var path: IndexPath
    /// The item as it was before, with its measured size if it has been measured.
    var values: ItemValues
    var size: Size
  }

  /// Notes the sizes of items. An item is named once, or else its last size does not take the place
  /// of those before.
  ///
  /// - Complexity: O(k log k) for k sizes, and O(ranges) of the sections that they are in
  mutating func insert(_ sizes: [Measurement]) {
    guard !sizes.isEmpty else { return }
    var new: Set<IndexPath> = []
    for measurement in sizes where measurement.path.item != nil {
      let isKnown = contains(measurement.path) || !new.insert(measurement.path).inserted
      if isKnown { remove(measurement.values) }
      add(measurement.size)
    }
    var items: [Int: [Int]] = [:]
    for path in new.sorted() { items[path.section, default: []].append(path.item ?? 0) }
    for (section, items) in items {
      let list = ranges[section] ?? []
      let merged = Self.merged(list, with: items)
      byteCount += Self.byteCount(of: merged) - Self.byteCount(of: ranges[section])
      ranges[section] = merged
    }
  }

  /// Ranges with further items, which none of them contains: sorted, and joined where they touch.
  private static func merged(_ list: [Range<Int>], with items: [Int]) -> [Range<Int>] {
    var merged: [Range<Int>] = []
    merged.reserveCapacity(list.count + items.count)
    func append(_ range: Range<Int>) {
      if let last = merged.last, last.upperBound == range.lowerBound {
        merged[merged.count - 1] = last.lowerBound ..< range.upperBound
      } else {
        merged.append(range)
      }
    }
    var next = 0
    for item in items {
      while next < list.count, list[next].lowerBound < item {
        append(list[next])
        next += 1
      }
      append(item ..< item + 1)
    }
    for range in list[next...] { append(range) }
    return merged
  }

  /// Follows a change of the contents: items that no longer exist, or that are reloaded, no longer
  /// count.
  ///
  /// - Parameter change: its contents have the measured sizes.
  /// - Complexity: O(ranges log ranges + splices), and O(log n) for each measured item in a splice
  ///   or in a section that is gone
  mutating func follow(_ change: ContentsChange) {
    guard count > 0, !change.isEmpty else { return }
    var followed = FollowedRanges()
    for (section, list) in ranges {
      if let target = change.newIndexPath(ofOld: IndexPath(section: section))?.section {
        follow(list, of: section, to: target, change, &followed)
      } else {
        // Some of the items may have moved to other sections.
        for range in list { follow(range, of: section, change, &followed) }
      }
    }
    ranges = followed.ranges()
    byteCount = ranges.values.reduce(0) { $0 + Self.byteCount(of: $1) }
  }

  /// Follows the items of a section that stays.
  private mutating func follow(
    _ list: [Range<Int>],
    of section: Int,
    to target: Int,
    _ change: ContentsChange,
    _ followed: inout FollowedRanges
  ) {
    let splices = change.itemSplices(ofOldSection: section)
    var next = 0
    // How far items behind the splices so far have moved.
    var shift = 0
    func skip() {
      shift = splices[next].new.upperBound - splices[next].old.upperBound
      next += 1
    }
    for range in list {
      while next < splices.count, splices[next].old.upperBound <= range.lowerBound { skip() }
      var start = range.lowerBound
      while next < splices.count, splices[next].old.lowerBound < range.upperBound {
        let old = splices[next].old
        if start < old.lowerBound {
          followed.add(start + shift ..< old.lowerBound + shift, of: target)
        }
        let spliced = old.clamped(to: range)
        follow(spliced, of: section, change, &followed)
        start = max(start, spliced.upperBound)
        // A splice that reaches farther concerns the next range too.
        guard old.upperBound <= range.upperBound else { break }
        skip()
      }
      if start < range.upperBound {
        followed.add(start + shift ..< range.upperBound + shift, of: target)
      }
    }
  }

  /// Follows items one by one.
  private mutating func follow(
    _ range: Range<Int>,
    of section: Int,
    _ change: ContentsChange,
    _ followed: inout FollowedRanges
  ) {
    for item in range {
      let path = IndexPath(section: section, item: item)
      guard let old = change.old.item(at: path) else { continue }
      remove(old)
      guard let place = change.newIndexPath(ofOld: path), let index = place.item,
        let new = change.new.item(at: place), let width = new.width, let height = new.height
      else { continue }
      add(Size(width: width, height: height))
      followed.add(index ..< index + 1, of: place.section)
    }
  }

  private mutating func add(_ size: Size) {
    if count == 0 {
      origin = size
      excess = .zero
    }
    count += 1
    excess = excess + Point(x: size.width - origin.width, y: size.height - origin.height)
  }

  private mutating func remove(_ values: ItemValues) {
    count -= 1
    let (width, height) = (values.width ?? origin.width, values.height ?? origin.height)
    excess = excess - Point(x: width - origin.width, y: height - origin.height)
  }

  private static func byteCount(of ranges: [Range<Int>]?) -> Int {
    ranges.map { 64 + $0.count * MemoryLayout<Range<Int>>.stride } ?? 0
  }
}

/// Collects ranges of items in any order.
private struct FollowedRanges {
  private var lists: [Int: [Range<Int>]] = [:]

  mutating func add(_ range: Range<Int>, of section: Int) {
    lists[section, default: []].append(range)
  }

  /// The ranges of each section: sorted, and joined where they touch.
  func ranges() -> [Int: [Range<Int>]] {
    lists.mapValues { list in
      var joined: [Range<Int>] = []
      for range in list.sorted(by: { $0.lowerBound < $1.lowerBound }) {
        if let last = joined.last, last.upperBound >= range.lowerBound {
          joined[joined.count - 1] = last.lowerBound ..< max(last.upperBound, range.upperBound)
        } else {
          joined.append(range)
        }
      }
      return joined
    }
  }
}
