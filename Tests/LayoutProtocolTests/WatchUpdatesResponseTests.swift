// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol
import SwiftProtobuf
import Testing

@Suite("Encoded watch responses", .timeLimit(.minutes(1)))
struct WatchUpdatesResponseTests {
  @Test(
    "a batch that is appended encoded is read as one",
    arguments: [0, 1, 120, 127, 128, 40_000]
  )
  func appending(keyLength: Int) throws {
    var batch = CollectionLayout_V1_UpdateBatch()
    batch.requestID = String(repeating: "k", count: keyLength)
    var expected = CollectionLayout_V1_WatchUpdatesResponse()
    expected.dataVersion = 300
    expected.incarnation = .max
    let rest: [UInt8] = try expected.serializedBytes()
    expected.batch = batch
    let bytes = CollectionLayout_V1_WatchUpdatesResponse.appendingBatch(
      encoded: try batch.serializedBytes(),
      to: rest
    )
    #expect(try CollectionLayout_V1_WatchUpdatesResponse(serializedBytes: bytes) == expected)
  }
}
