// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import ResourceAccounting

extension LayoutEngine {
  /// Works on a request: a small one at once, a large one on an engine thread, so that it delays
  /// nobody else.
  ///
  /// - Parameters:
  ///   - isLimited: whether a large one may be refused because too much is waiting.
  ///   - account: the call's account, whose turn it takes.
  /// - Throws: what `work` throws; `CancellationError` if the call ended before the work began.
  nonisolated func read<Value: Sendable>(
    isLarge: Bool,
    isLimited: Bool = true,
    for account: @autoclosure () -> Account,
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard isLarge else { return try work() }
    return try await performUninterrupted(for: account(), isLimited: isLimited, work)
  }
}

extension LayoutEngine {
  /// Applies large batches on an engine thread, when it is the account's turn.
  ///
  /// - Parameter spend: called with the processor time that a batch took, in seconds.
  nonisolated func applier(
    isLarge: Bool,
    for account: @autoclosure @escaping @Sendable () -> Account,
    spend: @escaping @Sendable (Double) -> Void = { _ in }
  ) -> BatchApplier {
    BatchApplier(isLarge: isLarge) { apply in
      // Never refused for how much waits: the batch would then be applied on a shared thread. A
      // collection has one at a time, and calls are limited by themselves.
      try await self.performUninterrupted(for: account(), isLimited: false) {
        let start = ProcessorTime.ofThread
        defer { spend(ProcessorTime.ofThread - start) }
        apply()
      }
    }
  }
}

extension LayoutEngine {
  /// Builds the key index of large contents on an engine thread, when it is the account's turn. The
  /// contents keep the index for the next search.
  nonisolated func indexKeys(
    of contents: CollectionContents,
    for account: @autoclosure () -> Account
  ) async throws {
    guard contents.itemCount + contents.sectionCount > Self.fewKeys, !contents.hasKeyIndex
    else { return }
    _ = try await performUninterrupted(for: account()) { contents.indexPath(ofItemKey: "") }
  }

  /// Computes what is visible of large outlines on an engine thread, when it is the account's turn.
  /// The contents keep the result.
  nonisolated func showRows(
    of contents: CollectionContents,
    startingFrom base: ExpansionBase = .contents,
    for account: @autoclosure () -> Account
  ) async throws {
    guard contents.hasLargeOutlines else { return }
    _ = try await performUninterrupted(for: account()) {
      contents.rows(startingFrom: base).itemCount
    }
  }

  /// Indexing this many items and sections takes some milliseconds.
  fileprivate static var fewKeys: Int { 4000 }
}

extension CollectionContents {
  /// Whether computing what is visible takes more than some milliseconds.
  var hasLargeOutlines: Bool { hasOutlines && itemCount > LayoutEngine.fewKeys }
}

extension Sequence<CommittedChange> {
  /// The changes in rows, as viewers with this base see them. Skips the first changes whose rows
  /// are not known, since computing them would take time.
  func inRows(startingFrom base: ExpansionBase) -> [VersionedChange] {
    drop { !$0.change.knowsRows(startingFrom: base) }
      .map { VersionedChange(newVersion: $0.version, change: $0.change.rows(startingFrom: base)) }
  }
}

extension Wire.CollectionContents {
  /// Whether checking and building them takes long, which depends on the number of blocks: each has
  /// columns of its own.
  var isLarge: Bool { sections.contains { $0.isLarge } || sections.count > Wire.largeCount }
}

extension Wire.Section {
  var isLarge: Bool { blocks.count > Wire.largeCount }
}

extension Wire.UpdateBatch {
  /// Whether checking it takes long.
  var isLarge: Bool {
    switch change {
    case .operations(let message): message.operations.count > Wire.largeCount
    case .snapshot: true
    case .outline(let message):
      message.edits.count > Wire.largeCount || message.edits.contains { $0.isLarge }
    case nil: false
    }
  }
}

extension Wire.OutlineEdit {
  fileprivate var isLarge: Bool {
    switch edit {
    case .insert(let insert): insert.blocks.count > Wire.largeCount
    case .replaceChildren(let replace): replace.blocks.count > Wire.largeCount
    case .remove(let remove): remove.keys.count > Wire.largeCount
    case .expansion, .move, nil: false
    }
  }
}

extension Wire {
  /// Requests with more parts than this take some milliseconds, so they are not worked on at once.
  fileprivate static let largeCount = 2000
}
