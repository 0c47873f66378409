// SPDX-License-Identifier: Apache-2.0

// `pointwiseMin` and `pointwiseMax` take care of NaN, number by number. Positions are never NaN.
extension SIMD2<Double> {
  /// The lesser number of each lane, none of which is NaN.
  @inline(__always)
  func lesser(_ other: Self) -> Self { replacing(with: other, where: other .< self) }

  /// The greater number of each lane, none of which is NaN.
  @inline(__always)
  func greater(_ other: Self) -> Self { replacing(with: other, where: other .> self) }
}

extension SIMD4<Double> {
  /// The box that contains no position: left, top, right and bottom.
  static let emptyBox: Self = [.infinity, .infinity, -.infinity, -.infinity]

  /// The box around two boxes, each as left, top, right and bottom. None of the numbers is NaN.
  @inline(__always)
  func box(with other: Self) -> Self {
    Self(lowHalf: lowHalf.lesser(other.lowHalf), highHalf: highHalf.greater(other.highHalf))
  }

  /// The box around this box and a position.
  @inline(__always)
  func box(with position: SIMD2<Double>) -> Self {
    Self(lowHalf: lowHalf.lesser(position), highHalf: highHalf.greater(position))
  }
}
