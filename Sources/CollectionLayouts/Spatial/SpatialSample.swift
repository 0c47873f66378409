// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import LayoutGeometry

/// The items at some place of large contents, found by looking at coordinates: at all of them if
/// time allows. It needs no index.
///
/// The items are read in blocks spread over the contents, so that wherever the search ends, the
/// blocks read are representative of all.
struct SpatialSample {
  /// When a look ends.
  struct Limits: Sendable {
    /// The most items to look at.
    var seen = 5 << 20
    /// Once this many items are found, no further block is looked at.
    var found = 1 << 15

    static let standard = Limits()
  }

  /// The items found.
  private(set) var entries: SpatialEntries
  /// The number of items looked at, whether or not they have a place.
  private(set) var seenCount = 0
  /// The greatest coordinates of all positions that were looked at, for points; nil for maps, which
  /// are as large as the world, and if there are no positions.
  private(set) var farthest: SIMD2<Double>?

  /// What `fetch` has read, kept so that the compiler cannot drop the reads. Its value is not used.
  private var fetched: UInt64 = 0
  private let contents: CollectionContents
  private let placement: SpatialPlacement
  private let hasSizes: Bool
  /// The area that is searched: left, top, right and bottom, in coordinates of the data.
  private let area: SIMD4<Double>

  /// The number of items in a block: there are a thousand blocks and more, and each has several
  /// chunks.
  private static func blockLength(of total: Int) -> Int {
    var length = 2048
    while length < 8192, length * 2048 <= total { length *= 2 }
    return length
  }

  /// Searches for the items seen in a rect, and for those clustered with them.
  ///
  /// - Parameter uniformSize: the size of all items; nil = they differ.
  /// - Parameter work: told of the blocks.
  /// - Returns: nil = the work has stopped.
  /// - Complexity: O(min(n, `limits.seen`)), about a nanosecond for each item outside the rect.
  init?(
    of contents: CollectionContents,
    _ placement: SpatialPlacement,
    in rect: Rect,
    uniformSize: Size?,
    limits: Limits,
    work: LayoutWork
  ) {
    self.contents = contents
    self.placement = placement
    hasSizes = uniformSize == nil
    entries = SpatialEntries(uniformSize: uniformSize)
    area = placement.coordinates(seenIn: rect, largest: uniformSize ?? Self.assumedSize)
    let total = contents.itemCount
    let ordinals = ItemOrdinals(contents)
    let blockLength = Self.blockLength(of: total)
    let blockCount = (total + blockLength - 1) / blockLength
    // Blocks are taken in bit-reversed order, so that however many are read, they are spread
    // evenly.
    let bits = Int.bitWidth - max(0, blockCount - 1).leadingZeroBitCount
    for number in 0 ..< 1 << bits {
      let block = Self.reversed(number, bits)
      guard block < blockCount else { continue }
      guard entries.count < limits.found, seenCount < limits.seen else { return }
      guard work.proceed(blockLength / 8) else { return nil }
      let start = block * blockLength
      look(at: start ..< min(start + blockLength, total), ordinals)
    }
  }

  /// The size that items are assumed to have if sizes differ. Larger items are missing if they
  /// reach into a rect from farther away.
  private static let assumedSize = Size(width: 256, height: 256)

  /// A number with its bits in the opposite order.
  private static func reversed(_ number: Int, _ bits: Int) -> Int {
    var (rest, result) = (number, 0)
    for _ in 0 ..< bits { (rest, result) = (rest >> 1, result << 1 | rest & 1) }
    return result
  }

  /// Looks at the items with some ordinals, which are in one or several sections.
  private mutating func look(at range: Range<Int>, _ ordinals: ItemOrdinals) {
    var next = range.lowerBound
    while next < range.upperBound {
      let path = ordinals.indexPath(at: next)
      let items = contents.section(at: path.section).items
      let first = path.item ?? 0
      let end = min(items.count, first + range.upperBound - next)
      let offset = next - first
      let part = first ..< end
      fetch(part, of: items)
      items.forEachChunk(in: part) { chunk, start in
        let range = part.clamped(to: start ..< start + chunk.count)
        look(at: chunk, range.lowerBound - start ..< range.upperBound - start, from: offset + start)
        return true
      }
      next += end - first
    }
    seenCount += range.count
  }

  /// Reads a coordinate of each chunk, so that memory answers for many chunks at a time: it takes
  /// longer for the first coordinates than for all others, which follow each other.
  private mutating func fetch(_ range: Range<Int>, of items: ItemSequence) {
    var bits: UInt64 = 0
    items.forEachChunk(in: range) { chunk, _ in
      if case .doubles(let xs) = chunk.xs { bits ^= xs[0].bitPattern }
      return true
    }
    fetched ^= bits
  }

  /// Looks at items of a chunk.
  ///
  /// - Parameter ordinal: of the chunk's first item.
  private mutating func look(at chunk: ItemChunk, _ range: Range<Int>, from ordinal: Int) {
    // Among points, all coordinates are needed to know how far positions reach.
    if placement.worldWidth > 0, case .doubles(let xs) = chunk.xs {
      return look(at: xs.span.extracting(range), chunk, range, ordinal)
    }
    switch (chunk.xs, chunk.ys) {
    case (.absent, _), (_, .absent): return
    case (.doubles(let xs), .doubles(let ys)):
      look(at: xs.span.extracting(range), ys.span.extracting(range), chunk, range, ordinal)
    case (.floats(let xs), .floats(let ys)):
      look(at: xs.span.extracting(range), ys.span.extracting(range), chunk, range, ordinal)
    default:
      let xs = range.map { chunk.xs.value(at: $0) ?? 0 }
      let ys = range.map { chunk.ys.value(at: $0) ?? 0 }
      look(at: xs.span, ys.span, chunk, range, ordinal)
    }
  }

  /// Looks at some coordinates, eight at a time: most are elsewhere. The second ones are not
  /// touched before one is needed, as they are elsewhere in memory.
  private mutating func look(
    at xs: Span<Double>,
    _ chunk: ItemChunk,
    _ range: Range<Int>,
    _ ordinal: Int
  ) {
    var index = 0
    while index < xs.count {
      let end = min(index &+ 8, xs.count)
      if end &- index < 8 || isNear(xs, index) {
        for near in index ..< end {
          let x = xs[near]
          guard x >= area.x, x <= area.z else { continue }
          guard let y = chunk.ys.value(at: range.lowerBound + near) else { return }
          guard y >= area.y, y <= area.w else { continue }
          add(near, in: chunk, range, ordinal)
        }
      }
      index = end
    }
  }

  /// Whether one of eight coordinates is neither to the left nor to the right.
  @inline(__always)
  private func isNear<Value: BinaryFloatingPoint & SIMDScalar>(
    _ xs: Span<Value>,
    _ index: Int
  ) -> Bool {
    precondition(index &+ 8 <= xs.count)
    let (left, right) = (SIMD2(repeating: area.x), SIMD2(repeating: area.z))
    // All indices are within the coordinates, which the precondition checks.
    let a = unsafe SIMD2(Double(xs[unchecked: index]), Double(xs[unchecked: index &+ 1]))
    let b = unsafe SIMD2(Double(xs[unchecked: index &+ 2]), Double(xs[unchecked: index &+ 3]))
    let c = unsafe SIMD2(Double(xs[unchecked: index &+ 4]), Double(xs[unchecked: index &+ 5]))
    let d = unsafe SIMD2(Double(xs[unchecked: index &+ 6]), Double(xs[unchecked: index &+ 7]))
    return any(
      ((a .>= left) .& (a .<= right)) .| ((b .>= left) .& (b .<= right))
        .| ((c .>= left) .& (c .<= right)) .| ((d .>= left) .& (d .<= right))
    )
  }

  /// Looks at some coordinates, eight at a time. Most are outside the area; for those to the left
  /// or right of it only one coordinate is read.
  @inline(__always)
  private mutating func look<Value: BinaryFloatingPoint & SIMDScalar>(
    at xs: Span<Value>,
    _ ys: Span<Value>,
    _ chunk: ItemChunk,
    _ range: Range<Int>,
    _ ordinal: Int
  ) {
    if placement.worldWidth == 0 { extendFarthest(xs, ys) }
    var index = 0
    while index &+ 8 <= xs.count {
      if isNear(xs, index) { look(at: index ..< index &+ 8, xs, ys, chunk, range, ordinal) }
      index &+= 8
    }
    look(at: index ..< xs.count, xs, ys, chunk, range, ordinal)
  }

  /// Looks at some coordinates one by one.
  @inline(__always)
  private mutating func look<Value: BinaryFloatingPoint>(
    at indices: Range<Int>,
    _ xs: Span<Value>,
    _ ys: Span<Value>,
    _ chunk: ItemChunk,
    _ range: Range<Int>,
    _ ordinal: Int
  ) {
    for index in indices {
      let x = Double(xs[index])
      guard x >= area.x, x <= area.z else { continue }
      let y = Double(ys[index])
      guard y >= area.y, y <= area.w else { continue }
      add(index, in: chunk, range, ordinal)
    }
  }

  /// Looks how far positions reach.
  @inline(__always)
  private mutating func extendFarthest<Value: BinaryFloatingPoint>(
    _ xs: Span<Value>,
    _ ys: Span<Value>
  ) {
    var farthest = farthest ?? SIMD2(repeating: -.infinity)
    for index in xs.indices {
      farthest = farthest.greater(SIMD2(Double(xs[index]), Double(ys[index])))
    }
    self.farthest = farthest
  }

  private mutating func add(_ index: Int, in chunk: ItemChunk, _ range: Range<Int>, _ first: Int) {
    let item = range.lowerBound + index
    guard let position = placement.position(of: item, in: chunk) else { return }
    let size = hasSizes ? placement.size(of: item, in: chunk) : entries.sizes.largest
    entries.append(first + item, at: position, size: size)
  }
}

extension PreparedSpatial {
  /// The items seen in a rect, without the others: what a first frame shows while all are being
  /// indexed.
  ///
  /// - Parameter work: told of the items.
  /// - Returns: nil = the work has stopped.
  init?(
    previewing rect: Rect,
    _ layout: SpatialLayout,
    _ context: LayoutContext,
    limits: SpatialSample.Limits = .standard,
    work: LayoutWork
  ) {
    let placement = SpatialPlacement(layout, context)
    let contents = context.contents
    let sample = SpatialSample(
      of: contents,
      placement,
      in: rect,
      uniformSize: Self.uniformSize(of: contents, placement),
      limits: limits,
      work: work
    )
    guard let sample else { return nil }
    let index = SpatialIndex(sample.entries, placement, work: work)
    guard !work.isStopped else { return nil }
    self.init(
      layout,
      context,
      index,
      sampling: .init(seen: sample.seenCount, of: contents.itemCount, farthest: sample.farthest),
      work: work
    )
  }
}

/// How much of the contents a preview has looked at.
struct SpatialSampling: Sendable {
  /// The number of items for each one looked at; 1 = all were.
  let scale: Double
  /// The greatest coordinates of the positions that were looked at; nil = none.
  let farthest: SIMD2<Double>?

  init(seen: Int, of count: Int, farthest: SIMD2<Double>?) {
    scale = seen < count ? Double(count) / Double(max(seen, 1)) : 1
    self.farthest = farthest
  }

  /// About how many items there are if this many were found.
  func estimate(_ found: Int) -> Int {
    // Less than the number of items, but for rounding.
    scale == 1 ? found : Int((Double(found) * scale).rounded())
  }
}
