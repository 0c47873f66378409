// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

/// The state of a client that resumes its session on a new stream.
public struct SessionResume: Hashable, Sendable {
  /// The sequence number of the last frame that the client applied; 0 = none.
  public var lastFrame: UInt64
  /// The checksum of the client's elements; nil = it is not compared.
  public var stateChecksum: UInt32?
  /// The number of the client's elements.
  public var liveCount: Int
  /// The capabilities negotiated on the new stream.
  public var capabilities: ClientCapabilities
  /// New options; nil = they stay as they are.
  public var options: SessionOptions?
  /// Another layout; nil = it stays as it is.
  public var layout: LayoutConfiguration?
  /// Whether that layout came with the client's request, rather than from the data.
  public var ownsLayout: Bool
  /// What the client sees; nil values stay as they are. The offset was read in `lastFrame`,
  /// whatever `observedFrame` says.
  public var viewport: ViewportChange

  /// The state of a client, with the given values.
  public init(
    lastFrame: UInt64,
    stateChecksum: UInt32? = nil,
    liveCount: Int,
    capabilities: ClientCapabilities,
    options: SessionOptions? = nil,
    layout: LayoutConfiguration? = nil,
    ownsLayout: Bool = true,
    viewport: ViewportChange = .init()
  ) {
    self.lastFrame = lastFrame
    self.stateChecksum = stateChecksum
    self.liveCount = liveCount
    self.capabilities = capabilities
    self.options = options
    self.layout = layout
    self.ownsLayout = ownsLayout
    self.viewport = viewport
  }
}

/// How a session goes on after it was resumed.
public enum ResumeOutcome: Hashable, Sendable {
  /// The client's elements are correct: the next frame changes them.
  case resumed
  /// The client's elements are wrong or unknown: the next frame is a keyframe.
  case resumedWithKeyframe
}

extension ViewportSession {
  /// Resumes the session of a client that has lost its stream, on a new stream. The client must
  /// then resend its events after `lastEvent`, as this call leaves it.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  /// - Throws: `ProtocolViolation` if the client names a frame that was never sent, or an
  ///   `Refusal` if the layout or the viewport is invalid. The session is then unchanged.
  public mutating func resume(
    _ resume: SessionResume,
    at now: Duration
  ) throws -> ResumeOutcome {
    var resumed = self
    let outcome = try resumed.resumeInPlace(with: resume, at: now)
    self = resumed
    return outcome
  }

  private mutating func resumeInPlace(
    with resume: SessionResume,
    at now: Duration
  ) throws -> ResumeOutcome {
    guard resume.lastFrame <= link.window.lastSent else {
      throw ProtocolViolation(
        "frame \(resume.lastFrame) was never sent; the last one is \(link.window.lastSent)"
      )
    }
    var viewport = resume.viewport
    viewport.observedFrame = resume.lastFrame
    isClosed = false
    prefetching.value?.restart()
    sightings.value?.restart(after: max(.zero, now - link.lastIncoming), at: now)
    link.lastIncoming = max(link.lastIncoming, now)
    link.lastOutgoing = max(link.lastOutgoing, now)
    link.lastFrameAt = nil
    // The client must resend updates whose outcome the owner has not reported. Their numbers are
    // above 0, since each was greater than that of an earlier event.
    if let oldest = unsettled.min() {
      lastEvent = oldest - 1
      unsettled.removeAll()
      waitingOffers.removeAll()
      // The client asks these questions again, too.
      let last = lastEvent
      waitingSyncs.removeAll { $0 > last }
      waitingScrolls.removeAll { $0.seq > last }
    }
    // The user no longer holds anything.
    endMovement()
    let outcome = compare(resume)
    link.window.restart(applied: resume.lastFrame)
    try apply(viewport)
    if let layout = resume.layout, layout != givenConfiguration {
      try apply(LayoutChange(layout: layout, isOwn: resume.ownsLayout, isAnimated: false))
    }
    return outcome
  }

  /// Takes over options and capabilities, and checks whether the client's elements are correct.
  private mutating func compare(_ resume: SessionResume) -> ResumeOutcome {
    if let options = resume.options { use(options) }
    let isSameRendering =
      resume.capabilities.encoding == capabilities.encoding
      && resume.capabilities.unitsPerPoint == capabilities.unitsPerPoint
      && resume.capabilities.pinning == capabilities.pinning
      && resume.capabilities.itemKeys == capabilities.itemKeys
      && resume.capabilities.scrollEffects == capabilities.scrollEffects
      && resume.capabilities.sectionKeys == capabilities.sectionKeys
      && resume.capabilities.sectionScrolls == capabilities.sectionScrolls
      && resume.capabilities.sectionScrolling == capabilities.sectionScrolling
      && resume.capabilities.itemData == capabilities.itemData
    let isSameState =
      resume.lastFrame == link.window.lastSent && resume.liveCount == live.count
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
    isRepairSent = false
    return .resumedWithKeyframe
  }
}
