// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import ResourceAccounting

/// A prepared layout that the cache and any number of sessions share.
///
/// The cache finds it for as long as anybody uses it, even if it is not among the cached ones.
final class SharedLayout: Sendable {
  let id: UInt64
  let variant: Variant
  let version: UInt64
  let prepared: any PreparedLayout
  /// Bytes of the layout and its key, without its contents.
  let bytes: SharedBytes
  /// Where holders find layouts of newer versions.
  let succession: LayoutSuccession

  init(
    id: UInt64,
    variant: Variant,
    version: UInt64,
    prepared: any PreparedLayout,
    succession: LayoutSuccession = LayoutSuccession()
  ) {
    self.succession = succession
    self.id = id
    self.variant = variant
    self.version = version
    self.prepared = prepared
    let (sum, overflow) = max(0, prepared.byteCount).addingReportingOverflow(variant.byteCount)
    bytes = SharedBytes(overflow ? .max : sum)
  }
}

/// A prepared layout, charged to the account of the caller that asked for it until the last
/// reference to this is released. Keep it for as long as the layout is in use.
public final class LayoutLease: Sendable {
  /// The layout.
  public let prepared: any PreparedLayout
  private let shared: SharedLayout
  private let hold: Hold?

  /// - Parameters:
  ///   - layout: the layout to view the result as (`CollectionLayout.view(of:)`), with the same
  ///     `basis`.
  ///   - account: nil = nobody is charged.
  /// - Throws: `LimitExceeded` if the account has no room for the layout.
  convenience init(
    _ shared: SharedLayout,
    as layout: any CollectionLayout,
    for account: Account?
  ) throws(LimitExceeded) {
    try self.init(shared, layout.view(of: shared.prepared), for: account)
  }

  private convenience init(
    _ shared: SharedLayout,
    _ prepared: any PreparedLayout,
    for account: Account?
  ) throws(LimitExceeded) {
    let hold = try account.map { (account) throws(LimitExceeded) in try account.hold(shared.bytes) }
    self.init(shared, prepared, by: hold)
  }

  private init(_ shared: SharedLayout, _ prepared: any PreparedLayout, by hold: Hold?) {
    self.shared = shared
    self.prepared = prepared
    self.hold = hold
  }

  /// A lease of the same layout for another account.
  ///
  /// - Throws: `LimitExceeded` if that account has no room for it.
  public func copy(for account: Account) throws(LimitExceeded) -> LayoutLease {
    try LayoutLease(shared, prepared, for: account)
  }

  /// A lease of the same layout for the account of a hold, which is of `bytes`.
  public func copy(by hold: Hold) -> LayoutLease { LayoutLease(shared, prepared, by: hold) }

  /// See `LayoutEngine.successor(of:version:as:for:)`.
  func successor(
    version: UInt64,
    as layout: any CollectionLayout,
    for account: Account
  ) throws(LimitExceeded) -> LayoutLease? {
    guard let newer = shared.succession.layout(of: version) else { return nil }
    return try LayoutLease(newer, as: layout, for: account)
  }

  /// Identifies what was prepared: all its leases have the same number, also those that see it as
  /// another layout with the same basis.
  public var identity: UInt64 { shared.id }

  /// The bytes charged for it: the layout and its key, without its contents.
  public var byteCount: Int { bytes.count }

  /// What its accounts hold.
  public var bytes: SharedBytes { shared.bytes }
}
