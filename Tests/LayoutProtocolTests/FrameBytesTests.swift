// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import SwiftProtobuf
import TestSupport
import Testing

@testable import LayoutProtocol
@testable import LayoutSession

/// The bytes that the encoder writes by hand against the messages that generated code builds.
@Suite("Frame bytes", .timeLimit(.minutes(2)))
struct FrameBytesTests {
  private func expect(
    _ frame: SessionFrame,
    _ encoder: inout FrameEncoder,
    like reference: inout ReferenceEncoder,
    _ place: String
  ) throws {
    let encoded = try encoder.encode(frame)
    let expected = reference.encode(frame)
    try #require(encoded.count == expected.count, "\(place)")
    for (part, message) in zip(encoded, expected) {
      let read = try Wire.StreamLayoutResponse(serializedBytes: part.bytes)
      #expect(read == message, "\(place)")
      // Nothing is written twice or longer than needed.
      let bytes: [UInt8] = try message.serializedBytes()
      #expect(part.bytes.count == bytes.count, "\(place)")
    }
  }

  @Test(
    "bytes say what the generated messages say, in either encoding, in parts and transitions",
    arguments: 0 ..< 40 as Range<UInt64>
  )
  func bytes(seed: UInt64) throws {
    for encoding in ElementEncoding.allCases {
      for limit in [4 << 20, 16 << 10, 2 << 10] {
        let units = seed % 2 == 0 ? 64 : 192
        let capabilities = ClientCapabilities(
          encoding: encoding,
          unitsPerPoint: units,
          sectionScrolling: seed % 2 == 1
        )
        var model = FrameModel(seed: seed, unitsPerPoint: units)
        if seed % 3 == 1 { model.origin = Point(x: 0, y: 440_000_000) }
        // So far away, and so far apart, that elements no longer fit into columns.
        if seed % 5 == 2 { model.origin = Point(x: -0.0, y: 1e17) }
        var encoder = FrameEncoder(capabilities: capabilities, maxMessageBytes: limit)
        var reference = ReferenceEncoder(capabilities: capabilities, maxMessageBytes: limit)
        for step in 0 ..< 8 {
          var frame = model.step(isKeyframe: step % 4 == 0, count: step == 2 ? 400 : 12)
          vary(&frame, &model.random)
          try expect(
            frame,
            &encoder,
            like: &reference,
            "seed \(seed), \(encoding), limit \(limit), step \(step)"
          )
        }
      }
    }
  }

  @Test(
    "with other numbers a part says the same but for them",
    arguments: 0 ..< 40 as Range<UInt64>
  )
  func renumbered(seed: UInt64) throws {
    let capabilities = ClientCapabilities(encoding: seed % 2 == 0 ? .packed : .messages)
    var model = FrameModel(seed: seed)
    var encoder = FrameEncoder(capabilities: capabilities, maxMessageBytes: 2 << 10)
    for step in 0 ..< 8 {
      var frame = model.step(isKeyframe: step % 4 == 0, count: step == 2 ? 400 : 12)
      vary(&frame, &model.random)
      for part in try encoder.encode(frame) {
        let numbers: [UInt64] = [1, 127, 128, 1 << 35, .max]
        for sequence in numbers {
          let base = model.random.bool() ? 0 : sequence - 1
          let other = try #require(part.renumbered(sequence, base: base))
          var message = try Wire.StreamLayoutResponse(serializedBytes: part.bytes)
          message.frame.frameSeq = sequence
          message.frame.baseFrameSeq = base
          #expect(try Wire.StreamLayoutResponse(serializedBytes: other.bytes) == message)
          let bytes: [UInt8] = try message.serializedBytes()
          #expect(other.bytes.count == bytes.count)
        }
      }
    }
  }

  @Test("what is no part of a frame has no other numbers")
  func notRenumbered() {
    var response = Wire.StreamLayoutResponse()
    response.heartbeat.lastFrameSeq = 7
    #expect(EncodedResponse(response).renumbered(1, base: 0) == nil)
    let faulty: [[UInt8]] = [
      [], [0x12], [0x12, 0x02, 0x08], [0x12, 0x01, 0x08, 0x01], [0x12, 0x80],
    ]
    for bytes in faulty {
      #expect(EncodedResponse(bytes: bytes).renumbered(1, base: 0) == nil)
    }
  }

  /// What the model leaves out: transitions, frames that go on, keys for none, zeros, huge numbers.
  private func vary(_ frame: inout SessionFrame, _ random: inout SplitMix64) {
    frame.isContinued = random.int(0 ... 3) == 0
    if random.bool() { frame.keys = [] }
    if random.int(0 ... 3) == 0 { frame.keys = frame.keys.map { _ in "same" } }
    if random.bool() { frame.itemData = [] }
    if random.int(0 ... 3) == 0 { frame.itemData = frame.itemData.map { _ in "same" } }
    if random.int(0 ... 5) == 0 { frame.coverage = .zero }
    if random.int(0 ... 5) == 0 { frame.stateChecksum = 0 }
    for index in frame.upserts.indices {
      switch random.int(0 ... 40) {
      case 0: frame.upserts[index].element.frame = .zero
      case 1: frame.upserts[index].element.alpha = 0
      case 2: frame.upserts[index].slot = .max - UInt32(index)
      case 3: frame.upserts[index].element.zIndex = .min
      case 4: frame.upserts[index].element.kind = .max
      case 5: frame.upserts[index].element.frame.x = -0.0
      default: break
      }
    }
    if random.bool() {
      frame.transition = FrameTransition(
        isAnimated: random.bool(),
        fromDataVersion: UInt64(random.int(0 ... 3)),
        appearing: frame.upserts.filter { _ in random.bool() },
        disappearing: frame.upserts.filter { _ in random.bool() },
        keys: random.bool() ? [] : frame.keys
      )
    }
  }

  @Test("an even column, and one that varies, whatever the numbers", arguments: 0 ..< 20 as Range)
  func columns(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for encoding in ElementEncoding.allCases {
      var model = FrameModel(seed: seed)
      var frame = model.step(isKeyframe: true, count: 40)
      let isHidden = random.bool()
      let alpha = random.bool() ? 1 : random.number(0 ... 1)
      for index in frame.upserts.indices {
        frame.upserts[index].slot = UInt32(index)
        frame.upserts[index].element.isHidden = isHidden
        frame.upserts[index].element.alpha = alpha
        frame.upserts[index].element.kind = UInt16(seed % 2)
        frame.upserts[index].element.extra = -1
      }
      let capabilities = ClientCapabilities(encoding: encoding)
      var encoder = FrameEncoder(capabilities: capabilities)
      var reference = ReferenceEncoder(capabilities: capabilities)
      try expect(frame, &encoder, like: &reference, "seed \(seed), \(encoding)")
    }
  }
}
