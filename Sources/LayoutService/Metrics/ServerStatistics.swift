// SPDX-License-Identifier: Apache-2.0

public import CollectionStore
public import LayoutEngine
internal import ResourceAccounting
internal import Synchronization

/// What the server holds at one moment, for metrics and operators.
public struct ServerStatistics: Sendable {
  /// Open connections.
  public var connections = 0
  /// Layout streams, including those that have not sent their first request.
  public var streams = 0
  /// Sessions with a stream.
  public var sessions = 0
  /// Sessions without a stream, which wait for their clients.
  public var detachedSessions = 0
  /// Bytes that detached sessions keep, not counting what they share with others.
  public var detachedBytes = 0
  /// Groups of viewers that share measured sizes: combinations of collection, renderer, layout and
  /// container.
  public var measurementGroups = 0
  /// Bytes of shared sizes.
  public var measurementBytes = 0
  /// Bytes charged for all clients, collections and the cache together.
  public var memoryBytes = 0
  /// The limit of `memoryBytes`.
  public var memoryLimit = 0
  /// The cache of prepared layouts.
  public var engine = EngineStatistics()
  /// The collections.
  public var collections = RegistryStatistics()
  /// How often the transport's guards acted, by the name of the action.
  public var transportEvents: [String: Int] = [:]
  /// Whether a shutdown has begun.
  public var isDraining = false
  /// Why the store does not work; nil = it works.
  public var storeFault: StorageFault?

  /// Creates statistics with all zeros.
  public init() {}
}

extension LayoutServer {
  /// What the server holds at this moment.
  ///
  /// - Complexity: O(collections)
  public var statistics: ServerStatistics {
    var statistics = ServerStatistics()
    statistics.connections = connectionCount
    statistics.streams = services.sessions.streamCount
    statistics.sessions = services.sessions.count
    statistics.detachedSessions = services.sessions.detachedCount
    statistics.detachedBytes = services.sessions.detachedByteCount
    let measurements = services.metrics.measurements
    statistics.measurementGroups = measurements.groups.load(ordering: .relaxed)
    statistics.measurementBytes = measurements.bytes.load(ordering: .relaxed)
    statistics.memoryBytes = services.accounts.server.used
    statistics.memoryLimit = services.accounts.limits.server
    statistics.engine = services.engine.statistics
    statistics.collections = services.registry.statistics
    statistics.transportEvents = transportEvents
    statistics.isDraining = services.drain.isLeaving
    statistics.storeFault = services.registry.health.fault
    return statistics
  }

  /// Whether a shutdown has begun, and why the store does not work; nil = it works.
  package var readiness: (isDraining: Bool, storeFault: StorageFault?) {
    (services.drain.isLeaving, services.registry.health.fault)
  }

  /// The version that clients are told.
  public var version: String { services.configuration.version }
}
