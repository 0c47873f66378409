// SPDX-License-Identifier: Apache-2.0

internal import LayoutProtocol
internal import LayoutSession

/// A session that was opened, with what `SessionCore` needs to run it.
///
/// A class because it is large: a suspended task would reserve room for each copy.
final class OpenedSession: Sendable {
  /// The session as the stream takes it over. Its charges are in `charges`.
  let state: DetachedSession
  let live: LiveSession
  let charges: SessionCharges
  let opening: SessionOpening
  /// The token that is signed for the client from time to time.
  let token: ResumeToken
  /// Messages that the session has produced already.
  let messages: [SessionMessage]
  /// The key of sessions that are opened alike; nil = the session has a state of its own.
  let alike: AlikeOpening?

  init(
    _ state: DetachedSession,
    live: LiveSession,
    charges: SessionCharges,
    opening: SessionOpening,
    token: ResumeToken,
    messages: [SessionMessage] = [],
    alike: AlikeOpening? = nil
  ) {
    self.state = state
    self.live = live
    self.charges = charges
    self.opening = opening
    self.token = token
    self.messages = messages
    self.alike = alike
  }
}
