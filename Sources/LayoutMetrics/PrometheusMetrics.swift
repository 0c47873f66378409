// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
internal import Synchronization

/// Metrics that Prometheus scrapes: a backend of swift-metrics, and the page of all values.
///
///     let jobs = MetricDescription("jobs", "Jobs that were done.")
///     let metrics = PrometheusMetrics(descriptions: [jobs])
///     Counter(label: "jobs", factory: metrics).increment()
///     print(metrics.page(.text))
///
/// Handles are made once and kept; recording is an atomic addition or two. Memory grows with the
/// number of series alone, whether or not anybody scrapes, and that is bounded: beyond
/// `seriesLimit` series of one metric, further ones are counted together as the series
/// `otel_metric_overflow="true"`.
public final class PrometheusMetrics: MetricsFactory, Sendable {
  private struct Series {
    var cell: any MetricCell
    /// How many handles were made of it and not destroyed.
    var uses: Int
  }

  private struct Family {
    let kind: MetricsPage.Kind
    let description: MetricDescription
    var series: [SeriesLabels: Series] = [:]
    /// The cell that counts further series; nil = there are none.
    var overflow: (any MetricCell)?
    /// How often a series was refused.
    var refusals: Int64 = 0
  }

  private struct State {
    var families: [String: Family] = [:]
    var collectors: [@Sendable (inout MetricsPage) -> Void] = []
    /// How often a metric was refused because there are too many, or because its name exists with
    /// another kind.
    var refusedFamilies: Int64 = 0
  }

  private let descriptions: [String: MetricDescription]
  private let seriesLimit: Int
  private let familyLimit: Int
  private let state = Mutex(State())

  /// A registry without metrics.
  ///
  /// - Parameters:
  ///   - descriptions: of the metrics that will be made. Others have no help text, and the buckets
  ///     of calls.
  ///   - seriesLimit: the most series of one metric.
  ///   - familyLimit: the most metrics.
  public init(
    descriptions: [MetricDescription] = [],
    seriesLimit: Int = 1000,
    familyLimit: Int = 1000
  ) {
    self.descriptions = Dictionary(descriptions.map { ($0.label, $0) }) { first, _ in first }
    self.seriesLimit = seriesLimit
    self.familyLimit = familyLimit
  }

  // MARK: - The page

  /// Adds metrics that are read at each scrape, not counted.
  ///
  /// - Parameter collect: adds the values to the page. Called without a lock, perhaps on several
  ///   threads at once.
  public func collect(_ collect: @escaping @Sendable (inout MetricsPage) -> Void) {
    state.withLock { $0.collectors.append(collect) }
  }

  /// All values at this moment, as a page that Prometheus reads.
  ///
  /// - Complexity: O(n log n) for n series
  public func page(_ format: ExpositionFormat) -> String {
    var page = MetricsPage()
    let collectors = state.withLock { state in
      for (_, family) in state.families { Self.add(family, to: &page) }
      Self.addRefusals(state, to: &page)
      return state.collectors
    }
    for collect in collectors { collect(&page) }
    return page.text(format)
  }

  private static func add(_ family: Family, to page: inout MetricsPage) {
    func add(_ cell: any MetricCell, _ labels: SeriesLabels) {
      page.add(family.description, family.kind, labels, cell.reading)
    }
    for (labels, series) in family.series { add(series.cell, labels) }
    if let overflow = family.overflow { add(overflow, .overflow) }
  }

  private static func addRefusals(_ state: State, to page: inout MetricsPage) {
    let description = MetricDescription(
      "layout.metrics.overflows",
      "How often a series or metric was not made, because there were too many."
    )
    if state.refusedFamilies > 0 {
      page.count(description, state.refusedFamilies, labels: [("metric", "_OTHER")])
    }
    for (label, family) in state.families where family.refusals > 0 {
      page.count(description, family.refusals, labels: [("metric", label)])
    }
  }

  // MARK: - Handles

  /// The counter for a label and dimensions; the same for all callers.
  public func makeCounter(
    label: String,
    dimensions: [(String, String)]
  ) -> any CounterHandler {
    cell(label, dimensions, .counter) { id, _ in CounterCell(id: id) }
  }

  /// The gauge for a label and dimensions; the same for all callers.
  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    cell(label, dimensions, .gauge) { id, _ in GaugeCell(id: id) }
  }

  /// The histogram for a label and dimensions; without `aggregate` a gauge. The same for all
  /// callers.
  public func makeRecorder(
    label: String,
    dimensions: [(String, String)],
    aggregate: Bool
  ) -> any RecorderHandler {
    if !aggregate { return cell(label, dimensions, .gauge) { id, _ in GaugeCell(id: id) } }
    return cell(label, dimensions, .histogram) { DistributionCell(id: $0, bounds: $1.buckets) }
  }

  /// The histogram of durations for a label and dimensions; the same for all callers.
  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    cell(label, dimensions, .histogram, unit: .seconds) {
      DurationCell(id: $0, bounds: $1.buckets)
    }
  }

  /// Removes the series from the page once all its handles are destroyed.
  public func destroyCounter(_ handler: any CounterHandler) { destroy(handler) }
  /// Removes the series from the page once all its handles are destroyed.
  public func destroyMeter(_ handler: any MeterHandler) { destroy(handler) }
  /// Removes the series from the page once all its handles are destroyed.
  public func destroyRecorder(_ handler: any RecorderHandler) { destroy(handler) }
  /// Removes the series from the page once all its handles are destroyed.
  public func destroyTimer(_ handler: any TimerHandler) { destroy(handler) }

  private func destroy(_ handler: Any) {
    guard let id = (handler as? any MetricCell)?.id else { return }
    state.withLock { state in
      guard let series = state.families[id.label]?.series[id.labels] else { return }
      state.families[id.label]?.series[id.labels] =
        series.uses > 1 ? Series(cell: series.cell, uses: series.uses - 1) : nil
    }
  }

  /// Finds or makes the cell of a series. A series that may not be on the page counts as overflow;
  /// a series whose metric may not be there is not counted.
  private func cell<Cell: MetricCell>(
    _ label: String,
    _ dimensions: [(String, String)],
    _ kind: MetricsPage.Kind,
    unit: MetricDescription.Unit? = nil,
    _ make: (SeriesID?, MetricDescription) -> Cell
  ) -> Cell {
    let labels = SeriesLabels(dimensions)
    var description = descriptions[label] ?? MetricDescription(label, "")
    if let unit { description.unit = unit }
    let found: Cell? = state.withLock { state in
      var family = state.families[label] ?? Family(kind: kind, description: description)
      guard family.kind == kind, state.families[label] != nil || state.families.count < familyLimit
      else {
        state.refusedFamilies += 1
        return nil
      }
      defer { state.families[label] = family }
      if let series = family.series[labels] {
        guard let cell = series.cell as? Cell else { return nil }
        family.series[labels]?.uses += 1
        return cell
      }
      guard family.series.count < seriesLimit else {
        family.refusals += 1
        let overflow = family.overflow as? Cell ?? make(nil, description)
        family.overflow = overflow
        return overflow
      }
      let cell = make(SeriesID(label: label, labels: labels), description)
      family.series[labels] = Series(cell: cell, uses: 1)
      return cell
    }
    return found ?? make(nil, description)
  }
}
