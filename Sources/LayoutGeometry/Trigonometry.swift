// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

// The core does not import Foundation. These are all the functions that it needs of the C library.
extension Double {
  /// The sine of this angle in radians.
  public var sine: Double { sin(self) }
  /// The cosine of this angle in radians.
  public var cosine: Double { cos(self) }
  /// The tangent of this angle in radians.
  public var tangent: Double { tan(self) }
  /// The logarithm to base e; −infinity for 0, NaN for negative numbers.
  public var naturalLogarithm: Double { log(self) }
  /// The angle whose tangent this is, in radians from −π/2 to π/2.
  public var arctangent: Double { atan(self) }

  /// `base` to the power of `exponent`.
  public static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
}
