// SPDX-License-Identifier: Apache-2.0

/// Order labels: numbers that grow along a sequence and leave room between each other, so that an
/// element can be found again by its label after edits elsewhere.
enum OrderLabels {
  /// Between neighbours of a new sequence. 2²⁴ elements fit above `first` and as many below.
  static let step: UInt64 = 1 << 38
  static let first: UInt64 = 1 << 62
  /// No label is as high.
  static let end: UInt64 = 1 << 63

  static func label(ofNew index: Int) -> UInt64 { first + UInt64(index) * step }

  /// `count` labels between two others, evenly; nil where there is not enough room.
  ///
  /// - Parameter previous: nil = the sequence begins here.
  /// - Parameter next: nil = the sequence ends here.
  static func labels(_ count: Int, between previous: UInt64?, and next: UInt64?) -> [UInt64]? {
    let needed = UInt64(count)
    switch (previous, next) {
    case (nil, nil):
      return (0 ..< count).map(label(ofNew:))
    case (let previous?, nil):
      guard previous < end - (needed + 1) * step else { return nil }
      return (1 ... max(needed, 1)).prefix(count).map { previous + $0 * step }
    case (nil, let next?):
      guard next > (needed + 1) * step else { return nil }
      return (0 ..< needed).map { next - (needed - $0) * step }
    case (let previous?, let next?):
      let room = (next - previous) / (needed + 1)
      guard room > 0 else { return nil }
      return (0 ..< needed).map { previous + ($0 + 1) * room }
    }
  }
}
