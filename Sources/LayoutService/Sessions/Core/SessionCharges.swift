// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import LayoutEngine
internal import LayoutSession
internal import ResourceAccounting

/// What one session is charged for: what it alone keeps, and the layouts that it uses.
///
/// The charges move with the session from stream to stream. Between two streams they are on the
/// account of the last stream's peer, afterwards on that of the new stream's connection.
struct SessionCharges: Sendable {
  private(set) var account: Account
  /// Also charged for layouts, in a tree of its own; nil = the owner has no quota of layouts.
  private var identity: Account?
  /// The charges of `identity` for `layouts`.
  private var ownerLeases: [LayoutLease] = []
  /// The charge for what only this session keeps; nil = nothing is charged yet.
  private var sessionLease: Lease?
  /// At most four, except between `keep` and `follow`.
  private var layouts: [LayoutLease] = []
  /// The layout of the state that the session has in common with others, in place of `layouts`;
  /// nil = it is in a state of its own. The charge goes from layout to layout, since each commit
  /// brings one to all sessions.
  private var common: (layout: LayoutLease, hold: Hold)?
  private var pinnedVersion: UInt64?
  /// The collection's stored layout that the session uses; nil = none.
  private var stored: StoredLayout?
  /// The charge for `stored`; nil = not charged yet.
  private var storedHold: Hold?

  /// Smaller changes in bytes do not change the charge.
  private static let step = 4096

  /// - Parameter identity: the owner's account for layouts; nil = the owner has no quota of them.
  init(_ account: Account, identity: Account? = nil) {
    self.account = account
    self.identity = identity
  }

  /// Holds the charge for a layout as long as the session keeps the layout.
  ///
  /// Call `follow` once the session has the layout.
  mutating func keep(_ layout: LayoutLease) {
    leaveCommon()
    layouts.append(layout)
    pinnedVersion = nil
  }

  /// Holds the charge for a layout in place of all others.
  ///
  /// Call `follow` once the session has the layout.
  ///
  /// - Parameter layout: that of a state that the session has in common with others.
  /// - Throws: if the account has no room; nothing has changed then.
  mutating func keepOnly(common layout: LayoutLease) throws(LimitExceeded) {
    if let common {
      try common.hold.exchange(for: layout.bytes)
      self.common = (layout, common.hold)
    } else {
      common = (layout, try account.hold(layout.bytes))
      layouts = []
    }
    pinnedVersion = nil
  }

  private mutating func leaveCommon() {
    guard let common else { return }
    layouts.append(common.layout.copy(by: common.hold))
    self.common = nil
  }

  /// Notes which stored layout of its collection the session uses from now on; nil = none. The
  /// accounts above the session's are charged for it once, however many of their sessions use it.
  ///
  /// Call `follow` afterwards.
  mutating func use(_ stored: StoredLayout?) {
    guard self.stored !== stored else { return }
    self.stored = stored
    storedHold = nil
  }

  /// The charge for a layout that the session keeps; nil = it keeps no such shareable layout.
  mutating func lease(of identity: UInt64) -> LayoutLease? {
    leaveCommon()
    return layouts.first { $0.identity == identity }
  }

  /// The layout that a session wants, charged, if it derives from one that the session has and
  /// another session has derived it already; nil = there is none.
  ///
  /// - Throws: if the account has no room.
  /// - Complexity: O(1)
  mutating func successor(
    _ request: PreparedLayoutRequest,
    from engine: LayoutEngine
  ) throws(LimitExceeded) -> LayoutLease? {
    // Without a base version in common, no other session has this layout.
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
  /// - Complexity: O(1). Allocates only at first, where the session comes from a common state, and
  ///   where an identity is charged for other layouts.
  mutating func follow(_ session: ViewportSession, and others: Int = 0) throws(LimitExceeded) {
    if pinnedVersion != session.pinnedLayoutsVersion || common != nil {
      leaveCommon()
      var bytes = 0
      session.forEachPinnedLayout { if $0.identity == nil { bytes += $0.byteCount } }
      privateLayoutBytes = bytes
      layouts.removeAll { !session.keeps($0) }
      try layoutsChanged(session.pinnedLayoutsVersion)
    }
    try charge(session.byteCount + others)
  }

  /// Charges what a session keeps that is in a common state: the same as if it had all for itself,
  /// since it may have that at any moment.
  ///
  /// - Parameter others: bytes that are kept for it besides.
  /// - Throws: where there is no room for it.
  /// - Complexity: O(1). Allocates only at first, and where an identity is charged for another
  ///   layout.
  mutating func follow(_ common: CommonState, and others: Int) throws(LimitExceeded) {
    if pinnedVersion != common.pinnedLayoutsVersion {
      privateLayoutBytes = 0
      if !layouts.allSatisfy({ $0.identity == common.layout }) {
        layouts.removeAll { $0.identity != common.layout }
      }
      try layoutsChanged(common.pinnedLayoutsVersion)
    }
    try charge(common.byteCount + others)
  }

  private mutating func layoutsChanged(_ version: UInt64) throws(LimitExceeded) {
    try charge(layouts: identity)
    pinnedVersion = version
  }

  private mutating func charge(_ bytes: Int) throws(LimitExceeded) {
    if let stored, storedHold == nil { storedHold = try account.hold(stored.bytes) }
    let bytes = bytes + privateLayoutBytes
    guard let sessionLease else {
      self.sessionLease = try account.charge(bytes)
      return
    }
    if abs(sessionLease.bytes - bytes) >= Self.step { try sessionLease.adjust(to: bytes) }
  }

  /// Moves all charges to another account.
  ///
  /// - Throws: if that account has no room; then nothing has changed.
  mutating func move(to account: Account) throws(LimitExceeded) {
    leaveCommon()
    // Accounts above both are charged for a layout once, however many accounts below them hold it.
    var moved: [LayoutLease] = []
    for layout in layouts { moved.append(try layout.copy(for: account)) }
    let storedHold = try stored.map { (stored) throws(LimitExceeded) in
      try account.hold(stored.bytes)
    }
    if let sessionLease { self.sessionLease = try sessionLease.move(to: account) }
    layouts = moved
    self.storedHold = storedHold
    self.account = account
  }

  /// Charges the layouts to the owner's account.
  ///
  /// - Parameter identity: nil = the owner has no quota of layouts.
  /// - Throws: if the account has no room.
  mutating func charge(layouts identity: Account?) throws(LimitExceeded) {
    if self.identity !== identity { ownerLeases.removeAll() }
    self.identity = identity
    guard let identity else { return }
    let layouts = layouts + (common.map { [$0.layout] } ?? [])
    ownerLeases.removeAll { lease in !layouts.contains { $0.identity == lease.identity } }
    for layout in layouts where !ownerLeases.contains(where: { $0.identity == layout.identity }) {
      ownerLeases.append(try layout.copy(for: identity))
    }
  }

  /// The bytes of the layouts that nobody else uses.
  private var privateLayoutBytes = 0
}

extension ViewportSession {
  fileprivate func keeps(_ layout: LayoutLease) -> Bool {
    var isKept = false
    forEachPinnedLayout { if $0.identity == layout.identity { isKept = true } }
    return isKept
  }
}
