// SPDX-License-Identifier: Apache-2.0

import LayoutProtocol
import Testing

@testable import LayoutService

@Suite("Answers that a new stream repeats", .timeLimit(.minutes(1)))
struct AnswerLogTests {
  private static func answer(_ seq: UInt64, bytes: Int = 0) -> EncodedResponse {
    var response = Wire.StreamLayoutResponse()
    response.eventResult.eventSeq = seq
    response.eventResult.problem.message = String(repeating: "x", count: bytes)
    return EncodedResponse(response)
  }

  @Test("few bytes are kept, however large and many the answers are")
  func bounded() {
    var log = AnswerLog()
    #expect(log.byteCount == 0)
    for seq in 1 ... 1000 {
      log.append(Self.answer(UInt64(seq), bytes: 4500), after: 3)
      #expect(log.byteCount <= 64 << 10)
    }
    #expect(log.responses.count == 14)
    #expect(log.responses.last?.bytes == Self.answer(1000, bytes: 4500).bytes)
    for seq in 1 ... 1000 { log.append(Self.answer(UInt64(seq)), after: 3) }
    #expect(log.responses.count == 256)
    // A single one is kept in any case.
    log.append(Self.answer(7, bytes: 100_000), after: 3)
    #expect(log.responses.count == 1)
  }

  @Test("what the client has got is dropped, and takes nothing")
  func received() {
    var log = AnswerLog()
    log.append(Self.answer(1), after: 3)
    log.append(Self.answer(2), after: 4)
    log.received(frame: 4)
    #expect(log.responses.map(\.bytes) == [Self.answer(2).bytes])
    log.received(frame: 5)
    #expect(log.responses.isEmpty && log.byteCount == 0)
  }
}
