// SPDX-License-Identifier: Apache-2.0

/// Byte strings one after the other, each behind its length in two bytes, low byte first.
package enum Records {
  /// What is left at the end counts as a record.
  package static func split(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var records: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while let low = rest.popFirst(), let high = rest.popFirst() {
      let length = min(rest.count, Int(low) | Int(high) << 8)
      records.append(rest.prefix(length))
      rest.removeFirst(length)
    }
    return records
  }

  /// - Precondition: each has less than 65,536 bytes.
  package static func join(_ records: [[UInt8]]) -> [UInt8] {
    records.flatMap { record in
      [UInt8(truncatingIfNeeded: record.count), UInt8(record.count >> 8)] + record
    }
  }
}
