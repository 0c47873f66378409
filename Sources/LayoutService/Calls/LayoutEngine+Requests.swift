// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import ResourceAccounting

extension LayoutEngine {
  /// Works on a request: at once where it is small, on a thread of the engine where it is large, so that
  /// it holds up nobody else.
  ///
  /// - Parameter account: of the call, whose turn it takes.
  /// - Throws: what `work` throws; `CancellationError` where the call ended before the work began.
  nonisolated func read<Value: Sendable>(
    isLarge: Bool,
    for account: @autoclosure () -> Account,
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard isLarge else { return try work() }
    return try await performUninterrupted(for: account(), work)
  }
}

extension LayoutEngine {
  /// Applies batches that take long on a thread of the engine, when it is the account's turn.
  ///
  /// - Parameter spend: told how long a batch took, in seconds.
  nonisolated func applier(
    isLarge: Bool,
    for account: @autoclosure @escaping @Sendable () -> Account,
    spend: @escaping @Sendable (Double) -> Void = { _ in }
  ) -> BatchApplier {
    BatchApplier(isLarge: isLarge) { apply in
      try await self.performUninterrupted(for: account()) {
        let start = ContinuousClock.now
        defer { spend((ContinuousClock.now - start) / .seconds(1)) }
        apply()
      }
    }
  }
}

extension LayoutEngine {
  /// Makes the index of the item keys of large contents, which the next search then has, on a thread of
  /// the engine, when it is the account's turn.
  nonisolated func indexKeys(
    of contents: CollectionContents,
    for account: @autoclosure () -> Account
  ) async throws {
    guard contents.itemCount + contents.sectionCount > Self.fewKeys, !contents.hasKeyIndex
    else { return }
    _ = try await performUninterrupted(for: account()) { contents.indexPath(ofItemKey: "") }
  }

  /// Finds out what is visible of large outlines, which the next that asks then has, on a thread of the
  /// engine, when it is the account's turn.
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

  /// The index of so many items and sections is made in some milliseconds.
  fileprivate static var fewKeys: Int { 4000 }
}

extension CollectionContents {
  /// Whether finding out what is visible takes more than some milliseconds.
  var hasLargeOutlines: Bool { hasOutlines && itemCount > LayoutEngine.fewKeys }
}

extension Sequence<CommittedChange> {
  /// The changes as viewers see them who began with a base, in rows: the latest of them, from one on of
  /// which the rows are known, so that nobody waits for them.
  func inRows(startingFrom base: ExpansionBase) -> [VersionedChange] {
    drop { !$0.change.knowsRows(startingFrom: base) }
      .map { VersionedChange(newVersion: $0.version, change: $0.change.rows(startingFrom: base)) }
  }
}

extension Wire.CollectionContents {
  /// Whether checking and building them takes long: what counts are blocks, each of which has columns
  /// of its own.
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
  /// Parts of a request above which it is not worked on at once: some milliseconds.
  fileprivate static let largeCount = 2000
}
