// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutProtocol

/// Answers to events that the client may not have received; a new stream sends them again.
///
/// The acknowledged frames tell what the client has received.
struct AnswerLog: Sendable {
  private var answers: Deque<(frame: UInt64, response: EncodedResponse)> = []
  /// Roughly the memory that the answers take, in bytes.
  private(set) var byteCount = 0

  /// The most answers kept. A client that never gets a frame, and so acknowledges none, is sent
  /// only the newest ones again.
  private static let capacity = 256
  /// The most bytes of answers, except for a single one.
  private static let mostBytes = 64 << 10

  /// - Parameter frame: the last one sent before the answer.
  mutating func append(_ response: EncodedResponse, after frame: UInt64) {
    answers.append((frame, response))
    byteCount += Self.byteCount(of: response)
    while answers.count > Self.capacity || byteCount > Self.mostBytes && answers.count > 1 {
      removeFirst()
    }
  }

  /// Removes the answers sent before `frame`, which the client has.
  mutating func received(frame: UInt64) {
    while let first = answers.first, first.frame < frame { removeFirst() }
    // Most clients have all answers most of the time, and then the log keeps no room.
    if answers.isEmpty { answers = [] }
  }

  private mutating func removeFirst() {
    guard let first = answers.popFirst() else { return }
    byteCount -= Self.byteCount(of: first.response)
  }

  private static func byteCount(of response: EncodedResponse) -> Int {
    response.bytes.count + 64
  }

  var responses: [EncodedResponse] { answers.map(\.response) }
}
