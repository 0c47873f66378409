// SPDX-License-Identifier: Apache-2.0

/// Some consecutive items of a chunk.
struct ChunkSlice: Sendable {
  var chunk: ItemChunk
  var range: Range<Int>

  /// - Precondition: `range` is within 0 ..< the chunk's count.
  init(_ chunk: ItemChunk, _ range: Range<Int>) {
    self.chunk = chunk
    self.range = range
  }

  /// All items of a chunk.
  init(_ chunk: ItemChunk) { self.init(chunk, 0 ..< chunk.count) }

  var count: Int { range.count }
  var isWhole: Bool { range.count == chunk.count }

  /// Whether these are so many equal items that they stay a uniform chunk of their own, whatever
  /// their neighbours: as columns they would not fit into one chunk.
  var isLargeUniform: Bool { count > ChunkAssembly.highestCount && chunk.isUniform }
}

/// Combines slices of chunks into chunks of a good size, in order.
///
/// Small neighbours are merged if they have values in the same columns; long runs are cut evenly.
/// Whole chunks of a good size are reused.
struct ChunkAssembly: Sendable {
  /// The most items of a chunk whose items differ.
  static let highestCount = 512
  /// The most items of each chunk that a longer run is cut into: leaves room for insertions.
  static let cutCount = 384
  /// A chunk with fewer items is merged with a neighbour that has values in the same columns.
  static let lowestCount = 128

  /// The finished chunks.
  private var chunks: [ItemChunk] = []
  /// Slices that will be joined, and cut again if they are too many.
  private var group: [ChunkSlice] = []
  /// The number of items in `group`.
  private var groupCount = 0

  init() {}

  /// Chunks of a good size with the items of some slices.
  ///
  /// - Complexity: O(items of the slices that are joined + slices)
  static func chunks(from slices: [ChunkSlice]) -> [ItemChunk] {
    var assembly = ChunkAssembly()
    for slice in slices { assembly.append(slice) }
    return assembly.finish()
  }

  /// Adds items at the end.
  mutating func append(_ slice: ChunkSlice) {
    guard !slice.range.isEmpty else { return }
    if let last = group.last {
      if group.count == 1 && last.chunk.hasSameUniformValues(as: slice.chunk) {
        groupCount += slice.count
        group[0] = ChunkSlice(last.chunk.uniformCopy(count: groupCount))
        return
      }
      if !joinsGroup(slice, after: last) { flush() }
    }
    group.append(slice)
    groupCount += slice.count
  }

  /// The chunks of all items that were added.
  mutating func finish() -> [ItemChunk] {
    flush()
    return chunks
  }

  /// Whether a slice belongs to the group, and does not begin another.
  private func joinsGroup(_ slice: ChunkSlice, after last: ChunkSlice) -> Bool {
    if slice.isLargeUniform || (group.count == 1 && last.isLargeUniform) { return false }
    guard last.chunk.hasSameColumns(as: slice.chunk) else { return false }
    return groupCount + slice.count <= Self.highestCount || groupCount < Self.lowestCount
      || (slice.count < Self.lowestCount && groupCount < 8 * Self.highestCount)
  }

  /// Turns the group into chunks and begins another.
  private mutating func flush() {
    guard let first = group.first else { return }
    if group.count == 1 && first.chunk.isUniform {
      chunks.append(first.isWhole ? first.chunk : first.chunk.uniformCopy(count: groupCount))
    } else if group.count == 1 && first.isWhole && groupCount <= Self.highestCount {
      chunks.append(first.chunk)
    } else {
      cutGroup()
    }
    group.removeAll(keepingCapacity: true)
    groupCount = 0
  }

  /// Joins the group into one chunk, or into several of about the same size.
  private mutating func cutGroup() {
    if groupCount <= Self.highestCount {
      chunks.append(ItemChunk(joining: group, count: groupCount))
      return
    }
    let parts = (groupCount + Self.cutCount - 1) / Self.cutCount
    var slice = 0
    var offset = 0
    for part in 0 ..< parts {
      var missing = (part + 1) * groupCount / parts - part * groupCount / parts
      let count = missing
      var pieces: [ChunkSlice] = []
      while missing > 0 {
        let range = group[slice].range
        let from = range.lowerBound + offset
        let taken = min(missing, range.upperBound - from)
        pieces.append(ChunkSlice(group[slice].chunk, from ..< from + taken))
        missing -= taken
        offset += taken
        if from + taken == range.upperBound {
          slice += 1
          offset = 0
        }
      }
      chunks.append(ItemChunk(joining: pieces, count: count))
    }
  }
}

extension ItemChunk {
  /// One chunk with the items of some slices.
  ///
  /// - Parameter count: the number of items in all slices, at least one.
  /// - Parameter outline: other places in the outline than the slices have; nil = theirs.
  /// - Precondition: all have the same columns.
  convenience init(joining slices: [ChunkSlice], count: Int, outline: OutlineColumn? = nil) {
    // Closures, because each access through a key path is checked to be exclusive.
    self.init(
      count: count,
      widths: LengthColumn(joining: slices, count: count) { $0.widths },
      heights: LengthColumn(joining: slices, count: count) { $0.heights },
      xs: LengthColumn(joining: slices, count: count) { $0.xs },
      ys: LengthColumn(joining: slices, count: count) { $0.ys },
      cellKinds: KindColumn(joining: slices, count: count),
      keys: KeyColumn(joining: slices, count: count),
      outline: outline ?? OutlineColumn(joining: slices, count: count),
      data: DataColumn(joining: slices, count: count)
    )
  }

  /// The same values for another number of items.
  ///
  /// - Precondition: the chunk is uniform.
  func uniformCopy(count: Int) -> ItemChunk {
    ItemChunk(
      count: count,
      widths: widths,
      heights: heights,
      xs: xs,
      ys: ys,
      cellKinds: cellKinds,
      keys: .absent,
      outline: .absent,
      data: data
    )
  }

  /// Whether both are uniform and have the same values, so that only the number of items differs.
  func hasSameUniformValues(as other: ItemChunk) -> Bool {
    isUniform && other.isUniform && widths == other.widths && heights == other.heights
      && xs == other.xs && ys == other.ys && cellKinds == other.cellKinds && data == other.data
  }

  /// Whether both have values in the same columns, so that one chunk can hold the items of both.
  func hasSameColumns(as other: ItemChunk) -> Bool {
    widths.isAbsent == other.widths.isAbsent && heights.isAbsent == other.heights.isAbsent
      && xs.isAbsent == other.xs.isAbsent && ys.isAbsent == other.ys.isAbsent
      && keys.isAbsent == other.keys.isAbsent
  }
}

extension LengthColumn {
  /// One column of the joined slices.
  ///
  /// - Parameter count: the number of items in all slices.
  /// - Precondition: the column is absent in all slices or in none, and there is an item.
  init(joining slices: [ChunkSlice], count: Int, _ column: (ItemChunk) -> LengthColumn) {
    guard let first = slices.first else {
      self = .absent
      return
    }
    let firstColumn = column(first.chunk)
    switch firstColumn {
    case .absent:
      self = .absent
      return
    case .constant(let value):
      if slices.allSatisfy({ column($0.chunk) == .constant(value) }) {
        self = firstColumn
        return
      }
    case .floats, .doubles: break
    }
    self = Self.floats(slices, count: count, column) ?? Self.doubles(slices, count: count, column)
  }

  /// The joined column as 32-bit floats; nil = some value would lose precision.
  private static func floats(
    _ slices: [ChunkSlice],
    count: Int,
    _ column: (ItemChunk) -> LengthColumn
  ) -> LengthColumn? {
    // Checked before allocating: joined coordinates are seldom exact in 32 bits.
    for slice in slices { if case .doubles = column(slice.chunk) { return nil } }
    var all: [Float] = []
    all.reserveCapacity(count)
    for slice in slices {
      switch column(slice.chunk) {
      case .constant(let value):
        let float = Float(value)
        guard Double(float) == value else { return nil }
        all.append(contentsOf: repeatElement(float, count: slice.count))
      case .floats(let values): all.append(contentsOf: values[slice.range])
      case .doubles: return nil
      case .absent: break
      }
    }
    let first = all[0]
    return all.allSatisfy { $0 == first } ? .constant(Double(first)) : .floats(all)
  }

  /// The joined column as doubles.
  private static func doubles(
    _ slices: [ChunkSlice],
    count: Int,
    _ column: (ItemChunk) -> LengthColumn
  ) -> LengthColumn {
    var all: [Double] = []
    all.reserveCapacity(count)
    for slice in slices {
      switch column(slice.chunk) {
      case .absent: break
      case .constant(let value): all.append(contentsOf: repeatElement(value, count: slice.count))
      case .floats(let values): all.append(contentsOf: values[slice.range].lazy.map(Double.init))
      case .doubles(let values): all.append(contentsOf: values[slice.range])
      }
    }
    return LengthColumn(takingOver: all)
  }
}

extension KindColumn {
  /// The cell kinds of the joined slices.
  ///
  /// - Parameter count: the number of items in all slices, at least one.
  init(joining slices: [ChunkSlice], count: Int) {
    if let first = slices.first?.chunk.cellKinds, case .constant = first,
      slices.allSatisfy({ $0.chunk.cellKinds == first })
    {
      self = first
      return
    }
    var all: [Int] = []
    all.reserveCapacity(count)
    for slice in slices {
      let kinds = slice.chunk.cellKinds
      for i in slice.range { all.append(kinds.value(at: i)) }
    }
    self = KindColumn(all[...])
  }
}

extension KeyColumn {
  /// The keys of the joined slices.
  ///
  /// - Parameter count: the number of items in all slices; of the order of `highestCount`, so that
  ///   the keys take far less than 4 GiB.
  init(joining slices: [ChunkSlice], count: Int) {
    guard let first = slices.first, !first.chunk.keys.isAbsent else {
      self = .absent
      return
    }
    var all = PackedStrings()
    all.reserve(count: count, bytes: count * 8)
    for slice in slices {
      guard case .packed(let keys) = slice.chunk.keys else {
        self = .absent
        return
      }
      all.append(keys, in: slice.range)
    }
    self = .packed(all)
  }
}
