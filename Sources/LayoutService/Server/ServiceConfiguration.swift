// SPDX-License-Identifier: Apache-2.0

public import CollectionStore
public import LayoutEngine
internal import LayoutSession
public import LayoutTrust

/// All settings of a server except its address and its storage.
public struct ServiceConfiguration: Sendable {
  /// The server's version, which GetServerInfo returns.
  public var version: String
  /// How much clients may request.
  public var limits: ServerLimits
  /// How much memory clients and collections may use.
  public var memory: MemoryLimits
  /// The limits of calls other than StreamLayout.
  public var calls: CallLimits
  /// Timeouts and intervals.
  public var timing: ServiceTiming
  /// How sessions are kept after their stream broke.
  public var resume: ResumeLimits
  /// The layout cache, its threads, and the limits of one computation.
  public var engine: LayoutEngine.Configuration
  /// The limits of the store. Its `contents` are replaced by those of `limits`, and its
  /// `collectionBytes` by `memory.collection`.
  public var store: StoreLimits
  /// The limits of connections. `LayoutServices` does not use them, since it does not own the
  /// transport.
  public var transport: TransportLimits
  /// The quotas of each identity, where the policy says nothing else. By default there are none.
  public var identity: IdentityQuotas

  /// Creates a configuration; every argument has a default.
  public init(
    version: String = ServiceConfiguration.buildVersion,
    limits: ServerLimits = .init(),
    memory: MemoryLimits = .init(),
    calls: CallLimits = .init(),
    timing: ServiceTiming = .init(),
    resume: ResumeLimits = .init(),
    engine: LayoutEngine.Configuration = .init(),
    store: StoreLimits = .init(),
    transport: TransportLimits = .init(),
    identity: IdentityQuotas = .init()
  ) {
    self.version = version
    self.limits = limits
    self.memory = memory
    self.calls = calls
    self.timing = timing
    self.resume = resume
    self.engine = engine
    self.store = store
    self.transport = transport
    self.identity = identity
  }
}

/// How much clients may request. Unless a limit says otherwise, a request above it is refused with
/// the reason in parentheses.
public struct ServerLimits: Hashable, Sendable {
  /// Open layout streams of all clients (QUOTA_SESSIONS).
  public var sessions = 10_000
  /// Layout streams of one address whose first request has not arrived yet (QUOTA_SESSIONS). An
  /// address is an IPv4 address or an IPv6 /64 network.
  public var unopenedStreamsPerAddress = 2000
  /// Items in one collection (QUOTA_ITEMS).
  public var itemsPerCollection = 10_000_000
  /// Sections in one collection (QUOTA_SECTIONS).
  public var sectionsPerCollection = 100_000
  /// Operations in one update batch (QUOTA_OPERATIONS).
  public var operationsPerBatch = 10_000
  /// UTF-8 bytes of the data that one item carries for renderers (FIELD_INVALID); 0 = items carry
  /// none. The store keeps some hundreds of items in one row.
  public var itemDataBytes = 1024
  /// Items of outlines that a session may have expanded or collapsed other than its base. 10,000 by
  /// default.
  public var expansionExceptions = 10_000
  /// Bytes of the measured sizes that viewers of one collection share, those included that nobody
  /// looks at. Beyond them sessions keep new sizes to themselves.
  public var sharedMeasurementBytes = 128 << 20
  /// Elements in one frame. If more are visible, the frame covers only a part of the viewport.
  public var elementsPerFrame = 20_000
  /// Bytes of one request. A larger one ends its call with MESSAGE_TOO_LARGE.
  public var messageBytes = 4 << 20
  /// Events that one stream may send per second in the long run. Viewport changes are not counted
  /// (QUOTA_EVENT_RATE).
  public var eventsPerSecond = 2000
  /// Events that one stream may send in a burst. Viewport changes are not counted.
  public var eventBurst = 4000
  /// Pending events of one stream. When this many are pending, the server stops reading the stream.
  public var waitingEvents = 64
  /// Bytes of memory for the pending events of one stream, after decoding. When they are used up,
  /// the server stops reading the stream. A single request is accepted even if it is larger.
  public var waitingEventBytes = 4 << 20
  /// Elements in the rect of one query, all pages together (QUOTA_ELEMENTS).
  public var elementsPerQuery = 1_000_000

  /// Creates the default limits.
  public init() {}
}

/// How much memory the server may use, in bytes. A request that would exceed a limit is refused
/// with QUOTA_MEMORY; the metadata name the limit.
public struct MemoryLimits: Hashable, Sendable {
  /// All clients, all collections and the cache together. Prepared layouts that are not in use are
  /// dropped before a request is refused.
  public var server = 4 << 30
  /// One peer address, over all its connections.
  public var peer = 1 << 30
  /// One connection: its sessions and its other calls, without imports and detached sessions.
  public var connection = 512 << 20
  /// One session, or one other call: its private contents and the layouts that it uses. A layout
  /// that several sessions of a connection share counts once for the connection.
  public var session = 256 << 20
  /// One collection: its contents and its history.
  public var collection = 1 << 30

  /// Creates the default limits.
  public init() {}
}

/// Timeouts and intervals.
public struct ServiceTiming: Hashable, Sendable {
  /// How long the server waits for the first request of a stream (OPEN_TIMEOUT).
  public var open: Duration = .seconds(5)
  /// How long a session's first frame waits for the layout of large contents. After that the frame
  /// shows the beginning of the contents, laid out alone, or a preview of a map. On maps of more
  /// than a million items it waits at most a millisecond.
  public var beginning: Duration = .milliseconds(10)
  /// How long newer edits may go on abandoning the whole layout while sessions show drafts. After
  /// that the whole of an older version is finished, and drafts follow from it. Default 1 s.
  public var drafting: Duration = .seconds(1)
  /// How long a session that has something in view waits for another layout of shared contents,
  /// before it shows the one that it has until the other is there. Default 1 s.
  public var standIn: Duration = .seconds(1)
  /// How long a session that goes without a layout that exceeds a limit waits before it lays out
  /// other contents. Default 30 s.
  public var refusedLayout: Duration = .seconds(30)
  /// How long one write may take while the client does not read; then its stream ends
  /// (SLOW_CLIENT).
  public var write: Duration = .seconds(30)
  /// How long frames may stay unacknowledged before the client gets a notice that it is slow.
  public var slowNotice: Duration = .seconds(10)
  /// How long frames may stay unacknowledged before the stream ends (SLOW_CLIENT).
  public var slowEnd: Duration = .seconds(30)
  /// How long a query waits for the data version that it asks for, unless the deadline of the call
  /// is earlier (DATA_VERSION_NOT_REACHED).
  public var longestWait: Duration = .seconds(30)
  /// The interval of WatchUpdates messages without a batch, which show that the call is alive.
  public var watchInterval: Duration = .seconds(15)
  /// The period over which clients are told to spread their reconnects when the server goes away.
  public var reconnectSpread: Duration = .seconds(2)
  /// How long a graceful shutdown goes on serving: health checks fail at once, and sessions are
  /// told one after another to go to another server. For several servers behind a proxy; zero = all
  /// are told at once.
  public var drain: Duration = .zero
  /// How long a graceful shutdown may take after that. After that all connections are closed.
  public var shutdown: Duration = .seconds(5)

  /// Creates the default timeouts.
  public init() {}

  var patience: ClientPatience { ClientPatience(notice: slowNotice, end: slowEnd) }
}

/// How sessions are kept after their stream broke, and how their resume tokens are signed.
public struct ResumeLimits: Hashable, Sendable {
  /// How long a detached session of a shared collection is kept.
  public var grace: Duration = .seconds(60)
  /// How long a detached session of private contents is kept. It is longer because nobody else has
  /// these contents.
  public var privateGrace: Duration = .seconds(600)
  /// How many detached sessions are kept. Beyond that the server drops a session of the address
  /// with the largest share, by number or memory: the oldest of that address's largest connection.
  public var sessions = 10_000
  /// How many detached sessions of one address are kept: an IPv4 address or an IPv6 /64 network.
  /// Beyond that the server drops the oldest session of that address's largest connection.
  public var sessionsPerAddress = 5000
  /// Bytes of memory that detached sessions may use, not counting what they share with others.
  /// Beyond that the server drops sessions as for `sessions`.
  public var bytes = 256 << 20
  /// How long a resume token is valid, at least a second.
  public var tokenLifetime: Duration = .seconds(86_400)
  /// The age of a client's newest token at which a heartbeat brings a new one; nil = half of
  /// `tokenLifetime`.
  public var tokenRenewal: Duration?
  /// The secret that signs tokens. Servers with the same secret accept each other's tokens. "" =
  /// the store's secret (`CollectionStorage.secret`), so that tokens survive a restart if the
  /// collections do.
  public var secret = ""

  /// Creates the default limits.
  public init() {}

  var renewal: Duration { tokenRenewal ?? tokenLifetime / 2 }

  func grace(isPrivate: Bool) -> Duration { isPrivate ? privateGrace : grace }
}
