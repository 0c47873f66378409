// SPDX-License-Identifier: Apache-2.0

import LayoutGeometry
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import TestSupport
import Testing

@Suite("Stream requests", .timeLimit(.minutes(2)))
struct StreamRequestTests {
  private static func number(_ random: inout SplitMix64) -> UInt64 {
    UInt64.random(in: 0 ... .max, using: &random) >> UInt64.random(in: 0 ... 64, using: &random)
  }

  private static func point(_ random: inout SplitMix64) -> Wire.Point {
    .with {
      let values = [0, -0.0, 1.5, -3e5, 1e12, 2e12, .nan, .infinity, 123_456.789]
      $0.x = values.randomElement(using: &random) ?? 0
      $0.y = values.prefix(5).randomElement(using: &random) ?? 0
    }
  }

  private static func request(_ random: inout SplitMix64) -> Wire.StreamLayoutRequest {
    var request = Wire.StreamLayoutRequest()
    func chance(_ percent: Int) -> Bool { Int.random(in: 0 ..< 100, using: &random) < percent }
    if chance(80) { request.eventSeq = number(&random) }
    if chance(70) {
      request.ack.frameSeq = number(&random)
      if chance(30) { request.ack.stateChecksum = UInt32.random(in: 0 ... .max, using: &random) }
      if chance(20) { request.ack.rejected = true }
    }
    if chance(85) {
      request.viewport.observedFrameSeq = number(&random)
      if chance(90) { request.viewport.contentOffset = point(&random) }
      if chance(30) { request.viewport.velocity = point(&random) }
      if chance(5) { request.viewport.size.width = 100 }
      if chance(5) { request.viewport.traits.displayScale = 2 }
    } else if chance(50) {
      request.resync = .init()
    }
    return request
  }

  /// Holds what is read of some bytes against the generated code.
  ///
  /// - Returns: whether they were read without a message.
  private func check(_ bytes: [UInt8], rules: ReadingRules) throws -> Bool {
    guard let step = ScrollStep(bytes.span.bytes) else { return false }
    let expected = try Wire.StreamLayoutRequest(serializedBytes: bytes)
    #expect(StreamRequest.scroll(step).message == expected)
    #expect(step.ack == expected.frameAck)
    #expect(step.eventSequence == expected.eventSeq)
    switch try expected.sessionEvent(by: rules) {
    case .viewport(let change): #expect(step.viewport == change)
    case nil: #expect(step.viewport == nil)
    case let other: Issue.record("\(String(describing: other)) was read as scrolling")
    }
    return true
  }

  @Test("scrolling is read as the generated code would", arguments: 1 ... 8 as ClosedRange<UInt64>)
  func scrolling(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let rules = ReadingRules()
    var fast = 0
    for _ in 0 ..< 500 {
      if try check(Self.request(&random).serializedBytes(), rules: rules) { fast += 1 }
    }
    #expect(fast > 150)
  }

  @Test(
    "whatever bytes come are read as the generated code would, or left to it",
    arguments: 1 ... 8 as ClosedRange<UInt64>
  )
  func garbage(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let rules = ReadingRules()
    for _ in 0 ..< 1000 {
      var bytes: [UInt8] = try Self.request(&random).serializedBytes()
      // Fields that come twice, or parts of them.
      if Bool.random(using: &random) { bytes += try Self.request(&random).serializedBytes() }
      for _ in 0 ..< Int.random(in: 0 ... 3, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0 ..< bytes.count, using: &random)
        switch Int.random(in: 0 ..< 4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0 ... 255, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(UInt8.random(in: 0 ... 255, using: &random), at: place)
        default: bytes.removeLast(bytes.count - place)
        }
      }
      _ = try check(bytes, rules: rules)
    }
  }
}
