// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import Foundation
import LayoutService

/// A file that server after server opens.
struct StoreFile: Sendable {
  let path: String

  func serve(
    _ configuration: ServiceConfiguration = .patient,
    _ body: @Sendable @escaping (Clients) async throws -> Void
  ) async throws {
    var configuration = configuration
    configuration.timing.watchInterval = .milliseconds(50)
    // So that the log is trimmed and snapshots are made on the way.
    configuration.store.snapshotBatchCount = 5
    let storage = try SQLiteStorage(path: path)
    do { try await withServer(configuration, storage: storage, body) } catch {
      try? storage.close()
      throw error
    }
    try storage.close()
  }
}

func withStore(_ body: (StoreFile) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("sharing-\(UUID().uuidString)", isDirectory: true)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await body(StoreFile(path: folder.appendingPathComponent("store.sqlite").path))
}
