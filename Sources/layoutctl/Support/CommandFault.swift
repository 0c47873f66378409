// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import GRPCCore
import LayoutProtocol

/// An error that ends a command: a message of one line, and the exit status.
struct CommandFault: Error, Hashable, CustomStringConvertible {
  enum Status: Int32 {
    case other = 1
    case usage = 64
    case unavailable = 69
  }

  var message: String
  var status: Status

  init(_ message: String, status: Status = .other) {
    self.message = message
    self.status = status
  }

  /// A problem on one line: the reason, the message, and the violations that the message does not
  /// contain.
  init(_ problem: LayoutProblem) {
    var parts: [String] = []
    if problem.reason != .none { parts.append("\(problem.reason.rawValue):") }
    parts.append(problem.message.isEmpty ? "\(problem.code)" : Self.cause(in: problem.message))
    // The message usually contains the first violation.
    for violation in problem.violations where !problem.message.contains(violation.description) {
      parts.append("[\(violation.field): \(violation.description)]")
    }
    self.init(
      parts.joined(separator: " "),
      status: problem.code == .unavailable ? .unavailable : .other
    )
  }

  /// The gRPC library's message about a failed connection, without its words about the channel.
  private static func cause(in message: String) -> String {
    let words = "Channel is in a transient failure state and 'wait for ready' isn't enabled. "
    return message.hasPrefix(words) ? String(message.dropFirst(words.count)) : message
  }

  var description: String {
    message.split(whereSeparator: \.isNewline).joined(separator: " ").printable
  }
}
