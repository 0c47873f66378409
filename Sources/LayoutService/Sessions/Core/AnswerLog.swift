// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutProtocol

/// Answers to events that the client may not have received; a new stream sends them again.
///
/// The acknowledged frames tell what the client has received.
struct AnswerLog: Sendable {
  private var answers: Deque<(frame: UInt64, response: Wire.StreamLayoutResponse)> = []

  /// The most answers kept. A client that never gets a frame, and so acknowledges none, is sent
  /// only the newest ones again.
  private static let capacity = 256

  /// - Parameter frame: the last frame sent before the answer.
  mutating func append(_ response: Wire.StreamLayoutResponse, after frame: UInt64) {
    answers.append((frame, response))
    if answers.count > Self.capacity { answers.removeFirst() }
  }

  /// Removes the answers sent before `frame`, which the client has.
  mutating func received(frame: UInt64) {
    while let first = answers.first, first.frame < frame { answers.removeFirst() }
  }

  var responses: [Wire.StreamLayoutResponse] { answers.map(\.response) }
}
