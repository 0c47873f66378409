// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutProtocol

/// The answers to events that the client may not have got: on a new stream they are told again.
///
/// What a client has of a stream is known by the frames that it acknowledges.
struct AnswerLog: Sendable {
  private var answers: Deque<(frame: UInt64, response: Wire.StreamLayoutResponse)> = []

  /// Clients acknowledge now and then; one that asks on and on without ever getting a frame hears
  /// only the last ones again.
  private static let capacity = 256

  /// - Parameter frame: the last one sent before the answer.
  mutating func append(_ response: Wire.StreamLayoutResponse, after frame: UInt64) {
    answers.append((frame, response))
    if answers.count > Self.capacity { answers.removeFirst() }
  }

  /// The client has all that was sent before `frame`.
  mutating func received(frame: UInt64) {
    while let first = answers.first, first.frame < frame { answers.removeFirst() }
  }

  var responses: [Wire.StreamLayoutResponse] { answers.map(\.response) }
}
