// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import GRPCCore
internal import LayoutEngine
internal import LayoutProtocol
internal import SwiftProtobuf

/// All gRPC services of a server.
struct LayoutServices: RegistrableRPCService {
  private let sessions: SessionServices
  private let collections: CollectionResponder
  private let streams: CollectionStreams
  private let queries: QueryResponder
  private let health: HealthResponder
  private let reflection: ReflectionResponder
  private let messageLimit: Int

  init(_ sessions: SessionServices) {
    self.sessions = sessions
    collections = CollectionResponder(
      registry: sessions.registry,
      engine: sessions.engine,
      rules: sessions.rules
    )
    streams = CollectionStreams(
      responder: collections,
      timing: sessions.configuration.timing,
      drain: sessions.drain
    )
    queries = QueryResponder(
      subjects: QuerySubjects(
        registry: sessions.registry,
        sessions: sessions.sessions,
        engine: sessions.engine,
        rules: sessions.rules,
        timing: sessions.configuration.timing
      ),
      configuration: sessions.configuration
    )
    let index = DescriptorIndex()
    health = HealthResponder(services: index.services, drain: sessions.drain)
    reflection = ReflectionResponder(index: index)
    messageLimit = sessions.configuration.limits.messageBytes
  }

  func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    var methods = MethodRegistrar(router: router, messageLimit: messageLimit)
    registerSessions(&methods)
    registerCollections(&methods)
    registerQueries(&methods)
    registerStandard(&methods)
    router = methods.router
  }

  private func registerSessions<Transport>(_ methods: inout MethodRegistrar<Transport>) {
    let stream = SessionStream(services: sessions)
    methods.stream(CollectionLayout_V1_LayoutSessionService.Method.StreamLayout.descriptor) {
      try await stream.run($0, $1, context: $2)
    }
  }

  private func registerCollections<Transport>(_ methods: inout MethodRegistrar<Transport>) {
    typealias Method = CollectionLayout_V1_CollectionService.Method
    let (collections, streams) = (collections, streams)
    methods.unary(Method.CreateCollection.descriptor) { request, _ in
      try await collections.create(request)
    }
    methods.unary(Method.GetCollection.descriptor) { request, _ in try collections.get(request) }
    methods.unary(Method.ListCollections.descriptor) { request, _ in
      try collections.list(request)
    }
    methods.unary(Method.UpdateCollection.descriptor) { request, _ in
      try await collections.update(request)
    }
    methods.unary(Method.DeleteCollection.descriptor) { request, _ in
      try await collections.delete(request)
    }
    methods.unary(Method.ApplyUpdates.descriptor) { request, _ in
      try await collections.apply(request)
    }
    methods.clientStream(Method.ImportContents.descriptor) {
      try await streams.importContents($0, context: $1)
    }
    methods.serverStream(Method.ExportContents.descriptor) { request, writer, _ in
      try await streams.exportContents(request, to: writer)
    }
    methods.serverStream(Method.WatchUpdates.descriptor) { request, writer, _ in
      try await streams.watchUpdates(request, to: writer)
    }
  }

  private func registerQueries<Transport>(_ methods: inout MethodRegistrar<Transport>) {
    typealias Method = CollectionLayout_V1_LayoutQueryService.Method
    let queries = queries
    methods.unary(Method.GetContentSize.descriptor) {
      try await queries.contentSize($0, context: $1)
    }
    methods.unary(Method.QueryElements.descriptor) { try await queries.elements($0, context: $1) }
    methods.unary(Method.BatchGetAttributes.descriptor) {
      try await queries.attributes($0, context: $1)
    }
    methods.unary(Method.HitTest.descriptor) { try await queries.hitTest($0, context: $1) }
    methods.unary(Method.ComputeScrollTarget.descriptor) {
      try await queries.scrollTarget($0, context: $1)
    }
    methods.unary(Method.ValidateLayout.descriptor) { request, _ in try queries.validate(request) }
    methods.unary(Method.GetServerInfo.descriptor) {
      (_: Wire.GetServerInfoRequest, _) in await queries.serverInfo()
    }
  }

  private func registerStandard<Transport>(_ methods: inout MethodRegistrar<Transport>) {
    let (health, reflection) = (health, reflection)
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
    ) { requests, writer, _ in
      try await reflection.respond(requests, to: writer)
    }
  }
}
