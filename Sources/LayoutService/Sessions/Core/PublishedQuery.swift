// SPDX-License-Identifier: Apache-2.0

internal import LayoutSession

/// What answers queries about a session while its owner works on it.
///
/// Not `Boxed<SessionQuery>?`: a session in a state of its own publishes after each event, which
/// then would allocate.
enum PublishedQuery: Sendable {
  /// Nothing is prepared yet.
  case none
  case own(SessionQuery)
  /// That of a state which the session has in common with others.
  case common(Boxed<SessionQuery>)

  /// nil = nothing is prepared yet.
  var value: SessionQuery? {
    switch self {
    case .none: nil
    case .own(let query): query
    case .common(let query): query.value
    }
  }
}
