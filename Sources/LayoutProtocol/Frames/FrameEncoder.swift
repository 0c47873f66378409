// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
public import LayoutSession
import SwiftProtobuf

/// Encodes a session's frames as responses, in the encoding that the client chose.
///
/// Each stream has its own encoder. Since the packed encoding sends each kind's name only once
/// after a keyframe, the caller encodes every frame, in the order in which they are sent.
public struct FrameEncoder: Sendable {
  /// The size at which a frame is divided into parts, so that other streams of the connection can
  /// send between them.
  static let wantedPartBytes = 64 << 10

  let encoding: ElementEncoding
  let unitsPerPoint: Int
  /// Whether the client scrolls sections itself, so that packed columns say which elements scroll
  /// with theirs.
  let scrollsSections: Bool
  let maxMessageBytes: Int
  /// The bytes of elements after which a new part begins.
  let partBytes: Int
  /// How many of the session's kind names have been sent since the keyframe.
  var toldKinds = 0

  /// An encoder for a new stream.
  ///
  /// - Parameter maxMessageBytes: the most bytes of one response, as granted to the client.
  public init(capabilities: ClientCapabilities, maxMessageBytes: Int = 4 << 20) {
    encoding = capabilities.encoding
    unitsPerPoint = capabilities.unitsPerPoint
    scrollsSections = capabilities.sectionScrolling
    self.maxMessageBytes = maxMessageBytes
    // 512 bytes are left for what every part has besides its elements.
    partBytes = max(1 << 10, min(maxMessageBytes, FrameEncoder.wantedPartBytes) - 512)
  }

  /// The most bytes of one response.
  package var grantedMessageBytes: Int { maxMessageBytes }

  /// Continues after the encoder of an earlier stream, for a client that has received all of its
  /// frames.
  package mutating func inheritKinds(from earlier: FrameEncoder) { toldKinds = earlier.toldKinds }

  /// Whether the clients of both have been told the same names of kinds.
  package func hasTold(asMuchAs other: FrameEncoder) -> Bool { toldKinds == other.toldKinds }

  /// Encodes a frame as one or more responses. The caller sends all of them in this order, with
  /// nothing in between.
  ///
  /// Allocates for each part, not for each element.
  ///
  /// - Throws: if that takes more than `mostFrameBytes`. Nothing of the frame may be sent then, nor
  ///   any further one.
  /// - Complexity: O(elements).
  public mutating func encode(_ frame: SessionFrame) throws(FrameTooLarge) -> [EncodedResponse] {
    let perElement = encoding == .packed ? 16 : 112
    var parts = FramePartsWriter(
      frame: frame,
      bodyField: encoding == .packed ? 13 : 12,
      capacity: 256 + min(frame.upserts.count * perElement, FrameEncoder.wantedPartBytes)
    )
    let byteCount =
      switch encoding {
      case .messages: writeMessages(of: frame, to: &parts)
      case .packed: writePacked(of: frame, to: &parts)
      }
    if let transition = frame.transition {
      let room = maxMessageBytes - 1024
      let size = transition.byteCount(of: frame, room: room)
      if size + byteCount > partBytes, size > 64 {
        // The transition gets a part of its own, without elements.
        parts.nextPart()
      }
      parts.endBody()
      parts.writer.transition(transition, of: frame, room: room)
    } else {
      parts.endBody()
    }
    return try parts.finish()
  }

  /// The most bytes of one frame. Only frames whose elements have data or custom attributes of
  /// kilobytes come near.
  public static let mostFrameBytes = 64 << 20
}

/// A frame takes more bytes than any client is sent.
public struct FrameTooLarge: Error, Hashable, Sendable {
  /// Of the frame, all its parts together.
  public var byteCount: Int
}

/// Writes the fields that every part of a frame has around its elements.
struct FramePartsWriter: ~Copyable {
  /// Writes fields of the body's message until `endBody`.
  var writer: WireWriter
  private let frame: SessionFrame
  private let bodyField: Int
  /// The bytes of the effects and sections in the first part.
  let headByteCount: Int
  private var responses: [EncodedResponse] = []
  /// Of all parts that have ended, kept or not.
  private var byteCount = 0
  private var part: WireWriter.Start
  private var body: WireWriter.Start

  /// Begins the first part.
  ///
  /// - Parameter bodyField: `elements` or `packed` of the frame message.
  init(frame: SessionFrame, bodyField: Int, capacity: Int) {
    self.frame = frame
    self.bodyField = bodyField
    writer = WireWriter(capacity: capacity)
    // Serialising cannot fail: the message has no required fields.
    let effects: [UInt8]? = frame.scrollEffects.flatMap {
      try? Wire.ScrollEffects($0).serializedBytes()
    }
    let scrolls: [UInt8]? = frame.sectionScrolls.flatMap {
      try? Wire.SectionScrolls($0).serializedBytes()
    }
    headByteCount = (effects.map { $0.count + 8 } ?? 0) + (scrolls.map { $0.count + 8 } ?? 0)
    (part, body) = Self.begin(frame, bodyField, &writer, effects: effects, scrolls: scrolls)
  }

  private static func begin(
    _ frame: SessionFrame,
    _ bodyField: Int,
    _ writer: inout WireWriter,
    effects: [UInt8]? = nil,
    scrolls: [UInt8]? = nil
  ) -> (part: WireWriter.Start, body: WireWriter.Start) {
    let part = writer.begin(2)
    writer.uint(1, frame.sequence)
    writer.uint(2, frame.baseSequence)
    writer.uint(4, frame.dataVersion)
    writer.uint(5, frame.layoutVersion)
    writer.uint(6, frame.appliedEvent)
    writer.uint(7, UInt64(UInt32(clamping: frame.mergedEvents)))
    if let size = frame.contentSize {
      let start = writer.begin(8)
      writer.double(1, size.width)
      writer.double(2, size.height)
      writer.end(start)
    }
    writer.rect(9, frame.coverage)
    writer.uint(11, frame.scrollSensitivity == .coverage ? 1 : 2)
    if let effects { writer.message(17, effects) }
    if let scrolls { writer.message(25, scrolls) }
    return (part, writer.begin(bodyField))
  }

  mutating func endBody() { writer.end(body) }

  /// Ends a part and begins the next one.
  mutating func nextPart() {
    endBody()
    writer.bool(3, true)
    endResponse()
    (part, body) = Self.begin(frame, bodyField, &writer)
  }

  /// Ends the last part, whose body has ended, and returns all parts. Only the last part has the
  /// offset adjustment, so that no client adds it twice, and the state of the elements after the
  /// frame.
  ///
  /// - Throws: if they have too many bytes.
  mutating func finish() throws(FrameTooLarge) -> [EncodedResponse] {
    writer.bool(3, frame.isContinued)
    if frame.offsetAdjustment != .zero {
      let start = writer.begin(10)
      writer.double(1, frame.offsetAdjustment.x)
      writer.double(2, frame.offsetAdjustment.y)
      writer.end(start)
    }
    writer.uint(14, UInt64(UInt32(clamping: frame.liveCount)))
    if let checksum = frame.stateChecksum { writer.fixed32(15, checksum) }
    endResponse()
    guard byteCount <= FrameEncoder.mostFrameBytes else {
      throw FrameTooLarge(byteCount: byteCount)
    }
    return responses
  }

  private mutating func endResponse() {
    writer.end(part)
    let bytes = writer.take()
    byteCount += bytes.count
    // What follows is only counted.
    if byteCount > FrameEncoder.mostFrameBytes {
      responses = []
    } else {
      responses.append(EncodedResponse(bytes: bytes))
    }
  }
}
