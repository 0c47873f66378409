// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import ResourceAccounting
import Testing

@testable import LayoutService

@Suite("Batches of a transfer in memory", .timeLimit(.minutes(1)))
struct TransferPayloadsTests {
  private let batch = UpdateBatch([
    .insertItems(
      at: IndexPath(section: 0, item: 0),
      items: [ItemBlock(count: 100, heights: (0 ..< 100).map { Double($0) + 0.1 })]
    )
  ])

  @Test("are charged until the transfer is done")
  func charges() throws {
    let account = Account(scope: .server, limit: 1 << 20)
    do {
      let payloads = TransferPayloads(account: account, messageBytes: 1 << 20)
      let bytes = try payloads.payload(of: batch).count
      #expect(bytes > 800 && account.used == bytes)
      _ = try payloads.payload(of: batch)
      #expect(account.used == 2 * bytes)
    }
    #expect(account.used == 0)
  }

  @Test("are refused where there is no room for them")
  func limits() throws {
    let account = Account(scope: .server, limit: 100)
    #expect(throws: LimitExceeded.self) {
      try TransferPayloads(account: account, messageBytes: 1 << 20).payload(of: batch)
    }
    let refusal = #expect(throws: Refusal.self) {
      try TransferPayloads(account: account, messageBytes: 100).payload(of: batch)
    }
    #expect(refusal?.reason == .quotaMemory)
    #expect(account.used == 0)
  }
}
