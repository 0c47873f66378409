// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import TestSupport
import Testing

@Suite("A session's stream", .timeLimit(.minutes(2)))
struct SessionStreamTests {
  /// A session and its mirror, with every message between them on the wire.
  private struct Stream {
    var session: ViewportSession
    var encoder: FrameEncoder
    var mirror: ElementMirror
    var seq: UInt64 = 1
    let rules = ReadingRules()

    init(_ parameters: SessionParameters) throws {
      session = ViewportSession(open: parameters)
      encoder = FrameEncoder(capabilities: parameters.capabilities)
      mirror = ElementMirror(unitsPerPoint: parameters.capabilities.unitsPerPoint)
      try pump()
    }

    /// Returns the reasons of refusals.
    mutating func send(_ event: SessionEvent) throws -> [Refusal.Reason] {
      seq += 1
      let request = try #require(
        Wire.StreamLayoutRequest(
          eventSequence: seq,
          event,
          ack: FrameAck(
            sequence: mirror.frameSequence,
            stateChecksum: mirror.stateChecksum
          )
        )
      )
      let read = try #require(try request.sessionEvent(by: rules))
      try session.acknowledge(try #require(request.frameAck), at: .zero)
      let answers = try session.receive(read, seq: seq, at: .zero)
      try pump()
      return answers.compactMap {
        if case .eventResult(let result) = $0 { result.problem?.reason } else { nil }
      }
    }

    private mutating func pump() throws {
      if let request = session.wantedLayout { session.supply(request.prepare(), for: request) }
      guard let frame = session.nextFrame(at: .zero) else { return }
      for response in try encoder.encode(frame) {
        _ = try mirror.apply(Wire.StreamLayoutResponse(serializedBytes: response.bytes).frame)
      }
    }
  }

  private static func contents() throws -> CollectionContents {
    let blocks = (0 ..< 3).map { section in
      SectionBlocks(
        key: "s\(section)",
        blocks: [
          ItemBlock(
            count: 200,
            widths: (0 ..< 200).map { Double(40 + $0 * 7 % 50) + 1.0 / 3 },
            heights: (0 ..< 200).map { Double(30 + $0 * 11 % 60) },
            keys: (0 ..< 200).map { "i\(section)-\($0)" }
          )
        ]
      )
    }
    return try CollectionContents(validating: blocks)
  }

  @Test(
    "a mirror ends up with the session's elements, whatever happens",
    arguments: [ElementEncoding.messages, .packed],
    0 ..< 6 as Range<UInt64>
  )
  func followsEverything(encoding: ElementEncoding, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let units = random.bool() ? 64 : 192
    var stream = try Stream(
      SessionParameters(
        contents: try Self.contents(),
        layout: LayoutConfiguration(FlowLayout()),
        viewport: ViewportChange(offset: .zero, size: Size(width: 320, height: 480)),
        options: SessionOptions(maxInFlightFrames: 8),
        capabilities: ClientCapabilities(
          encoding: encoding,
          unitsPerPoint: units,
          animations: true,
          pinning: random.bool(),
          checksums: true,
          itemKeys: true
        )
      )
    )
    #expect(stream.mirror.liveCount > 0)
    for step in 0 ..< 60 {
      let event: SessionEvent =
        switch random.int(0 ... 9) {
        case 0 ... 4:
          .viewport(
            ViewportChange(
              observedFrame: stream.mirror.frameSequence,
              offset: Point(x: 0, y: random.number(0 ... 6000))
            )
          )
        case 5 ... 6:
          .update(
            UpdateBatch(
              [
                .insertItems(
                  at: IndexPath(section: random.int(0 ... 2), item: random.int(0 ... 20)),
                  items: [ItemBlock(count: 1, widths: [33], heights: [44], keys: ["n\(step)"])]
                )
              ],
              isAnimated: random.bool()
            )
          )
        case 7:
          .update(
            UpdateBatch([
              .deleteItems(section: random.int(0 ... 2), items: 3 ..< 3 + random.int(1 ... 4))
            ])
          )
        case 8:
          .layout(
            LayoutChange(
              layout: LayoutConfiguration(
                random.bool()
                  ? FlowLayout(
                    headerReferenceSize: Size(width: 0, height: 30),
                    sectionHeadersPinToVisibleBounds: true
                  )
                  : LineLayout(sectionInset: .zero)
              ),
              isAnimated: random.bool()
            )
          )
        default: .resync
        }
      #expect(try stream.send(event) == [])
      // The mirror has checked every frame's count and checksum by itself.
      #expect(stream.mirror.frameSequence == stream.session.lastFrame)
      #expect(stream.mirror.liveCount == stream.session.liveCount)
      #expect(stream.mirror.stateChecksum == stream.session.stateChecksum)
    }
    #expect(stream.mirror.dataVersion == stream.session.dataVersion)
    try expectKeys(of: stream)
  }

  /// Item keys are no part of the checksum.
  private func expectKeys(of stream: Stream) throws {
    let contents = try #require(stream.session.query).prepared.context.contents
    for element in stream.mirror.elements.values where element.key.category == .cell {
      #expect(element.itemKey == contents.key(at: element.key.indexPath))
    }
  }
}
