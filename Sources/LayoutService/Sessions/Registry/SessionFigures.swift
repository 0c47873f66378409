// SPDX-License-Identifier: Apache-2.0

package import CollectionStore

/// What an operator sees of the stream of one session.
package struct SessionFigures: Hashable, Sendable {
  /// The kind of the layout.
  package var layout = ""
  /// Elements that the client has.
  package var liveElements = 0
  /// Frames that were built, keyframes included.
  package var frames = 0
  /// Keyframes that were built.
  package var keyframes = 0
  /// Bytes of the messages sent.
  package var sentBytes = 0
  /// Events received.
  package var events = 0
  /// Events refused.
  package var refusedEvents = 0
  /// Frames sent and not yet acknowledged.
  package var unacknowledgedFrames: UInt64 = 0
  /// Bytes sent and not yet acknowledged.
  package var unacknowledgedBytes = 0
  /// The newest data version that the client was shown.
  package var dataVersion: UInt64 = 0
  /// When the oldest commit that the client has not seen was made; nil = it has seen all.
  package var unshownSince: ContinuousClock.Instant?
}

/// What is known of a session when its stream is opened.
package struct SessionFacts: Hashable, Sendable {
  /// The client's end of the connection.
  package var peer = ""
  /// The session's owner (`Access.owner`); "" = the server has no identities.
  package var owner = ""
  /// The collection's identifier; "" = private contents.
  package var collection = ""
  /// When the stream was opened.
  package var opened: ContinuousClock.Instant
}

/// A session's stream, as operators see it.
protocol OperatedSession: AnyObject, Sendable {
  /// As of the last work on the session; nil = it is being opened.
  var figures: SessionFigures? { get }

  /// Ends the session; its client cannot resume it.
  ///
  /// - Parameter reason: told to the client; "" = none is given.
  /// - Returns: false = the stream has left the session.
  func end(byOperatorFor reason: String) -> Bool
}

/// One session as an operator sees it.
package struct SessionStatus: Sendable {
  /// "sessions/{session}"
  package var name: String
  package var facts: SessionFacts
  /// nil = the session is detached, or is being opened.
  package var figures: SessionFigures?
  /// Whether it lost its stream and waits for its client.
  package var isDetached: Bool
}

extension LayoutServer {
  /// The names of all sessions, sorted.
  ///
  /// - Complexity: O(n log n)
  package var sessionNames: [String] { services.sessions.names }

  /// One session; nil = there is none.
  package func sessionStatus(named name: String) -> SessionStatus? {
    services.sessions.status(named: name)
  }

  /// Ends a session; its client cannot resume it.
  ///
  /// - Parameter reason: told to the client; "" = none is given.
  /// - Returns: whether there was such a session.
  package func endSession(named name: String, reason: String) -> Bool {
    services.sessions.end(name, reason: reason)
  }

  /// The collections after `id`, by identifier, without damaged ones.
  ///
  /// - Complexity: O(log n + limit + damaged records among them)
  package func collectionStatuses(after id: String, limit: Int) -> [CollectionStatus] {
    services.registry.statuses(after: id, limit: limit)
  }

  /// What collections take in the storage, by their identifiers.
  ///
  /// - Throws: `StorageFault`
  package func storedSizes(of ids: [String]) async throws -> [String: StoredSizes] {
    try await services.registry.storedSizes(of: ids)
  }

  /// The version that a collection has now; nil = there is none.
  package func dataVersion(ofCollection id: String) -> UInt64? {
    (try? services.registry.record(id))?.dataVersion
  }

  /// Writes a backup of all collections to a new file.
  ///
  /// - Returns: its size in bytes.
  /// - Throws: `StorageFault`
  package func backUp(to path: String) async throws -> Int64 {
    try await services.registry.backUp(to: path)
  }
}
