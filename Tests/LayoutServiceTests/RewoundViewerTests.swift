// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import StoreTesting
import SwiftProtobuf
import Synchronization
import Testing

@testable import LayoutClient
@testable import LayoutService

@Suite("Viewers of a store that goes back", .timeLimit(.minutes(3)))
struct RewoundViewerTests {
  /// Storage that another one takes over.
  private final class ReplacedStorage: ForwardingStorage {
    private let state = Mutex(MemoryStorage(keepsContents: true))

    var memory: MemoryStorage { state.withLock { $0 } }
    var shared: (any SharedLog)? { memory.shared }

    func replace(by other: MemoryStorage) { state.withLock { $0 = other } }

    /// Storage in which the collection is as it is now.
    func copy() async throws -> MemoryStorage {
      let registry = CollectionRegistry(storage: memory, codec: ProtobufContentsCodec())
      try await registry.load()
      let state = try await registry.collection("a").snapshot
      let copy = MemoryStorage(keepsContents: true)
      try await copy.create(
        state.record,
        snapshot: ContentsSnapshot(
          version: state.record.dataVersion,
          contents: state.contents,
          codec: ProtobufContentsCodec()
        )
      )
      return copy
    }
  }

  @Test("they are sent what is stored, and edits that were made for lost versions are not stored")
  func replaced() async throws {
    let storage = ReplacedStorage()
    try await withServer(storage: storage) { clients in
      try await clients.createCollection(items: 100)
      _ = try await clients.insert(1)
      let copy = try await storage.copy()
      for _ in 0 ..< 2 { _ = try await clients.insert(10) }
      let configuration = ViewerConfiguration(
        source: .collection("collections/a"),
        viewport: ViewportChange(size: Size(width: 100, height: 200)),
        capabilities: ClientCapabilities(checksums: true, itemKeys: true)
      )
      let address = ServerAddress(host: "127.0.0.1", port: clients.port)
      try await LayoutClient.connect(to: address) { client in
        try await client.view(configuration) { viewer in
          try await viewer.settle()
          let before = await viewer.mirror
          #expect(before.dataVersion == 3 && before.contentSize.height == 1210)
          storage.replace(by: copy)
          // Another server reaches the same versions, and one more.
          let other = CollectionRegistry(storage: copy, codec: ProtobufContentsCodec())
          try await other.load()
          let collection = try await other.collection("a")
          for _ in 0 ..< 3 {
            let payload: [UInt8] = try Wire.UpdateBatch.inserting(1, at: 0).serializedBytes()
            let batch = try ProtobufContentsCodec().decodeBatch(payload)
            _ = try await collection.commit(batch) { payload }
          }
          // The server finds out with a commit, and goes on by itself if that is tried again.
          var version: UInt64 = 0
          for _ in 0 ..< 10 where version == 0 {
            version = (try? await clients.insert(1).dataVersion) ?? 0
          }
          #expect(version == 5)
          var outcome: LayoutViewer.Continuation?
          while outcome == nil {
            if case .reconnected(let found) = try await viewer.next() { outcome = found }
          }
          #expect(outcome == .reset)
          try await viewer.settle()
          let after = await viewer.mirror
          #expect(after.dataVersion == 5 && after.contentSize.height == 1050)
        }
      }
    }
  }
}
