// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import CollectionStore
import Metrics
import StoreTesting
import Synchronization
import Testing

@Suite("Measured storages", .timeLimit(.minutes(1)))
struct MeasuredStorageTests {
  @Test(
    "a deletion is measured, also in a storage that servers share",
    arguments: [false, true]
  )
  func deletions(isShared: Bool) async throws {
    let memory = MemoryStorage(keepsContents: isShared)
    #expect((memory.shared != nil) == isShared)
    let operations = Mutex<[String]>([])
    let storage = MeasuredStorage(memory, metrics: NOOPMetricsHandler.instance) { name, _, _ in
      operations.withLock { $0.append(name) }
    }
    let registry = CollectionRegistry(storage: storage, codec: TestCodec())
    _ = try await registry.create(CollectionRecord(id: "a"), contents: .empty)
    try await registry.delete("a")
    #expect(operations.withLock { $0 } == ["create", "delete"])
    #expect(await memory.collections().isEmpty)
  }
}
