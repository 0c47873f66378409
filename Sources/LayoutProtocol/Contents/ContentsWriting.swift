// SPDX-License-Identifier: Apache-2.0

package import CollectionModel

extension Wire.CollectionContents {
  /// The message of whole contents. Columns whose values are all equal become one value.
  package init(_ contents: CollectionContents) {
    self.init()
    // An empty list means one unnamed kind.
    if contents.cellKindNames != [""] { cellKindNames = contents.cellKindNames }
    sections.reserveCapacity(contents.sectionCount)
    contents.forEachSection(in: 0 ..< contents.sectionCount) { _, section in
      sections.append(Wire.Section(section))
      return true
    }
  }
}

extension Wire.Section {
  /// The message of a section with its items.
  package init(_ section: SectionContents) {
    self.init(headerOf: section)
    Wire.ItemBlock.forEachBlock(of: section.items) { block in
      blocks.append(block)
      return true
    }
  }

  /// The message of a section without its items.
  package init(headerOf section: SectionContents) {
    self.init()
    key = section.key
    layoutName = section.layoutName
    switch section.outline {
    case .perViewer?: outline.expansion = .perViewer
    case .shared?: outline.expansion = .shared
    case nil: break
    }
    if section.metrics != SectionMetrics() { metrics = Wire.SectionMetrics(section.metrics) }
  }
}

extension Wire.SectionMetrics {
  /// The message of a section's metrics.
  package init(_ value: SectionMetrics) {
    self.init()
    if let inset = value.inset { self.inset = Wire.EdgeInsets(inset) }
    if let spacing = value.lineSpacing { lineSpacing = spacing }
    if let spacing = value.interitemSpacing { interitemSpacing = spacing }
    if let size = value.headerSize { headerSize = Wire.Size(size) }
    if let size = value.footerSize { footerSize = Wire.Size(size) }
  }
}

extension Wire.ItemBlock {
  /// The message of a block, with the same columns.
  package init(_ block: ItemBlock) {
    self.init()
    count = UInt32(clamping: block.count)
    widths = block.widths
    heights = block.heights
    xs = block.xs
    ys = block.ys
    cellKinds = block.cellKinds.map { UInt32(clamping: $0) }
    keys = block.keys
    if !block.outline.isEmpty { outline = Wire.OutlineColumns(block.outline) }
    data = block.data
  }

  /// Calls `body` with messages of the items, in order, none much larger than `maxBytes`.
  ///
  /// A column whose values are all equal becomes one value. Inside a block, either all items have a
  /// value in a column or none has, so a new block starts where that changes.
  ///
  /// - Parameter body: returns false to stop.
  /// - Complexity: O(items), and O(chunks) for chunks of equal items.
  package static func forEachBlock(
    of items: ItemSequence,
    maxBytes: Int = 256 << 10,
    _ body: (Wire.ItemBlock) -> Bool
  ) {
    var packer = BlockPacker()
    var goesOn = true
    items.forEachChunk(in: 0 ..< items.count) { chunk, _ in
      var start = 0
      while goesOn, start < chunk.count {
        if let full = packer.takeIfFull(before: chunk, maxBytes: maxBytes) {
          goesOn = body(full)
          continue
        }
        start = packer.append(chunk, from: start, maxBytes: maxBytes)
      }
      return goesOn
    }
    if goesOn, let last = packer.take() { _ = body(last) }
  }
}

extension Wire.OutlineColumns {
  /// The message of the places of a block's items.
  init(_ columns: OutlineColumns) {
    self.init()
    levels = columns.levels.map { UInt32(clamping: $0) }
    expanded = columns.expanded
    expandable = columns.expandable
  }
}

/// Collects chunks into one block.
private struct BlockPacker {
  private var count = 0
  private var byteCount = 0
  private var widths = PackedColumn<Double>()
  private var heights = PackedColumn<Double>()
  private var xs = PackedColumn<Double>()
  private var ys = PackedColumn<Double>()
  private var kinds = PackedColumn<UInt32>()
  private var keys: [String] = []
  private var data = PackedColumn<String>()
  /// The places of all items in their outline; empty = all are roots that are not expanded.
  private var places: [OutlineItem] = []

  /// Takes the block collected so far, if the items of `chunk` do not fit into it; nil = they do.
  mutating func takeIfFull(before chunk: ItemChunk, maxBytes: Int) -> Wire.ItemBlock? {
    guard count > 0 else { return nil }
    let isAlike =
      keys.isEmpty == chunk.keys.isAbsent && widths.isEmpty == chunk.widths.isAbsent
      && heights.isEmpty == chunk.heights.isAbsent && xs.isEmpty == chunk.xs.isAbsent
      && ys.isEmpty == chunk.ys.isAbsent
    let isFull = byteCount >= maxBytes || count >= Int(UInt32.max)
    return isAlike && !isFull && !wouldSpread(chunk) ? nil : take()
  }

  /// Whether adding the chunk would force a column of one value for more than 256 items to be
  /// written value by value.
  private func wouldSpread(_ chunk: ItemChunk) -> Bool {
    let longest = max(count, chunk.count)
    guard longest > 256 else { return false }
    func differs<Value>(_ column: PackedColumn<Value>, _ value: Value?) -> Bool {
      // One side has a single value for many items, and the other side has a different value or
      // several.
      guard let value else { return column.values.count == 1 && count > 256 }
      if column.values.count == 1 { return column.values[0] != value }
      return chunk.count > 256 && !column.isEmpty
    }
    func differs(_ column: PackedColumn<Double>, _ other: LengthColumn) -> Bool {
      if case .constant(let value) = other { return differs(column, value) }
      return !other.isAbsent && differs(column, nil)
    }
    let kind: UInt32? =
      if case .constant(let kind) = chunk.cellKinds { UInt32(clamping: kind) } else { nil }
    return differs(widths, chunk.widths) || differs(heights, chunk.heights)
      || differs(xs, chunk.xs) || differs(ys, chunk.ys) || differs(kinds, kind)
      || differs(data, chunk.data.uniform)
  }

  /// Appends items of `chunk`, from `start` on, until the block is full.
  ///
  /// - Returns: the first item that is left over; `chunk.count` = none is.
  mutating func append(_ chunk: ItemChunk, from start: Int, maxBytes: Int) -> Int {
    // `ItemBlock.count` has 32 bits. The sum cannot overflow: `start` and `count` are item counts.
    var end = min(chunk.count, start + Int(UInt32.max) - count)
    if !chunk.isUniform {
      let bytesEach = BlockPacker.bytesEach(of: chunk)
      end = min(end, start + (max(0, maxBytes - byteCount) + bytesEach - 1) / bytesEach)
      end = max(end, start + 1)
      byteCount += (end - start) * bytesEach
    }
    let range = start ..< end
    widths.append(chunk.widths, range, after: count)
    heights.append(chunk.heights, range, after: count)
    xs.append(chunk.xs, range, after: count)
    ys.append(chunk.ys, range, after: count)
    switch chunk.cellKinds {
    case .constant(let kind):
      kinds.append(repeating: UInt32(clamping: kind), count: range.count, after: count)
    case .bytes(let values): kinds.append(values[range].lazy.map { UInt32($0) }, after: count)
    case .integers(let values): kinds.append(values[range], after: count)
    }
    if case .packed(let packed) = chunk.keys {
      keys.append(contentsOf: range.lazy.map { packed[$0] })
    }
    switch chunk.data {
    case .constant(let text): data.append(repeating: text, count: range.count, after: count)
    case .packed(let texts): data.append(range.lazy.map { texts[$0] }, after: count)
    }
    if !places.isEmpty || chunk.outline != .absent {
      places += Array(repeating: .root, count: count - places.count)
      places += range.map { chunk.outline.value(at: $0) }
    }
    count += range.count
    return end
  }

  /// Estimated bytes of one item of a chunk in a block.
  private static func bytesEach(of chunk: ItemChunk) -> Int {
    var bytes = 2
    for column in [chunk.widths, chunk.heights, chunk.xs, chunk.ys]
    where column.uniform == .varying {
      bytes += 8
    }
    if chunk.outline != .absent { bytes += 3 }
    if case .packed(let keys) = chunk.keys { bytes += keys.bytesEach }
    switch chunk.data {
    case .constant(""): break
    case .constant(let text): bytes += 2 + text.utf8.count
    case .packed(let texts): bytes += texts.bytesEach
    }
    return bytes
  }

  /// Takes the block collected so far; nil = it is empty.
  mutating func take() -> Wire.ItemBlock? {
    guard count > 0 else { return nil }
    var block = Wire.ItemBlock()
    block.count = UInt32(clamping: count)
    block.widths = widths.values
    block.heights = heights.values
    block.xs = xs.values
    block.ys = ys.values
    // An empty column means kind 0 for all.
    block.cellKinds = kinds.values == [0] ? [] : kinds.values
    block.keys = keys
    // An empty column means that no item has data.
    block.data = data.values == [""] ? [] : data.values
    if !places.isEmpty { block.outline = Wire.OutlineColumns(OutlineColumns(places)) }
    self = BlockPacker()
    return block
  }
}

extension PackedStrings {
  /// Estimated bytes of one text in a block.
  fileprivate var bytesEach: Int { 2 + bytes.count / max(1, count) }
}

extension DataColumn {
  /// The text that all items have; nil = they have different ones.
  fileprivate var uniform: String? { if case .constant(let text) = self { text } else { nil } }
}

/// A column that is stored as one value as long as all of its values are equal.
private struct PackedColumn<Value: Equatable> {
  private(set) var values: [Value] = []

  var isEmpty: Bool { values.isEmpty }

  mutating func append(repeating value: Value, count: Int, after previous: Int) {
    guard count > 0 else { return }
    if previous == 0 {
      values = [value]
    } else if values.count != 1 || values[0] != value {
      spread(to: previous)
      values.append(contentsOf: repeatElement(value, count: count))
    }
  }

  mutating func append(_ more: some Collection<Value>, after previous: Int) {
    guard let first = more.first else { return }
    if previous == 0 || (values.count == 1 && values[0] == first),
      more.allSatisfy({ $0 == first })
    {
      values = [first]
    } else {
      spread(to: previous)
      values.append(contentsOf: more)
    }
  }

  /// Repeats the single value of the column for each of `count` items.
  private mutating func spread(to count: Int) {
    guard values.count == 1, count > 1 else { return }
    values = Array(repeating: values[0], count: count)
  }
}

extension PackedColumn<Double> {
  fileprivate mutating func append(
    _ column: LengthColumn,
    _ range: Range<Int>,
    after previous: Int
  ) {
    switch column {
    case .absent: break
    case .constant(let value): append(repeating: value, count: range.count, after: previous)
    case .floats(let values): append(values[range].lazy.map { Double($0) }, after: previous)
    case .doubles(let values): append(values[range], after: previous)
    }
  }
}
