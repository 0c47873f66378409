// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// A 32-bit checksum of live elements, with which client and server detect that their states
/// differ.
///
/// The checksum is the sum modulo 2³² of the hashes of all elements, and 0 for none. Hashes are
/// made of quantised values, so they are the same in both encodings. The mixing steps are those of
/// MurmurHash3's 32-bit variant (Austin Appleby, public domain).
public enum StateChecksum {
  /// The hash of one element.
  ///
  /// - Parameters:
  ///   - kindHash: `hash(ofKind:)` of the name of the element's kind; callers keep it, for speed.
  ///   - unitsPerPoint: the unit in which lengths are hashed: 64, or 192 where the client asked for
  ///     it.
  public static func hash(
    of element: LayoutElement,
    kindHash: UInt32,
    unitsPerPoint: Int = 64
  ) -> UInt32 {
    let units = Double(unitsPerPoint)
    let left = quantized(element.frame.minX, units)
    let top = quantized(element.frame.minY, units)
    var hasher = Hasher()
    hasher.combine(Int64(element.category.rawValue))
    hasher.combine(Int64(kindHash))
    hasher.combine(Int64(element.indexPath.section))
    hasher.combine(Int64(element.indexPath.item.map { $0 + 1 } ?? 0))
    hasher.combine(left)
    hasher.combine(top)
    hasher.combine(quantized(element.frame.maxX, units) &- left)
    hasher.combine(quantized(element.frame.maxY, units) &- top)
    hasher.combine(Int64(element.zIndex))
    hasher.combine(integer((element.alpha * 65535).rounded()))
    hasher.combine(element.isHidden ? 1 : 0)
    return hasher.finalized
  }

  /// The hash of an element that is given by its fields, in the order in which `hash(of:)` combines
  /// them.
  public static func hash(ofFields fields: some Sequence<Int64>) -> UInt32 {
    var hasher = Hasher()
    for field in fields { hasher.combine(field) }
    return hasher.finalized
  }

  /// The hash of the name of a kind: 32-bit FNV-1a over its UTF-8 (Fowler, Noll, Vo).
  public static func hash(ofKind kind: String) -> UInt32 {
    kind.utf8.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }

  /// An edge in points as a number of units, rounded to the nearest; halves are rounded up. See
  /// `integer` for values that are out of range.
  @inlinable
  public static func quantized(_ edge: Double, _ unitsPerPoint: Double) -> Int64 {
    integer((edge * unitsPerPoint + 0.5).rounded(.down))
  }

  /// A whole number as an integer. Never traps: numbers beyond ±2⁶² become ±2⁶², and NaN becomes 0.
  @inlinable
  static func integer(_ value: Double) -> Int64 {
    let limit = 4_611_686_018_427_387_904.0
    return value.isNaN ? 0 : Int64(min(max(value, -limit), limit))
  }

  private struct Hasher {
    private var state: UInt32 = 0x434C_5631

    mutating func combine(_ field: Int64) {
      combine(word: UInt32(truncatingIfNeeded: field))
      combine(word: UInt32(truncatingIfNeeded: field >> 32))
    }

    var finalized: UInt32 { Self.mixed(state) }

    private mutating func combine(word: UInt32) {
      let mixed = Self.mixed(state ^ word)
      state = (mixed << 13 | mixed >> 19) &* 5 &+ 0xE654_6B64
    }

    private static func mixed(_ value: UInt32) -> UInt32 {
      var value = value
      value ^= value >> 16
      value = value &* 0x85EB_CA6B
      value ^= value >> 13
      value = value &* 0xC2B2_AE35
      value ^= value >> 16
      return value
    }
  }
}
