// SPDX-License-Identifier: Apache-2.0

internal import CoreMetrics
internal import Synchronization

/// One series of a metric. Recording is an atomic addition or two, without locks or memory.
protocol MetricCell: AnyObject, Sendable {
  /// The series; nil = it is on no page.
  var id: SeriesID? { get }
  /// The values at this moment.
  var reading: Reading { get }
}

/// Identifies a series among all of a registry.
struct SeriesID: Hashable, Sendable {
  var label: String
  var labels: SeriesLabels
}

/// The values of a series at one moment.
enum Reading: Sendable {
  case count(Int64)
  case value(Double)
  case histogram(HistogramReading)
}

struct HistogramReading: Sendable {
  /// The upper bounds in the unit of the metric, ascending, without the infinite one.
  var bounds: [Double]
  /// How many values are in each bucket, those above all bounds last.
  var counts: [Int64]
  var sum: Double
}

/// A value that only grows.
final class CounterCell: CounterHandler, MetricCell {
  let id: SeriesID?
  private let count = Atomic<Int64>(0)

  init(id: SeriesID?) { self.id = id }

  func increment(by amount: Int64) {
    if amount > 0 { count.wrappingAdd(amount, ordering: .relaxed) }
  }

  func reset() { count.store(0, ordering: .relaxed) }

  var reading: Reading { .count(count.load(ordering: .relaxed)) }
}

/// A value that goes up and down.
final class GaugeCell: MeterHandler, RecorderHandler, MetricCell {
  let id: SeriesID?
  private let bits = Atomic<UInt64>(0)

  init(id: SeriesID?) { self.id = id }

  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
  func increment(by amount: Double) { bits.add(amount) }
  func decrement(by amount: Double) { bits.add(-amount) }
  func record(_ value: Int64) { set(value) }
  func record(_ value: Double) { set(value) }

  var reading: Reading { .value(Double(bitPattern: bits.load(ordering: .relaxed))) }
}

/// Durations, in buckets.
final class DurationCell: TimerHandler, MetricCell {
  let id: SeriesID?
  private let bounds: [Double]
  private let limits: [Int64]
  private let buckets: Buckets
  private let nanoseconds = Atomic<Int64>(0)

  /// - Parameter bounds: in seconds, ascending.
  init(id: SeriesID?, bounds: [Double]) {
    self.id = id
    self.bounds = bounds
    limits = bounds.map { Int64(exactly: ($0 * 1e9).rounded()) ?? .max }
    buckets = Buckets(count: bounds.count + 1)
  }

  func recordNanoseconds(_ duration: Int64) {
    let duration = max(0, duration)
    buckets.count(in: limits.firstIndex { duration <= $0 } ?? limits.count)
    nanoseconds.wrappingAdd(duration, ordering: .relaxed)
  }

  var reading: Reading {
    let sum = Double(nanoseconds.load(ordering: .relaxed)) / 1e9
    return .histogram(HistogramReading(bounds: bounds, counts: buckets.counts, sum: sum))
  }
}

/// Numbers of any kind, in buckets.
final class DistributionCell: RecorderHandler, MetricCell {
  let id: SeriesID?
  private let bounds: [Double]
  private let buckets: Buckets
  private let sum = Atomic<UInt64>(0)

  /// - Parameter bounds: ascending.
  init(id: SeriesID?, bounds: [Double]) {
    self.id = id
    self.bounds = bounds
    buckets = Buckets(count: bounds.count + 1)
  }

  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    // A value that is not a number would spoil the sum for ever.
    guard value.isFinite else { return }
    buckets.count(in: bounds.firstIndex { value <= $0 } ?? bounds.count)
    sum.add(value)
  }

  var reading: Reading {
    let sum = Double(bitPattern: sum.load(ordering: .relaxed))
    return .histogram(HistogramReading(bounds: bounds, counts: buckets.counts, sum: sum))
  }
}

/// The counts of a histogram.
private struct Buckets: Sendable {
  private final class Bucket: Sendable {
    let count = Atomic<Int64>(0)
  }

  private let buckets: [Bucket]

  init(count: Int) { buckets = (0 ..< count).map { _ in Bucket() } }

  /// - Precondition: `index` is below the number of buckets.
  func count(in index: Int) { buckets[index].count.wrappingAdd(1, ordering: .relaxed) }

  var counts: [Int64] { buckets.map { $0.count.load(ordering: .relaxed) } }
}

extension Atomic where Value == UInt64 {
  /// Adds to the number whose bits this holds.
  fileprivate func add(_ amount: Double) {
    var old = load(ordering: .relaxed)
    while true {
      let new = (Double(bitPattern: old) + amount).bitPattern
      let (isDone, found) = weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
      if isDone { return }
      old = found
    }
  }
}
