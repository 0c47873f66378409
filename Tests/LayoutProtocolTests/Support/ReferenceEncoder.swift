// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutGeometry
import LayoutSession
import SwiftProtobuf

@testable import LayoutProtocol

/// Builds the generated messages that a session's frames mean: what the encoder's bytes must say.
///
/// One encoder belongs to one stream: the packed encoding tells each kind's name once from a
/// keyframe on, so frames must be encoded in the order in which they are sent, and all of them.
struct ReferenceEncoder: Sendable {
  /// Parts of this size let other streams of the connection through between them.
  static let wantedPartBytes = 64 << 10

  let encoding: ElementEncoding
  let unitsPerPoint: Int
  let scrollsSections: Bool
  let maxMessageBytes: Int
  let partBytes: Int
  /// How many of the session's kind names the client has been told since the keyframe.
  var toldKinds = 0

  /// - Parameter maxMessageBytes: of one response, as granted.
  init(capabilities: ClientCapabilities, maxMessageBytes: Int = 4 << 20) {
    encoding = capabilities.encoding
    unitsPerPoint = capabilities.unitsPerPoint
    scrollsSections = capabilities.sectionScrolling
    self.maxMessageBytes = maxMessageBytes
    // Room for what every part has besides its elements.
    partBytes = max(1 << 10, min(maxMessageBytes, ReferenceEncoder.wantedPartBytes) - 512)
  }

  /// The frame as responses, all of them to be sent in this order without anything in between.
  ///
  /// - Complexity: O(elements).
  mutating func encode(_ frame: SessionFrame) -> [Wire.StreamLayoutResponse] {
    var bodies =
      switch encoding {
      case .messages: messages(of: frame)
      case .packed: packed(of: frame)
      }
    let transition = frame.transition.map { self.transition($0, of: frame) }
    if let transition, transition.byteCount + bodies[bodies.count - 1].byteCount > partBytes,
      transition.byteCount > 64
    {
      // A part of its own: what the frame's last part has besides the transition is empty.
      bodies.append(EncodedBody(body: emptyBody, byteCount: 0))
    }
    return bodies.indices.map { index in
      var part = header(of: frame)
      part.body = bodies[index].body
      if index == 0, let effects = frame.scrollEffects {
        part.scrollEffects = Wire.ScrollEffects(effects)
      }
      if index == 0, let scrolls = frame.sectionScrolls {
        part.sectionScrolls = Wire.SectionScrolls(scrolls)
      }
      if index == bodies.count - 1 {
        part.continued = frame.isContinued
        finish(&part, of: frame)
        if let transition { part.transition = transition.message }
      } else {
        part.continued = true
      }
      var response = Wire.StreamLayoutResponse()
      response.frame = part
      return response
    }
  }

  /// What the effects and sections take away from the first part.
  func headByteCount(of frame: SessionFrame) -> Int {
    let bytes: [UInt8]? = frame.scrollEffects.flatMap {
      try? Wire.ScrollEffects($0).serializedBytes()
    }
    let scrolls: [UInt8]? = frame.sectionScrolls.flatMap {
      try? Wire.SectionScrolls($0).serializedBytes()
    }
    return [bytes, scrolls].reduce(0) { $0 + ($1.map { $0.count + 8 } ?? 0) }
  }

  private var emptyBody: Wire.LayoutFrame.OneOf_Body {
    switch encoding {
    case .messages: .elements(.init())
    case .packed: .packed(.init())
    }
  }

  /// What every part says.
  private func header(of frame: SessionFrame) -> Wire.LayoutFrame {
    var message = Wire.LayoutFrame()
    message.frameSeq = frame.sequence
    message.baseFrameSeq = frame.baseSequence
    message.dataVersion = frame.dataVersion
    message.layoutVersion = frame.layoutVersion
    message.appliedEventSeq = frame.appliedEvent
    message.mergedEvents = UInt32(clamping: frame.mergedEvents)
    if let size = frame.contentSize { message.contentSize = Wire.Size(size) }
    message.coverage = Wire.Rect(frame.coverage)
    message.scrollSensitivity = frame.scrollSensitivity == .coverage ? .coverage : .everyScroll
    return message
  }

  /// What holds once the last part is applied. In no other part, so that nobody adds an adjustment
  /// twice.
  private func finish(_ message: inout Wire.LayoutFrame, of frame: SessionFrame) {
    if frame.offsetAdjustment != .zero {
      message.contentOffsetAdjustment = Wire.Point(frame.offsetAdjustment)
    }
    message.liveCount = UInt32(clamping: frame.liveCount)
    if let checksum = frame.stateChecksum { message.stateChecksum = checksum }
  }

  /// The transition, cut off where it would not fit into one message: elements without initial or
  /// final attributes fade.
  private func transition(
    _ transition: FrameTransition,
    of frame: SessionFrame
  ) -> (message: Wire.Transition, byteCount: Int) {
    var message = Wire.Transition()
    message.animated = transition.isAnimated
    message.fromDataVersion = transition.fromDataVersion
    var byteCount = 32
    var keys = transition.keys[...]
    let room = maxMessageBytes - 1024
    func encoded(_ elements: [FrameElement]) -> [Wire.LayoutElement] {
      var messages: [Wire.LayoutElement] = []
      for element in elements {
        let texts = ElementTexts(key: keys.popFirst() ?? "")
        let size = frame.byteCount(of: element, texts)
        guard byteCount + size <= room else { continue }
        byteCount += size
        messages.append(Wire.LayoutElement(element, of: frame, texts))
      }
      return messages
    }
    message.appearing = encoded(transition.appearing)
    message.disappearing = encoded(transition.disappearing)
    return (message, byteCount)
  }
}

/// The elements of one part, and roughly how many bytes they take.
struct EncodedBody {
  var body: Wire.LayoutFrame.OneOf_Body
  var byteCount: Int
}
