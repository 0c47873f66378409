// SPDX-License-Identifier: Apache-2.0

internal import LayoutSession

/// How a session is kept.
enum SessionForm {
  /// By itself.
  ///
  /// - Parameter alike: the state that it has in common with others, as far as more than its link
  ///   is concerned; nil = it is in a state of its own.
  case own(KeptSession, alike: AlikeState?)
  /// As a state that others are in as well, and its link. So a frame for all is only noted in each,
  /// and viewers of the same content take little memory.
  case common(AlikeState)

  /// The state that the session has in common with others; nil = it is in a state of its own.
  var alike: AlikeState? {
    switch self {
    case .own(_, let alike): alike
    case .common(let state): state
    }
  }

  var isCommon: Bool {
    switch self {
    case .own: false
    case .common: true
    }
  }

  /// The session by itself, and by itself from now on.
  ///
  /// - Parameter link: its link, if it is in common form.
  mutating func takenOut(_ link: @autoclosure () -> SessionLink) -> KeptSession {
    switch self {
    case .own(let kept, _): return kept
    case .common(let state):
      let kept = KeptSession(state.common.session(link()))
      self = .own(kept, alike: state)
      return kept
    }
  }
}

/// A session outside of what keeps it.
final class KeptSession {
  var session: ViewportSession

  init(_ session: ViewportSession) { self.session = session }
}
