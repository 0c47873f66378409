// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel

/// Reads how long groups of a `GroupShape` are.
struct GroupReader {
  private let shape: GroupShape
  private let itemCount: Int
  private var lengths: MeasuredLengths

  init(_ shape: GroupShape, _ items: ItemSequence) {
    self.shape = shape
    itemCount = items.count
    lengths = MeasuredLengths(items, along: shape.axis)
  }

  /// The length of a cell; nil = as in the pattern.
  ///
  /// - Precondition: `item` is within the items.
  mutating func length(of item: Int) -> Double? {
    // As a function value, the conversion would be a copy of the shape, in memory of its own for
    // each item.
    guard let length = lengths.length(at: item) else { return nil }
    return shape.length(length)
  }

  /// The extent of the group that begins with an item, with the spacing after it, in points. Places
  /// without items count like items without a length.
  ///
  /// - Precondition: `first` is within the items.
  mutating func pitch(ofGroupAt first: Int) -> Double {
    if let pitch = pitch(ofEqualCellsAt: first) { return pitch }
    var (longest, isMeasured) = (0.0, false)
    let end = min(first + shape.count, itemCount)
    for item in first ..< end {
      let length = length(of: item)
      longest = max(longest, shape.extent(ofCell: item - first, length: length))
      isMeasured = isMeasured || length != nil
    }
    guard isMeasured else { return shape.patternPitch }
    if end - first < shape.count {
      longest = max(longest, shape.longestExtent(from: end - first))
    }
    return shape.pitch(longest: longest)
  }

  /// The same for a full group of cells that differ only in their lengths, which are in one chunk.
  ///
  /// - Returns: nil = it is not such a group.
  @inline(__always)
  private mutating func pitch(ofEqualCellsAt first: Int) -> Double? {
    guard let (around, _) = shape.equalCells, first + shape.count <= itemCount else { return nil }
    let (column, chunk) = lengths.chunk(of: first)
    guard first + shape.count <= chunk.upperBound else { return nil }
    let cells = first - chunk.lowerBound ..< first - chunk.lowerBound + shape.count
    let longest: Double
    switch column {
    case .absent: return shape.patternPitch
    case .constant(let length): longest = length
    case .floats(let lengths): longest = Double(Self.longest(of: cells, in: lengths.span))
    case .doubles(let lengths): longest = Self.longest(of: cells, in: lengths.span)
    }
    // The cell with the greatest length is also the longest once converted.
    return shape.pitch(longest: max(0, shape.length(longest) + around))
  }

  @inline(__always)
  private static func longest<Length: BinaryFloatingPoint>(
    of cells: Range<Int>,
    in lengths: Span<Length>
  ) -> Length {
    var longest: Length = 0
    for cell in cells { longest = max(longest, lengths[cell]) }
    return longest
  }

  /// Copies the lengths of cells. Unmeasured cells, and places after the last item, have the
  /// pattern's lengths.
  ///
  /// - Precondition: `first` is within the items.
  /// - Returns: whether all items are measured.
  mutating func copyLengths(
    from first: Int,
    to values: inout MutableSpan<Double>,
    pattern: Double
  ) -> Bool {
    var isMeasured = true
    var index = 0
    while index < values.count, first + index < itemCount {
      let (column, chunk) = lengths.chunk(of: first + index)
      let begin = first + index - chunk.lowerBound
      let count = min(values.count - index, chunk.count - begin)
      switch column {
      case .absent:
        isMeasured = false
        for place in index ..< index + count { values[place] = pattern }
      case .constant(let length):
        let length = shape.length(length)
        for place in index ..< index + count { values[place] = length }
      case .floats(let lengths):
        let lengths = lengths.span
        for place in 0 ..< count {
          values[index + place] = shape.length(Double(lengths[begin + place]))
        }
      case .doubles(let lengths):
        let lengths = lengths.span
        for place in 0 ..< count { values[index + place] = shape.length(lengths[begin + place]) }
      }
      index += count
    }
    for place in index ..< values.count { values[place] = pattern }
    return isMeasured
  }

  /// Writes 1 for measured items, and 0 for others and after the last item.
  ///
  /// - Precondition: `first` is within the items.
  /// - Returns: whether all items are measured.
  mutating func copyFlags(from first: Int, to flags: inout MutableSpan<UInt8>) -> Bool {
    var isMeasured = true
    for index in 0 ..< flags.count {
      let item = first + index
      flags[index] = item < itemCount && lengths.length(at: item) != nil ? 1 : 0
      if item < itemCount, flags[index] == 0 { isMeasured = false }
    }
    return isMeasured
  }
}
