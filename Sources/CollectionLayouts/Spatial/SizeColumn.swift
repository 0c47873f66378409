// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry

/// The sizes of many items: one if all are equal, else 32-bit floats.
struct SizeColumn: Sendable {
  /// The greatest width and the greatest height, exactly.
  private(set) var largest = Size.zero
  /// Whether `floats` are the sizes exactly. Otherwise they are at least as large.
  private(set) var isExact = true
  /// The sizes; empty while all are equal.
  private(set) var floats: [SIMD2<Float>] = []
  private(set) var count = 0

  init() {}

  /// So many equal sizes.
  init(_ size: Size, count: Int) { (largest, self.count) = (size, count) }

  var isUniform: Bool { floats.isEmpty }

  mutating func append(_ size: Size) {
    defer { count += 1 }
    if count == 0 { largest = size }
    if floats.isEmpty {
      if size == largest { return }
      let (first, isExact) = Self.floats(largest)
      floats = Array(repeating: first, count: count)
      self.isExact = isExact
    }
    let (own, isExact) = Self.floats(size)
    floats.append(own)
    self.isExact = self.isExact && isExact
    largest = Size(width: max(largest.width, size.width), height: max(largest.height, size.height))
  }

  /// Takes the same sizes at other places.
  mutating func replace(_ floats: [SIMD2<Float>]) { self.floats = floats }

  /// Puts sizes that follow each other in another order; see `Array.arrange`.
  mutating func arrange(_ range: Range<Int>, _ order: [UInt32], _ old: inout [SIMD2<Float>]) {
    floats.arrange(range, order, &old)
  }

  /// The size of an item; nil = not exactly known.
  func size(at index: Int) -> Size? {
    if floats.isEmpty { return largest }
    guard isExact else { return nil }
    return Size(width: Double(floats[index].x), height: Double(floats[index].y))
  }

  /// A size that is at least as large as that of an item.
  func bound(at index: Int) -> SIMD2<Double> {
    floats.isEmpty ? SIMD2(largest.width, largest.height) : SIMD2<Double>(floats[index])
  }

  var byteCount: Int { floats.count * MemoryLayout<SIMD2<Float>>.stride }

  private static func floats(_ size: Size) -> (SIMD2<Float>, isExact: Bool) {
    let (width, height) = (float(size.width), float(size.height))
    let isExact = Double(width) == size.width && Double(height) == size.height
    return (SIMD2(width, height), isExact)
  }

  /// The least float that is at least as large.
  private static func float(_ value: Double) -> Float {
    let float = Float(value)
    return Double(float) < value ? float.nextUp : float
  }
}
