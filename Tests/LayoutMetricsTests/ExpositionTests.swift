// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import LayoutMetrics
import Testing

@Suite("Page of metrics", .timeLimit(.minutes(2)))
struct ExpositionTests {
  private func lines(_ page: String) -> [Substring] { page.split(separator: "\n") }

  @Test("counters, gauges and histograms are written as the text format has them")
  func text() {
    let metrics = PrometheusMetrics(descriptions: [
      MetricDescription("jobs.done", "Jobs that were done."),
      MetricDescription("job.duration", "How long jobs take.", buckets: [0.5, 1, 0.1]),
      MetricDescription("disk", "Size of the disk.", unit: .bytes),
    ])
    Counter(label: "jobs.done", dimensions: [("kind", "a")], factory: metrics).increment(by: 3)
    let timer = Timer(label: "job.duration", factory: metrics)
    for milliseconds in [50, 100, 700, 3000] { timer.recordMilliseconds(milliseconds) }
    Meter(label: "disk", factory: metrics).set(12.5)
    #expect(
      lines(metrics.page(.text)) == [
        "# HELP disk_bytes Size of the disk.",
        "# TYPE disk_bytes gauge",
        "disk_bytes 12.5",
        "# HELP job_duration_seconds How long jobs take.",
        "# TYPE job_duration_seconds histogram",
        "job_duration_seconds_bucket{le=\"0.1\"} 2",
        "job_duration_seconds_bucket{le=\"0.5\"} 2",
        "job_duration_seconds_bucket{le=\"1.0\"} 3",
        "job_duration_seconds_bucket{le=\"+Inf\"} 4",
        "job_duration_seconds_sum 3.85",
        "job_duration_seconds_count 4",
        "# HELP jobs_done_total Jobs that were done.",
        "# TYPE jobs_done_total counter",
        "jobs_done_total{kind=\"a\"} 3",
      ]
    )
  }

  @Test("OpenMetrics names counters without their suffix, has units, and ends")
  func openMetrics() {
    let metrics = PrometheusMetrics(descriptions: [
      MetricDescription("sent", "Bytes in \"quotes\".", unit: .bytes)
    ])
    Counter(label: "sent", factory: metrics).increment(by: 7)
    #expect(
      lines(metrics.page(.openMetrics)) == [
        "# HELP sent_bytes Bytes in \\\"quotes\\\".",
        "# TYPE sent_bytes counter",
        "# UNIT sent_bytes bytes",
        "sent_bytes_total 7",
        "# EOF",
      ]
    )
  }

  @Test("labels and help texts are escaped")
  func escaping() {
    let metrics = PrometheusMetrics(descriptions: [
      MetricDescription("odd", "A back\\slash, a\nbreak and \"quotes\".")
    ])
    let value = "a\\b\"c\nd"
    Meter(label: "odd", dimensions: [("a.b", value), ("0", "é")], factory: metrics).set(1)
    #expect(
      lines(metrics.page(.text)) == [
        "# HELP odd A back\\\\slash, a\\nbreak and \"quotes\".",
        "# TYPE odd gauge",
        "odd{_0=\"é\",a_b=\"a\\\\b\\\"c\\nd\"} 1.0",
      ]
    )
  }

  @Test("names that are not allowed are changed, and what becomes the same is joined")
  func names() {
    let metrics = PrometheusMetrics()
    let dimensions = [("le", "1"), ("a-b", "x"), ("a.b", "y")]
    Counter(label: "4 odd/näme", dimensions: dimensions, factory: metrics).increment()
    #expect(
      lines(metrics.page(.text)) == [
        "# TYPE _4_odd_n__me_total counter",
        "_4_odd_n__me_total{a_b=\"x;y\",label_le=\"1\"} 1",
      ]
    )
  }

  @Test("numbers that are none, and infinite ones, have their names")
  func numbers() {
    let metrics = PrometheusMetrics()
    for (name, value) in [("a", Double.nan), ("b", .infinity), ("c", -.infinity), ("d", 1e-7)] {
      Meter(label: name, factory: metrics).set(value)
    }
    let values = lines(metrics.page(.text)).filter { !$0.hasPrefix("#") }
    #expect(values == ["a NaN", "b +Inf", "c -Inf", "d 1e-07"])
  }

  @Test(
    "the format follows the Accept header",
    arguments: [
      ("", ExpositionFormat.text),
      ("*/*", .text),
      ("text/plain; version=0.0.4", .text),
      ("application/openmetrics-text", .openMetrics),
      ("application/openmetrics-text; version=1.0.0; charset=utf-8", .openMetrics),
      ("application/openmetrics-text;version=0.0.1", .text),
      ("application/openmetrics-text;q=0.1,text/plain;q=0.5", .text),
      ("application/openmetrics-text;q=0", .text),
      ("application/openmetrics-text;q=none, text/plain", .text),
      (
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
          + "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;q=0.3,"
          + "text/plain;version=0.0.4;q=0.2,*/*;q=0.1", .openMetrics
      ),
      (";;;,,q=1,\u{0}", .text),
    ]
  )
  func negotiation(_ accept: String, _ format: ExpositionFormat) {
    #expect(ExpositionFormat(accept: accept) == format)
  }

  @Test("what is looked up for the page is on it")
  func collectors() {
    let metrics = PrometheusMetrics()
    metrics.collect { page in
      page.gauge(MetricDescription("room", ""), 4, labels: [("floor", "2")])
      page.count(MetricDescription("visits", ""), 5)
      page.count(MetricDescription("spent", "", unit: .seconds), fraction: 0.5)
    }
    let values = lines(metrics.page(.text)).filter { !$0.hasPrefix("#") }
    #expect(values == ["room{floor=\"2\"} 4.0", "spent_seconds_total 0.5", "visits_total 5"])
  }

  @Test("a page says what the process takes")
  func process() {
    let metrics = PrometheusMetrics()
    metrics.collect { ProcessMetrics.collect(&$0) }
    let page = metrics.page(.text)
    #expect(page.contains("\nprocess_cpu_seconds_total "))
    #if os(Linux)
    for name in ["open_fds", "resident_memory_bytes", "virtual_memory_bytes", "threads"] {
      #expect(page.contains("\nprocess_\(name) "), "\(name)")
    }
    #endif
  }
}
