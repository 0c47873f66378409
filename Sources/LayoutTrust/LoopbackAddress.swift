// SPDX-License-Identifier: Apache-2.0

/// Addresses that no other machine can have.
package enum LoopbackAddress {
  /// Whether a host is an address in 127.0.0.0/8, or ::1. Names are not: they may stand for any
  /// machine, whatever they begin with.
  package static func contains(_ host: String) -> Bool {
    if host == "::1" { return true }
    let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].elementsEqual("127".utf8) else { return false }
    return parts.allSatisfy { part in
      (1 ... 3).contains(part.count)
        && part.allSatisfy { (UInt8(ascii: "0") ... UInt8(ascii: "9")).contains($0) }
        && UInt8(String(Substring(part))) != nil
    }
  }
}
