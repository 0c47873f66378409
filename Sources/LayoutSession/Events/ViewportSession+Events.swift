// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// One event of the client. What it changes goes into the next frame; what it asks is answered.
  ///
  /// A refused event leaves no trace but its answer.
  /// - Parameter seq: greater than that of every event before, across resumes.
  /// - Throws: `ProtocolViolation` where it is not; the stream must end then.
  public mutating func receive(
    _ event: SessionEvent,
    seq: UInt64,
    at now: Duration
  ) throws(ProtocolViolation) -> [SessionMessage] {
    guard seq > lastEvent else {
      throw ProtocolViolation("event \(seq) came after event \(lastEvent)")
    }
    lastIncoming = max(lastIncoming, now)
    guard !isClosed else { return [] }
    lastEvent = seq
    eventsSinceFrame += 1
    let messages = answer(event, seq: seq)
    if !messages.isEmpty { lastOutgoing = max(lastOutgoing, now) }
    return messages
  }

  /// The client's word on frames; may ride on any request. Acknowledgements of frame 0, or of an
  /// older frame than was acknowledged last, are ignored: they say nothing new.
  ///
  /// - Throws: `ProtocolViolation` where the frame was never sent.
  public mutating func acknowledge(
    _ ack: FrameAck,
    at now: Duration
  ) throws(ProtocolViolation) {
    lastIncoming = max(lastIncoming, now)
    if ack.stateChecksum != nil, live.checksum == nil {
      // A client that tells its checksum unasked: from now on it is compared.
      keepChecksum()
      window.noteChecksum(stateChecksum)
    }
    let verdict = try window.acknowledge(ack, at: now)
    if isMendSent, window.lastApplied >= window.lastKeyframe { lastBeforeRejection = nil }
    switch verdict {
    case .fine: break
    case .mismatch: needsKeyframe = true
    case .rejected:
      needsKeyframe = true
      isMendSent = false
      lastBeforeRejection = lastApplied(before: ack.sequence)
    case .mended(let keyframe, let mendsSince):
      // What the client did not apply includes the adjustments of its offset.
      let applied = lastApplied(before: ack.sequence)
      if let mendsSince, mendsSince <= applied { break }
      // The keyframe left before anybody knew that it has to make up for something.
      let owed = adjustments.postpone(after: applied, before: keyframe, to: window.lastSent + 1)
      if owed != .zero { isViewportDirty = true }
    }
  }

  /// The last frame that the client applied before it rejected `sequence`, which is above 0.
  private func lastApplied(before sequence: UInt64) -> UInt64 {
    min(lastBeforeRejection ?? .max, sequence - 1)
  }

  private mutating func answer(_ event: SessionEvent, seq: UInt64) -> [SessionMessage] {
    do throws(Refusal) {
      switch event {
      case .viewport(let change):
        try apply(change)
        return []
      case .update(let batch):
        return try apply(batch, seq: seq)
      case .layout(let change):
        try apply(change)
      case .measurements(let report):
        try apply(report)
      case .options(let wishes):
        try apply(wishes)
      case .resync:
        needsKeyframe = true
      case .close(let discard):
        isClosed = true
        isDiscarded = discard
      case .scrollTarget(let request):
        return try answer(request, seq: seq)
      case .movement(let step):
        return try apply(step, seq: seq)
      case .transition(let step):
        try apply(step)
      case .invalidation:
        isInvalidated = true
        isViewportDirty = true
      case .unsupported(let name):
        throw Refusal(
          .featureUnsupported,
          "\(name) is not served.",
          metadata: ["feature": name]
        )
      }
      return [.eventResult(EventResult(eventSequence: seq))]
    } catch {
      return [.eventResult(EventResult(eventSequence: seq, problem: error))]
    }
  }

  // MARK: - Viewport

  mutating func apply(_ change: ViewportChange) throws(Refusal) {
    try change.validate(lastFrame: window.lastSent)
    let sectionOffsets = try sectionOffsets(after: change)
    if let velocity = change.velocity { self.velocity = velocity }
    if let offset = change.offset {
      // 0 after an acknowledgement is a client that does not say, rather than one that has seen
      // nothing yet.
      let observed = change.observedFrame == 0 ? window.lastApplied : change.observedFrame
      let current = offset + adjustments.adjustment(since: observed)
      let step = current - viewport.offset
      if step != .zero { lastScroll = step }
      viewport.offset = current
      hasOffset = true
    }
    if let sectionOffsets { viewport.sectionOffsets = sectionOffsets }
    let old = wholeContainer
    if let size = change.size { viewport.size = size }
    if let insets = change.insets { viewport.insets = insets }
    if let traits = change.traits {
      viewport.isRightToLeft = traits.isRightToLeft
      displayScale = traits.displayScale
    }
    if change.offset != nil {
      anchorViewport = viewport
    }
    if wholeContainer != old { containerChanged() }
    isViewportDirty = true
  }

  /// The direction of motion: the velocity where the client tells it, else the last scroll step.
  var motion: Point { velocity ?? lastScroll }

  // MARK: - Layout and options

  mutating func apply(_ change: LayoutChange) throws(Refusal) {
    try validate(change.layout)
    // A change at once ends one under the user's control.
    target = nil
    presentedLayoutChanged()
    if change.layout != configuration {
      configuration = change.layout
      geometry += 1
      isLayoutChanged = true
    }
    layoutVersion += 1
    dropLostSectionOffsets()
    containerChanged()
    if change.isAnimated { isAnimationWanted = true }
  }

  func validate(_ layout: LayoutConfiguration) throws(Refusal) {
    var findings = LayoutFindings()
    layout.layout.validate(viewportSize: viewport.size, findings: &findings)
    guard !findings.violations.isEmpty else { return }
    let field = "layout.\(layout.layout.kindName)"
    throw Refusal(.fieldInvalid, findings.violations.map { $0.within(field) })
  }

  private mutating func apply(_ wishes: SessionOptions) throws(Refusal) {
    for (field, value) in [
      ("overscan_ahead", wishes.overscanAhead), ("overscan_behind", wishes.overscanBehind),
    ] {
      if let value, !value.isFinite || value < 0 {
        throw Refusal(
          .fieldInvalid,
          field: field,
          "\(value) where a finite number from 0 on is allowed"
        )
      }
    }
    options = wishes.granted
    isViewportDirty = true
  }
}

extension ViewportChange {
  /// - Throws: FIELD_INVALID, naming the first field that holds what it must not.
  func validate(lastFrame: UInt64) throws(Refusal) {
    guard observedFrame <= lastFrame else {
      throw Refusal(
        .fieldInvalid,
        field: "observed_frame_seq",
        "\(observedFrame) where the last frame is \(lastFrame)"
      )
    }
    try check("content_offset.x", offset?.x)
    try check("content_offset.y", offset?.y)
    try check("size.width", size?.width, from: 0)
    try check("size.height", size?.height, from: 0)
    try check("content_insets.top", insets?.top)
    try check("content_insets.leading", insets?.leading)
    try check("content_insets.bottom", insets?.bottom)
    try check("content_insets.trailing", insets?.trailing)
    try check("velocity.x", velocity?.x)
    try check("velocity.y", velocity?.y)
    for (section, offset) in sectionOffsets {
      try check("section_offsets[\(section)].offset", offset)
    }
    if let scale = traits?.displayScale, !(scale.isFinite && scale >= 0.01 && scale <= 100) {
      throw Refusal(
        .fieldInvalid,
        field: "traits.display_scale",
        "\(scale) where 0.01 to 100 is allowed"
      )
    }
  }

  private static let limit = SessionLimits.length

  private func check(
    _ field: String,
    _ value: Double?,
    from least: Double = -limit
  ) throws(Refusal) {
    guard let value else { return }
    guard value.isFinite, value >= least, value <= Self.limit else {
      throw Refusal(
        .fieldInvalid,
        field: field,
        "\(value) where a finite number from \(least) to \(Self.limit) is allowed"
      )
    }
  }
}
