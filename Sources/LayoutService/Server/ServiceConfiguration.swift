// SPDX-License-Identifier: Apache-2.0

public import CollectionStore
public import LayoutEngine
internal import LayoutSession

/// Everything about a server that its operator chooses, except where it listens.
public struct ServiceConfiguration: Sendable {
  /// Told to clients.
  public var version: String
  public var limits: ServerLimits
  public var memory: MemoryLimits
  /// For calls other than StreamLayout.
  public var calls: CallLimits
  public var timing: ServiceTiming
  public var resume: ResumeLimits
  public var engine: LayoutEngine.Configuration
  /// Whose `contents` follow `limits`, and whose `collectionBytes` follow `memory`.
  public var store: StoreLimits
  public var transport: TransportLimits

  public init(
    version: String = "0.1.0",
    limits: ServerLimits = .init(),
    memory: MemoryLimits = .init(),
    calls: CallLimits = .init(),
    timing: ServiceTiming = .init(),
    resume: ResumeLimits = .init(),
    engine: LayoutEngine.Configuration = .init(),
    store: StoreLimits = .init(),
    transport: TransportLimits = .init()
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
  }
}

/// What clients may ask for at most.
public struct ServerLimits: Hashable, Sendable {
  /// Open streams.
  public var sessions = 10_000
  public var itemsPerCollection = 10_000_000
  public var sectionsPerCollection = 100_000
  public var operationsPerBatch = 10_000
  public var elementsPerFrame = 20_000
  /// Of one request. Above it the call ends with MESSAGE_TOO_LARGE.
  public var messageBytes = 4 << 20
  /// Events of one stream in a second, changes of the viewport aside, in the long run…
  public var eventsPerSecond = 2000
  /// …and at once.
  public var eventBurst = 4000
  /// Events of one stream that wait to be worked on; beyond them the stream is not read.
  public var waitingEvents = 64
  /// What these keep in memory, in bytes, decoded; beyond that the stream is not read. One request is
  /// always taken, whatever its size.
  public var waitingEventBytes = 4 << 20
  /// Elements in the rect of one query, pages taken together.
  public var elementsPerQuery = 1_000_000

  public init() {}
}

/// What clients may make the server keep in memory, in bytes. What is above a limit is refused with
/// QUOTA_MEMORY, which names it.
public struct MemoryLimits: Hashable, Sendable {
  /// All together. Prepared layouts that nobody uses are dropped before anything is refused.
  public var server = 4 << 30
  /// One machine, over all its connections.
  public var peer = 1 << 30
  /// One connection: its sessions, with and without a stream, and its other calls.
  public var connection = 512 << 20
  /// One session, or one other call: contents of its own, and the layouts that it looks at. What
  /// sessions of one connection share counts once for the connection.
  public var session = 256 << 20
  /// One collection: its contents and what is kept of its history.
  public var collection = 1 << 30

  public init() {}
}

/// How long things may take.
public struct ServiceTiming: Hashable, Sendable {
  /// For the first request of a stream.
  public var open: Duration = .seconds(5)
  /// For the layout of large contents that a first frame waits for; then it shows the beginning.
  public var beginning: Duration = .milliseconds(10)
  /// For one write that the client does not take; then its stream ends.
  public var write: Duration = .seconds(30)
  /// That a client may leave frames unacknowledged until it is told that it is slow…
  public var slowNotice: Duration = .seconds(10)
  /// …and until its stream ends.
  public var slowEnd: Duration = .seconds(30)
  /// For a data version that a query waits for, where the call has no deadline of its own.
  public var longestWait: Duration = .seconds(30)
  /// Between signs of life on a quiet stream of updates.
  public var watchInterval: Duration = .seconds(15)
  /// Over which streams are told to come back after the server goes away.
  public var reconnectSpread: Duration = .seconds(2)
  /// From the beginning of a shutdown to its end, whatever clients do.
  public var shutdown: Duration = .seconds(5)

  public init() {}

  var patience: ClientPatience { ClientPatience(notice: slowNotice, end: slowEnd) }
}

/// What is kept of sessions that lost their stream.
public struct ResumeLimits: Hashable, Sendable {
  /// How long a session of a shared collection is kept…
  public var grace: Duration = .seconds(60)
  /// …and one of private contents, which nobody else has.
  public var privateGrace: Duration = .seconds(600)
  /// How many are kept; beyond that the oldest go.
  public var sessions = 10_000
  /// What those that are kept may have for themselves, beside what is shared.
  public var bytes = 256 << 20
  /// Of a token, at least a second.
  public var tokenLifetime: Duration = .seconds(86_400)
  /// How old a client's newest token may become before a heartbeat brings another; nil = half the
  /// lifetime of one.
  public var tokenRenewal: Duration?
  /// What tokens are signed with; servers that share it know each other's tokens. "" = the secret
  /// that the store keeps (`CollectionStorage.secret`), so that tokens outlive a restart as
  /// collections do.
  public var secret = ""

  public init() {}

  var renewal: Duration { tokenRenewal ?? tokenLifetime / 2 }

  func grace(isPrivate: Bool) -> Duration { isPrivate ? privateGrace : grace }
}
