// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import ResourceAccounting

/// A prepared layout that the cache and any number of sessions use together.
///
/// It is found again for as long as anybody uses it, whether or not the cache had room to keep it.
final class SharedLayout: Sendable {
  let id: UInt64
  let variant: Variant
  let version: UInt64
  let prepared: any PreparedLayout
  /// The layout with what it is found by; its contents are not counted.
  let bytes: SharedBytes

  init(id: UInt64, variant: Variant, version: UInt64, prepared: any PreparedLayout) {
    self.id = id
    self.variant = variant
    self.version = version
    self.prepared = prepared
    let (sum, overflow) = max(0, prepared.byteCount).addingReportingOverflow(variant.byteCount)
    bytes = SharedBytes(overflow ? .max : sum)
  }
}

/// A prepared layout in the hands of one who asked for it, charged to that one's account until the
/// last reference to this is released. Keep it as long as the layout.
public final class LayoutLease: Sendable {
  private let shared: SharedLayout
  private let hold: Hold?

  /// - Throws: `LimitExceeded` where the account has no room for the layout.
  init(_ shared: SharedLayout, for account: Account?) throws(LimitExceeded) {
    self.shared = shared
    hold = try account.map { (account) throws(LimitExceeded) in try account.hold(shared.bytes) }
  }

  public var prepared: any PreparedLayout { shared.prepared }

  /// The same for all who hold this prepared layout, and for no other.
  public var identity: UInt64 { shared.id }

  /// What is charged for it.
  public var byteCount: Int { shared.bytes.count }
}
