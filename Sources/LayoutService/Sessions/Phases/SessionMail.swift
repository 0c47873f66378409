// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import LayoutSession

/// What else a session has to look at, beside its client's requests.
struct SessionMarks: OptionSet, Sendable {
  let rawValue: UInt8

  /// Batches were committed to its collection.
  static let collectionChanged = SessionMarks(rawValue: 1)
  static let collectionDeleted = SessionMarks(rawValue: 2)
  /// The server is going away.
  static let draining = SessionMarks(rawValue: 4)
  /// Named layouts of its collection were changed.
  static let layoutsChanged = SessionMarks(rawValue: 8)
  /// The awaited layout was made, or failed.
  static let layoutSettled = SessionMarks(rawValue: 16)
  /// Somebody waits for a data version of its collection.
  static let versionAwaited = SessionMarks(rawValue: 32)
  /// The store lacks commits that the session has shown.
  static let collectionRewound = SessionMarks(rawValue: 64)
}

/// How the stream of requests ended.
enum RequestsEnd: Sendable {
  case finished
  case failed(any Error)
}

/// What the worker takes out of the mailbox at once.
struct SessionMail: Sendable {
  /// In the order of arrival.
  var inputs: Deque<SessionInput> = []
  var marks: SessionMarks = []
  /// nil = more requests may come.
  var requestsEnd: RequestsEnd?

  var isEmpty: Bool { inputs.isEmpty && marks.isEmpty && requestsEnd == nil }

  /// Whether it has a request to close the session for good, without a resume.
  var discards: Bool {
    inputs.contains { input in
      if case .event(.close(discard: true), _) = input.event { true } else { false }
    }
  }
}
