// SPDX-License-Identifier: Apache-2.0

internal import CollectionStore
internal import LayoutEngine
internal import LayoutProtocol
internal import LayoutSession
internal import Metrics
internal import ResourceAccounting

extension SessionCore {
  // MARK: - Sessions in the same state

  /// The session is in a state of its own from now on.
  func leaveForGood() { (alike, leaving, alikeOpening, firstKey) = (nil, nil, nil, nil) }

  /// Takes over a commit that nobody in the same state has made a frame of. Where others are in it,
  /// the next frame is noted for them.
  func stepAhead() {
    // Before the first frame, sessions that are opened later start from the newer contents.
    (alikeOpening, firstKey) = (nil, nil)
    guard alike != nil else { return }
    leaving = isKnownUniquelyReferenced(&alike) ? nil : alike
    alike = nil
  }

  /// Follows the frames that other sessions have made in the same state, as far as they go.
  ///
  /// - Throws: QUOTA_MEMORY.
  func followAlike(at now: Duration) throws {
    guard alike != nil, let version = collection?.dataVersion else { return }
    while let next = alike?.next(towards: version), canFollowAlike(at: now) {
      do throws(LimitExceeded) {
        charges.keep(try next.layout.copy(for: charges.account))
      } catch { throw LayoutProblem(error) }
      if let oldest = next.frame.oldestCommit, unshown == nil {
        unshown = (oldest, next.frame.dataVersion)
      }
      follow(next, at: now)
    }
  }

  /// Takes the first frame from a session that was opened alike, and joins it.
  ///
  /// - Returns: false = the session makes the frame itself, for others as well if `firstKey` is
  ///   set.
  func joinAlike(at now: Duration) -> Bool {
    guard let opening = alikeOpening, reading({ $0.isFrameDue(at: now) }) else { return false }
    alikeOpening = nil
    guard own.lastFrame == 0, canFollowAlike(at: now), own.followsFromOpening,
      let layout = own.finishedLayout
    else {
      return false
    }
    let key = AlikeSessions.Key(
      opening: opening.value,
      layout: layout,
      dataVersion: own.dataVersion
    )
    switch services.alike.find(key) {
    case .state(let state):
      follow(state, at: now)
      return true
    case .second: firstKey = Boxed(key)
    case .first: break
    }
    return false
  }

  /// When the session may follow the others, if only the shortest interval between frames keeps it
  /// from that; nil = it is in no state with others, or may do so now, or would be asked about old
  /// contents for too long.
  func alikeDelay(at now: Duration) -> Duration? {
    guard alike != nil, let end = reading({ $0.intervalEnd(after: now) }) else { return nil }
    return end - now > Self.longestAlikeDelay ? nil : end
  }

  /// For how long commits are left to the others in the same state.
  private static let longestAlikeDelay = Duration.seconds(1)

  private func canFollowAlike(at now: Duration) -> Bool {
    trace == nil && measurements == nil && awaited == nil && whole == nil
      && flight.count <= BytesInFlight.many && reading { $0.canFollowTwin(at: now) }
  }

  private func follow(_ state: AlikeState, at now: Duration) {
    own.follow(twin: state.session, at: now)
    isQueryNew = true
    encoder = state.encoder
    alike = state
    leaving = nil
    services.metrics.sharedFrames.increment()
    sent(state.frame)
  }

  /// Notes a frame that was made in a state which other sessions are in, for them.
  func noteAlike(_ frame: AlikeState.Frame) {
    let (from, key) = (leaving, firstKey?.value)
    (leaving, firstKey, alike) = (nil, nil, nil)
    guard from != nil || key != nil, measurements == nil, awaited == nil, whole == nil,
      own.followsFromOpening, let layout = own.finishedLayout,
      let lease = charges.lease(of: layout),
      // Without room for it, each makes its frames itself.
      let state = try? AlikeState(
        own,
        encoder,
        frame: frame,
        layout: lease,
        account: charges.account.parent?.parent ?? services.accounts.server
      )
    else { return }
    if let from {
      alike = from.noteNext(state)
    } else if let key, key.layout == layout, key.dataVersion == frame.dataVersion {
      services.alike.note(state, of: key)
      alike = state
    }
  }
}
