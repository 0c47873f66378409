// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// Items with positions, from which an index is made.
struct SpatialEntries {
  var positions: [SIMD2<Double>] = []
  /// The items' ordinals; empty as long as those are the indices here.
  var ordinals: [UInt32] = []
  var sizes: SizeColumn
  /// The box around all positions: left, top, right and bottom.
  private(set) var box = SIMD4<Double>.emptyBox
  /// Positions about to be appended: memory that is kept for the next ones.
  private var written: [SIMD2<Double>] = []
  /// Whether each ordinal is greater than the one before.
  private(set) var isAscending = true

  /// - Parameter uniformSize: the size of all items; nil = each item has its own.
  /// - Parameter capacity: about how many items there will be.
  init(uniformSize: Size? = nil, capacity: Int = 0) {
    sizes = uniformSize.map { SizeColumn($0, count: 0) } ?? SizeColumn()
    positions.reserveLargePages(capacity)
  }

  var count: Int { positions.count }

  mutating func append(_ ordinal: Int, at position: SIMD2<Double>, size: Size) {
    guard append(from: ordinal, count: 1) else { return }
    positions.append(position)
    box = box.box(with: position)
    sizes.append(size)
  }

  /// Appends the positions of consecutive items, without their sizes.
  ///
  /// - Parameter write: writes that many positions, from the start on.
  /// - Returns: false = their ordinals are too large, and nothing was appended.
  mutating func append(
    from ordinal: Int,
    count: Int,
    _ write: (inout MutableSpan<SIMD2<Double>>) -> Void
  ) -> Bool {
    guard append(from: ordinal, count: count) else { return false }
    if written.count < count { written = Array(repeating: .zero, count: count) }
    do {
      var span = written.mutableSpan
      write(&span)
    }
    box = box.box(with: Self.box(around: written.span.extracting(first: count)))
    positions.append(contentsOf: written[..<count])
    return true
  }

  private static func box(around positions: Span<SIMD2<Double>>) -> SIMD4<Double> {
    var box = SIMD4<Double>.emptyBox
    for index in positions.indices { box = box.box(with: positions[index]) }
    return box
  }

  mutating func append(_ size: Size) { sizes.append(size) }

  private mutating func append(from ordinal: Int, count: Int) -> Bool {
    guard let last = UInt32(exactly: ordinal + count - 1), last != SpatialIndex.gone else {
      return false
    }
    if ordinals.isEmpty {
      if ordinal == positions.count { return true }
      numberOrdinals()
    }
    if let last = ordinals.last, ordinal <= last { isAscending = false }
    for next in ordinal ..< ordinal + count { ordinals.append(UInt32(truncatingIfNeeded: next)) }
    return true
  }

  /// Writes down the ordinals that are the indices here.
  mutating func numberOrdinals() {
    guard ordinals.isEmpty else { return }
    ordinals = positions.indices.map { UInt32(truncatingIfNeeded: $0) }
  }
}
