// SPDX-License-Identifier: Apache-2.0

import CollectionModel
import GRPCCore
import LayoutProtocol

/// Why a command ends early: one line for people, and the exit status.
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

  /// The reason, what was found, and what is allowed, on one line.
  init(_ problem: LayoutProblem) {
    var parts: [String] = []
    if problem.reason != .none { parts.append("\(problem.reason.rawValue):") }
    parts.append(problem.message.isEmpty ? "\(problem.code)" : problem.message)
    // A message mostly names the first field already.
    for violation in problem.violations where !problem.message.contains(violation.description) {
      parts.append("[\(violation.field): \(violation.description)]")
    }
    self.init(
      parts.joined(separator: " "),
      status: problem.code == .unavailable ? .unavailable : .other
    )
  }

  var description: String {
    message.split(whereSeparator: \.isNewline).joined(separator: " ").printable
  }
}
