// SPDX-License-Identifier: Apache-2.0

public import LayoutGeometry

/// An element whose measured size is kept beside the data: one that is neither an item nor a
/// section's header or footer.
public enum MeasuredElement: Hashable, Sendable {
  /// An element of the whole layout.
  case layout(kind: String)
  /// An element at the edges of the section with this index.
  case section(Int, kind: String)
  /// A badge on an item. Its size goes where the item goes.
  case item(IndexPath, kind: String)
  /// A badge on a group: its number among the badges of its kind on groups of the section. Its size
  /// stays with the number, whichever items are in the group.
  case group(section: Int, ordinal: Int, kind: String)
}

/// The sizes that a viewer measured of elements that are neither items nor headers or footers, in
/// points. They are no part of the data.
public struct MeasuredElements: Hashable, Sendable {
  /// The sizes of elements of the whole layout, by kinds.
  public private(set) var layout: [String: Size] = [:]
  /// The sizes in each section that has any.
  private var sections: [Int: SectionMeasurements] = [:]
  /// How many elements have been measured.
  public private(set) var count = 0

  /// No sizes.
  public init() {}

  /// Whether nothing has been measured.
  public var isEmpty: Bool { count == 0 }

  /// The sizes in a section.
  ///
  /// - Parameter index: the section's; it may be out of range.
  public subscript(section index: Int) -> SectionMeasurements { sections[index] ?? .none }

  /// Roughly the memory that the sizes use, in bytes.
  public var byteCount: Int { count * 32 + (sections.count + layout.count) * 128 }

  /// Sets sizes, replacing earlier ones of the same elements.
  ///
  /// - Returns: the sections in which a size has changed, sorted.
  /// - Complexity: O(a log a + m) for a new sizes and m in their sections
  public mutating func insert(_ sizes: [MeasuredElement: Size]) -> [Int] {
    var badges: [Column: [(Int, Size)]] = [:]
    var changed: Set<Int> = []
    for (element, size) in sizes {
      switch element {
      case .layout(let kind): layout[kind] = size
      case .section(let section, let kind):
        if self[section: section].sizes[kind] != size { changed.insert(section) }
        sections[section, default: .none].sizes[kind] = size
      case .item(let path, let kind):
        guard let item = path.item else { continue }
        let column = Column(section: path.section, kind: kind, isOfGroups: false)
        badges[column, default: []].append((item, size))
      case .group(let section, let ordinal, let kind):
        let column = Column(section: section, kind: kind, isOfGroups: true)
        badges[column, default: []].append((ordinal, size))
      }
    }
    for (column, sizes) in badges where merge(sizes, into: column) {
      changed.insert(column.section)
    }
    recount()
    return changed.sorted()
  }

  /// The badges of one kind in a section.
  private struct Column: Hashable {
    var section: Int
    var kind: String
    var isOfGroups: Bool
  }

  /// - Returns: whether a size has changed.
  private mutating func merge(_ sizes: [(Int, Size)], into column: Column) -> Bool {
    var section = sections[column.section] ?? .none
    let hasChanged: Bool
    if column.isOfGroups {
      hasChanged = section.onGroups[column.kind, default: SparseSizes()].merge(sizes)
    } else {
      hasChanged = section.onItems[column.kind, default: SparseSizes()].merge(sizes)
    }
    sections[column.section] = section
    return hasChanged
  }

  private mutating func recount() {
    count = layout.count + sections.values.reduce(0) { $0 + $1.count }
  }

  /// The sizes after a change of the contents. Those of what no longer exists, or was reloaded, are
  /// gone.
  ///
  /// - Complexity: O(sections with sizes), and O(m log m) for m sizes in sections whose items
  ///   changed
  public func following(_ change: ContentsChange) -> MeasuredElements {
    guard !sections.isEmpty, !change.isEmpty else { return self }
    var result = MeasuredElements()
    result.layout = layout
    var moved: [Column: [(Int, Size)]] = [:]
    for (section, measured) in sections {
      let target = change.newIndexPath(ofOld: IndexPath(section: section))?.section
      let splices = change.itemSplices(ofOldSection: section)
      if let target, splices.isEmpty {
        result.sections[target] = measured
        continue
      }
      if let target { result.sections[target] = measured.withoutItems }
      for (kind, sizes) in measured.onItems {
        sizes.forEach(splices: target == nil ? nil : splices) { item, shifted, size in
          let path: IndexPath?
          if let target, let shifted {
            path = IndexPath(section: target, item: shifted)
          } else {
            path = change.newIndexPath(ofOld: IndexPath(section: section, item: item))
          }
          guard let path, let item = path.item else { return }
          let column = Column(section: path.section, kind: kind, isOfGroups: false)
          moved[column, default: []].append((item, size))
        }
      }
    }
    for (column, sizes) in moved { _ = result.merge(sizes, into: column) }
    result.recount()
    return result
  }
}

/// The measured sizes of a section's elements that are neither items nor its header or footer.
public struct SectionMeasurements: Hashable, Sendable {
  /// The sizes of elements at the section's edges, by kind.
  public internal(set) var sizes: [String: Size] = [:]
  /// The sizes of badges on items, by kind and item.
  public internal(set) var onItems: [String: SparseSizes] = [:]
  /// The sizes of badges on groups, by kind and the number of the badge.
  public internal(set) var onGroups: [String: SparseSizes] = [:]

  /// No sizes.
  public static let none = SectionMeasurements()

  /// Whether anything has been measured.
  var hasAny: Bool { !sizes.isEmpty || hasBadges }

  /// Whether a badge has been measured.
  public var hasBadges: Bool { !onItems.isEmpty || !onGroups.isEmpty }

  var count: Int {
    onItems.values.reduce(sizes.count + onGroups.values.reduce(0) { $0 + $1.count }) {
      $0 + $1.count
    }
  }

  /// All sizes except those of badges on items.
  var withoutItems: SectionMeasurements {
    var rest = self
    rest.onItems = [:]
    return rest
  }
}

/// Sizes of some of many numbered elements.
public struct SparseSizes: Hashable, Sendable {
  /// The numbers of those that have sizes, sorted.
  private var numbers: [Int] = []
  private var sizes: [Size] = []
  /// The greatest width and the greatest height there have been.
  public private(set) var greatest = Size.zero

  /// No sizes.
  public init() {}

  /// How many elements have sizes.
  public var count: Int { numbers.count }

  /// The size of an element; nil = it has none.
  ///
  /// - Complexity: O(log count)
  public subscript(number: Int) -> Size? {
    let index = numbers.partitioningIndex { $0 >= number }
    return index < numbers.count && numbers[index] == number ? sizes[index] : nil
  }

  /// Sets sizes, replacing earlier ones of the same elements.
  ///
  /// - Parameter additions: in any order, each element once.
  /// - Returns: whether a size has changed.
  mutating func merge(_ additions: [(Int, Size)]) -> Bool {
    let additions = additions.sorted { $0.0 < $1.0 }
    guard additions.contains(where: { self[$0.0] != $0.1 }) else { return false }
    var (numbers, sizes): ([Int], [Size]) = ([], [])
    numbers.reserveCapacity(self.numbers.count + additions.count)
    sizes.reserveCapacity(self.numbers.count + additions.count)
    var next = 0
    for (number, size) in additions {
      while next < self.numbers.count, self.numbers[next] < number {
        numbers.append(self.numbers[next])
        sizes.append(self.sizes[next])
        next += 1
      }
      if next < self.numbers.count, self.numbers[next] == number { next += 1 }
      numbers.append(number)
      sizes.append(size)
      greatest.width = max(greatest.width, size.width)
      greatest.height = max(greatest.height, size.height)
    }
    numbers += self.numbers[next...]
    sizes += self.sizes[next...]
    (self.numbers, self.sizes) = (numbers, sizes)
    return true
  }

  /// Calls `body` with each element, the number that it has behind the splices before it, and its
  /// size.
  ///
  /// - Parameter splices: sorted and disjoint. The new number of an element in one of them, or of
  ///   any where they are nil, is nil.
  func forEach(splices: [Splice]?, _ body: (Int, Int?, Size) -> Void) {
    var next = 0
    var shift = 0
    for (number, size) in zip(numbers, sizes) {
      guard let splices else {
        body(number, nil, size)
        continue
      }
      while next < splices.count, splices[next].old.upperBound <= number {
        shift = splices[next].new.upperBound - splices[next].old.upperBound
        next += 1
      }
      let isSpliced = next < splices.count && splices[next].old.lowerBound <= number
      body(number, isSpliced ? nil : number + shift, size)
    }
  }
}
