// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LayoutTrust

@Suite("Addresses of this machine", .timeLimit(.minutes(1)))
struct LoopbackAddressTests {
  @Test("are those of 127.0.0.0/8, and ::1", arguments: ["127.0.0.1", "127.255.0.9", "::1"])
  func own(host: String) {
    #expect(LoopbackAddress.contains(host))
  }

  @Test(
    "are no names, no other addresses, and no other forms of addresses",
    arguments: [
      "127.evil.example", "127.0.0.1.example", "127.", "127.0.0", "127.0.0.256", "127.0.0.1 ",
      "127.0.0.+1", "127.0..1", "10.0.0.1", "128.0.0.1", "localhost", "", "::2",
    ]
  )
  func others(host: String) {
    #expect(!LoopbackAddress.contains(host))
  }
}
