// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
internal import GRDB

/// The values that the database holds for the store as a whole. The raw value is the key in
/// `property`.
enum StoreProperty: String, CaseIterable {
  /// The token of `StoreIdentity`, in hexadecimal.
  case identity
  /// `CollectionStorage.secret`.
  case secret
  /// The `CollectionDigest` of all collections.
  case collections
}

extension Database {
  /// The value of a property; nil = it has never been set.
  ///
  /// - Throws: `StorageFault.damaged`
  func property(_ property: StoreProperty) throws -> [UInt8]? {
    guard
      let row = try row("SELECT value, checksum FROM property WHERE name = ?", [property.rawValue])
    else { return nil }
    let value = try row.bytes(0)
    guard try row.integer(1) == Self.checksum(of: value, as: property) else {
      throw StorageFault(.damaged, "the store's \(property.rawValue) differs from what was written")
    }
    return value
  }

  func set(_ property: StoreProperty, to value: [UInt8]) throws {
    try run(
      "INSERT OR REPLACE INTO property (name, value, checksum) VALUES (?, ?, ?)",
      [property.rawValue, value.stored, Self.checksum(of: value, as: property)]
    )
  }

  private static func checksum(of value: [UInt8], as property: StoreProperty) -> Int64 {
    var checksum = Checksum()
    checksum.add(property.rawValue)
    checksum.add(value)
    return checksum.value
  }
}

/// The number of collections and the wrapping sum of their checksums, by which a missing or surplus
/// row is detected. Changes only when a collection is created or deleted.
struct CollectionDigest: Hashable {
  var count: Int64 = 0
  var sum: Int64 = 0

  mutating func add(_ id: String, number: Int64) {
    count &+= 1
    sum &+= Self.checksum(id, number)
  }

  mutating func remove(_ id: String, number: Int64) {
    count &-= 1
    sum &-= Self.checksum(id, number)
  }

  private static func checksum(_ id: String, _ number: Int64) -> Int64 {
    var checksum = Checksum()
    checksum.add(id)
    checksum.add(number)
    return checksum.value
  }

  // MARK: - As bytes

  var bytes: [UInt8] {
    [count, sum].flatMap { word in
      (0 ..< 8).map { UInt8(truncatingIfNeeded: word >> Int64(8 * $0)) }
    }
  }

  init() {}

  /// Two little-endian words; nil = there are not exactly 16 bytes.
  init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    func word(_ start: Int) -> Int64 {
      (0 ..< 8).reduce(0) { $0 | Int64(bytes[start + $1]) << Int64(8 * $1) }
    }
    (count, sum) = (word(0), word(8))
  }
}

extension Database {
  /// Updates the digest when a collection is created or deleted. Does nothing if there is none: the
  /// next start computes it.
  func updateDigest(_ change: (inout CollectionDigest) -> Void) throws {
    guard let bytes = try property(.collections), var digest = CollectionDigest(bytes: bytes) else {
      return
    }
    change(&digest)
    try set(.collections, to: digest.bytes)
  }

  /// Compares the digest with the rows of `collection`, and corrects the digest if they differ.
  ///
  /// - Returns: the damage; nil = they agree, or there was no digest.
  /// - Complexity: O(collections)
  func checkDigest() throws -> StorageFault? {
    var found = CollectionDigest()
    let rows = try rows("SELECT number, id FROM collection NOT INDEXED", [])
    while let row = try rows.next() { found.add(try row.text(1), number: try row.integer(0)) }
    var fault: StorageFault?
    var stored: [UInt8]?
    do { stored = try property(.collections) } catch let error as StorageFault { fault = error }
    if stored == found.bytes { return nil }
    try set(.collections, to: found.bytes)
    if fault == nil, let digest = stored.flatMap({ CollectionDigest(bytes: $0) }) {
      fault = StorageFault(
        .damaged,
        "the list of collections differs from what was written: \(found.count) are there, "
          + "\(digest.count) were stored"
      )
    }
    return fault
  }
}
