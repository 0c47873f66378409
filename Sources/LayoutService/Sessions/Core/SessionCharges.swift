// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import LayoutEngine
internal import LayoutSession
internal import ResourceAccounting

/// What one session is charged for: what it alone keeps, and the layouts that it looks at.
///
/// It goes with the session from stream to stream. Between two streams the peer is charged whose
/// stream was the last one; afterwards the connection of the next one.
struct SessionCharges: Sendable {
  private(set) var account: Account
  /// Charged for layouts besides, in a tree of its own; nil = its owner has no quota of them.
  private var identity: Account?
  /// The same layouts as `layouts`.
  private var owned: [LayoutLease] = []
  /// For what only this session keeps; nil = nothing was charged yet.
  private var own: Lease?
  /// Four at most, but for the moment between `keep` and `follow`.
  private var layouts: [LayoutLease] = []
  private var pinnedVersion: UInt64?
  /// The layout of the collection that the session uses; nil = none.
  private var stored: StoredLayout?
  /// The charge for `stored`; nil = it was not charged yet.
  private var storedHold: Hold?

  /// Smaller changes of what a session keeps are not worth a charge.
  private static let step = 4096

  /// - Parameter identity: its owner's account for layouts; nil = he has no quota of them.
  init(_ account: Account, identity: Account? = nil) {
    self.account = account
    self.identity = identity
  }

  /// Keeps the charge for a layout as long as the session keeps the layout.
  ///
  /// To be followed by `follow` once the session has it.
  mutating func keep(_ layout: LayoutLease) {
    layouts.append(layout)
    pinnedVersion = nil
  }

  /// Notes which layout of its collection the session uses from now on; nil = none. The accounts above the session's
  /// are charged for it once, however many of their sessions use it.
  ///
  /// To be followed by `follow`.
  mutating func use(_ stored: StoredLayout?) {
    guard self.stored !== stored else { return }
    self.stored = stored
    storedHold = nil
  }

  /// The charge for a layout that the session keeps; nil = it keeps no such layout that others may have.
  func lease(of identity: UInt64) -> LayoutLease? {
    layouts.first { $0.identity == identity }
  }

  /// The layout that a session wants, if it only has to be derived from one that the session has, and another
  /// session had that done already; charged.
  ///
  /// - Throws: where there is no room for it.
  /// - Complexity: O(1)
  func successor(
    _ request: PreparedLayoutRequest,
    from engine: LayoutEngine
  ) throws(LimitExceeded) -> LayoutLease? {
    // Without a version that both have in common, no other session has this layout.
    guard request.isShareable, let derivation = request.derivation,
      derivation.baseVersion != nil, let identity = derivation.baseIdentity,
      let base = lease(of: identity)
    else { return nil }
    return try engine.successor(
      of: base,
      version: request.version,
      as: request.configuration.layout,
      for: account
    )
  }

  /// Charges what the session keeps now.
  ///
  /// - Parameter others: bytes that are kept for it besides.
  /// - Throws: where there is no room for it.
  /// - Complexity: O(1), without allocating
  mutating func follow(_ session: ViewportSession, and others: Int = 0) throws(LimitExceeded) {
    if let stored, storedHold == nil { storedHold = try account.hold(stored.bytes) }
    var bytes = session.byteCount + others
    let isKnown = pinnedVersion == session.pinnedLayoutsVersion
    if let own, isKnown, abs(own.bytes - bytes - privateLayoutBytes) < Self.step { return }
    if !isKnown {
      privateLayoutBytes = 0
      session.forEachPinnedLayout { layout in
        if layout.identity == nil { privateLayoutBytes += layout.byteCount }
      }
      layouts.removeAll { !session.keeps($0) }
      try charge(layouts: identity)
      pinnedVersion = session.pinnedLayoutsVersion
    }
    bytes += privateLayoutBytes
    if let own { try own.adjust(to: bytes) } else { own = try account.charge(bytes) }
  }

  /// Charges all of it to another account in place of the one before.
  ///
  /// - Throws: where that one has no room for it; nothing has changed then.
  mutating func move(to account: Account) throws(LimitExceeded) {
    // Accounts above both hold a layout once, however many of those below them hold it.
    var moved: [LayoutLease] = []
    for layout in layouts { moved.append(try layout.copy(for: account)) }
    let storedHold = try stored.map { (stored) throws(LimitExceeded) in
      try account.hold(stored.bytes)
    }
    if let own { self.own = try own.move(to: account) }
    layouts = moved
    self.storedHold = storedHold
    self.account = account
  }

  /// Charges the layouts to its owner's account.
  ///
  /// - Parameter identity: nil = he has no quota of layouts.
  /// - Throws: where there is no room for them.
  mutating func charge(layouts identity: Account?) throws(LimitExceeded) {
    if self.identity !== identity { owned.removeAll() }
    self.identity = identity
    guard let identity else { return }
    owned.removeAll { lease in !layouts.contains { $0.identity == lease.identity } }
    for layout in layouts where !owned.contains(where: { $0.identity == layout.identity }) {
      owned.append(try layout.copy(for: identity))
    }
  }

  /// Of the layouts that nobody else uses.
  private var privateLayoutBytes = 0
}

extension ViewportSession {
  fileprivate func keeps(_ layout: LayoutLease) -> Bool {
    var isKept = false
    forEachPinnedLayout { if $0.identity == layout.identity { isKept = true } }
    return isKept
  }
}
