// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionStore
public import GRPCCore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutTrust
public import Logging
public import Metrics
internal import SwiftProtobuf

/// All gRPC services of a layout server. Host them on your own `GRPCServer` to choose the transport
/// and the interceptors, for example in the same process:
///
///     let services = LayoutServices()
///     try await services.load()
///     let transport = InProcessTransport()
///     let server = GRPCServer(
///       transport: transport.server,
///       services: [services],
///       interceptors: [Authentication()]
///     )
///     try await server.serve()
///
/// `LayoutServer` hosts the same services over HTTP/2, and adds the connection limits that a server
/// on a network needs.
public struct LayoutServices: RegistrableRPCService {
  private let sessions: SessionServices
  private let collections: CollectionResponder
  private let layouts: LayoutResponder
  private let streams: CollectionStreams
  private let watch: UpdatesWatch
  private let queries: QueryResponder
  private let health: HealthResponder
  private let reflection: ReflectionResponder
  private let calls: CallServices
  private let codec: MessageCodec

  /// Creates the services. Call `load()` before they serve calls.
  ///
  /// - Parameters:
  ///   - configuration: limits and timeouts. `configuration.transport` is not used.
  ///   - layouts: custom layouts that clients may request by name, besides the built-in ones.
  ///   - storage: where collections are stored.
  ///   - logger: by default nothing is logged.
  ///   - metrics: makes the metrics, those of calls excepted, which are for an interceptor; by
  ///     default those that the process has chosen.
  public init(
    configuration: ServiceConfiguration = .init(),
    layouts: LayoutRegistry = .init(),
    storage: any CollectionStorage = MemoryStorage(),
    logger: Logger = Logger(label: "layout-services") { _ in SwiftLogNoOpLogHandler() },
    metrics: any MetricsFactory = MetricsSystem.factory
  ) {
    self.init(
      SessionServices(
        configuration: configuration,
        layouts: layouts,
        storage: storage,
        logger: logger,
        metrics: metrics
      )
    )
  }

  /// Reads the descriptions of all collections from the storage. Call this once, before the first
  /// call is served.
  ///
  /// - Throws: `StoreError` if the storage cannot be read.
  /// - Complexity: O(collections), independent of their size.
  public func load() async throws(StoreError) { try await sessions.registry.load() }

  /// Follows what other servers do to collections in the same storage, until the task is cancelled.
  /// Returns at once if nobody else writes to it.
  public func follow() async { await sessions.registry.follow() }

  /// Tells all streams that the server is going away, and accepts no new ones. Call this before
  /// `GRPCServer.beginGracefulShutdown()`. Repeated calls have no effect.
  public func beginDraining() { sessions.drain.begin() }

  /// The number of open layout streams.
  public var sessionCount: Int { sessions.sessions.count }

  /// The number of detached sessions: their stream broke, and their client can still resume them.
  public var detachedSessionCount: Int { sessions.sessions.detachedCount }

  init(_ sessions: SessionServices) {
    self.sessions = sessions
    collections = CollectionResponder(
      registry: sessions.registry,
      engine: sessions.engine,
      rules: sessions.rules,
      limits: sessions.configuration.calls,
      messageBytes: sessions.configuration.limits.messageBytes
    )
    layouts = LayoutResponder(
      collections: collections,
      rules: sessions.rules,
      limits: sessions.configuration.calls
    )
    codec = MessageCodec(
      limit: sessions.configuration.limits.messageBytes,
      engine: sessions.engine
    )
    calls = CallServices(
      sessions.configuration.calls,
      timing: sessions.configuration.timing,
      drain: sessions.drain,
      accounts: sessions.accounts,
      clock: sessions.clock,
      identities: sessions.identities,
      loads: sessions.loads,
      streams: sessions.streams,
      isGuarded: sessions.isGuarded,
      logger: sessions.logger
    )
    streams = CollectionStreams(responder: collections, codec: codec)
    watch = UpdatesWatch(
      responder: collections,
      timing: sessions.configuration.timing,
      drain: sessions.drain,
      large: LargeAnswers(settle: sessions.settle)
    )
    queries = QueryResponder(
      subjects: QuerySubjects(
        sessions: sessions.sessions,
        engine: sessions.engine,
        rules: sessions.rules,
        timing: sessions.configuration.timing,
        drain: sessions.drain,
        layouts: sessions.layouts
      ),
      configuration: sessions.configuration
    )
    let index = DescriptorIndex()
    health = HealthResponder(
      services: index.services,
      drain: sessions.drain,
      store: sessions.registry.health
    )
    reflection = ReflectionResponder(index: index)
  }

  /// The descriptors of all methods, from which the transport's guard learns their shapes.
  static var methods: [MethodDescriptor] {
    CollectionLayout_V1_LayoutSessionService.Method.descriptors
      + CollectionLayout_V1_CollectionService.Method.descriptors
      + CollectionLayout_V1_LayoutQueryService.Method.descriptors
      + Grpc_Health_V1_Health.Method.descriptors
      + Grpc_Reflection_V1_ServerReflection.Method.descriptors
  }

  /// Registers the methods of all services, including health and reflection.
  public func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    var methods = MethodRegistrar(router: router, calls: calls, codec: codec)
    registerSessions(&methods)
    registerCollections(&methods)
    registerLayouts(&methods)
    registerQueries(&methods)
    registerStandard(&methods)
    router = methods.router
  }

  private func registerSessions<Transport>(_ methods: inout MethodRegistrar<Transport>) {
    let stream = SessionStream(services: sessions)
    methods.stream(SessionStream.method) {
      try await stream.run($0, $1, lane: $3, context: $2)
    }
  }

  private func registerCollections<Transport>(_ methods: inout MethodRegistrar<Transport>) {
    typealias Method = CollectionLayout_V1_CollectionService.Method
    let (collections, streams, watch) = (collections, streams, watch)
    methods.unary(Method.CreateCollection.descriptor) { request, call in
      try await collections.create(request, call: call)
    }
    methods.unary(Method.GetCollection.descriptor) { request, call in
      try await collections.get(request, by: call.access)
    }
    methods.unary(
      Method.ListCollections.descriptor,
      isLarge: CollectionResponder.isLarge
    ) { request, call in
      try await collections.list(request, call: call)
    }
    methods.unary(Method.UpdateCollection.descriptor) { request, call in
      try await collections.update(request, call: call)
    }
    methods.unary(Method.DeleteCollection.descriptor) { request, call in
      try await collections.delete(request, by: call.access)
    }
    methods.unary(Method.ApplyUpdates.descriptor) { request, call in
      try await collections.apply(request, call: call)
    }
    methods.unary(Method.TransferItems.descriptor) { request, call in
      try await collections.transfer(request, call: call)
    }
    methods.clientStream(Method.ImportContents.descriptor, kind: .importing) {
      try await streams.importContents($0, call: $1)
    }
    methods.encodedServerStream(Method.ExportContents.descriptor) {
      try await streams.exportContents($0, to: $1, call: $2)
    }
    methods.encodedServerStream(Method.WatchUpdates.descriptor) { request, writer, call in
      try await watch.run(request, to: writer, for: call)
    }
  }

  private func registerLayouts<Transport>(_ methods: inout MethodRegistrar<Transport>) {
    typealias Method = CollectionLayout_V1_CollectionService.Method
    let layouts = layouts
    methods.unary(Method.CreateLayout.descriptor) { try await layouts.create($0, call: $1) }
    methods.unary(Method.GetLayout.descriptor) { request, call in
      try await layouts.get(request, by: call.access)
    }
    methods.unary(
      Method.ListLayouts.descriptor,
      isLarge: LayoutResponder.isLarge
    ) { request, call in
      try await layouts.list(request, call: call)
    }
    methods.unary(Method.UpdateLayout.descriptor) { try await layouts.update($0, call: $1) }
    methods.unary(Method.DeleteLayout.descriptor) { request, call in
      try await layouts.delete(request, call: call)
    }
  }

  private func registerQueries<Transport>(_ methods: inout MethodRegistrar<Transport>) {
    typealias Method = CollectionLayout_V1_LayoutQueryService.Method
    let queries = queries
    methods.unary(Method.GetContentSize.descriptor) {
      try await queries.contentSize($0, call: $1)
    }
    methods.unary(Method.QueryElements.descriptor, isLarge: QueryResponder.isLarge) {
      try await queries.elements($0, call: $1)
    }
    methods.unary(Method.BatchGetAttributes.descriptor, isLarge: QueryResponder.isLarge) {
      try await queries.attributes($0, call: $1)
    }
    methods.unary(Method.HitTest.descriptor) { try await queries.hitTest($0, call: $1) }
    methods.unary(Method.ComputeScrollTarget.descriptor) {
      try await queries.scrollTarget($0, call: $1)
    }
    methods.unary(Method.FindNeighbor.descriptor) { try await queries.neighbor($0, call: $1) }
    methods.unary(Method.GetScrollMap.descriptor, isLarge: QueryResponder.isLarge) {
      try await queries.scrollMap($0, call: $1)
    }
    methods.unary(Method.GetExpansions.descriptor, isLarge: QueryResponder.isLarge) {
      try await queries.expansions($0, call: $1)
    }
    let engine = sessions.engine
    methods.unary(Method.ValidateLayout.descriptor) { request, call in
      try await engine.read(isLarge: call.isLarge, for: call.account) {
        try queries.validate(request)
      }
    }
    methods.unary(Method.GetServerInfo.descriptor) {
      [identities = sessions.identities] (_: Wire.GetServerInfoRequest, call) in
      queries.serverInfo(
        for: identities.quotas(of: call.access),
        showsCache: call.access.allowsEverywhere(.admin)
      )
    }
  }

  private func registerStandard<Transport>(_ methods: inout MethodRegistrar<Transport>) {
    let (health, reflection, codec) = (health, reflection, codec)
    methods.unary(Grpc_Health_V1_Health.Method.Check.descriptor) { request, _ in
      try health.check(request)
    }
    methods.unary(Grpc_Health_V1_Health.Method.List.descriptor) {
      (_: Grpc_Health_V1_HealthListRequest, _) in health.list()
    }
    methods.serverStream(Grpc_Health_V1_Health.Method.Watch.descriptor) { request, writer, _ in
      try await health.watch(request, to: writer)
    }
    methods.bidirectional(
      Grpc_Reflection_V1_ServerReflection.Method.ServerReflectionInfo.descriptor
    ) {
      try await reflection.respond($0, to: $1, codec: codec, call: $2)
    }
  }
}
