// SPDX-License-Identifier: Apache-2.0

/// Working memory to break a chunk into lines with integers, as `LineBreaker.addExactly` does.
struct IntegerLines {
  /// Where each item ends, in 64ths of a point from the chunk's start, with the spacing after it.
  /// Behind the last item follow `window` ends that no limit reaches.
  private(set) var ends: [Int32] = []
  /// The length of each item along the scroll axis. Behind the last item follow `window` numbers
  /// that do not matter.
  private(set) var lengths: [Float] = []

  /// The most items of a chunk.
  static let most = 512
  /// The number of items that are compared at once.
  static let window = 16
  /// The bound below which extents and spacings must lie, in 64ths of a point. The ends of 512
  /// items are then at most 512 · 2 · 2¹⁹ = 2²⁹, so that no sum overflows.
  static let limit: Int32 = 1 << 19
  /// The greatest room of a line, in 64ths of a point; more room makes no difference, because no
  /// chunk is that long.
  static let widest: Int32 = (1 << 30) - 1
  /// Greater than every end and every limit, and small enough for differences not to overflow.
  private static let unreached: Int32 = .max - 2

  /// Takes over the lengths of a chunk if all extents are multiples of 1/64 point below the limit.
  ///
  /// - Parameter spacing: the distance between items, in 64ths of a point.
  /// - Returns: whether the lengths could be taken over.
  /// - Precondition: as many lengths as extents, at most `most`.
  mutating func take(main: Span<Float>, cross: Span<Float>, spacing: Int32) -> Bool {
    if ends.isEmpty {
      ends = Array(repeating: Self.unreached, count: Self.most + Self.window)
      lengths = Array(repeating: 0, count: Self.most + Self.window)
    }
    guard Self.take(cross, spacing: spacing, into: &ends) else { return false }
    var lengths = lengths.mutableSpan
    // Unsafe for speed alone: the precondition keeps all indices within bounds.
    for item in 0 ..< main.count {
      // Lengths are compared by their bits later, so −0 must become 0.
      unsafe lengths[unchecked: item] = unsafe main[unchecked: item].magnitude
    }
    return true
  }

  /// Writes the ends of items, if all extents are multiples of 1/64 point below the limit.
  private static func take(
    _ cross: Span<Float>,
    spacing: Int32,
    into ends: inout [Int32]
  ) -> Bool {
    // Adding 1.5 · 2²³ moves an integer below 2²² to the low bits of the sum. For other numbers
    // bits are lost, and subtracting the constant again does not give the number back.
    let magic: Float = 0x1.8p23
    let magicBits = Int32(bitPattern: magic.bitPattern)
    let count = cross.count
    var ends = ends.mutableSpan
    // Becomes other than 0 if some extent is no integer or not below the limit. Without branches
    // the compiler can handle several items at a time.
    var wrong: Int32 = 0
    // Unsafe for speed alone: the precondition keeps all indices within bounds.
    for item in 0 ..< count {
      let extent = unsafe cross[unchecked: item] * 64
      let sum = extent + magic
      let units = Int32(bitPattern: sum.bitPattern) &- magicBits
      wrong |= (units & ~(Self.limit &- 1)) | (sum - magic == extent ? 0 : 1)
      unsafe ends[unchecked: item] = units &+ spacing
    }
    guard wrong == 0 else { return false }
    var end: Int32 = 0
    for item in 0 ..< count {
      end &+= unsafe ends[unchecked: item]
      unsafe ends[unchecked: item] = end
    }
    for item in count ..< count + Self.window { unsafe ends[unchecked: item] = Self.unreached }
    return true
  }

  /// Where an item starts, in 64ths of a point from the chunk's start; also defined for the item
  /// behind the last.
  @inline(__always)
  func start(of item: Int) -> Int32 { item == 0 ? 0 : ends[item - 1] }

  /// Finds the items from `first` on that end no later than `limit`. As long as these are few, no
  /// branch depends on their number.
  ///
  /// - Parameter limit: in 64ths of a point from the chunk's start; at least −1, at most 2³¹ − 4.
  /// - Returns: the index after them, and the greatest of their lengths, at least 0.
  @inline(__always)
  func run(from first: Int, through limit: Int32) -> (end: Int, length: Float) {
    let beyond = SIMD16<Int32>(repeating: limit &+ 1)
    // Unsafe for speed alone: a window starts at an item of the chunk or right behind the last, and
    // both arrays go on for a whole window there.
    let ends = unsafe ends.span.bytes
    let lengths = unsafe lengths.span.bytes
    var first = first
    var greatest: Int32 = 0
    while true {
      let candidates = unsafe ends.unsafeLoadUnaligned(
        fromUncheckedByteOffset: first * 4,
        as: SIMD16<Int32>.self
      )
      // Floats that are not negative have the same order as their bits.
      let bits = unsafe lengths.unsafeLoadUnaligned(
        fromUncheckedByteOffset: first * 4,
        as: SIMD16<Int32>.self
      )
      // All bits set, −1, for items within the limit, else 0: the sign of the difference, shifted.
      // SIMD masks would take more instructions.
      let isIn = (candidates &- beyond) &>> 31
      greatest = max(greatest, Self.greatest(bits & isIn))
      let count = -Self.sum(isIn)
      first += count
      if count < Self.window { return (first, Float(bitPattern: UInt32(bitPattern: greatest))) }
    }
  }

  /// The greatest of numbers that are not negative.
  @inline(__always)
  private static func greatest(_ all: SIMD16<Int32>) -> Int32 {
    let eight = greater(all.lowHalf, all.highHalf)
    let four = greater(eight.lowHalf, eight.highHalf)
    return max(max(four[0], four[1]), max(four[2], four[3]))
  }

  /// The greater of two numbers in each lane. The differences must not overflow.
  @inline(__always)
  private static func greater<V: SIMD>(_ a: V, _ b: V) -> V where V.Scalar == Int32 {
    let difference = b &- a
    return a &+ (difference & ~(difference &>> 31))
  }

  /// The sum of all lanes.
  @inline(__always)
  private static func sum(_ all: SIMD16<Int32>) -> Int {
    let eight = all.lowHalf &+ all.highHalf
    let four = eight.lowHalf &+ eight.highHalf
    let two = four.lowHalf &+ four.highHalf
    return Int(two[0] &+ two[1])
  }
}
