// SPDX-License-Identifier: Apache-2.0

import Histogram

/// A histogram of durations in microseconds, with three significant digits, up to an hour.
struct LatencyHistogram: Sendable {
  private var values = Histogram<UInt64>(
    highestTrackableValue: longest,
    numberOfSignificantValueDigits: .three
  )
  private static let longest: UInt64 = 3_600_000_000

  var count: Int { Int(clamping: values.totalCount) }
  var max: Duration { count == 0 ? .zero : .microseconds(Int64(clamping: values.max)) }
  var mean: Duration { count == 0 ? .zero : .nanoseconds(Int64(values.mean * 1000)) }

  /// Counts a duration. Durations above an hour count as an hour, negative ones as zero.
  mutating func record(_ duration: Duration) {
    let microseconds = duration / .microseconds(1)
    values.record(UInt64(Swift.min(Swift.max(0, microseconds), Double(Self.longest))))
  }

  mutating func add(_ other: LatencyHistogram) { values.add(other.values) }
  mutating func reset() { values.reset() }

  /// A percentile of the durations.
  ///
  /// - Parameter percent: 0…100.
  /// - Returns: zero if nothing was recorded.
  func percentile(_ percent: Double) -> Duration {
    count == 0 ? .zero : .microseconds(Int64(clamping: values.valueAtPercentile(percent)))
  }
}

/// A histogram of sizes in bytes, with two significant digits, up to 64 MiB.
struct SizeHistogram: Sendable {
  private var values = Histogram<UInt64>(
    highestTrackableValue: largest,
    numberOfSignificantValueDigits: .two
  )
  private static let largest: UInt64 = 64 << 20

  var count: Int { Int(clamping: values.totalCount) }
  var max: Int { count == 0 ? 0 : Int(clamping: values.max) }

  mutating func record(_ bytes: Int) {
    values.record(Swift.min(UInt64(clamping: bytes), Self.largest))
  }

  mutating func add(_ other: SizeHistogram) { values.add(other.values) }

  func percentile(_ percent: Double) -> Int {
    count == 0 ? 0 : Int(clamping: values.valueAtPercentile(percent))
  }
}
