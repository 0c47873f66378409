// SPDX-License-Identifier: Apache-2.0

internal import LayoutSession
internal import Synchronization

/// The open sessions that were opened alike, whenever that was, and have done nothing by themselves
/// since.
final class AlikeGroup: Sendable {
  private struct State {
    var memberCount = 0
    /// The newest states that members are in. There may be several: anchored content moves the
    /// viewports of those who were there.
    var newest: [WeakState] = []

    /// The index of the state with the oldest data; nil = there is none.
    var oldest: Int? { newest.indices.min { newest[$0].version < newest[$1].version } }
  }

  private struct WeakState {
    weak var state: AlikeState?
    /// The data version that it shows.
    let version: UInt64
  }

  /// How many states are remembered. Members in others make their frames themselves.
  private static let mostStates = 8

  private let state = Mutex(State())

  /// Whether somebody may share what a member makes.
  var isShared: Bool { state.withLock { $0.memberCount > 1 } }

  /// The newest states, those first that were noted first.
  var states: [AlikeState] { state.withLock { $0.newest.compactMap(\.state) } }

  /// Whether `note` would note a state of a data version that follows none.
  func hasRoom(for version: UInt64) -> Bool {
    state.withLock { state in
      state.newest.count < Self.mostStates
        || state.newest.contains { $0.version < version }
    }
  }

  /// Notes a state that a member is in.
  ///
  /// - Parameter previous: the state that it follows, which is forgotten; nil = none is.
  /// - Returns: false = there are too many others.
  func note(_ new: AlikeState, after previous: AlikeState?) -> Bool {
    state.withLock { state in
      state.newest.removeAll { $0.state == nil || $0.state === previous }
      // New members join the newest states, so the oldest makes room.
      if state.newest.count >= Self.mostStates, let oldest = state.oldest,
        state.newest[oldest].version < new.common.dataVersion
      {
        state.newest.remove(at: oldest)
      }
      guard state.newest.count < Self.mostStates else { return false }
      state.newest.append(WeakState(state: new, version: new.common.dataVersion))
      return true
    }
  }

  /// Makes a session a member until the result is released.
  func join() -> Membership {
    state.withLock { $0.memberCount += 1 }
    return Membership(group: self)
  }

  fileprivate func leave() { state.withLock { $0.memberCount -= 1 } }

  /// A session's place in a group.
  final class Membership: Sendable {
    let group: AlikeGroup

    fileprivate init(group: AlikeGroup) { self.group = group }

    deinit { group.leave() }
  }
}
