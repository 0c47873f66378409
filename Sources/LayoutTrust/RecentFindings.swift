// SPDX-License-Identifier: Apache-2.0

internal import Crypto

/// What was found out about tokens lately, by their digests, within limits. The findings that were
/// not asked for lately are dropped first, half of all at a time.
struct RecentFindings<Value> {
  private struct Finding {
    var value: Value
    var bytes: Int
  }

  private struct Half {
    var values: [SHA256Digest: Finding] = [:]
    var bytes = 0

    mutating func keep(where holds: (Value) -> Bool) {
      values = values.filter { holds($0.value.value) }
      bytes = values.values.reduce(0) { $0 + $1.bytes }
    }
  }

  /// The most values of one half.
  private let count: Int
  private let bytes: Int
  private var newer = Half()
  private var older = Half()

  /// - Parameters:
  ///   - count: of values; at least half of it is kept.
  ///   - bytes: of values, as `insert` is told; at least half of it is kept.
  init(count: Int, bytes: Int = .max) {
    self.count = max(1, count / 2)
    self.bytes = max(1, bytes / 2)
  }

  var valueCount: Int { newer.values.count + older.values.count }

  /// nil = it is not known, or no longer.
  mutating func value(of digest: SHA256Digest) -> Value? {
    if let found = newer.values[digest] { return found.value }
    guard let found = older.values.removeValue(forKey: digest) else { return nil }
    older.bytes -= found.bytes
    insert(found.value, of: digest, bytes: found.bytes)
    return found.value
  }

  mutating func insert(_ value: Value, of digest: SHA256Digest, bytes: Int = 0) {
    if newer.values.count >= count || newer.bytes >= self.bytes {
      older = newer
      newer = Half()
    }
    if let replaced = newer.values.updateValue(
      Finding(value: value, bytes: bytes),
      forKey: digest
    ) {
      newer.bytes -= replaced.bytes
    }
    newer.bytes += bytes
  }

  /// Forgets findings that no longer hold.
  mutating func keep(where holds: (Value) -> Bool) {
    newer.keep(where: holds)
    older.keep(where: holds)
  }
}
