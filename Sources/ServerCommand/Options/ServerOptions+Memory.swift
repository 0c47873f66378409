// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import LayoutEngine
import LayoutService

/// Limits of memory and storage.
extension ServerOptions {
  /// Memory by owner.
  static let memory: [Number] = [
    Number(
      "maxServerBytes",
      "bytes of memory for all clients and collections together",
      (1 << 20) ... (1 << 44),
      \.service.memory.server
    ),
    Number(
      "maxPeerBytes",
      "bytes of memory for one peer address, over all its connections",
      (1 << 20) ... (1 << 44),
      \.service.memory.peer
    ),
    Number(
      "maxConnectionBytes",
      "bytes of memory for one connection: its sessions and calls",
      (1 << 20) ... (1 << 44),
      \.service.memory.connection
    ),
    Number(
      "maxSessionBytes",
      "bytes of memory for one session, or for one other call",
      (1 << 20) ... (1 << 44),
      \.service.memory.session
    ),
    Number(
      "maxCollectionBytes",
      "bytes of memory for one collection: its contents and history",
      (1 << 20) ... (1 << 44),
      \.service.memory.collection
    ),
  ]

  /// Collections.
  static let storage: [Number] = [
    Number("maxCollections", "collections", 1 ... 10_000_000, \.service.store.collectionCount),
    Number(
      "residentBytes",
      "bytes of memory for all collections; unused ones are unloaded first, then requests are refused",
      (1 << 20) ... (1 << 44),
      \.service.store.residentBytes
    ),
    Number(
      "maxLayouts",
      "named layouts of one collection",
      1 ... 10_000,
      \.service.store.layoutCount
    ),
    Number(
      "maxLayoutBytes",
      "bytes of the named layouts of one collection together",
      1024 ... (1 << 30),
      \.service.store.layoutBytes
    ),
    Number(
      "maxRecordBytes",
      "bytes of a collection's name, labels and default layout",
      (1 << 10) ... (4 << 20),
      \.service.store.recordBytes
    ),
    Number(
      "maxTotalRecordBytes",
      "bytes of the names, labels, default and named layouts of all collections",
      (1 << 10) ... (1 << 40),
      \.service.store.totalRecordBytes
    ),
    Number(
      "historyBatches",
      "committed batches that each collection keeps for WatchUpdates",
      0 ... 1_000_000,
      \.service.store.historyCount
    ),
    Number(
      "historyBytes",
      "bytes of committed batches that each collection keeps for WatchUpdates",
      0 ... (1 << 40),
      \.service.store.historyBytes
    ),
  ]

  /// Prepared layouts.
  static let engine: [Number] = [
    Number(
      "cacheBytes",
      "bytes of memory for the cache of prepared layouts",
      0 ... (1 << 44),
      \.service.engine.byteLimit
    ),
    Number(
      "layoutThreads",
      "threads for large layout computations",
      1 ... 1024,
      \.service.engine.threadCount
    ),
  ]
}
