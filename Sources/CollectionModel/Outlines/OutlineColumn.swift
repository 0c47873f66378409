// SPDX-License-Identifier: Apache-2.0

/// An item's place in the outline of its section.
@frozen
public struct OutlineItem: Hashable, Sendable {
  /// The level in the low six bits, then a bit each for expanded and expandable.
  let rawValue: UInt8

  /// The deepest level: an outline has at most 64 levels, 0 to 63.
  public static let highestLevel = 63
  /// A root that is not expanded, like items outside outlines.
  public static let root = OutlineItem(rawValue: 0)

  static let expandedBit: UInt8 = 0x40
  static let expandableBit: UInt8 = 0x80

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// An item at a level.
  ///
  /// - Precondition: `level` is within 0 ... highestLevel, which is not checked: higher bits are
  ///   cut off.
  public init(level: Int, isExpanded: Bool = false, isExpandable: Bool = false) {
    rawValue =
      UInt8(truncatingIfNeeded: level & 0x3F) | (isExpanded ? Self.expandedBit : 0)
      | (isExpandable ? Self.expandableBit : 0)
  }

  /// How many ancestors the item has; 0 = it is a root.
  public var level: Int { Int(rawValue & 0x3F) }
  /// Whether the item is expanded according to the data.
  public var isExpanded: Bool { rawValue & Self.expandedBit != 0 }
  /// Whether the item can be expanded although it has no children.
  public var isExpandable: Bool { rawValue & Self.expandableBit != 0 }

  /// The same item some levels deeper.
  func shifted(by levels: Int) -> OutlineItem {
    OutlineItem(level: level + levels, isExpanded: isExpanded, isExpandable: isExpandable)
  }

  /// The same item, expanded or collapsed.
  func expanded(_ isExpanded: Bool) -> OutlineItem {
    OutlineItem(level: level, isExpanded: isExpanded, isExpandable: isExpandable)
  }
}

/// The place of each item of a chunk in its outline: one byte for an item.
@frozen
public enum OutlineColumn: Hashable, Sendable {
  /// All items are roots that are not expanded.
  case absent
  /// The raw value of each item's `OutlineItem`, not all of them 0.
  case packed([UInt8])

  /// The column of some items.
  init(_ bytes: [UInt8]) {
    self = bytes.allSatisfy { $0 == 0 } ? .absent : .packed(bytes)
  }

  /// The place of an item.
  ///
  /// - Precondition: if places differ, `index` is within the chunk.
  public func value(at index: Int) -> OutlineItem {
    switch self {
    case .absent: .root
    case .packed(let bytes): OutlineItem(rawValue: bytes[index])
    }
  }

  /// Whether all items are roots that are not expanded.
  var isAbsent: Bool { if case .absent = self { true } else { false } }

  /// Roughly the memory that the column uses, in bytes.
  var byteCount: Int {
    switch self {
    case .absent: 0
    case .packed(let bytes): 32 + bytes.count
    }
  }

  /// What the column's items have in common.
  ///
  /// - Complexity: O(count)
  var summary: OutlineSummary {
    guard case .packed(let bytes) = self, let first = bytes.first, let last = bytes.last else {
      return .roots
    }
    var summary = OutlineSummary.roots
    summary.hasValues = true
    summary.first = first
    summary.last = last
    summary.lowestLevel = first & 0x3F
    var before = first
    for byte in bytes.dropFirst() {
      summary.lowestLevel = min(summary.lowestLevel, byte & 0x3F)
      summary.note(before, isFollowedBy: byte)
      before = byte
    }
    return summary
  }

  /// The bytes of a range.
  func bytes(in range: Range<Int>) -> [UInt8] {
    switch self {
    case .absent: Array(repeating: 0, count: range.count)
    case .packed(let bytes): Array(bytes[range])
    }
  }
}

extension OutlineColumn {
  /// The column of some items of a block.
  ///
  /// - Precondition: each column of the block has 0, 1 or `count` values, and `range` is within the
  ///   block.
  init(_ columns: OutlineColumns, in range: Range<Int>) {
    self.init(columns, in: range) { _ in .root }
  }

  /// The column of some items of a block, where empty columns keep what the items had before.
  ///
  /// - Parameter old: what an item had before, counted from the first item of `range`.
  init(_ columns: OutlineColumns, in range: Range<Int>, keeping old: (Int) -> OutlineItem) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    for index in range {
      let before = old(index - range.lowerBound)
      bytes.append(
        OutlineItem(
          level: columns.levels.columnValue(at: index) ?? before.level,
          isExpanded: columns.expanded.columnValue(at: index) ?? before.isExpanded,
          isExpandable: columns.expandable.columnValue(at: index) ?? before.isExpandable
        ).rawValue
      )
    }
    self.init(bytes)
  }

  /// The column of the joined slices.
  init(joining slices: [ChunkSlice], count: Int) {
    guard slices.contains(where: { !$0.chunk.outline.isAbsent }) else {
      self = .absent
      return
    }
    var all: [UInt8] = []
    all.reserveCapacity(count)
    for slice in slices { all += slice.chunk.outline.bytes(in: slice.range) }
    self.init(all)
  }
}

extension Array {
  /// The value of an item in a column with no value, one for all items, or one for each; nil =
  /// none.
  fileprivate func columnValue(at index: Int) -> Element? {
    switch count {
    case 0: nil
    case 1: self[0]
    default: self[index]
    }
  }
}

/// The places of a block's items in their outline, as they arrive from outside: each column is
/// empty, or has one value for all items or one for each. Nothing is checked before the block is
/// added to contents.
public struct OutlineColumns: Hashable, Sendable {
  /// 0 = a root; at most one more than the item before. Empty = all roots.
  public var levels: [Int]
  /// Whether each item is expanded. Empty = none is.
  public var expanded: [Bool]
  /// Whether each item can be expanded although it has no children. Empty = none can.
  public var expandable: [Bool]

  /// Columns with the given values, which are not checked.
  public init(levels: [Int] = [], expanded: [Bool] = [], expandable: [Bool] = []) {
    self.levels = levels
    self.expanded = expanded
    self.expandable = expandable
  }

  /// Whether no column has a value.
  public var isEmpty: Bool { levels.isEmpty && expanded.isEmpty && expandable.isEmpty }

  /// The columns of some items of a chunk.
  init(_ column: OutlineColumn, in range: Range<Int>) {
    guard case .packed = column else {
      self.init()
      return
    }
    self.init(range.map { column.value(at: $0) })
  }

  /// The columns of some items; those that say nothing stay empty.
  public init(_ items: [OutlineItem]) {
    self.init()
    if items.contains(where: { $0.level > 0 }) { levels = items.map(\.level) }
    if items.contains(where: \.isExpanded) { expanded = items.map(\.isExpanded) }
    if items.contains(where: \.isExpandable) { expandable = items.map(\.isExpandable) }
  }
}

/// What a run of items has in common in an outline.
public struct OutlineSummary: Hashable, TreeSummary {
  /// The lowest level of the items; `none` = there are no items.
  var lowestLevel: UInt8
  /// The raw value of the first item.
  var first: UInt8
  /// The raw value of the last item.
  var last: UInt8
  /// Whether some item is collapsed and has another below it in the run.
  var hasCollapsedParent = false
  /// Whether some item has another below it in the run.
  var hasParent = false
  /// Whether some item is anything but a root that is not expanded.
  public internal(set) var hasValues = false
  /// The sum of the widths. Known only if each chunk has outline values, because only the rows of
  /// outlines come and go in long runs.
  public internal(set) var widths = LengthSum.unknown
  /// The sum of the heights; see `widths`.
  public internal(set) var heights = LengthSum.unknown

  static let none: UInt8 = .max
  /// Items without values.
  static let roots = OutlineSummary(lowestLevel: 0, first: 0, last: 0)

  /// The summary of no items.
  public static let zero = OutlineSummary(lowestLevel: none, first: 0, last: 0)

  init(lowestLevel: UInt8, first: UInt8, last: UInt8) {
    self.lowestLevel = lowestLevel
    self.first = first
    self.last = last
  }

  /// The summary of a run of items followed by another.
  public static func + (a: OutlineSummary, b: OutlineSummary) -> OutlineSummary {
    if a.lowestLevel == none { return b }
    if b.lowestLevel == none { return a }
    var sum = a
    sum.lowestLevel = min(a.lowestLevel, b.lowestLevel)
    sum.last = b.last
    sum.hasCollapsedParent = a.hasCollapsedParent || b.hasCollapsedParent
    sum.hasParent = a.hasParent || b.hasParent
    sum.hasValues = a.hasValues || b.hasValues
    if a.hasValues && b.hasValues {
      sum.widths = a.widths + b.widths
      sum.heights = a.heights + b.heights
    } else {
      sum.widths = .unknown
      sum.heights = .unknown
    }
    if b.first != 0 { sum.note(a.last, isFollowedBy: b.first) }
    return sum
  }

  /// Notes whether an item is the parent of the one behind it.
  mutating func note(_ item: UInt8, isFollowedBy next: UInt8) {
    guard next & 0x3F > item & 0x3F else { return }
    hasParent = true
    if item & OutlineItem.expandedBit == 0 { hasCollapsedParent = true }
  }
}

extension OutlineColumns {
  /// The columns of one item.
  init(_ item: OutlineItem) {
    self.init(
      levels: item.level > 0 ? [item.level] : [],
      expanded: item.isExpanded ? [true] : [],
      expandable: item.isExpandable ? [true] : []
    )
  }
}
