// SPDX-License-Identifier: Apache-2.0

/// The projection of latitudes by Mercator, of two at once.
///
/// Functions of the C library take one number after the other, and take three times as long. The
/// polynomials for sines, cosines and logarithms are those of fdlibm, for arguments as they occur
/// here: no angle leaves the range in which the polynomials hold.
enum Mercator {
  /// The latitude at which the world of Web Mercator is a square: atan(sinh π) in degrees.
  private static let limit = 85.051_128_779_806_59

  /// How far north latitudes are: ln(tan φ + 1 / cos φ), from −π to π.
  ///
  /// The error is at most about 2⁻⁴⁷ near the edges of the world, and less elsewhere.
  ///
  /// - Parameter latitudes: in degrees, not NaN. Values beyond ±85.0511…° count as that.
  @inline(__always)
  static func north(of latitudes: SIMD2<Double>) -> SIMD2<Double> {
    let within = latitudes.greater(SIMD2(repeating: -limit)).lesser(SIMD2(repeating: limit))
    // With half the angle h: tan φ + 1 / cos φ = (cos h + sin h) / (cos h − sin h).
    let half = within * (.pi / 360)
    let (sine, cosine) = (sine(half), cosine(half))
    return logarithm((cosine + sine) / (cosine - sine))
  }

  /// - Parameter x: from −π/4 to π/4.
  @inline(__always)
  private static func sine(_ x: SIMD2<Double>) -> SIMD2<Double> {
    let z = x * x
    var sum = SIMD2(repeating: 1.58969099521155010221e-10)
    sum = sum * z + -2.50507602534068634195e-08
    sum = sum * z + 2.75573137070700676789e-06
    sum = sum * z + -1.98412698298579493134e-04
    sum = sum * z + 8.33333333332248946124e-03
    sum = sum * z + -1.66666666666666324348e-01
    return x + x * z * sum
  }

  /// - Parameter x: from −π/4 to π/4.
  @inline(__always)
  private static func cosine(_ x: SIMD2<Double>) -> SIMD2<Double> {
    let z = x * x
    var sum = SIMD2(repeating: -1.13596475577881948265e-11)
    sum = sum * z + 2.08757232129817482790e-09
    sum = sum * z + -2.75573143513906633035e-07
    sum = sum * z + 2.48015872894767294178e-05
    sum = sum * z + -1.38888888888741095749e-03
    sum = sum * z + 4.16666666666666019037e-02
    let half = z * 0.5
    let rest = 1 - half
    return rest + ((1 - rest - half) + z * z * sum)
  }

  /// - Parameter x: positive, neither infinite nor so small that it has fewer digits.
  @inline(__always)
  private static func logarithm(_ x: SIMD2<Double>) -> SIMD2<Double> {
    // x = 2^k · (1 + f), where 1 + f is from √½ to √2.
    let root: UInt64 = 0x3FE6_A09E_0000_0000
    let one: UInt64 = 0x3FF0_0000_0000_0000
    let bits = SIMD2(x.x.bitPattern, x.y.bitPattern) &+ (one - root)
    let fraction = (bits & 0x000F_FFFF_FFFF_FFFF) &+ root
    let f = SIMD2(Double(bitPattern: fraction.x), Double(bitPattern: fraction.y)) - 1
    // A number above 2⁵² has whole numbers as its last bits.
    let exponent = bits &>> 52 | 0x4330_0000_0000_0000
    let k =
      SIMD2(Double(bitPattern: exponent.x), Double(bitPattern: exponent.y)) - (0x1p52 + 1023)
    let s = f / (2 + f)
    let z = s * s
    let w = z * z
    var even = SIMD2(repeating: 1.531383769920937332e-01)
    even = even * w + 2.222219843214978396e-01
    even = even * w + 3.999999999940941908e-01
    var odd = SIMD2(repeating: 1.479819860511658591e-01)
    odd = odd * w + 1.818357216161805012e-01
    odd = odd * w + 2.857142874366239149e-01
    odd = odd * w + 6.666666666666735130e-01
    let half = f * f * 0.5
    let rest = s * (half + (odd * z + even * w)) + k * 1.90821492927058770002e-10
    return k * 6.93147180369123816490e-01 - (half - rest - f)
  }
}
