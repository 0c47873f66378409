// SPDX-License-Identifier: Apache-2.0

/// Room for breaking a chunk into lines by integers: see `LineBreaker.addExactly`.
struct IntegerLines {
  /// For each item where it ends, spacing included, in 64ths of a point from the chunk's start; then
  /// ends that nothing reaches.
  private(set) var ends: [Int32] = []
  /// Lengths along the scroll axis, and as many zeros.
  private(set) var lengths: [Float] = []

  /// Items of a chunk.
  static let most = 512
  /// How many items are looked at at once.
  static let window = 16
  /// What extents and spacings must lie below, in 64ths, so that no sum overflows.
  static let limit: Int32 = 1 << 19
  /// What everything in a chunk fits into.
  static let widest: Int32 = 1 << 30 - 1
  /// Beyond all ends, and near enough for differences not to overflow.
  private static let unreached: Int32 = .max - 2

  /// Takes the lengths of a chunk, if all extents are multiples of 1/64 point.
  ///
  /// - Parameter spacing: in 64ths.
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
      // Zero may have a sign, which would count.
      unsafe lengths[unchecked: item] = unsafe main[unchecked: item].magnitude
    }
    return true
  }

  private static func take(
    _ cross: Span<Float>,
    spacing: Int32,
    into ends: inout [Int32]
  ) -> Bool {
    // Adding this leaves an integer below 2²² in the low bits of the sum, unless bits are lost.
    let magic: Float = 0x1.8p23
    let magicBits = Int32(bitPattern: magic.bitPattern)
    let count = cross.count
    var ends = ends.mutableSpan
    // Not 0 where an extent is no integer or not below the limit. No branches: several at a time.
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

  /// Where an item starts, or the one after the last would.
  @inline(__always)
  func start(of item: Int) -> Int32 { item == 0 ? 0 : ends[item - 1] }

  /// The items from `first` on that end at most at `limit`: the item after them, and the greatest of
  /// their lengths, or of 0. No branch depends on how many there are, as long as they are few.
  ///
  /// - Parameter limit: at least -1.
  @inline(__always)
  func run(from first: Int, through limit: Int32) -> (end: Int, length: Float) {
    let beyond = SIMD16<Int32>(repeating: limit &+ 1)
    // Unsafe for speed alone: a window starts at an item of the chunk, and there is one more.
    let ends = unsafe ends.span.bytes
    let lengths = unsafe lengths.span.bytes
    var first = first
    var greatest: Int32 = 0
    while true {
      let candidates = unsafe ends.unsafeLoadUnaligned(
        fromUncheckedByteOffset: first * 4,
        as: SIMD16<Int32>.self
      )
      // Floats that are not negative are ordered as their bits are.
      let bits = unsafe lengths.unsafeLoadUnaligned(
        fromUncheckedByteOffset: first * 4,
        as: SIMD16<Int32>.self
      )
      // All ones for what is in, without the detour over masks: -1 when shifted from a difference
      // that is negative.
      let isIn = (candidates &- beyond) &>> 31
      greatest = max(greatest, Self.greatest(bits & isIn))
      let count = -Self.sum(isIn)
      first += count
      if count < Self.window { return (first, Float(bitPattern: UInt32(bitPattern: greatest))) }
    }
  }

  /// Of numbers that are not negative.
  @inline(__always)
  private static func greatest(_ all: SIMD16<Int32>) -> Int32 {
    let eight = greater(all.lowHalf, all.highHalf)
    let four = greater(eight.lowHalf, eight.highHalf)
    return max(max(four[0], four[1]), max(four[2], four[3]))
  }

  @inline(__always)
  private static func greater<V: SIMD>(_ a: V, _ b: V) -> V where V.Scalar == Int32 {
    let difference = b &- a
    return a &+ (difference & ~(difference &>> 31))
  }

  @inline(__always)
  private static func sum(_ all: SIMD16<Int32>) -> Int {
    let eight = all.lowHalf &+ all.highHalf
    let four = eight.lowHalf &+ eight.highHalf
    let two = four.lowHalf &+ four.highHalf
    return Int(two[0] &+ two[1])
  }
}
