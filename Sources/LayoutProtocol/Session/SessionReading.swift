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

/// A request to open or resume a session.
package struct OpenRequest: Sendable {
  /// Where the session's contents come from.
  package enum Source: Sendable {
    /// A collection, by its name: "collections/{collection}".
    case collection(String)
    /// Contents in the request, private to the session.
    case contents(CollectionContents)
    /// A session whose stream broke.
    case resume(ResumeRequest)
  }

  /// Where the session's contents come from.
  package var source: Source
  /// The capabilities that the session uses, chosen from those that the client offers.
  package var capabilities: ClientCapabilities
  /// The most bytes of one response, as granted to the client.
  package var maxMessageBytes: Int
  /// The options that the client asks for.
  package var options: SessionOptions
  /// The layout; nil = the collection's default layout.
  package var layout: LayoutConfiguration?
  /// A named layout of the collection; nil = none. Never beside `layout`.
  package var layoutName: String?
  /// The initial viewport.
  package var viewport: ViewportChange
  /// Where a new session begins; nil = at the viewport's offset.
  package var start: SessionStart?
  /// What the viewer has expanded.
  package var expansions: ViewerExpansions
  /// What the viewer has changed of the columns of tables.
  package var table: TablePreferences
  /// What the client measures with; nil = it shares no sizes.
  package var renderer: String?
}

/// What a client still holds of a session whose stream broke.
package struct ResumeRequest: Hashable, Sendable {
  /// The newest resume token that the client received.
  package var resumeToken: [UInt8]
  /// The newest frame that the client applied; 0 = none.
  package var lastFrame: UInt64
  /// The checksum of the client's elements; nil = it computes none.
  package var stateChecksum: UInt32?
  /// The number of the client's elements.
  package var liveCount: Int

  /// The state of a client at `lastFrame`.
  package init(
    resumeToken: [UInt8],
    lastFrame: UInt64,
    stateChecksum: UInt32?,
    liveCount: Int
  ) {
    self.resumeToken = resumeToken
    self.lastFrame = lastFrame
    self.stateChecksum = stateChecksum
    self.liveCount = liveCount
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

extension Wire.OpenSession {
  /// Reads the request.
  ///
  /// - Throws: every problem of `FieldReader`; LAYOUT_KIND_UNKNOWN for inline contents without a
  ///   layout.
  package func decoded(by rules: ReadingRules) throws(LayoutProblem) -> OpenRequest {
    var reader = FieldReader()
    let request = reader.open(self, rules: rules)
    try reader.finish()
    // `open` returns nil only after refusing a field, which `finish` has thrown.
    guard let request else { throw .protocolViolation("The request does not open a session.") }
    return request
  }
}

// MARK: - Opening

extension FieldReader {
  /// - Returns: nil = a field was refused.
  fileprivate mutating func open(_ message: Wire.OpenSession, rules: ReadingRules) -> OpenRequest? {
    let source: OpenRequest.Source?
    switch message.source {
    case .collection(let name): source = .collection(name)
    case .inlineContents(let contents):
      source = .contents(self.contents(contents, "inline_contents", limits: rules.limits))
    case .resume(let resume):
      source = .resume(
        ResumeRequest(
          resumeToken: Array(resume.resumeToken),
          lastFrame: resume.lastFrameSeq,
          stateChecksum: resume.hasStateChecksum ? resume.stateChecksum : nil,
          liveCount: Int(resume.liveCount)
        )
      )
    case nil:
      source = nil
      reject("source", "nothing found; collection, inline_contents or resume is needed")
    }
    let layout = message.hasLayout ? self.layout(message.layout, "layout", rules: rules) : nil
    if case .contents = source, !message.hasLayout, message.layoutName.isEmpty {
      fail(
        .layoutKindUnknown(
          field: path(to: "layout"),
          found: "no layout found, and inline contents have no default",
          supported: rules.registry.supportedKinds
        )
      )
    }
    if !message.layoutName.isEmpty {
      if message.hasLayout {
        reject("layout_name", "found beside layout; one of them is allowed")
      } else if case .contents = source {
        reject("layout_name", "found with inline contents, which have no named layouts")
      }
    }
    let viewport = within("viewport") { $0.viewport(message.viewport) }
    let options = within("options") { $0.options(message.options) }
    var start: SessionStart?
    if message.hasStart {
      start = within("start") { $0.start(message.start) }
      if message.viewport.hasContentOffset {
        reject("start", "found beside viewport.content_offset; one of them is allowed")
      }
    }
    let expansions = within("expansions") {
      $0.expansions(message.expansions, limit: rules.expansionExceptions)
    }
    let table = within("table") { $0.tableChange(message.table) }.applied(to: TablePreferences())
    if !Self.isRenderer(message.renderer) {
      reject(
        "renderer",
        "\(message.renderer.utf8.count) bytes found; 1 to 128 bytes of printable ASCII are allowed"
      )
    }
    guard let source, isClean else { return nil }
    return OpenRequest(
      source: source,
      capabilities: ClientCapabilities(message.capabilities),
      maxMessageBytes: message.capabilities.grantedMessageBytes,
      options: options,
      layout: layout,
      layoutName: message.layoutName.isEmpty ? nil : message.layoutName,
      viewport: viewport,
      start: start,
      expansions: expansions,
      table: table,
      renderer: message.renderer.isEmpty ? nil : message.renderer
    )
  }

  /// Whether a text is empty or a valid renderer: at most 128 printable ASCII characters.
  private static func isRenderer(_ text: String) -> Bool {
    text.utf8.count <= 128 && text.utf8.allSatisfy { (0x20 ... 0x7E).contains($0) }
  }

  /// - Returns: nil = the message names no place, and was refused.
  private mutating func start(_ message: Wire.StartPlace) -> SessionStart? {
    switch message.place {
    case .element(let element):
      switch within("element", { $0.scrollRequest(element) }) {
      case .element(let key, let position): .element(key, at: position)
      case .item(let key, let position, let reveals):
        .item(key: key, at: position, reveals: reveals)
      case .release, .neighbor, nil: nil
      }
    case .edge(let edge):
      if edge == .unspecified {
        refuse("edge", "0 found; 1 (start) and 2 (end) are allowed")
      } else {
        self.edge(edge, "edge").map { .edge($0) }
      }
    case .fraction(let fraction): .fraction(number(fraction, "fraction", in: 0 ... 1))
    case nil: refuse("place", "nothing found; element, edge or fraction is needed")
    }
  }

  /// - Returns: nil = unspecified, or unknown and refused.
  private mutating func edge(_ edge: Wire.ContentEdge, _ name: StaticString) -> ContentEdge? {
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
}

extension Wire.ClientCapabilities {
  /// The most bytes of one response: what the client asks for, but from 16 KiB, which is enough for
  /// any one element, to 4 MiB, which is the default limit of gRPC implementations. 4 MiB if it
  /// asks for nothing.
  package var grantedMessageBytes: Int {
    maxMessageBytes == 0 ? 4 << 20 : min(max(Int(maxMessageBytes), 16 << 10), 4 << 20)
  }
}

extension ClientCapabilities {
  /// The capabilities that the session uses: of each list that the client offers the first known
  /// entry, or the default if there is none.
  package init(_ message: Wire.ClientCapabilities) {
    let encodings = message.encodings.compactMap { encoding -> ElementEncoding? in
      switch encoding {
      case .messages: .messages
      case .packed: .packed
      case .unspecified, .UNRECOGNIZED: nil
      }
    }
    self.init(
      encoding: encodings.first ?? .messages,
      unitsPerPoint: Int(message.unitsPerPoint.first { $0 == 64 || $0 == 192 } ?? 64),
      animations: message.animations,
      pinning: message.pinning,
      checksums: message.checksums,
      itemKeys: message.itemKeys,
      scrollEffects: message.scrollEffects,
      sectionKeys: message.sectionKeys,
      sectionScrolls: message.sectionScrolls || message.sectionScrolling,
      sectionScrolling: message.sectionScrolling,
      itemData: message.itemData
    )
  }
}

// MARK: - Events

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

  /// Reads a query about where to scroll.
  ///
  /// - Returns: nil = the message asks nothing, and was refused.
  package mutating func scrollRequest(_ message: Wire.ScrollTargetRequest) -> ScrollRequest? {
    switch message.request {
    case .release(let release): within("release") { $0.scrollRequest(release) }
    case .element(let element): within("element") { $0.scrollRequest(element) }
    case .neighbor(let neighbor): within("neighbor") { $0.neighborRequest(neighbor) }
    case nil: refuse("request", "nothing found; release, element or neighbor is needed")
    }
  }

  /// Reads a query about where a step leads.
  ///
  /// - Returns: nil = something was refused.
  package mutating func neighborRequest(_ message: Wire.NeighborRequest) -> ScrollRequest? {
    let position = position(message.position)
    guard let step = step(message.step) else { return nil }
    switch message.start {
    case .key(let key):
      return .neighbor(of: .element(elementKey(key, "key")), step: step, at: position)
    case .itemKey(let key):
      let key = text(key, "item_key", maxBytes: FieldReader.maxKeyBytes)
      return .neighbor(of: .item(key: key), step: step, at: position)
    case .point(let point):
      return .neighbor(of: .point(self.point(point, "point")), step: step, at: position)
    case nil where step == .first || step == .last:
      return .neighbor(of: .nowhere, step: step, at: position)
    case nil:
      return refuse("start", "nothing found; key, item_key or point is needed for this step")
    }
  }

  private mutating func step(_ step: Wire.NeighborStep) -> NeighborStep? {
    switch step {
    case .up: .up
    case .down: .down
    case .left: .left
    case .right: .right
    case .next: .next
    case .previous: .previous
    case .pageUp: .pageUp
    case .pageDown: .pageDown
    case .first: .first
    case .last: .last
    case .unspecified, .UNRECOGNIZED:
      refuse("step", "\(step.rawValue) found; 1 (up) to 10 (last) are allowed")
    }
  }

  private mutating func position(_ position: Wire.ScrollPosition) -> ScrollPosition {
    choice(position, "position") { position -> ScrollPosition? in
      switch position {
      case .unspecified, .nearest: .nearest
      case .start: .start
      case .center: .center
      case .end: .end
      case .UNRECOGNIZED: nil
      }
    } ?? .nearest
  }

  private mutating func scrollRequest(_ message: Wire.ScrollRelease) -> ScrollRequest {
    let deceleration = choice(message.deceleration, "deceleration") { rate -> DecelerationRate? in
      switch rate {
      case .unspecified, .normal: .normal
      case .fast: .fast
      case .UNRECOGNIZED: nil
      }
    }
    let proposed = point(message.proposedOffset, "proposed_offset")
    // Without any of the three, the query has the meaning that it has from old clients: where does
    // (0, 0) rest?
    let isProjected =
      !message.hasProposedOffset && (message.hasVelocity || message.deceleration != .unspecified)
    return .release(
      proposedOffset: isProjected ? nil : proposed,
      velocity: point(message.velocity, "velocity"),
      section: message.hasSection ? Int(message.section) : nil,
      deceleration: deceleration ?? .normal
    )
  }

  private mutating func scrollRequest(_ message: Wire.ScrollToElement) -> ScrollRequest? {
    let position = position(message.position)
    switch message.element {
    case .key(let key): return .element(elementKey(key, "key"), at: position)
    case .itemKey(let key):
      let key = text(key, "item_key", maxBytes: FieldReader.maxKeyBytes)
      return .item(key: key, at: position, reveals: message.reveal)
    case nil: return refuse("element", "nothing found; key or item_key is needed")
    }
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
