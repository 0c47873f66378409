// SPDX-License-Identifier: Apache-2.0

internal import LayoutGeometry
package import LayoutSession

/// An acknowledgement, a change of the viewport's offset and velocity, or both.
///
/// Small and without references, because each stream reserves memory for several of them.
package struct ScrollStep: Hashable, Sendable, BitwiseCopyable {
  private struct Parts: OptionSet, Hashable, BitwiseCopyable {
    let rawValue: UInt8
    static let ack = Parts(rawValue: 1)
    static let checksum = Parts(rawValue: 2)
    static let rejection = Parts(rawValue: 4)
    static let viewport = Parts(rawValue: 8)
    static let offset = Parts(rawValue: 16)
    static let velocity = Parts(rawValue: 32)
  }

  /// The event's number; 0 = the request is a bare acknowledgement.
  package let eventSequence: UInt64
  private let acknowledged: UInt64
  private let observed: UInt64
  private let offset: Point
  private let velocity: Point
  private let checksum: UInt32
  private let parts: Parts

  private init(_ sequence: UInt64, _ ack: FrameAck?, _ viewport: ViewportChange?) {
    eventSequence = sequence
    acknowledged = ack?.sequence ?? 0
    observed = viewport?.observedFrame ?? 0
    offset = viewport?.offset ?? .zero
    velocity = viewport?.velocity ?? .zero
    checksum = ack?.stateChecksum ?? 0
    var parts: Parts = []
    if ack != nil { parts.insert(.ack) }
    if ack?.stateChecksum != nil { parts.insert(.checksum) }
    if ack?.isRejected == true { parts.insert(.rejection) }
    if viewport != nil { parts.insert(.viewport) }
    if viewport?.offset != nil { parts.insert(.offset) }
    if viewport?.velocity != nil { parts.insert(.velocity) }
    self.parts = parts
  }

  /// The acknowledgement; nil = there is none.
  package var ack: FrameAck? {
    guard parts.contains(.ack) else { return nil }
    return FrameAck(
      sequence: acknowledged,
      stateChecksum: parts.contains(.checksum) ? checksum : nil,
      isRejected: parts.contains(.rejection)
    )
  }

  /// The change of the viewport; nil = there is none.
  package var viewport: ViewportChange? {
    guard parts.contains(.viewport) else { return nil }
    return ViewportChange(
      observedFrame: observed,
      offset: parts.contains(.offset) ? offset : nil,
      velocity: parts.contains(.velocity) ? velocity : nil
    )
  }

  /// Decodes a request.
  ///
  /// - Returns: nil = it has other fields, has a field twice, or is invalid; the caller then
  ///   decodes it with the generated code, which also reports what is wrong.
  package init?(_ bytes: RawSpan) {
    var reader = WireCursor(count: bytes.byteCount)
    var sequence: UInt64 = 0
    var ack: FrameAck?
    var viewport: ViewportChange?
    while let tag = reader.byte(in: bytes) {
      switch tag {
      case 0x08 where sequence == 0:
        guard let value = reader.varint(in: bytes) else { return nil }
        sequence = value
      case 0x12 where ack == nil:
        guard let part = reader.part(in: bytes), let found = FrameAck(part, in: bytes) else {
          return nil
        }
        ack = found
      case 0x22 where viewport == nil:
        guard let part = reader.part(in: bytes), let found = ViewportChange(part, in: bytes) else {
          return nil
        }
        viewport = found
      default: return nil
      }
    }
    // An event number without a viewport belongs to an event that is not decoded here.
    guard viewport != nil || sequence == 0 else { return nil }
    self.init(sequence, ack, viewport)
  }

  /// The same as a message.
  package var message: Wire.StreamLayoutRequest {
    var message = Wire.StreamLayoutRequest()
    message.eventSeq = eventSequence
    if let ack { message.ack = Wire.FrameAck(ack) }
    if let viewport {
      message.viewport.observedFrameSeq = viewport.observedFrame
      if let offset = viewport.offset { message.viewport.contentOffset = Wire.Point(offset) }
      if let velocity = viewport.velocity { message.viewport.velocity = Wire.Point(velocity) }
    }
    return message
  }
}

extension FrameAck {
  fileprivate init?(_ message: WireCursor, in bytes: RawSpan) {
    var reader = message
    self.init(sequence: 0)
    while let tag = reader.byte(in: bytes) {
      switch tag {
      case 0x08 where sequence == 0:
        guard let value = reader.varint(in: bytes) else { return nil }
        sequence = value
      case 0x15 where stateChecksum == nil:
        guard let value: UInt32 = reader.fixed(in: bytes) else { return nil }
        stateChecksum = value
      case 0x18 where !isRejected:
        guard let value = reader.varint(in: bytes) else { return nil }
        isRejected = value != 0
      default: return nil
      }
    }
  }
}

extension ViewportChange {
  fileprivate init?(_ message: WireCursor, in bytes: RawSpan) {
    var reader = message
    self.init()
    while let tag = reader.byte(in: bytes) {
      switch tag {
      case 0x08 where observedFrame == 0:
        guard let value = reader.varint(in: bytes) else { return nil }
        observedFrame = value
      case 0x12 where offset == nil:
        guard let part = reader.part(in: bytes), let point = Point(part, in: bytes) else {
          return nil
        }
        offset = point
      case 0x2a where velocity == nil:
        guard let part = reader.part(in: bytes), let point = Point(part, in: bytes) else {
          return nil
        }
        velocity = point
      default: return nil
      }
    }
  }
}

extension Point {
  /// nil = the bytes are malformed, or a coordinate would be refused.
  fileprivate init?(_ message: WireCursor, in bytes: RawSpan) {
    var reader = message
    self = .zero
    while let tag = reader.byte(in: bytes) {
      guard tag == 0x09 || tag == 0x11, let bits: UInt64 = reader.fixed(in: bytes) else {
        return nil
      }
      let value = Double(bitPattern: bits)
      guard value.magnitude <= FieldReader.maxMagnitude else { return nil }
      if tag == 0x09 { x = value } else { y = value }
    }
  }
}
