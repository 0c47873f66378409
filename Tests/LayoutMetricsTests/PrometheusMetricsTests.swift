// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import LayoutMetrics
import Synchronization
import Testing

@Suite("Registry of metrics", .timeLimit(.minutes(5)))
struct PrometheusMetricsTests {
  private func values(_ metrics: PrometheusMetrics) -> [Substring] {
    metrics.page(.text).split(separator: "\n").filter { !$0.hasPrefix("#") }
  }

  @Test("nothing is lost when many tasks count at once, and scrape meanwhile")
  func concurrency() async {
    let metrics = PrometheusMetrics(descriptions: [MetricDescription("time", "", buckets: [1])])
    let (tasks, rounds) = (16, 10_000)
    await withTaskGroup { group in
      for task in 0 ..< tasks {
        group.addTask {
          // Handles of the same series count together.
          let counter = Counter(label: "count", factory: metrics)
          let timer = Timer(label: "time", factory: metrics)
          let meter = Meter(label: "level", factory: metrics)
          let recorder = Recorder(label: "sizes", factory: metrics)
          for round in 0 ..< rounds {
            counter.increment(by: 2)
            timer.recordNanoseconds(Int64(round % 2) * 2_000_000_000)
            meter.increment(by: 1)
            recorder.record(1)
          }
          if task == 0 { for _ in 0 ..< 10 { _ = metrics.page(.openMetrics) } }
        }
      }
    }
    let total = tasks * rounds
    let found = values(metrics)
    #expect(found.contains("count_total \(2 * total)"))
    #expect(found.contains("level \(Double(total))"))
    #expect(found.contains("sizes_sum \(Double(total))"))
    #expect(found.contains("sizes_count \(total)"))
    #expect(found.contains("time_seconds_bucket{le=\"1.0\"} \(total / 2)"))
    #expect(found.contains("time_seconds_sum \(Double(total))"))
    #expect(found.contains("time_seconds_count \(total)"))
  }

  @Test("series beyond the limit of a metric are counted together, and that is counted")
  func cardinality() {
    let metrics = PrometheusMetrics(seriesLimit: 10)
    for number in 0 ..< 1000 {
      let dimensions = [("user", "\(number)")]
      Counter(label: "calls", dimensions: dimensions, factory: metrics).increment()
      Timer(label: "time", dimensions: dimensions, factory: metrics).recordSeconds(1)
    }
    // Known ones still count for themselves.
    Counter(label: "calls", dimensions: [("user", "3")], factory: metrics).increment()
    let found = values(metrics)
    #expect(found.count { $0.hasPrefix("calls_total") } == 11)
    #expect(found.contains("calls_total{user=\"3\"} 2"))
    #expect(found.contains("calls_total{otel_metric_overflow=\"true\"} 990"))
    #expect(found.contains("time_seconds_count{otel_metric_overflow=\"true\"} 990"))
    #expect(found.contains("layout_metrics_overflows_total{metric=\"calls\"} 990"))
  }

  @Test("metrics beyond the limit are on no page, and that is counted")
  func families() {
    let metrics = PrometheusMetrics(familyLimit: 2)
    for name in ["a", "b", "c", "d"] { Counter(label: name, factory: metrics).increment() }
    #expect(
      values(metrics) == [
        "a_total 1", "b_total 1", "layout_metrics_overflows_total{metric=\"_OTHER\"} 2",
      ]
    )
  }

  @Test("one name is one kind of metric")
  func kinds() {
    let metrics = PrometheusMetrics()
    Counter(label: "x", factory: metrics).increment()
    Timer(label: "x", factory: metrics).recordSeconds(1)
    Meter(label: "x", factory: metrics).set(9)
    let found = values(metrics)
    #expect(found == ["layout_metrics_overflows_total{metric=\"_OTHER\"} 2", "x_total 1"])
  }

  @Test("a series leaves the page when all who made it have destroyed it")
  func destroying() {
    let metrics = PrometheusMetrics()
    let first = Counter(label: "x", factory: metrics)
    let second = Counter(label: "x", factory: metrics)
    first.increment()
    first.destroy()
    #expect(values(metrics) == ["x_total 1"])
    second.destroy()
    #expect(values(metrics).isEmpty)
  }

  @Test("counters never go back, and what is no number is left out of sums")
  func oddValues() {
    let metrics = PrometheusMetrics()
    let counter = Counter(label: "a", factory: metrics)
    counter.increment(by: 5)
    counter.increment(by: -3)
    let recorder = Recorder(label: "b", factory: metrics)
    recorder.record(Double.nan)
    recorder.record(Double.infinity)
    recorder.record(2)
    Timer(label: "c", factory: metrics).recordNanoseconds(-5)
    let found = values(metrics)
    #expect(found.contains("a_total 5"))
    #expect(found.contains("b_sum 2.0") && found.contains("b_count 1"))
    #expect(found.contains("c_seconds_sum 0.0") && found.contains("c_seconds_count 1"))
  }

  @Test("recording takes no memory, whether or not anybody scrapes")
  func flatMemory() {
    let metrics = PrometheusMetrics()
    let timer = Timer(label: "time", factory: metrics)
    let counter = Counter(label: "count", factory: metrics)
    let before = metrics.page(.text).utf8.count
    for round in 0 ..< 100_000 {
      timer.recordNanoseconds(Int64(round))
      counter.increment()
    }
    // The page has the same lines, only with more digits.
    #expect(metrics.page(.text).utf8.count < before + 100)
  }
}
