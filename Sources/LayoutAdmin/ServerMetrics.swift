// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutEngine
internal import LayoutMetrics
internal import LayoutService

/// Describes the metrics that a server makes, and adds those that are read for each page.
enum ServerMetrics {
  /// The metrics that are counted as things happen.
  static let descriptions: [MetricDescription] = [
    MetricDescription(
      ServiceMetricLabel.calls,
      "Durations of calls, by method and status; of a layout stream its whole life."
    ),
    MetricDescription(
      ServiceMetricLabel.refusals,
      "Refused calls, streams and events, by reason."
    ),
    MetricDescription(
      ServiceMetricLabel.openings,
      "Layout streams that were opened, and resumes that failed, by outcome."
    ),
    MetricDescription(
      ServiceMetricLabel.endings,
      "Layout streams that ended, by reason."
    ),
    MetricDescription(
      ServiceMetricLabel.events,
      "Events on layout streams, by kind."
    ),
    MetricDescription(
      ServiceMetricLabel.frames,
      "Frames that were sent on layout streams, keyframes included."
    ),
    MetricDescription(
      ServiceMetricLabel.sharedFrames,
      "Of the frames that were sent, those that another session in the same state had made."
    ),
    MetricDescription(ServiceMetricLabel.keyframes, "Keyframes that were sent."),
    MetricDescription(
      ServiceMetricLabel.elements,
      "Elements that frames added or changed."
    ),
    MetricDescription(
      ServiceMetricLabel.sentBytes,
      "Bytes of messages that were sent on layout streams.",
      unit: .bytes
    ),
    MetricDescription(
      ServiceMetricLabel.latency,
      "From a commit to a frame that shows it, for each viewer; of several commits, the oldest.",
      buckets: MetricDescription.workBuckets
    ),
    MetricDescription(
      ServiceMetricLabel.slowNotices,
      "Clients that were told that they acknowledge frames too slowly."
    ),
    MetricDescription(
      ServiceMetricLabel.sharedSizes,
      "Measured sizes that were offered to all viewers of a collection, by outcome."
    ),
    MetricDescription(
      LayoutDurations.label,
      "Durations of layout computations, by kind of layout; derive: from an older version.",
      buckets: MetricDescription.workBuckets
    ),
    MetricDescription(
      StoreMetricLabel.commits,
      "Commits: batches, and contents that were replaced."
    ),
    MetricDescription(
      StoreMetricLabel.commitBytes,
      "Bytes of the batches that were committed.",
      unit: .bytes
    ),
    MetricDescription(
      StoreMetricLabel.duration,
      "Durations of operations of the store that succeeded.",
      buckets: MetricDescription.workBuckets
    ),
    MetricDescription(StoreMetricLabel.failures, "Operations of the store that failed."),
  ]

  /// Adds the current values of a server.
  static func collect(
    _ statistics: ServerStatistics,
    version: String,
    _ page: inout MetricsPage
  ) {
    page.gauge(Gauges.build, 1, labels: [("version", version)])
    page.gauge(Gauges.draining, statistics.isDraining ? 1 : 0)
    page.gauge(Gauges.storeUp, statistics.storeFault == nil ? 1 : 0)
    page.gauge(Gauges.connections, Double(statistics.connections))
    page.gauge(Gauges.streams, Double(statistics.streams))
    page.gauge(Gauges.sessions, Double(statistics.sessions))
    page.gauge(Gauges.detached, Double(statistics.detachedSessions))
    page.gauge(Gauges.detachedBytes, Double(statistics.detachedBytes))
    page.gauge(Gauges.measurementGroups, Double(statistics.measurementGroups))
    page.gauge(Gauges.measurementBytes, Double(statistics.measurementBytes))
    page.gauge(Gauges.memory, Double(statistics.memoryBytes))
    page.gauge(Gauges.memoryLimit, Double(statistics.memoryLimit))
    for (event, count) in statistics.transportEvents {
      page.count(Gauges.transport, Int64(count), labels: [("event", event)])
    }
    collect(statistics.engine, &page)
    collect(statistics.collections, &page)
  }

  /// Adds the state of the programs that place layouts.
  static func collect(_ providers: [LayoutProviderStatus], _ page: inout MetricsPage) {
    for provider in providers {
      let labels = [("layout", provider.configuration.layout)]
      page.gauge(Gauges.providerUp, provider.isHealthy ? 1 : 0, labels: labels)
      let calls = [
        ("prepare", provider.answers - provider.updates), ("update", provider.updates),
      ]
      for (call, count) in calls {
        page.count(Gauges.providerAnswers, Int64(count), labels: labels + [("call", call)])
      }
      page.count(Gauges.providerFaults, Int64(provider.faults), labels: labels)
    }
  }

  private static func collect(_ engine: EngineStatistics, _ page: inout MetricsPage) {
    page.gauge(Gauges.cacheEntries, Double(engine.entries))
    page.gauge(Gauges.cacheBytes, Double(engine.bytes))
    let hits = Int64(clamping: engine.hits)
    let misses = Int64(clamping: engine.misses)
    page.count(Gauges.cacheRequests, hits, labels: [("result", "hit")])
    page.count(Gauges.cacheRequests, misses, labels: [("result", "miss")])
    page.count(Gauges.cacheEvictions, Int64(clamping: engine.evictions))
  }

  private static func collect(_ collections: RegistryStatistics, _ page: inout MetricsPage) {
    page.gauge(Gauges.collections, Double(collections.collections))
    page.gauge(Gauges.resident, Double(collections.resident))
    page.gauge(Gauges.residentBytes, Double(collections.residentBytes))
    page.gauge(Gauges.recordBytes, Double(collections.recordBytes))
    page.gauge(Gauges.logBatches, Double(collections.logBatches))
    page.gauge(Gauges.logBytes, Double(collections.logBytes))
    guard let files = collections.files else { return }
    page.gauge(Gauges.files, Double(files.database), labels: [("file", "database")])
    page.gauge(Gauges.files, Double(files.log), labels: [("file", "log")])
  }
}

/// The metrics that are read for each page.
private enum Gauges {
  static let build = MetricDescription(
    "layout.server.build",
    "Always 1; the version of the server is a label."
  )
  static let draining = MetricDescription(
    "layout.server.draining",
    "Whether a shutdown has begun: 1 or 0."
  )
  static let storeUp = MetricDescription(
    "store.up",
    "Whether the store works: 1 or 0."
  )
  static let connections = MetricDescription("layout.connections", "Open connections.")
  static let streams = MetricDescription(
    "layout.streams",
    "Layout streams, those included that have not sent their first request."
  )
  static let sessions = MetricDescription("layout.sessions", "Sessions with a stream.")
  static let detached = MetricDescription(
    "layout.sessions.detached",
    "Sessions whose stream broke, and which can be resumed."
  )
  static let detachedBytes = MetricDescription(
    "layout.sessions.detached.memory",
    "Memory of detached sessions, not counting what they share with others.",
    unit: .bytes
  )
  static let measurementGroups = MetricDescription(
    "layout.shared_measurements.groups",
    "Renderers, layouts and containers for which viewers share measured sizes."
  )
  static let measurementBytes = MetricDescription(
    "layout.shared_measurements.memory",
    "Memory of the measured sizes that viewers share.",
    unit: .bytes
  )
  static let memory = MetricDescription(
    "layout.memory.charged",
    "Memory that is charged to clients, collections and the cache together.",
    unit: .bytes
  )
  static let memoryLimit = MetricDescription(
    "layout.memory.limit",
    "The most memory that may be charged.",
    unit: .bytes
  )
  static let transport = MetricDescription(
    "layout.transport.events",
    "What the transport's guards did, by action."
  )
  static let cacheEntries = MetricDescription(
    "layout.cache.entries",
    "Prepared layouts in the cache."
  )
  static let cacheBytes = MetricDescription(
    "layout.cache",
    "Memory of prepared layouts in the cache, with their contents.",
    unit: .bytes
  )
  static let cacheRequests = MetricDescription(
    "layout.cache.requests",
    "Requests for prepared layouts, by result; a miss is a computation that began."
  )
  static let cacheEvictions = MetricDescription(
    "layout.cache.evictions",
    "Prepared layouts that left the cache because a limit was reached."
  )
  static let providerUp = MetricDescription(
    "layout.provider.up",
    "Whether the program that places a layout answered when it was asked last: 1 or 0."
  )
  static let providerAnswers = MetricDescription(
    "layout.provider.answers",
    "Answers of programs that place layouts, by call; update: only what a change moved."
  )
  static let providerFaults = MetricDescription(
    "layout.provider.faults",
    "Calls of programs that place layouts that failed."
  )
  static let collections = MetricDescription("layout.collections", "Collections, in memory or not.")
  static let resident = MetricDescription(
    "layout.collections.resident",
    "Collections whose contents are in memory."
  )
  static let residentBytes = MetricDescription(
    "layout.collections.resident.memory",
    "Memory of these collections, and of what is reserved for imports.",
    unit: .bytes
  )
  static let recordBytes = MetricDescription(
    "layout.collections.records",
    "Memory of the descriptions of all collections.",
    unit: .bytes
  )
  static let logBatches = MetricDescription(
    "store.log.batches",
    "Batches after their collections' snapshots, of collections in memory."
  )
  static let logBytes = MetricDescription("store.log", "Bytes of these batches.", unit: .bytes)
  static let files = MetricDescription(
    "store.file",
    "Sizes of the database and its write-ahead log.",
    unit: .bytes
  )
}
