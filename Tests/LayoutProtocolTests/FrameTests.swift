// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutGeometry
import LayoutProtocol
import SwiftProtobuf
import TestSupport
import Testing

@testable import LayoutSession

@Suite("Frames", .timeLimit(.minutes(2)))
struct FrameTests {
  /// Encodes, serializes, reads and applies a frame; checks that every part is alike.
  private func send(
    _ frame: SessionFrame,
    _ encoder: inout FrameEncoder,
    to mirror: inout ElementMirror
  ) throws -> MirroredChange {
    let responses = try encoder.encode(frame)
    var change: MirroredChange?
    for (index, response) in responses.enumerated() {
      let message = try Wire.StreamLayoutResponse(serializedBytes: response.bytes).frame
      #expect(message.continued == (index < responses.count - 1))
      #expect(change == nil)
      change = try mirror.apply(message)
    }
    return try #require(change)
  }

  private func expect(
    _ mirror: ElementMirror,
    like model: FrameModel,
    within error: Double,
    _ place: String
  ) {
    #expect(Set(mirror.elements.keys) == Set(model.live.keys), "\(place)")
    for (slot, live) in model.live {
      guard let found = mirror.elements[slot] else { continue }
      #expect(found.key.category == live.element.category)
      #expect(found.key.kind == model.kindNames[Int(live.element.kind)])
      #expect(found.key.indexPath == live.element.indexPath, "\(place), slot \(slot)")
      let isOfSection = live.element.indexPath.item == nil
      #expect((isOfSection ? found.sectionKey : found.itemKey) == live.itemKey)
      #expect((isOfSection ? found.itemKey : found.sectionKey).isEmpty)
      #expect(found.itemData == live.itemData)
      #expect(found.attributes.transform == live.extra?.transform ?? .identity)
      #expect(found.attributes.custom == live.extra?.custom)
      #expect(found.pin == live.extra?.pin)
      #expect(found.scrollsAcross == live.element.scrollsAcross)
      #expect(found.attributes.zIndex == Int(live.element.zIndex))
      #expect(found.attributes.isHidden == live.element.isHidden)
      #expect(abs(found.attributes.alpha - live.element.alpha) <= (error == 0 ? 0 : 0.5 / 65535))
      let (a, b) = (found.attributes.frame, live.element.frame)
      #expect(abs(a.minX - b.minX) <= error)
      #expect(abs(a.minY - b.minY) <= error)
      #expect(abs(a.maxX - b.maxX) <= error)
      #expect(abs(a.maxY - b.maxY) <= error)
    }
    #expect(mirror.stateChecksum == model.checksum, "\(place)")
    #expect(mirror.liveCount == model.live.count)
  }

  @Test(
    "a mirror holds what the server holds, frame by frame, in either encoding",
    arguments: 0 ..< 30 as Range<UInt64>
  )
  func mirrors(seed: UInt64) throws {
    for (encoding, units) in [
      (ElementEncoding.messages, 64), (.packed, 64), (.packed, 192), (.messages, 192),
    ] {
      var model = FrameModel(seed: seed, unitsPerPoint: units)
      if seed % 3 == 1 { model.origin = Point(x: 0, y: 440_000_000) }
      let capabilities = ClientCapabilities(encoding: encoding, unitsPerPoint: units)
      var encoder = FrameEncoder(capabilities: capabilities)
      var mirror = ElementMirror(unitsPerPoint: units)
      var effects = ScrollEffects.none
      for step in 0 ..< 12 {
        let frame = model.step(isKeyframe: step % 5 == 0)
        effects = frame.scrollEffects ?? (frame.isKeyframe ? .none : effects)
        let change = try send(frame, &encoder, to: &mirror)
        // Edges are rounded to the nearest unit; 1e-6 is the noise of dividing far numbers by 192.
        let error = encoding == .messages ? 1e-7 : 0.5 / Double(units) + 1e-6
        expect(
          mirror,
          like: model,
          within: encoding == .messages ? 0 : error,
          "seed \(seed), \(encoding) \(units), step \(step)"
        )
        #expect(change.isKeyframe == frame.isKeyframe)
        #expect(Set(change.upserts) == Set(frame.upserts.map(\.slot)))
        #expect(change.offsetAdjustment == frame.offsetAdjustment)
        #expect(change.mergedEvents == 2)
        #expect(mirror.frameSequence == frame.sequence)
        #expect(mirror.dataVersion == frame.dataVersion)
        #expect(mirror.layoutVersion == 7)
        #expect(mirror.appliedEvent == frame.appliedEvent)
        #expect(mirror.coverage == frame.coverage)
        #expect(mirror.scrollSensitivity == frame.scrollSensitivity)
        #expect(mirror.scrollEffects == effects)
        if let size = frame.contentSize { #expect(mirror.contentSize == size) }
      }
    }
  }

  @Test("slot 0 alone can be emptied", arguments: ElementEncoding.allCases)
  func removeSlotZero(encoding: ElementEncoding) throws {
    var frame = Self.grid(count: 1, columns: 1)
    var encoder = FrameEncoder(capabilities: ClientCapabilities(encoding: encoding))
    var mirror = ElementMirror()
    _ = try send(frame, &encoder, to: &mirror)
    frame.sequence = 2
    frame.baseSequence = 1
    frame.upserts = []
    frame.removedSlots = [0]
    frame.liveCount = 0
    let change = try send(frame, &encoder, to: &mirror)
    #expect(change.removed.map(\.slot) == [0])
    #expect(mirror.stateChecksum == 0)
  }

  @Test("a large frame comes in parts that keep to the limit", arguments: ElementEncoding.allCases)
  func parts(encoding: ElementEncoding) throws {
    var model = FrameModel(seed: 5)
    let frame = model.step(isKeyframe: true, count: 2000)
    var encoder = FrameEncoder(
      capabilities: ClientCapabilities(encoding: encoding),
      maxMessageBytes: 16 << 10
    )
    let encoded = try encoder.encode(frame)
    #expect(encoded.count > 1)
    #expect(encoded.allSatisfy { $0.bytes.count <= 16 << 10 })
    let responses = try encoded.map { try Wire.StreamLayoutResponse(serializedBytes: $0.bytes) }
    #expect(responses.allSatisfy { $0.frame.frameSeq == 1 })
    #expect(responses.dropLast().allSatisfy { $0.frame.continued && !$0.frame.hasStateChecksum })
    #expect(
      responses.dropLast().allSatisfy { !$0.frame.hasContentOffsetAdjustment }
    )
    encoder = FrameEncoder(
      capabilities: ClientCapabilities(encoding: encoding),
      maxMessageBytes: 16 << 10
    )
    var mirror = ElementMirror()
    _ = try send(frame, &encoder, to: &mirror)
    #expect(mirror.stateChecksum == model.checksum)
  }

  @Test("a transition tells where elements come from and go to")
  func transition() throws {
    var model = FrameModel(seed: 9)
    var frame = model.step(isKeyframe: true)
    let header = FrameElement(
      element: LayoutElement(
        category: .supplementary,
        kind: 1,
        indexPath: IndexPath(section: 2),
        frame: Rect(x: 1, y: 2, width: 3, height: 4),
        alpha: 0
      ),
      slot: 77,
      previousPath: IndexPath(section: 2)
    )
    frame.transition = FrameTransition(
      isAnimated: true,
      fromDataVersion: 4,
      appearing: [header],
      disappearing: [header, header],
      keys: ["a", "b", "c"]
    )
    for encoding in ElementEncoding.allCases {
      var encoder = FrameEncoder(capabilities: ClientCapabilities(encoding: encoding))
      var mirror = ElementMirror()
      let change = try send(frame, &encoder, to: &mirror)
      #expect(change.isAnimated)
      #expect(change.appearing.map(\.sectionKey) == ["a"])
      #expect(change.disappearing.map(\.sectionKey) == ["b", "c"])
      #expect(change.appearing.first?.key == .supplementary("header", section: 2))
      #expect(change.appearing.first?.attributes.alpha == 0)
    }
  }

  @Test("a frame of too many bytes is not made", arguments: [ElementEncoding.packed, .messages])
  func tooLarge(encoding: ElementEncoding) throws {
    var frame = Self.grid(count: 70, columns: 1)
    let data = String(repeating: "x", count: 1 << 20)
    var encoder = FrameEncoder(capabilities: ClientCapabilities(encoding: encoding, itemData: true))
    frame.itemData = Array(repeating: data, count: 60) + Array(repeating: "", count: 10)
    #expect(try encoder.encode(frame).count >= 60)
    frame.itemData = Array(repeating: data, count: 70)
    let fault = #expect(throws: FrameTooLarge.self) { _ = try encoder.encode(frame) }
    #expect(fault.map { $0.byteCount > 70 << 20 } == true)
  }

  @Test("an insert above the screen costs a packed frame a few bytes")
  func shiftRuns() throws {
    var frame = Self.grid(count: 60, columns: 1)
    frame.baseSequence = 1
    frame.sequence = 2
    for index in frame.upserts.indices {
      frame.upserts[index].isShiftOnly = true
      frame.upserts[index].previousPath = IndexPath(section: 0, item: 9_000_000 + index - 1)
    }
    var encoder = FrameEncoder(capabilities: ClientCapabilities(encoding: .packed))
    let bytes = try encoder.encode(frame)[0].bytes
    let packed = try Wire.StreamLayoutResponse(serializedBytes: bytes).frame.packed
    #expect(packed.indexShiftRuns == [0, 60, 0, 1])
    #expect(packed.upsertCount == 0)
  }

  @Test("grids of any width travel whole, whether told by rows or by columns")
  func grids() throws {
    for columns in 1 ... 9 {
      for count in [1, 2, columns, 4 * columns - 1, 4 * columns, 7 * columns + 1] {
        for isMirrored in [false, true] {
          var frame = Self.grid(count: count, columns: columns)
          if isMirrored {
            for index in frame.upserts.indices { frame.upserts[index].element.frame.x *= -1 }
          }
          let capabilities = ClientCapabilities(encoding: .packed)
          var encoder = FrameEncoder(capabilities: capabilities)
          var reference = ReferenceEncoder(capabilities: capabilities)
          let message = try Wire.StreamLayoutResponse(
            serializedBytes: try encoder.encode(frame)[0].bytes
          )
          #expect(message == reference.encode(frame)[0])
          var mirror = ElementMirror()
          _ = try mirror.apply(message.frame)
          #expect(mirror.liveCount == count)
          for upsert in frame.upserts {
            let element = mirror.elements[upsert.slot]
            #expect(element?.key.indexPath == upsert.element.indexPath)
            #expect(element?.attributes.frame == upsert.element.frame)
          }
        }
      }
    }
  }

  @Test("a packed keyframe of a grid takes no more than 5 bytes an element, a waterfall's 9")
  func sizes() throws {
    /// With all that a frame says beside its elements.
    func bytesEach(_ frame: SessionFrame) throws -> Double {
      var encoder = FrameEncoder(capabilities: ClientCapabilities(encoding: .packed))
      return Double(try encoder.encode(frame)[0].bytes.count) / Double(frame.upserts.count)
    }
    let grid = Self.grid(count: 60, columns: 5)
    #expect(try bytesEach(grid) <= 5)
    var waterfall = Self.grid(count: 60, columns: 3)
    var random = SplitMix64(seed: 3)
    var bottoms = [Double](repeating: 0, count: 3)
    for index in waterfall.upserts.indices {
      let column = bottoms.indices.min { bottoms[$0] < bottoms[$1] } ?? 0
      let height = Double(random.int(80 ... 300))
      waterfall.upserts[index].element.frame = Rect(
        x: Double(column) * 130,
        y: 5e8 + bottoms[column],
        width: 120,
        height: height
      )
      bottoms[column] += height + 10
    }
    #expect(try bytesEach(waterfall) <= 9)
  }

  @Test("quantised neighbours stay seamless")
  func seams() throws {
    var frame = Self.grid(count: 30, columns: 1)
    for index in frame.upserts.indices {
      frame.upserts[index].element.frame = Rect(
        x: 0,
        y: Double(index) * 100 / 3,
        width: 320,
        height: 100 / 3
      )
    }
    frame.stateChecksum = nil
    var encoder = FrameEncoder(capabilities: ClientCapabilities(encoding: .packed))
    var mirror = ElementMirror()
    _ = try send(frame, &encoder, to: &mirror)
    for slot in 1 ..< 30 as Range<UInt32> {
      let above = try #require(mirror.elements[slot - 1]).attributes.frame
      #expect(mirror.elements[slot]?.attributes.frame.minY == above.maxY)
    }
  }

  /// Equal cells, far down.
  private static func grid(count: Int, columns: Int) -> SessionFrame {
    var frame = SessionFrame(
      sequence: 1,
      baseSequence: 0,
      dataVersion: 1,
      layoutVersion: 1,
      appliedEvent: 1,
      mergedEvents: 0,
      contentSize: .zero,
      coverage: .zero,
      offsetAdjustment: .zero,
      scrollSensitivity: .coverage,
      upserts: [],
      keys: [],
      removedSlots: [],
      extras: [],
      kindNames: [""],
      liveCount: count,
      stateChecksum: nil
    )
    for index in 0 ..< count {
      let path = IndexPath(section: 0, item: 9_000_000 + index)
      frame.upserts.append(
        FrameElement(
          element: LayoutElement(
            category: .cell,
            kind: 0,
            indexPath: path,
            frame: Rect(
              x: Double(index % columns) * 78,
              y: 4e8 + Double(index / columns) * 44,
              width: 70,
              height: 40
            )
          ),
          slot: UInt32(index),
          previousPath: path
        )
      )
    }
    return frame
  }
}
