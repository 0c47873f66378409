// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
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

  public init(
    lastFrame: UInt64,
    stateChecksum: UInt32? = nil,
    liveCount: Int,
    capabilities: ClientCapabilities,
    options: SessionOptions? = nil
  ) {
    self.lastFrame = lastFrame
    self.stateChecksum = stateChecksum
    self.liveCount = liveCount
    self.capabilities = capabilities
    self.options = options
  }
}

public enum ResumeOutcome: Hashable, Sendable {
  /// The client's elements are still right; deltas follow.
  case resumed
  /// They are not: a keyframe follows.
  case resumedWithKeyframe
}

extension ViewportSession {
  /// Goes on with a client that comes back. Its layout and viewport, where it tells them, are
  /// events that follow; those that it numbered above `lastEvent` must be sent again.
  public mutating func resume(_ resume: SessionResume, at now: Duration) -> ResumeOutcome {
    lastIncoming = max(lastIncoming, now)
    lastOutgoing = max(lastOutgoing, now)
    window.forgetOutstanding()
    // A move by hand does not survive the hand.
    endMovement()
    if let options = resume.options { self.options = options.granted }
    let isSameRendering =
      resume.capabilities.encoding == capabilities.encoding
      && resume.capabilities.unitsPerPoint == capabilities.unitsPerPoint
      && resume.capabilities.pinning == capabilities.pinning
      && resume.capabilities.itemKeys == capabilities.itemKeys
    let isSameState =
      resume.lastFrame == window.lastSent && resume.liveCount == live.count
      && (resume.stateChecksum ?? live.checksum) == live.checksum
    if resume.capabilities.unitsPerPoint != capabilities.unitsPerPoint {
      let hashes = kinds.hashes
      let units = resume.capabilities.unitsPerPoint
      live.rehash { element in
        StateChecksum.hash(
          of: element,
          kindHash: hashes[Int(element.kind)],
          unitsPerPoint: units
        )
      }
    }
    capabilities = resume.capabilities
    viewport.rendererPins = capabilities.pinning
    isInvalidated = true
    isViewportDirty = true
    if isSameRendering, isSameState, !needsKeyframe { return .resumed }
    needsKeyframe = true
    lastBeforeRejection = resume.lastFrame
    isMendSent = false
    return .resumedWithKeyframe
  }
}
