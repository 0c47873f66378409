// SPDX-License-Identifier: Apache-2.0

import Workloads

/// The least that any program needs on this machine, by which ratios are told.
enum Limits {
  /// Nanoseconds an item of breaking two columns of 32-bit floats into lines, and nothing else.
  static func lineBreaking(_ count: Int, runs: Int) -> Double {
    var random = SplitMix64(seed: 12345)
    let widths = (0 ..< count).map { _ in Float(40 + random.int(below: 161)) }
    let heights = (0 ..< count).map { _ in Float(40 + random.int(below: 161)) }
    var total = 0.0
    let seconds = Clock.median(of: runs) { total += lines(widths, heights) }
    return total > 0 ? seconds * 1e9 / Double(count) : .nan
  }

  private static func lines(_ widths: [Float], _ heights: [Float]) -> Double {
    var y = 0.0
    var x: Float = 0
    var height: Float = 0
    for item in 0 ..< min(widths.count, heights.count) {
      let end = x + widths[item]
      if end > 1024 {
        y += Double(height) + 10
        x = widths[item] + 10
        height = heights[item]
      } else {
        x = end + 10
        height = max(height, heights[item])
      }
    }
    return y + Double(height)
  }
}
