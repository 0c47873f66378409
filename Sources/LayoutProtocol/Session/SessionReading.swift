// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
package import CollectionModel
import LayoutGeometry
package import LayoutSession

/// The parts of a server's configuration that reading messages depends on.
package struct ReadingRules: Sendable {
  /// Limits on contents and batches.
  package var limits: ContentsLimits
  /// The layouts that `CustomLayout` messages name.
  package var registry: LayoutRegistry
  /// The most items whose expansion may differ from the viewer's base.
  package var expansionExceptions: Int

  /// Rules with these limits and layouts.
  package init(
    limits: ContentsLimits = .init(),
    registry: LayoutRegistry = .init(),
    expansionExceptions: Int = 10_000
  ) {
    self.limits = limits
    self.registry = registry
    self.expansionExceptions = expansionExceptions
  }
}

extension Wire.StreamLayoutRequest {
  /// The acknowledgement in the request; nil = there is none. It is valid even if the event is
  /// refused.
  package var frameAck: FrameAck? {
    guard hasAck else { return nil }
    return FrameAck(
      sequence: ack.frameSeq,
      stateChecksum: ack.hasStateChecksum ? ack.stateChecksum : nil,
      isRejected: ack.rejected
    )
  }

  /// Reads the event of a request on an open stream.
  ///
  /// - Returns: nil = the request is a bare acknowledgement, or `open`, which is no event of an
  ///   open stream.
  /// - Throws: every problem of `FieldReader`, with paths from the event:
  ///   "operations[3].move_item.to".
  package func sessionEvent(
    by rules: ReadingRules
  ) throws(LayoutProblem) -> SessionEvent? {
    var reader = FieldReader()
    let sessionEvent = reader.sessionEvent(self, rules: rules)
    try reader.finish()
    return sessionEvent
  }
}

extension FieldReader {
  fileprivate mutating func sessionEvent(
    _ message: Wire.StreamLayoutRequest,
    rules: ReadingRules
  ) -> SessionEvent? {
    switch message.event {
    case .viewport(let change): .viewport(viewport(change))
    case .update(let batch): .update(self.batch(batch, limits: rules.limits))
    case .layout(let change) where !change.layoutName.isEmpty: namedLayout(change)
    case .layout(let change):
      layout(change.hasLayout ? change.layout : .init(), "layout", rules: rules)
        .map { .layout(LayoutChange(layout: $0, isAnimated: change.animated)) }
    case .measurements(let report): .measurements(measurements(report))
    case .options(let options): .options(self.options(options))
    case .resync: .resync
    case .close(let close): .close(discard: close.discard)
    case .scrollTarget(let request): scrollRequest(request).map { .scrollTarget($0) }
    case .movement(let movement):
      self.movement(movement, limits: rules.limits).map { .movement($0) }
    case .transition(let transition):
      self.transition(transition, rules: rules).map { .transition($0) }
    case .invalidation(let invalidation): self.invalidation(invalidation)
    case .outline(let change): outlineEvent(change)
    case .table(let change): .table(tableChange(change))
    case .sync: .sync
    // Opening and credentials are not events of a session: the stream handles them.
    case .open, .credentials: nil
    case nil: message.eventSeq == 0 ? nil : .unsupported("an event that this version lacks")
    }
  }

  private mutating func namedLayout(_ message: Wire.LayoutChange) -> SessionEvent? {
    guard !message.hasLayout else {
      return refuse("layout_name", "found beside layout; one of them is allowed")
    }
    return .namedLayout(message.layoutName, isAnimated: message.animated)
  }

  private mutating func invalidation(_ message: Wire.Invalidation) -> SessionEvent? {
    guard limit(message.elements.count, "elements", to: FieldReader.maxNamedElements) else {
      return nil
    }
    return .invalidation(each(message.elements, "elements") { $1.elementKey($0) })
  }

  /// Reads the offsets of orthogonally scrolling sections. If a section comes twice, the later
  /// offset applies.
  private mutating func sectionOffsets(_ messages: [Wire.SectionOffset]) -> [Int: Double] {
    guard limit(messages.count, "section_offsets", to: SessionLimits.scrolledSections) else {
      return [:]
    }
    var offsets: [Int: Double] = [:]
    for (index, offset) in messages.enumerated() {
      within("section_offsets", at: index) { reader in
        offsets[Int(offset.section)] = reader.number(offset.offset, "offset")
      }
    }
    return offsets
  }

  /// Reads a change of the viewport. Fields that are not set stay as they were.
  package mutating func viewport(_ message: Wire.ViewportChange) -> ViewportChange {
    let offsets = sectionOffsets(message.sectionOffsets)
    return ViewportChange(
      observedFrame: message.observedFrameSeq,
      offset: message.hasContentOffset ? point(message.contentOffset, "content_offset") : nil,
      size: message.hasSize ? size(message.size, "size") : nil,
      insets: message.hasContentInsets ? insets(message.contentInsets, "content_insets") : nil,
      velocity: message.hasVelocity ? point(message.velocity, "velocity") : nil,
      sectionOffsets: offsets,
      traits: message.hasTraits ? traits(message.traits) : nil,
      safeAreaInsets: message.hasSafeAreaInsets
        ? insets(message.safeAreaInsets, "safe_area_insets") : nil,
      layoutMargins: message.hasLayoutMargins
        ? insets(message.layoutMargins, "layout_margins") : nil,
      readableContentWidth: message.hasReadableContentWidth
        ? length(message.readableContentWidth, "readable_content_width") : nil
    )
  }

  private mutating func traits(_ message: Wire.Traits) -> ViewportChange.Traits {
    within("traits") { reader in
      var scale = 1.0
      if message.displayScale != 0 {
        scale = reader.number(message.displayScale, "display_scale", in: 0.01 ... 100)
      }
      return ViewportChange.Traits(
        displayScale: scale,
        isRightToLeft: message.rightToLeft,
        stated: LayoutTraits(
          names: reader.traitNames(message.names, "names", to: LayoutTraits.maximumNames),
          horizontalSizeClass: reader.sizeClass(
            message.horizontalSizeClass,
            "horizontal_size_class"
          ),
          verticalSizeClass: reader.sizeClass(message.verticalSizeClass, "vertical_size_class")
        )
      )
    }
  }

  /// Reads the options of a session.
  package mutating func options(_ message: Wire.SessionOptions) -> SessionOptions {
    if message.maxInFlightFrames > 8 {
      reject(
        "max_in_flight_frames",
        "\(message.maxInFlightFrames) found; 1 to 8 are allowed, or 0 for the default of 2"
      )
    }
    return SessionOptions(
      maxInFlightFrames: Int(message.maxInFlightFrames),
      minFrameInterval: message.hasMinFrameInterval
        ? duration(message.minFrameInterval, "min_frame_interval") : .zero,
      overscanAhead: message.hasOverscanAhead
        ? length(message.overscanAhead, "overscan_ahead") : nil,
      overscanBehind: message.hasOverscanBehind
        ? length(message.overscanBehind, "overscan_behind") : nil,
      anchorMode: choice(message.anchorMode, "anchor_mode") { mode -> AnchorMode? in
        switch mode {
        case .unspecified, .firstVisible: .firstVisible
        case .none: AnchorMode.none
        case .lastVisible: .lastVisible
        case .UNRECOGNIZED: nil
        }
      } ?? .firstVisible,
      heartbeatInterval: message.hasHeartbeatInterval
        ? duration(message.heartbeatInterval, "heartbeat_interval") : nil,
      sizeChangeAnchor: edge(message.sizeChangeAnchor, "size_change_anchor"),
      alignment: alignment(message.alignment, "alignment"),
      prefetch: within("prefetch") { $0.prefetchOptions(message.prefetch) },
      visibility: within("visibility") { $0.visibilityOptions(message.visibility) }
    )
  }

  /// Reads an edge of the content.
  ///
  /// - Returns: nil = unspecified, or unknown and refused.
  mutating func edge(_ edge: Wire.ContentEdge, _ name: StaticString) -> ContentEdge? {
    choice(edge, name) { edge -> ContentEdge?? in
      switch edge {
      case .unspecified: .some(nil)
      case .start: ContentEdge.start
      case .end: ContentEdge.end
      case .UNRECOGNIZED: nil
      }
    } ?? nil
  }

  /// - Returns: nil = unspecified, or unknown and refused.
  private mutating func alignment(
    _ alignment: Wire.ContentAlignment,
    _ name: StaticString
  ) -> ContentAlignment? {
    choice(alignment, name) { alignment -> ContentAlignment?? in
      switch alignment {
      case .unspecified: .some(nil)
      case .start: ContentAlignment.start
      case .center: ContentAlignment.center
      case .end: ContentAlignment.end
      case .UNRECOGNIZED: nil
      }
    } ?? nil
  }

  private mutating func measurements(_ message: Wire.MeasurementReport) -> MeasurementReport {
    if message.slots.count != message.sizes.count {
      reject(
        "sizes",
        "\(message.sizes.count) found for \(message.slots.count) slots; one for each is needed"
      )
    }
    guard limit(message.slots.count, "slots", to: FieldReader.maxNamedElements),
      limit(message.sizes.count, "sizes", to: FieldReader.maxNamedElements)
    else { return MeasurementReport(observedFrame: 0, slots: [], sizes: []) }
    return MeasurementReport(
      observedFrame: message.observedFrameSeq,
      slots: message.slots,
      sizes: each(message.sizes, "sizes") { size, reader in
        Size(
          width: reader.length(size.width, "width"),
          height: reader.length(size.height, "height")
        )
      }
    )
  }

  private mutating func transition(
    _ message: Wire.InteractiveTransition,
    rules: ReadingRules
  ) -> InteractiveTransition? {
    switch message.step {
    case .begin(let layout): self.layout(layout, "begin", rules: rules).map { .begin($0) }
    case .progress(let progress): .progress(number(progress, "progress"))
    case .finish: .finish
    case .cancel: .cancel
    case nil: refuse("step", "nothing found; begin, progress, finish or cancel is needed")
    }
  }

  /// Refuses a field, in place of a value.
  mutating func refuse<Value>(_ name: StaticString, _ description: String) -> Value? {
    reject(name, description)
    return nil
  }
}
