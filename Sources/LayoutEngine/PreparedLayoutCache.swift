// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// Prepared layouts by variant and version, bounded by bytes; the least recently used goes first.
struct PreparedLayoutCache {
  private struct Entry {
    var prepared: any PreparedLayout
    var bytes: Int
    var position: Int
  }

  private struct Place {
    var variant: Variant
    var version: UInt64
  }

  /// What an entry costs beside the prepared layout itself.
  private static let overhead = 512

  let byteLimit: Int
  private(set) var bytes = 0
  private(set) var count = 0
  private(set) var evictions: UInt64 = 0
  private var variants: [Variant: [UInt64: Entry]] = [:]
  private var variantsOfIdentity: [ContentsIdentity: Set<Variant>] = [:]
  private var recency = RecencyList<Place>()

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  mutating func value(for variant: Variant, version: UInt64) -> (any PreparedLayout)? {
    guard let entry = variants[variant]?[version] else { return nil }
    recency.markUsed(entry.position)
    return entry.prepared
  }

  /// The newest version that `isUsable` accepts.
  /// - Complexity: O(versions of this variant), which are few.
  func newest(
    of variant: Variant,
    where isUsable: (UInt64) -> Bool
  ) -> (version: UInt64, prepared: any PreparedLayout)? {
    guard let entries = variants[variant],
      let version = entries.keys.filter(isUsable).max(), let entry = entries[version]
    else { return nil }
    return (version, entry.prepared)
  }

  /// Keeps a prepared layout, where it is not larger than the whole cache may be.
  mutating func insert(_ prepared: any PreparedLayout, for variant: Variant, version: UInt64) {
    let (cost, overflow) = max(0, prepared.byteCount).addingReportingOverflow(Self.overhead)
    guard !overflow, cost <= byteLimit else { return }
    remove(variant, version)
    while bytes > byteLimit - cost, let place = recency.leastRecent {
      remove(place.variant, place.version)
      evictions += 1
    }
    let position = recency.insert(Place(variant: variant, version: version))
    variants[variant, default: [:]][version] = Entry(
      prepared: prepared,
      bytes: cost,
      position: position
    )
    variantsOfIdentity[variant.identity, default: []].insert(variant)
    bytes += cost
    count += 1
  }

  /// Makes a version that a newer one has replaced the next to go.
  mutating func markSuperseded(_ variant: Variant, version: UInt64) {
    guard let entry = variants[variant]?[version] else { return }
    recency.markStale(entry.position)
  }

  mutating func removeAll(of identity: ContentsIdentity) {
    for variant in variantsOfIdentity[identity] ?? [] {
      for version in (variants[variant] ?? [:]).keys { remove(variant, version) }
    }
  }

  private mutating func remove(_ variant: Variant, _ version: UInt64) {
    guard let entry = variants[variant]?.removeValue(forKey: version) else { return }
    recency.remove(entry.position)
    bytes -= entry.bytes
    count -= 1
    guard variants[variant]?.isEmpty == true else { return }
    variants[variant] = nil
    variantsOfIdentity[variant.identity]?.remove(variant)
    if variantsOfIdentity[variant.identity]?.isEmpty == true {
      variantsOfIdentity[variant.identity] = nil
    }
  }
}
