// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutProtocol
internal import LayoutSession

/// A session without a stream: before its first one, or between two.
struct DetachedSession: Sendable {
  var session: ViewportSession
  var encoder: FrameEncoder
  /// nil = private contents.
  var collection: LiveCollection?
  /// The origin of the session's time.
  var start: ContinuousClock.Instant
  var answers: AnswerLog
  /// The session's charges; nil = it is charged when a stream resumes it.
  var charges: SessionCharges?
  /// The named layout that it follows; nil = none.
  var followed: FollowedLayout?
  /// What its client measures with; nil = the client shares no sizes.
  var renderer: String?
  /// The sizes that it shares; nil = none.
  var share: MeasurementShare?
  /// The client's address on the last stream; "" = unknown.
  var peer = ""
  /// The session's owner; nil = the server has no identities.
  var owner: String?

  /// What goes when it is dropped, roughly: what it shares with others is not counted.
  var byteCount: Int { session.privateByteCount + answers.byteCount }

  /// Charges the session to its peer instead of its connection, which may be closed.
  ///
  /// - Parameter peer: the client's address on the last stream.
  mutating func charge(to peer: String, _ accounts: ServerAccounts, name: String) {
    self.peer = peer
    let account = accounts.detachedSession(named: name, from: peer)
    // The session was charged to the same peer before, so there is room for it.
    try? charges?.move(to: account)
  }
}
