// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import LayoutSession

/// The session's end of its stream's lane.
extension SessionShell: LaneSession {
  func receive(_ step: ScrollStep) -> Bool {
    let first = take(SessionInput(step))
    if case .room = first { return false }
    let next = writeAtOnce(from: first)
    if case .done = next { return true }
    startWork(on: next)
    return true
  }

  /// Writes through the lane for as long as the session only wants to write.
  ///
  /// - Returns: the first step that has to wait.
  func writeAtOnce(from first: SessionStep) -> SessionStep {
    var step = first
    while case .write(let responses, _) = step, writeAtOnce(responses) { step = resume() }
    return step
  }

  /// - Returns: false = there is no lane, or the responses have to wait for others.
  func writeAtOnce(_ responses: [EncodedResponse]) -> Bool {
    lane?.write(responses) ?? false
  }
}

extension SessionInput {
  /// A scroll step as the session takes it.
  init(_ step: ScrollStep) {
    let event = step.viewport.map { Event.event(.viewport($0), seq: step.eventSequence) }
    self.init(ack: step.ack ?? FrameAck(sequence: 0), event: event)
  }
}
