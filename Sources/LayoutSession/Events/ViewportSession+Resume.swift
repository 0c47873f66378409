// SPDX-License-Identifier: Apache-2.0

internal import CollectionModel
public import CollectionLayouts
internal import LayoutGeometry

/// What a client knows that comes back on a new stream.
public struct SessionResume: Hashable, Sendable {
  /// The last frame that it applied.
  public var lastFrame: UInt64
  public var stateChecksum: UInt32?
  public var liveCount: Int
  /// As after the negotiation of the new stream.
  public var capabilities: ClientCapabilities
  /// nil = as before.
  public var options: SessionOptions?
  /// nil = as before.
  public var layout: LayoutConfiguration?
  /// Unset fields are as before; the offset belongs to `lastFrame`.
  public var viewport: ViewportChange

  public init(
    lastFrame: UInt64,
    stateChecksum: UInt32? = nil,
    liveCount: Int,
    capabilities: ClientCapabilities,
    options: SessionOptions? = nil,
    layout: LayoutConfiguration? = nil,
    viewport: ViewportChange = .init()
  ) {
    self.lastFrame = lastFrame
    self.stateChecksum = stateChecksum
    self.liveCount = liveCount
    self.capabilities = capabilities
    self.options = options
    self.layout = layout
    self.viewport = viewport
  }
}

public enum ResumeOutcome: Hashable, Sendable {
  /// The client's elements are still right; deltas follow.
  case resumed
  /// They are not: a keyframe follows.
  case resumedWithKeyframe
}

extension ViewportSession {
  /// Goes on with a client that comes back, on a new stream. Events above `lastEvent`, as it is
  /// then, must be sent again.
  ///
  /// - Throws: `ProtocolViolation` where the client claims a frame that was never sent, or an
  ///   `Refusal` where its layout or viewport cannot be. The session is as before then.
  public mutating func resume(
    _ resume: SessionResume,
    at now: Duration
  ) throws -> ResumeOutcome {
    var resumed = self
    let outcome = try resumed.goOn(with: resume, at: now)
    self = resumed
    return outcome
  }

  private mutating func goOn(with resume: SessionResume, at now: Duration) throws -> ResumeOutcome {
    guard resume.lastFrame <= window.lastSent else {
      throw ProtocolViolation(
        "frame \(resume.lastFrame) was never sent; the last one is \(window.lastSent)"
      )
    }
    var viewport = resume.viewport
    viewport.observedFrame = resume.lastFrame
    isClosed = false
    lastIncoming = max(lastIncoming, now)
    lastOutgoing = max(lastOutgoing, now)
    lastFrameAt = nil
    // An update whose fate the owner never told is to be sent again.
    if let oldest = unsettled.min() {
      lastEvent = oldest - 1
      unsettled.removeAll()
    }
    // A move by hand does not survive the hand.
    endMovement()
    let outcome = compare(resume)
    window.restart(applied: resume.lastFrame)
    try apply(viewport)
    if let layout = resume.layout, layout != configuration {
      try apply(LayoutChange(layout: layout, isAnimated: false))
    }
    return outcome
  }

  private mutating func compare(_ resume: SessionResume) -> ResumeOutcome {
    if let options = resume.options { self.options = options.granted }
    let isSameRendering =
      resume.capabilities.encoding == capabilities.encoding
      && resume.capabilities.unitsPerPoint == capabilities.unitsPerPoint
      && resume.capabilities.pinning == capabilities.pinning
      && resume.capabilities.itemKeys == capabilities.itemKeys
    let isSameState =
      resume.lastFrame == window.lastSent && resume.liveCount == live.count
      && resume.stateChecksum.map { $0 == stateChecksum } ?? true
    let isUnitNew = resume.capabilities.unitsPerPoint != capabilities.unitsPerPoint
    capabilities = resume.capabilities
    if isUnitNew ? live.checksum != nil : live.checksum == nil && capabilities.checksums {
      keepChecksum()
    }
    viewport.rendererPins = capabilities.pinning
    anchorViewport.rendererPins = capabilities.pinning
    isInvalidated = true
    isViewportDirty = true
    if isSameRendering, isSameState, !needsKeyframe {
      lastBeforeRejection = nil
      return .resumed
    }
    needsKeyframe = true
    lastBeforeRejection = resume.lastFrame
    isMendSent = false
    return .resumedWithKeyframe
  }
}
