// SPDX-License-Identifier: Apache-2.0

package import CollectionLayouts
import CollectionModel
import LayoutGeometry
package import LayoutSession

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The messages that servers send besides frames.

extension Wire.EventResult {
  /// The message of an event's result.
  package init(_ result: EventResult) {
    self.init()
    eventSeq = result.eventSequence
    if let problem = result.problem { self.problem = Wire.Problem(LayoutProblem(problem)) }
    if let version = result.dataVersion { dataVersion = version }
    duplicate = result.isDuplicate
  }

  /// The refusal of an event that could not be read.
  package init(eventSequence: UInt64, problem: LayoutProblem) {
    self.init()
    eventSeq = eventSequence
    self.problem = Wire.Problem(problem)
  }
}

extension Wire.ScrollTarget {
  /// The answer to the event that asked where to scroll.
  package init(eventSequence: UInt64, _ target: ScrollTarget) {
    self.init()
    eventSeq = eventSequence
    contentOffset = Wire.Point(target.offset)
    guard let element = target.element else { return }
    key = Wire.ElementKey(element)
    if let offset = Wire.SectionOffset(target) { sectionOffset = offset }
    guard let neighbor = target.neighbor else { return }
    self.neighbor = Wire.ElementAttributes(element, neighbor)
  }
}

extension Wire.ElementAttributes {
  /// The message of an item that a step leads to.
  package init(_ key: ElementKey, _ neighbor: Neighbor) {
    self.init(key: key, attributes: neighbor.attributes, itemKey: neighbor.itemKey)
    if let position = Wire.OutlinePosition(neighbor.outline) { outline = position }
  }
}

extension Wire.SectionOffset {
  /// The offset at which the section of a target's element shows it; nil = it does not scroll by
  /// itself.
  package init?(_ target: ScrollTarget) {
    guard let element = target.element, let offset = target.sectionOffset else { return nil }
    self.init()
    section = UInt32(clamping: element.indexPath.section)
    self.offset = offset
  }
}

extension Wire.Heartbeat {
  /// The message of a heartbeat.
  ///
  /// - Parameter resumeToken: a newer token for the client; empty = its token stays valid.
  package init(_ heartbeat: Heartbeat, resumeToken: [UInt8] = []) {
    self.init()
    lastFrameSeq = heartbeat.lastFrame
    dataVersion = heartbeat.dataVersion
    appliedEventSeq = heartbeat.appliedEvent
    liveCount = UInt32(clamping: heartbeat.liveCount)
    stateChecksum = heartbeat.stateChecksum
    self.resumeToken = Data(resumeToken)
  }
}

extension Wire.Notice {
  /// A notice about the stream.
  ///
  /// - Parameters:
  ///   - reconnectDelay: how long the client waits before it connects again; nil = it need not.
  ///   - problem: what the notice is about; nil = the type says everything.
  package init(
    _ type: TypeEnum,
    reconnectDelay: Duration? = nil,
    problem: LayoutProblem? = nil
  ) {
    self.init()
    self.type = type
    if let reconnectDelay { self.reconnectDelay = .init(reconnectDelay) }
    if let problem { self.problem = Wire.Problem(problem) }
  }
}

extension Wire.SessionOptions {
  /// The message of a session's options.
  package init(_ options: SessionOptions) {
    self.init()
    maxInFlightFrames = UInt32(clamping: options.maxInFlightFrames)
    if options.minFrameInterval != .zero { minFrameInterval = .init(options.minFrameInterval) }
    if let overscan = options.overscanAhead { overscanAhead = overscan }
    if let overscan = options.overscanBehind { overscanBehind = overscan }
    switch options.anchorMode {
    case .none: anchorMode = .none
    case .firstVisible: anchorMode = .firstVisible
    case .lastVisible: anchorMode = .lastVisible
    }
    if let interval = options.heartbeatInterval { heartbeatInterval = .init(interval) }
    if let edge = options.sizeChangeAnchor { sizeChangeAnchor = Wire.ContentEdge(edge) }
    switch options.alignment {
    case nil: break
    case .start: alignment = .start
    case .center: alignment = .center
    case .end: alignment = .end
    }
    if options.prefetch.isOn { prefetch = Wire.PrefetchOptions(options.prefetch) }
    if !options.visibility.rules.isEmpty { visibility = .init(options.visibility) }
  }
}

extension Wire.ContentEdge {
  init(_ edge: ContentEdge) { self = edge == .start ? .start : .end }
}

extension Wire.StartPlace {
  /// The message of the place where a session begins.
  package init(_ start: SessionStart) {
    self.init()
    switch start {
    case .element(let key, let position): element = Wire.ScrollToElement(key, position)
    case .item(let key, let position, let reveals):
      element = Wire.ScrollToElement(itemKey: key, position)
      element.reveal = reveals
    case .edge(let edge): self.edge = Wire.ContentEdge(edge)
    case .fraction(let fraction): self.fraction = fraction
    }
  }
}

extension Wire.ScrollToElement {
  fileprivate init(_ key: ElementKey, _ position: ScrollPosition) {
    self.init()
    self.key = Wire.ElementKey(key)
    self.position = Wire.ScrollPosition(position)
  }

  fileprivate init(itemKey: String, _ position: ScrollPosition) {
    self.init()
    self.itemKey = itemKey
    self.position = Wire.ScrollPosition(position)
  }
}

extension Wire.ElementEncoding {
  /// The message's value of an encoding.
  package init(_ encoding: ElementEncoding) {
    self = encoding == .packed ? .packed : .messages
  }
}

/// The server's answer to a request to open or resume a session.
package struct SessionOpening: Sendable {
  /// The session's name: "sessions/{session}".
  package var session: String
  /// The collection's name; "" = the contents are private to the session.
  package var collection = ""
  /// The collection's incarnation; 0 = the contents are private to the session.
  package var incarnation: UInt64 = 0
  /// Whether the session was created or resumed.
  package var outcome: Wire.SessionOpened.Outcome = .created
  /// The highest event that the session has applied.
  package var lastEvent: UInt64
  /// The data version of the contents.
  package var dataVersion: UInt64
  /// The capabilities that the session uses.
  package var capabilities: ClientCapabilities
  /// The options as granted.
  package var options: SessionOptions
  /// The token with which the client can resume the session.
  package var resumeToken: [UInt8]
  /// How long the session can be resumed after its stream broke.
  package var resumeGrace: Duration

  /// The answer for a session.
  package init(
    session: String,
    collection: String = "",
    incarnation: UInt64 = 0,
    outcome: Wire.SessionOpened.Outcome = .created,
    lastEvent: UInt64,
    dataVersion: UInt64,
    capabilities: ClientCapabilities,
    options: SessionOptions,
    resumeToken: [UInt8],
    resumeGrace: Duration
  ) {
    self.session = session
    self.collection = collection
    self.incarnation = incarnation
    self.outcome = outcome
    self.lastEvent = lastEvent
    self.dataVersion = dataVersion
    self.capabilities = capabilities
    self.options = options
    self.resumeToken = resumeToken
    self.resumeGrace = resumeGrace
  }
}

extension Wire.SessionOpened {
  /// The message of the answer.
  package init(_ opening: SessionOpening) {
    self.init()
    session = opening.session
    collection = opening.collection
    incarnation = opening.incarnation
    outcome = opening.outcome
    lastEventSeq = opening.lastEvent
    dataVersion = opening.dataVersion
    encoding = Wire.ElementEncoding(opening.capabilities.encoding)
    unitsPerPoint = UInt32(clamping: opening.capabilities.unitsPerPoint)
    options = Wire.SessionOptions(opening.options)
    resumeToken = Data(opening.resumeToken)
    resumeGrace = .init(opening.resumeGrace)
  }
}

// MARK: - Messages of clients

extension Wire.StreamLayoutRequest {
  /// The request with an event of an open stream.
  ///
  /// - Parameter ack: an acknowledgement to send with it; nil = none.
  /// - Returns: nil = the event has no message: it is `.unsupported`, or has a layout that is
  ///   neither built in nor a `CustomCollectionLayout`.
  package init?(eventSequence: UInt64, _ event: SessionEvent, ack: FrameAck? = nil) {
    self.init()
    eventSeq = eventSequence
    if let ack { self.ack = Wire.FrameAck(ack) }
    switch event {
    case .viewport(let change): viewport = Wire.ViewportChange(change)
    case .update(let batch): update = Wire.UpdateBatch(batch)
    case .layout(let change):
      guard let spec = Wire.LayoutSpec(change.layout) else { return nil }
      layout.layout = spec
      layout.animated = change.isAnimated
    case .namedLayout(let name, let isAnimated):
      layout.layoutName = name
      layout.animated = isAnimated
    case .measurements(let report):
      measurements.observedFrameSeq = report.observedFrame
      measurements.slots = report.slots
      measurements.sizes = report.sizes.map { Wire.Size($0) }
    case .options(let options): self.options = Wire.SessionOptions(options)
    case .resync: resync.reason = .clientReset
    case .close(let discard): close.discard = discard
    case .scrollTarget(let request): scrollTarget = Wire.ScrollTargetRequest(request)
    case .movement(let movement): self.movement = Wire.InteractiveMovement(movement)
    case .transition(let transition):
      switch transition {
      case .begin(let layout):
        guard let spec = Wire.LayoutSpec(layout) else { return nil }
        self.transition.begin = spec
      case .progress(let progress): self.transition.progress = progress
      case .finish: self.transition.finish = true
      case .cancel: self.transition.cancel = true
      }
    case .invalidation(let keys): invalidation.elements = keys.map { Wire.ElementKey($0) }
    case .outline(let event):
      outline = Wire.OutlineChange(event.change)
      outline.toggledSlots = event.toggledSlots
      outline.animated = event.isAnimated
    case .table(let change): table = Wire.TableChange(change)
    case .sync: sync = Wire.SyncRequest()
    case .unsupported: return nil
    }
  }
}

extension Wire.FrameAck {
  /// The message of an acknowledgement.
  package init(_ ack: FrameAck) {
    self.init()
    frameSeq = ack.sequence
    if let checksum = ack.stateChecksum { stateChecksum = checksum }
    rejected = ack.isRejected
  }
}

extension Wire.ViewportChange {
  /// The message of a change of the viewport.
  package init(_ change: ViewportChange) {
    self.init()
    observedFrameSeq = change.observedFrame
    if let offset = change.offset { contentOffset = Wire.Point(offset) }
    if let size = change.size { self.size = Wire.Size(size) }
    if let insets = change.insets { contentInsets = Wire.EdgeInsets(insets) }
    if let velocity = change.velocity { self.velocity = Wire.Point(velocity) }
    sectionOffsets = change.sectionOffsets.sorted { $0.key < $1.key }.map { section, offset in
      var message = Wire.SectionOffset()
      message.section = UInt32(clamping: section)
      message.offset = offset
      return message
    }
    if let traits = change.traits {
      self.traits.displayScale = traits.displayScale
      self.traits.rightToLeft = traits.isRightToLeft
      self.traits.names = traits.stated.names.sorted()
      self.traits.horizontalSizeClass = Wire.SizeClass(traits.stated.horizontalSizeClass)
      self.traits.verticalSizeClass = Wire.SizeClass(traits.stated.verticalSizeClass)
    }
    if let insets = change.safeAreaInsets { safeAreaInsets = Wire.EdgeInsets(insets) }
    if let margins = change.layoutMargins { layoutMargins = Wire.EdgeInsets(margins) }
    if let width = change.readableContentWidth { readableContentWidth = width }
  }
}

extension Wire.ScrollTargetRequest {
  /// The message of a query about where to scroll.
  package init(_ request: ScrollRequest) {
    self.init()
    switch request {
    case .release(let offset, let velocity, let section, let deceleration):
      if let offset { release.proposedOffset = Wire.Point(offset) }
      release.velocity = Wire.Point(velocity)
      switch deceleration {
      case .normal: release.deceleration = .normal
      case .fast: release.deceleration = .fast
      }
      if let section { release.section = UInt32(clamping: section) }
    case .element(let key, let position): element = Wire.ScrollToElement(key, position)
    case .item(let key, let position, let reveals):
      element = Wire.ScrollToElement(itemKey: key, position)
      element.reveal = reveals
    case .neighbor(let origin, let step, let position):
      neighbor = Wire.NeighborRequest(origin, step, position)
    }
  }
}

extension Wire.NeighborRequest {
  /// The message of a query about where a step leads.
  package init(_ origin: ScrollRequest.Origin, _ step: NeighborStep, _ position: ScrollPosition) {
    self.init()
    switch origin {
    case .element(let key): self.key = Wire.ElementKey(key)
    case .item(let key): itemKey = key
    case .point(let point): self.point = Wire.Point(point)
    case .nowhere: break
    }
    self.step =
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
      }
    self.position = Wire.ScrollPosition(position)
  }
}

extension Wire.ScrollPosition {
  init(_ position: ScrollPosition) {
    switch position {
    case .nearest: self = .nearest
    case .start: self = .start
    case .center: self = .center
    case .end: self = .end
    }
  }
}

extension Wire.ClientCapabilities {
  /// The message of a client's capabilities, offering one encoding and resolution.
  ///
  /// - Parameter maxMessageBytes: the most bytes of one response that the client accepts; 0 = the
  ///   server's default.
  package init(_ capabilities: ClientCapabilities, maxMessageBytes: Int = 0) {
    self.init()
    encodings = [Wire.ElementEncoding(capabilities.encoding)]
    unitsPerPoint = [UInt32(clamping: capabilities.unitsPerPoint)]
    animations = capabilities.animations
    pinning = capabilities.pinning
    checksums = capabilities.checksums
    itemKeys = capabilities.itemKeys
    scrollEffects = capabilities.scrollEffects
    sectionKeys = capabilities.sectionKeys
    sectionScrolls = capabilities.sectionScrolls
    sectionScrolling = capabilities.sectionScrolling
    itemData = capabilities.itemData
    self.maxMessageBytes = UInt32(clamping: maxMessageBytes)
  }
}
