// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutGeometry

extension ViewportSession {
  /// Takes one event of the client. Changes go into the next frame, and questions are answered. A
  /// refused event changes nothing; its result says why.
  ///
  /// A closed session ignores events.
  ///
  /// - Parameter seq: the event's sequence number, greater than those of all events before, also of
  ///   events before a resume.
  /// - Parameter now: the time since the same moment in all calls.
  /// - Parameter isSuperseded: whether a later event `supersedes` this one, and follows at once.
  ///   This one is then answered as ever, and takes little time.
  /// - Returns: answers to send, and for a shared session batches to commit.
  /// - Throws: `ProtocolViolation` if `seq` is not greater; the stream must end then.
  public mutating func receive(
    _ event: SessionEvent,
    seq: UInt64,
    at now: Duration,
    isSuperseded: Bool = false
  ) throws(ProtocolViolation) -> [SessionMessage] {
    guard seq > lastEvent else {
      throw ProtocolViolation("event \(seq) came after event \(lastEvent)")
    }
    link.lastIncoming = max(link.lastIncoming, now)
    guard !isClosed else { return [] }
    lastEvent = seq
    eventsSinceFrame += 1
    let messages = answer(event, seq: seq, isSuperseded: isSuperseded)
    if !messages.isEmpty { link.lastOutgoing = max(link.lastOutgoing, now) }
    return messages
  }

  /// Takes an acknowledgement of frames. Those of frame 0, or of an older frame than was
  /// acknowledged last, are ignored.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  /// - Returns: whether it does more than free a place in the window: the client's elements or
  ///   adjustments are wrong, or a checksum is kept from now on.
  /// - Throws: `ProtocolViolation` where the frame was never sent; the stream must end then.
  @discardableResult
  public mutating func acknowledge(
    _ ack: FrameAck,
    at now: Duration
  ) throws(ProtocolViolation) -> Bool {
    let asksForChecksums = ack.stateChecksum != nil && live.checksum == nil
    if asksForChecksums {
      // The client sends a checksum although it asked for none: from now on it is compared.
      keepChecksum()
      link.window.noteChecksum(stateChecksum)
    }
    let verdict = try link.acknowledge(ack, at: now)
    settle(verdict, of: ack)
    return asksForChecksums || verdict != .fine
  }

  /// Takes an acknowledgement from which something follows, and which came while the session was in
  /// a common state.
  ///
  /// - Parameter now: the time since the same moment in all calls.
  /// - Throws: as `acknowledge`.
  public mutating func settle(
    _ followUp: AckFollowUp,
    at now: Duration
  ) throws(ProtocolViolation) {
    guard let verdict = followUp.verdict else {
      try acknowledge(followUp.ack, at: now)
      return
    }
    settle(verdict, of: followUp.ack)
  }

  private mutating func settle(_ verdict: FrameWindow.Verdict, of ack: FrameAck) {
    if isRepairSent, link.window.lastApplied >= link.window.lastKeyframe {
      lastBeforeRejection = nil
    }
    switch verdict {
    case .fine: break
    case .mismatch: needsKeyframe = true
    case .rejected:
      needsKeyframe = true
      isRepairSent = false
      lastBeforeRejection = lastApplied(before: ack.sequence)
    case .repaired(let keyframe, let repairsSince):
      // With the frames, the client did not apply their offset adjustments either.
      let applied = lastApplied(before: ack.sequence)
      if let repairsSince, repairsSince <= applied { break }
      // The keyframe was sent before the rejection arrived, so it does not include them: the next
      // frame has to.
      let owed = adjustments.postpone(
        after: applied,
        before: keyframe,
        to: link.window.lastSent + 1
      )
      if owed != .zero { isViewportDirty = true }
    }
  }

  /// The last frame that the client applied before it rejected `sequence`, which is above 0: the
  /// window ignores acknowledgements of frame 0.
  private func lastApplied(before sequence: UInt64) -> UInt64 {
    min(lastBeforeRejection ?? .max, sequence - 1)
  }

  /// Carries out an event.
  ///
  /// - Returns: its result, unless it is a viewport change that is applied or a question that
  ///   waits.
  private mutating func answer(
    _ event: SessionEvent,
    seq: UInt64,
    isSuperseded: Bool
  ) -> [SessionMessage] {
    if movement?.pendingTarget != nil, !event.letsTargetWait(isSuperseded: isSuperseded) {
      placeAsLastWanted()
    }
    do throws(Refusal) {
      switch event {
      case .viewport(let change):
        try apply(change)
        return []
      case .update(let batch):
        return try apply(batch, seq: seq)
      case .layout(let change):
        try apply(change)
      case .namedLayout(let name, _):
        throw Refusal(
          .layoutNotFound,
          "There is no layout \"\(String(name.unicodeScalars.prefix(160)))\"; these contents have no named layouts."
        )
      case .measurements(let report):
        if let offer = try apply(report, seq: seq) { return [.share(offer)] }
      case .options(let requested):
        try apply(requested)
      case .resync:
        needsKeyframe = true
      case .close(let discard):
        isClosed = true
        isDiscarded = discard
      case .scrollTarget(let request):
        return try answer(request, seq: seq)
      case .movement(let step):
        return try apply(step, seq: seq, isSuperseded: isSuperseded)
      case .transition(let step):
        try apply(step)
      case .table(let change):
        try apply(change)
      case .outline(let event):
        return try apply(event, seq: seq)
      case .invalidation:
        isInvalidated = true
        isViewportDirty = true
      case .sync:
        try waitForSync(seq)
        return []
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

  /// Applies a viewport change.
  ///
  /// - Throws: FIELD_INVALID if a value is out of range; nothing has changed then.
  mutating func apply(_ change: ViewportChange) throws(Refusal) {
    try change.validate(lastFrame: link.window.lastSent)
    let sectionOffsets = try sectionOffsets(after: change)
    if let velocity = change.velocity { self.velocity = velocity }
    if let offset = change.offset {
      // Once a frame was acknowledged, 0 means that the client does not tell which frame it saw.
      let observed = change.observedFrame == 0 ? link.window.lastApplied : change.observedFrame
      let current = offset + adjustments.adjustment(since: observed)
      let step = current - viewport.offset
      if step != .zero { lastScroll = step }
      viewport.offset = current
      hasOffset = true
    }
    if let sectionOffsets { viewport.sectionOffsets = sectionOffsets }
    rendererHas(change.sectionOffsets)
    let old = change.changesContainer ? wholeContainer : nil
    if let size = change.size { viewport.size = size }
    if let insets = change.insets { viewport.insets = insets }
    if let traits = change.traits {
      viewport.isRightToLeft = traits.isRightToLeft
      displayScale = traits.displayScale
      self.traits = traits.boxed
    }
    if let margins = (margins?.value ?? .init()).changed(by: change) {
      self.margins = Boxed(margins)
    }
    if change.offset != nil {
      anchorViewport = viewport
    }
    if let old {
      followEnvironment()
      containerChanged(from: old)
    }
    isViewportDirty = true
  }

  /// The direction in which the user scrolls: the velocity where the client reports it, else the
  /// last scroll step. Only the signs matter.
  var motion: Point { velocity ?? lastScroll }

  // MARK: - Layout and options

  /// Changes to another layout at once; of a responsive layout, to the variant that applies.
  ///
  /// - Throws: FIELD_INVALID if the layout is invalid; nothing has changed then.
  mutating func apply(_ change: LayoutChange) throws(Refusal) {
    try validate(change.layout)
    // Ends a transition that the user controls.
    target = nil
    presentedLayoutChanged()
    let environment = environment
    choice = VariantChoice(change.layout, in: environment)
    if use(choice?.configuration(in: environment) ?? change.layout) {
      layoutByteCount = choice == nil && change.isOwn ? configuration.byteCount : 0
    }
    layoutVersion += 1
    dropLostSectionOffsets()
    containerChanged()
    if change.isAnimated { isAnimationWanted = true }
  }

  /// Follows an update of the session's named layout, unless it is the same, as if the client had
  /// asked for it. A layout that does not suit the session is ignored.
  public mutating func follow(_ change: LayoutChange) {
    guard !isClosed, change.layout != givenConfiguration else { return }
    do throws(Refusal) { try apply(change) } catch { return }
    eventsSinceFrame += 1
  }

  /// - Throws: FIELD_INVALID with everything that the layout finds wrong with itself.
  func validate(_ layout: LayoutConfiguration) throws(Refusal) {
    var findings = LayoutFindings()
    layout.layout.validate(viewportSize: viewport.size, findings: &findings)
    guard !findings.violations.isEmpty else { return }
    let field = "layout.\(layout.layout.kindName)"
    throw Refusal(.fieldInvalid, findings.violations.map { $0.within(field) })
  }

  /// Changes the session's options.
  ///
  /// - Throws: FIELD_INVALID if an overscan is not a finite number from 0 on.
  private mutating func apply(_ requested: SessionOptions) throws(Refusal) {
    for (field, value) in [
      ("overscan_ahead", requested.overscanAhead), ("overscan_behind", requested.overscanBehind),
    ] {
      if let value, !value.isFinite || value < 0 {
        throw Refusal(
          .fieldInvalid,
          field: field,
          "\(value) found; a finite number from 0 on is allowed"
        )
      }
    }
    use(requested)
    isViewportDirty = true
  }

  /// Takes over options of the client, brought within their ranges.
  mutating func use(_ requested: SessionOptions) {
    // Short content may move.
    if requested.alignment != options.alignment { layoutVersion += 1 }
    options = requested.granted
    prefetchOptionsChanged()
    visibilityOptionsChanged()
  }
}

extension ViewportChange {
  /// Checks every number of the change, so that no later computation meets NaN or infinity.
  ///
  /// - Parameter lastFrame: the newest frame that was sent.
  /// - Throws: FIELD_INVALID with the first field whose value is not allowed.
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
    try check("content_insets", insets)
    try check("safe_area_insets", safeAreaInsets)
    try check("layout_margins", layoutMargins)
    try check("readable_content_width", readableContentWidth, from: 0)
    try check("velocity.x", velocity?.x)
    try check("velocity.y", velocity?.y)
    for (section, offset) in sectionOffsets {
      try check("section_offsets[\(section)].offset", offset)
    }
    if let scale = traits?.displayScale, !(scale.isFinite && scale >= 0.01 && scale <= 100) {
      throw Refusal(
        .fieldInvalid,
        field: "traits.display_scale",
        "\(scale) found; 0.01 to 100 is allowed"
      )
    }
    if let names = traits?.stated.names, names.count > LayoutTraits.maximumNames {
      throw Refusal(
        .fieldInvalid,
        field: "traits.names",
        "\(names.count) names found; at most \(LayoutTraits.maximumNames) are allowed"
      )
    }
  }

  private static let limit = SessionLimits.length

  /// Whether it may change the container for which layouts are prepared.
  var changesContainer: Bool {
    size != nil || insets != nil || traits != nil || safeAreaInsets != nil || layoutMargins != nil
      || readableContentWidth != nil
  }

  private func check(_ field: String, _ insets: EdgeInsets?) throws(Refusal) {
    guard let insets else { return }
    try check("\(field).top", insets.top)
    try check("\(field).leading", insets.leading)
    try check("\(field).bottom", insets.bottom)
    try check("\(field).trailing", insets.trailing)
  }

  /// - Throws: FIELD_INVALID if a value is not finite, or outside `least` … `limit`.
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
        "\(value) found; a finite number from \(least) to \(Self.limit) is allowed"
      )
    }
  }
}
