// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession
internal import SwiftProtobuf

// What each message of the server changes.

extension LayoutViewer {
  /// Why no frame can be applied, if an arrival says that a server's keyframes do not fit either.
  func fatalFault(of arrival: Arrival, _ response: Wire.StreamLayoutResponse) -> MirrorFault? {
    guard case .frameRejected(_, let fault) = arrival, rejectedInRow > Self.mostRejectedInRow,
      response.frame.baseFrameSeq == 0
    else { return nil }
    return fault
  }

  func take(_ response: Wire.StreamLayoutResponse) -> Arrival? {
    switch response.message {
    case .opened(let opened):
      take(opened)
      return nil
    case .frame(let frame): return take(frame)
    case .eventResult(let result):
      let request = pending[result.eventSeq]
      if result.hasProblem { noteRefused(result.eventSeq) }
      guard pending.answered(result.eventSeq, isRefusal: result.hasProblem) else { return nil }
      viewports.accept(upTo: pending.appliedEvent)
      if !result.hasProblem, let request { noteApplied(request, result) }
      restore()
      return result.hasProblem
        ? .eventRefused(sequence: result.eventSeq, problem: LayoutProblem(result.problem))
        : .eventApplied(
          sequence: result.eventSeq,
          dataVersion: result.dataVersion,
          isDuplicate: result.duplicate
        )
    case .scrollTarget(let target): return take(target)
    case .heartbeat(let heartbeat):
      if !heartbeat.resumeToken.isEmpty { resumeToken = Array(heartbeat.resumeToken) }
      noteApplied(upTo: heartbeat.appliedEventSeq)
      if mirror.agrees(with: heartbeat) {
        if mirror.isConfirmed(by: heartbeat) { isBehind = false }
        acknowledge()
      } else if !pending.hasUnanswered(\.isResync), !link.isCrowded {
        send(.resync)
      }
      return .heartbeat
    case .notice(let notice):
      if notice.type == .layoutAvailable { return .notice(Self.text(ofRepaired: notice.problem)) }
      guard notice.type == .goingAway else { return .notice(notice.problem.message) }
      let delay = notice.reconnectDelay
      reconnectDelay = .seconds(min(max(delay.seconds, 0), 60)) + .nanoseconds(max(0, delay.nanos))
      return .goingAway
    case .prefetch(let part):
      do throws(LayoutProblem) {
        return try announcements.take(part).map { .prefetch($0) }
      } catch {
        return .notice(error.message)
      }
    case .visibility(let part):
      do throws(LayoutProblem) {
        return try announcements.take(part).map { .visibility($0) }
      } catch {
        return .notice(error.message)
      }
    case nil: return nil
    }
  }

  private func take(_ target: Wire.ScrollTarget) -> Arrival? {
    if target.eventSeq == 0, target.hasSectionOffset { return take(target.sectionOffset) }
    guard pending.found(targetOf: target.eventSeq) else { return nil }
    let offset = Point(target.contentOffset)
    let sectionOffset = target.hasSectionOffset ? target.sectionOffset.offset : nil
    guard offset.isFinite, sectionOffset?.isFinite != false else {
      return .notice("The server named an offset that is not finite.")
    }
    var reader = FieldReader(limit: .greatestFiniteMagnitude)
    let element = target.hasNeighbor ? QueriedElement(target.neighbor, &reader) : nil
    guard let element, reader.isClean else {
      return .scrollTarget(
        sequence: target.eventSeq,
        offset: offset,
        sectionOffset: sectionOffset
      )
    }
    return .neighbor(
      sequence: target.eventSeq,
      element: element,
      offset: offset,
      sectionOffset: sectionOffset
    )
  }

  /// Notes where the server has scrolled a section, which a new session would have to be told.
  private func take(_ scrolled: Wire.SectionOffset) -> Arrival {
    guard scrolled.offset.isFinite else {
      return .notice("The server scrolled a section to an offset that is not finite.")
    }
    let change = Wire.ViewportChange.with { $0.sectionOffsets = [scrolled] }
    viewports.accept(change)
    opening.viewport = opening.viewport.merged(with: change)
    return .sectionScrolled(section: Int(scrolled.section), offset: scrolled.offset)
  }

  /// The message for people when a problem with the layout's provider is over.
  static func text(ofRepaired problem: Wire.Problem) -> String {
    let layout = problem.metadata["layout"] ?? ""
    return "The layout\(layout.isEmpty ? "" : " \(layout)") is available again."
  }

  func take(_ opened: Wire.SessionOpened) {
    link.opens()
    backoff.opened()
    let isNew = opened.session != session
    if isNew {
      let ended = announcements.endAll()
      if let change = ended.prefetch { deliver(.prefetch(change)) }
      if let change = ended.visibility { deliver(.visibility(change)) }
    } else {
      announcements.forgetParts()
    }
    session = opened.session
    sharing = MeasurementSharing(opened.measurements)
    resumeToken = Array(opened.resumeToken)
    let units = Int(clamping: opened.unitsPerPoint)
    if isNew || (units > 0 && units != mirror.unitsPerPoint) {
      mirror = ElementMirror(
        unitsPerPoint: units > 0 ? units : mirror.unitsPerPoint,
        limits: limits
      )
    } else {
      mirror.forgetParts()
    }
    if opened.hasOptions { patience = ViewerLink.Patience(opened.options) }
    pending.applied(opened.lastEventSeq)
  }

  private func take(_ frame: Wire.LayoutFrame) -> Arrival? {
    do {
      guard var change = try apply(frame) else { return nil }
      rejectedInRow = 0
      // Other frames build on elements that may be neither those before the rejected one nor those
      // after it.
      if frame.baseFrameSeq == 0 || frame.hasStateChecksum { isBehind = false }
      // From now on the offset says where the user is.
      opening.clearStart()
      noteApplied(upTo: frame.appliedEventSeq)
      offset = offset + change.offsetAdjustment
      viewports.adjust(by: change.offsetAdjustment)
      acknowledge()
      if let displacement = anchor?.displacement(in: mirror), displacement != .zero {
        change.offsetAdjustment = change.offsetAdjustment + displacement
        restoredBy = scroll(to: offset + displacement) ?? restoredBy
      }
      anchor = nil
      return .frame(change)
    } catch {
      rejectedInRow += 1
      isBehind = true
      acknowledge(FrameAck(sequence: frame.frameSeq, isRejected: true))
      return .frameRejected(sequence: frame.frameSeq, fault: error)
    }
  }

  /// Applies a frame to the mirror, unless the offset after it would be none that the server takes.
  private func apply(_ frame: Wire.LayoutFrame) throws(MirrorFault) -> MirroredChange? {
    let sum = offset + Point(frame.contentOffsetAdjustment)
    guard frame.continued || sum.isFinite else {
      mirror.forgetParts()
      throw .malformed("content_offset_adjustment leads to an offset that is not finite")
    }
    return try mirror.apply(frame)
  }

  /// Notes that the server has applied all events up to this one.
  private func noteApplied(upTo event: UInt64) {
    pending.applied(event)
    viewports.accept(upTo: pending.appliedEvent)
  }

  /// Returns to the last viewport that the server has accepted, if a change of it was refused. It
  /// would refuse that in the opening of the next stream too, and so end the session.
  private func noteRefused(_ event: UInt64) {
    guard viewports.refuse(event) else { return }
    opening.viewport = viewports.viewport
    offset = viewports.offset
    pending.refused(viewport: event, viewports)
  }

  private func acknowledge() {
    acknowledge(
      FrameAck(sequence: mirror.frameSequence, stateChecksum: mirror.stateChecksum)
    )
  }

  private func acknowledge(_ ack: FrameAck) {
    var request = Wire.StreamLayoutRequest()
    request.ack = Wire.FrameAck(ack)
    if isOnline { link.send(request) }
  }

  /// Updates the opening request for the next stream with what the server has applied.
  private func noteApplied(_ request: Wire.StreamLayoutRequest, _ result: Wire.EventResult) {
    switch request.event {
    case .layout(let change):
      opening.layoutName = change.layoutName
      if change.hasLayout { opening.layout = change.layout } else { opening.clearLayout() }
      leavesLayoutOut = false
    case .transition(let transition): noteApplied(transition)
    case .options(let options):
      opening.options = options
      leavesOptionsOut = false
      patience = ViewerLink.Patience(options)
    case .table(let change): opening.table = opening.table.merged(with: change)
    // With a version the expansions are shared: the collection keeps them.
    case .outline(let change) where result.dataVersion == 0:
      opening.expansions = opening.expansions.merged(with: change)
    default: break
    }
  }

  /// Notes the layout that a finished transition leaves.
  private func noteApplied(_ transition: Wire.InteractiveTransition) {
    switch transition.step {
    case .begin(let layout): nextLayout = layout
    case .finish:
      guard let layout = nextLayout else { return }
      nextLayout = nil
      opening.layoutName = ""
      opening.layout = layout
    case .cancel: nextLayout = nil
    case .progress, .none: break
    }
  }
}
