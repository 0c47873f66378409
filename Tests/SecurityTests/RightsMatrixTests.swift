// SPDX-License-Identifier: Apache-2.0

import GRPCCore
import LayoutProtocol
import LayoutTrust
import SwiftProtobuf
import Testing

@testable import LayoutService

/// What a method needs.
private enum Need: Sendable {
  /// No credentials.
  case nothing
  /// Any role on anything.
  case anyRole
  /// A session of the caller's own.
  case session
  /// A role on a collection.
  case role(Role)
  /// The right to create a collection.
  case creation
}

/// A call of one method, made for a collection.
private struct SampleCall: Sendable {
  var need: Need
  /// The requests for a collection of this identifier, which has a named layout "l".
  var requests: @Sendable (String) -> [any Message]

  init(_ need: Need, _ request: @escaping @Sendable (String) -> any Message) {
    self.need = need
    requests = { [request($0)] }
  }

  init(_ need: Need, several requests: @escaping @Sendable (String) -> [any Message]) {
    self.need = need
    self.requests = requests
  }
}

/// A call of each method of the server.
private let samples: [String: SampleCall] = [
  "collection_layout.v1.CollectionService/CreateCollection": .init(.creation) { id in
    Wire.CreateCollectionRequest.with { $0.collectionID = id }
  },
  "collection_layout.v1.CollectionService/GetCollection": .init(.role(.view)) { id in
    Wire.GetCollectionRequest.with { $0.name = "collections/\(id)" }
  },
  "collection_layout.v1.CollectionService/ListCollections": .init(.anyRole) { _ in
    Wire.ListCollectionsRequest()
  },
  "collection_layout.v1.CollectionService/UpdateCollection": .init(.role(.edit)) { id in
    Wire.UpdateCollectionRequest.with {
      $0.collection.name = "collections/\(id)"
      $0.collection.displayName = "x"
    }
  },
  "collection_layout.v1.CollectionService/DeleteCollection": .init(.role(.admin)) { id in
    Wire.DeleteCollectionRequest.with { $0.name = "collections/\(id)" }
  },
  "collection_layout.v1.CollectionService/ImportContents": .init(
    .role(.edit),
    several: { id in
      [
        Wire.ImportContentsRequest.with { $0.header.name = "collections/\(id)" },
        Wire.ImportContentsRequest.with { $0.end = .init() },
      ]
    }
  ),
  "collection_layout.v1.CollectionService/ExportContents": .init(.role(.view)) { id in
    Wire.ExportContentsRequest.with { $0.name = "collections/\(id)" }
  },
  "collection_layout.v1.CollectionService/ApplyUpdates": .init(.role(.edit)) { id in
    Wire.ApplyUpdatesRequest.with {
      $0.name = "collections/\(id)"
      $0.batch = .insertion()
    }
  },
  "collection_layout.v1.CollectionService/TransferItems": .init(.role(.edit)) { id in
    Wire.TransferItemsRequest.with {
      $0.source.name = "collections/\(id)"
      $0.source.paths = [.with { $0.item = 0 }]
      $0.destination.name = "collections/own-t"
      $0.destination.at.section = 0
    }
  },
  "collection_layout.v1.CollectionService/WatchUpdates": .init(.role(.view)) { id in
    Wire.WatchUpdatesRequest.with { $0.name = "collections/\(id)" }
  },
  "collection_layout.v1.CollectionService/CreateLayout": .init(.role(.edit)) { id in
    Wire.CreateLayoutRequest.with {
      $0.parent = "collections/\(id)"
      $0.layoutID = "m"
      $0.layout.layout.list.rowHeight = 10
    }
  },
  "collection_layout.v1.CollectionService/GetLayout": .init(.role(.view)) { id in
    Wire.GetLayoutRequest.with { $0.name = "collections/\(id)/layouts/l" }
  },
  "collection_layout.v1.CollectionService/ListLayouts": .init(.role(.view)) { id in
    Wire.ListLayoutsRequest.with { $0.parent = "collections/\(id)" }
  },
  "collection_layout.v1.CollectionService/UpdateLayout": .init(.role(.edit)) { id in
    Wire.UpdateLayoutRequest.with {
      $0.layout.name = "collections/\(id)/layouts/l"
      $0.layout.displayName = "x"
    }
  },
  "collection_layout.v1.CollectionService/DeleteLayout": .init(.role(.edit)) { id in
    Wire.DeleteLayoutRequest.with { $0.name = "collections/\(id)/layouts/l" }
  },
  "collection_layout.v1.LayoutQueryService/GetContentSize": .init(.role(.view)) { id in
    Wire.GetContentSizeRequest.with { $0.target = .sample(id) }
  },
  "collection_layout.v1.LayoutQueryService/QueryElements": .init(.role(.view)) { id in
    Wire.QueryElementsRequest.with { $0.target = .sample(id) }
  },
  "collection_layout.v1.LayoutQueryService/BatchGetAttributes": .init(.role(.view)) { id in
    Wire.BatchGetAttributesRequest.with { $0.target = .sample(id) }
  },
  "collection_layout.v1.LayoutQueryService/HitTest": .init(.role(.view)) { id in
    Wire.HitTestRequest.with {
      $0.target = .sample(id)
      $0.point.x = 1
    }
  },
  "collection_layout.v1.LayoutQueryService/ComputeScrollTarget": .init(.role(.view)) { id in
    Wire.ComputeScrollTargetRequest.with {
      $0.target = .sample(id)
      $0.request.element.key.category = .cell
      $0.request.element.key.indexPath.item = 5
    }
  },
  "collection_layout.v1.LayoutQueryService/FindNeighbor": .init(.role(.view)) { id in
    Wire.FindNeighborRequest.with {
      $0.target = .sample(id)
      $0.request.step = .first
    }
  },
  "collection_layout.v1.LayoutQueryService/GetScrollMap": .init(.role(.view)) { id in
    Wire.GetScrollMapRequest.with {
      $0.target = .sample(id)
      $0.bucketCount = 2
    }
  },
  "collection_layout.v1.LayoutQueryService/ValidateLayout": .init(.anyRole) { _ in
    Wire.ValidateLayoutRequest.with { $0.layout.list.rowHeight = 10 }
  },
  "collection_layout.v1.LayoutQueryService/GetServerInfo": .init(.anyRole) { _ in
    Wire.GetServerInfoRequest()
  },
  "collection_layout.v1.LayoutQueryService/GetExpansions": .init(.session) { id in
    Wire.GetExpansionsRequest.with { $0.session = "sessions/\(id)" }
  },
  "collection_layout.v1.LayoutSessionService/StreamLayout": .init(.role(.view)) { id in
    Wire.StreamLayoutRequest.with {
      $0.eventSeq = 1
      $0.open.collection = "collections/\(id)"
      $0.open.viewport.size.width = 100
      $0.open.viewport.size.height = 100
    }
  },
  "grpc.health.v1.Health/Check": .init(.nothing) { _ in Grpc_Health_V1_HealthCheckRequest() },
  "grpc.health.v1.Health/List": .init(.nothing) { _ in Grpc_Health_V1_HealthListRequest() },
  "grpc.health.v1.Health/Watch": .init(.nothing) { _ in Grpc_Health_V1_HealthCheckRequest() },
  "grpc.reflection.v1.ServerReflection/ServerReflectionInfo": .init(.anyRole) { _ in
    Grpc_Reflection_V1_ServerReflectionRequest.with { $0.listServices = "" }
  },
]

extension Wire.LayoutTarget {
  fileprivate static func sample(_ id: String) -> Wire.LayoutTarget {
    .with {
      $0.collection = "collections/\(id)"
      $0.viewport.size.width = 100
      $0.viewport.size.height = 100
    }
  }
}

@Suite("Rights of every method", .timeLimit(.minutes(5)))
struct RightsMatrixTests {
  /// One that is there and one that is not, of those that roles are about and of others.
  private static let (own, ownUnknown) = ("own-a", "own-b")
  private static let (foreign, foreignUnknown) = ("not-a", "not-b")

  /// Roles as tokens are named after them.
  private static let roles: [Role?] = [nil, .view, .edit, .admin]

  private static func token(_ role: Role?) -> String { "\(role?.rawValue ?? "none")-token" }

  @Test("every method of the server has a sample")
  func complete() {
    let methods = Set(LayoutServices.methods.map(\.fullyQualifiedMethod))
    #expect(methods == Set(samples.keys))
    // And every method that clients are told of is one of the server's.
    let set = DescriptorIndex().services
    #expect(Set(set) == Set(methods.map { String($0.prefix { $0 != "/" }) }))
  }

  @Test("every method asks for its role, on own collections, and knows no others")
  func matrix() async throws {
    try await SecuredServer.with(.init(isEncrypted: false)) { server in
      try await server.connect { client in
        for method in LayoutServices.methods {
          guard let sample = samples[method.fullyQualifiedMethod] else { continue }
          await check(method, sample, without: client)
          for role in Self.roles {
            try await prepare(client)
            await check(method, sample, of: role, client)
          }
        }
      }
    }
  }

  /// The collections that are there, as if nothing had happened to them.
  private func prepare(_ client: SecuredClient) async throws {
    for id in [Self.own, Self.ownUnknown, Self.foreign, Self.foreignUnknown, "own-t"] {
      _ = try await client.collections.deleteCollection(
        .with {
          $0.name = "collections/\(id)"
          $0.allowMissing = true
        },
        metadata: .bearer("root-token")
      )
    }
    for id in [Self.own, Self.foreign, "own-t"] {
      try await client.create(id)
      _ = try await client.collections.createLayout(
        .with {
          $0.parent = "collections/\(id)"
          $0.layoutID = "l"
          $0.layout.layout.list.rowHeight = 10
        },
        metadata: .bearer("root-token")
      )
    }
  }

  private func check(
    _ method: MethodDescriptor,
    _ sample: SampleCall,
    without client: SecuredClient
  ) async {
    let name = method.fullyQualifiedMethod
    for token in [nil, "wrong"] {
      var outcomes: Set<Outcome> = []
      for id in [Self.own, Self.ownUnknown, Self.foreign, Self.foreignUnknown] {
        outcomes.insert(await client.outcome(of: method, sample.requests(id), token: token))
      }
      let wanted: RPCError.Code? = if case .nothing = sample.need { nil } else { .unauthenticated }
      #expect(outcomes.count == 1 && outcomes.first?.code == wanted, "\(name) \(outcomes)")
    }
  }

  private func check(
    _ method: MethodDescriptor,
    _ sample: SampleCall,
    of role: Role?,
    _ client: SecuredClient
  ) async {
    func outcome(_ id: String) async -> Outcome {
      await client.outcome(of: method, sample.requests(id), token: Self.token(role))
    }
    // Those first that are not there: what creates collections would change that.
    let foreignUnknown = await outcome(Self.foreignUnknown)
    let foreign = await outcome(Self.foreign)
    let ownUnknown = await outcome(Self.ownUnknown)
    let own = await outcome(Self.own)
    let place: Comment =
      "\(method.fullyQualifiedMethod) \(role?.rawValue ?? "none"): \(own), \(ownUnknown), \(foreign)"
    #expect(foreignUnknown.renaming(Self.foreignUnknown, to: Self.foreign) == foreign, place)
    switch sample.need {
    case .nothing:
      #expect([own, ownUnknown, foreign].allSatisfy { $0.code == nil }, place)
    case _ where role == nil:
      let codes = Set([own, ownUnknown, foreign])
      #expect(codes.count == 1 && own.code == .permissionDenied, place)
    case .anyRole:
      #expect([own, ownUnknown, foreign].allSatisfy { $0.code == nil }, place)
    case .session:
      #expect([own, ownUnknown, foreign].allSatisfy { $0.code == .notFound }, place)
    case .creation:
      #expect(foreign.code == .permissionDenied, place)
      #expect(own.code == (role == .admin ? .alreadyExists : .permissionDenied), place)
      #expect(ownUnknown.code == (role == .admin ? nil : .permissionDenied), place)
    case .role(let needed):
      let isAllowed = role.map { $0 >= needed } ?? false
      #expect(foreign.code == .notFound, place)
      #expect(own.code == (isAllowed ? nil : .permissionDenied), place)
      #expect(ownUnknown.code == (isAllowed ? .notFound : .permissionDenied), place)
    }
  }
}
