// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import ResourceAccounting
internal import SwiftProtobuf
internal import Synchronization

/// A named layout in the state in which a session has taken it.
struct FollowedLayout: Hashable, Sendable {
  /// Of the layout, in the session's collection.
  var id: String
  /// `NamedLayout.revision`.
  var revision: UInt64
}

/// A layout that is stored with a collection, as it was read. All who use it share it.
final class StoredLayout: Sendable {
  let configuration: LayoutConfiguration
  /// Of no other layout that was read, even if it is equal.
  let number: UInt64
  /// What it takes, for the accounts of those who use it.
  let bytes: SharedBytes
  fileprivate let source: StoredLayoutSource
  /// The custom layouts that there were when it was read.
  fileprivate let customNames: [String]

  private static let numbers = Atomic<UInt64>(0)

  fileprivate init(
    _ configuration: LayoutConfiguration,
    from source: StoredLayoutSource,
    customNames: [String]
  ) {
    number = Self.numbers.wrappingAdd(1, ordering: .relaxed).newValue
    var configuration = configuration
    // Each query and each session looks the layout up, which may be large.
    configuration.rememberHash()
    self.configuration = configuration
    self.source = source
    self.customNames = customNames
    bytes = SharedBytes(configuration.byteCount)
  }
}

/// Where a stored layout is read from.
struct StoredLayoutSource: Sendable {
  fileprivate struct Key: Hashable {
    /// Of the collection.
    var incarnation: UInt64
    /// nil = the default layout.
    var id: String?
  }

  fileprivate let key: Key
  /// A `LayoutSpec`.
  fileprivate let encoded: [UInt8]
  /// Where a fault is, for the error.
  fileprivate let field: String
  /// nil = the default layout, which no session follows.
  let followed: FollowedLayout?

  fileprivate init(_ layout: NamedLayout, in record: CollectionRecord) {
    key = Key(incarnation: record.incarnation, id: layout.id)
    encoded = layout.layout
    field = "layout"
    followed = FollowedLayout(id: layout.id, revision: layout.revision)
  }

  fileprivate init(defaultOf record: CollectionRecord, _ encoded: [UInt8]) {
    key = Key(incarnation: record.incarnation)
    self.encoded = encoded
    field = "default_layout"
    followed = nil
  }

  /// Whether reading it may take more than half a millisecond.
  fileprivate var isLarge: Bool { encoded.count > 4096 }
}

/// Finds and reads the layouts that are stored with collections: named ones, and those for viewers
/// and queries that name none.
///
/// A layout is read once for all who use it at the same time. The last few are kept besides, for
/// those who come next.
final class StoredLayouts: Sendable {
  fileprivate struct Entry {
    weak var layout: StoredLayout?
  }

  /// A layout that is kept for those who come next.
  fileprivate struct Recent {
    let layout: StoredLayout
    let hold: Hold
  }

  fileprivate struct State {
    var entries: [StoredLayoutSource.Key: Entry] = [:]
    var sweep = Sweep()
    /// The last used, the newest last.
    var recent: [Recent] = []
  }

  /// The most layouts that are kept although nobody uses them, and the bytes that they take
  /// together.
  private static let (mostRecent, mostRecentBytes) = (16, 8 << 20)

  private let rules: ReadingRules
  /// Pays for the last few.
  private let account: Account
  private let state = Mutex(State())

  /// - Parameter account: pays for the layouts that are kept although nobody uses them. Without
  ///   room there, none are.
  init(rules: ReadingRules, account: Account = Account()) {
    self.rules = rules
    self.account = account
  }

  // MARK: - Finding

  /// The layout of a name that a client gave.
  ///
  /// - Parameters:
  ///   - collection: the one that the client uses.
  ///   - field: where the name stands in the request.
  /// - Throws: FIELD_INVALID for what is no name, or of another collection; LAYOUT_NOT_FOUND.
  func source(
    named name: String,
    of collection: LiveCollection,
    field: String
  ) throws(LayoutProblem) -> StoredLayoutSource {
    let parsed = try LayoutName(parsing: name, field: field)
    guard parsed.collection.id == collection.id else {
      throw .fieldInvalid(
        field,
        "\(name.quotedAsFound) found; a layout of \(CollectionName(collection.id)) is needed"
      )
    }
    let record = collection.snapshot.record
    guard let layout = record.layout(parsed.id) else {
      throw .layoutNotFound(parsed.description)
    }
    return StoredLayoutSource(layout, in: record)
  }

  /// A named layout of a collection.
  func source(of layout: NamedLayout, in record: CollectionRecord) -> StoredLayoutSource {
    StoredLayoutSource(layout, in: record)
  }

  /// The default layout of a collection.
  ///
  /// - Parameter field: the field that should have named a layout, for the error.
  /// - Throws: LAYOUT_KIND_UNKNOWN if the collection has no default layout.
  func defaultSource(
    of record: CollectionRecord,
    field: String
  ) throws(LayoutProblem) -> StoredLayoutSource {
    guard let encoded = record.defaultLayout else {
      throw .layoutKindUnknown(
        field: field,
        found: "no layout found, and the collection has no default",
        supported: rules.registry.supportedKinds
      )
    }
    return StoredLayoutSource(defaultOf: record, encoded)
  }

  // MARK: - Reading

  /// Reads a layout, on the engine's threads if that may take long.
  ///
  /// - Parameters:
  ///   - account: whose turn that takes.
  ///   - spend: told its processor time in seconds, unless the layout is in use already.
  /// - Throws: as the other one; `CancellationError`; QUOTA_COMPUTATIONS.
  func read(
    _ source: StoredLayoutSource,
    on engine: LayoutEngine,
    for account: @autoclosure () -> Account,
    spend: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws -> StoredLayout {
    if let found = known(source) { return found }
    return try await engine.read(isLarge: source.isLarge, for: account()) {
      let start = ProcessorTime.ofThread
      defer { spend(ProcessorTime.ofThread - start) }
      return try self.read(source)
    }
  }

  /// Whether reading a layout may take more than half a millisecond: it is large, and nobody has
  /// used it lately.
  func takesLong(_ source: StoredLayoutSource) -> Bool { source.isLarge && known(source) == nil }

  /// Reads a layout.
  ///
  /// - Throws: what is wrong with the layout by now, such as a custom layout that is not registered
  ///   any more.
  /// - Complexity: O(1) if it is in use, or was a short while ago, else O(encoded bytes)
  func read(_ source: StoredLayoutSource) throws(LayoutProblem) -> StoredLayout {
    // Of many who wait for it the first one has read it by now.
    if let found = known(source) { return found }
    // The server encoded these bytes itself, so decoding them does not fail unless they are
    // damaged.
    let spec = (try? Wire.LayoutSpec(serializedBytes: source.encoded)) ?? Wire.LayoutSpec()
    let names = rules.registry.names
    let layout = StoredLayout(
      try spec.decoded(by: rules, prefix: source.field),
      from: source,
      customNames: names
    )
    let dropped = state.withLock { state in
      state.add(layout)
      return state.keep(layout, chargedTo: account, most: Self.mostRecent, Self.mostRecentBytes)
    }
    return withExtendedLifetime(dropped) { layout }
  }

  /// The layout, if somebody uses it, or did a short while ago.
  private func known(_ source: StoredLayoutSource) -> StoredLayout? {
    // Compared outside the lock, since a layout that was read from the store again is another array
    // of bytes. A program that places layouts may have been withdrawn since.
    guard let found = state.withLock({ $0.entries[source.key]?.layout }),
      found.source.encoded == source.encoded, found.customNames == rules.registry.names
    else { return nil }
    let dropped = state.withLock { state in
      state.keep(found, chargedTo: account, most: Self.mostRecent, Self.mostRecentBytes)
    }
    return withExtendedLifetime(dropped) { found }
  }
}

extension StoredLayouts.State {
  /// Makes a layout known to those who look for it while others use it.
  fileprivate mutating func add(_ layout: StoredLayout) {
    entries[layout.source.key] = StoredLayouts.Entry(layout: layout)
    sweep.sweep(&entries) { $0.layout != nil }
  }

  /// Keeps a layout for those who come next, as the one last used.
  ///
  /// - Returns: what is no longer kept, for the caller to release outside the lock.
  fileprivate mutating func keep(
    _ layout: StoredLayout,
    chargedTo account: Account,
    most: Int,
    _ mostBytes: Int
  ) -> [StoredLayouts.Recent] {
    if recent.last?.layout === layout { return [] }
    var dropped: [StoredLayouts.Recent] = []
    if let index = recent.firstIndex(where: { $0.layout === layout }) {
      recent.append(recent.remove(at: index))
    } else {
      guard layout.bytes.count <= mostBytes, let hold = try? account.hold(layout.bytes) else {
        return []
      }
      recent.append(StoredLayouts.Recent(layout: layout, hold: hold))
    }
    var bytes = recent.reduce(0) { $0 + $1.layout.bytes.count }
    while recent.count > most || bytes > mostBytes {
      let oldest = recent.removeFirst()
      bytes -= oldest.layout.bytes.count
      dropped.append(oldest)
    }
    return dropped
  }
}
