// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import CollectionStore
internal import LayoutProtocol
internal import LayoutSession
internal import LayoutTrust
internal import ResourceAccounting

extension SessionOpener {
  /// How long a stream may take to release a session that another stream claims, if the client can
  /// open a new session instead.
  private static let sharedClaimLimit = Duration.seconds(5)
  /// The same, if the session's private contents would be lost.
  private static let privateClaimLimit = Duration.seconds(60)

  /// Resumes the session of a token, or opens a new one if only its collection still exists.
  func resume(
    _ resume: ResumeRequest,
    _ open: OpenRequest,
    _ message: Wire.OpenSession,
    context: CallContext
  ) async throws(LayoutProblem) -> OpenedSession {
    let token = try services.tokens.verify(resume.resumeToken)
    let isShared = !token.collection.isEmpty
    try checkRoutingKey(
      context,
      collection: isShared ? CollectionName(token.collection).description : ""
    )
    // The token identifies the session; it does not authorise its bearer.
    if isShared { try context.access.require(.view, on: token.collection) }
    let live = live(token.session)
    let limit = isShared ? Self.sharedClaimLimit : Self.privateClaimLimit
    let quota = services.identities.quotas(of: context.access).sessions
    let claim = await services.sessions.claim(live, within: limit, quota: quota)
    if case .tooMany = claim { throw SessionRegistry.refusal(ofIdentity: quota ?? 0) }
    if case .claimed(let detached) = claim, detached.collection?.isRewound == true {
      // It shows what is not stored any more.
      services.sessions.remove(live)
    } else if case .claimed(let detached) = claim {
      do throws(LayoutProblem) {
        let layouts = services.identities.layoutAccount(of: context.access)
        let source = try namedLayout(of: open, resuming: detached)
        let named = try await read(source).map { (layout: $0, followed: source?.followed) }
        // Taking over what was committed since takes long if the session has much.
        return try await whenItsTurn(takesLong: detached.session.takesLongToFollow) {
          () throws(LayoutProblem) in
          try resumed(
            detached,
            live,
            token,
            resume,
            open,
            message,
            named,
            charging: layouts
          )
        }
      } catch {
        // The request is at fault, unless the collection is gone.
        if error.reason == .collectionNotFound {
          services.sessions.remove(live)
        } else {
          // The session stays charged to its earlier peer.
          let peer = detached.peer.isEmpty ? context.peer : detached.peer
          services.sessions.detach(live, detached, of: peer)
        }
        throw error
      }
    }
    guard isShared, !Task.isCancelled else { throw .sessionExpired(token.session) }
    let collection = try await collection(token.collection, by: context.access)
    guard collection.incarnation == token.incarnation else { throw .sessionExpired(token.session) }
    // On another server the viewer may have seen newer versions than this server knows.
    do throws(StoreError) { try await collection.refresh() } catch { throw LayoutProblem(error) }
    return try await openShared(
      collection,
      open,
      by: context.access,
      eventSequence: 0,
      outcome: .reset
    )
  }

  @inline(never)
  private func resumed(
    _ detached: DetachedSession,
    _ live: LiveSession,
    _ token: ResumeToken,
    _ resume: ResumeRequest,
    _ open: OpenRequest,
    _ message: Wire.OpenSession,
    _ named: (layout: StoredLayout, followed: FollowedLayout?)?,
    charging layouts: Account?
  ) throws(LayoutProblem) -> OpenedSession {
    var state = detached
    let now = detached.start.duration(to: services.clock.now)
    var messages: [SessionMessage] = []
    if let share = detached.share {
      messages = try state.session.catchUp(with: share).messages
    } else if let collection = detached.collection {
      try state.session.catchUp(with: collection)
    }
    let layout = named?.layout.configuration ?? open.layout
    let outcome: ResumeOutcome
    do {
      outcome = try state.session.resume(
        SessionResume(
          lastFrame: resume.lastFrame,
          stateChecksum: resume.stateChecksum,
          liveCount: resume.liveCount,
          capabilities: message.hasCapabilities ? open.capabilities : state.session.capabilities,
          options: message.hasOptions ? open.options : nil,
          layout: layout,
          ownsLayout: named == nil,
          viewport: open.viewport
        ),
        at: now
      )
    } catch let violation as ProtocolViolation {
      throw LayoutProblem(violation)
    } catch let problem as Refusal {
      throw LayoutProblem(problem)
    } catch { throw .internalFault() }
    let maxMessageBytes =
      message.hasCapabilities ? open.maxMessageBytes : detached.encoder.grantedMessageBytes
    state.encoder = FrameEncoder(
      capabilities: state.session.capabilities,
      maxMessageBytes: maxMessageBytes
    )
    if outcome == .resumed { state.encoder.inheritKinds(from: detached.encoder) }
    state.answers.received(frame: resume.lastFrame)
    if layout != nil { state.followed = named?.followed }
    state.renderer = open.renderer ?? detached.renderer
    let account = services.accounts.session(named: live.name, from: peer)
    var charges = detached.charges ?? SessionCharges(account)
    if layout != nil { charges.use(named?.layout) }
    do throws(LimitExceeded) {
      // Moving comes last: where it fails, the session without a stream still has its charges.
      try charges.charge(layouts: layouts)
      try charges.move(to: account)
    } catch { throw LayoutProblem(error) }
    state.charges = nil
    return OpenedSession(
      state,
      live: live,
      charges: charges,
      opening: opening(
        of: state,
        live,
        token,
        outcome == .resumed ? .resumed : .resumedWithKeyframe
      ),
      token: token,
      messages: messages
    )
  }

  /// The named layout that a resume names; nil = none.
  private func namedLayout(
    of open: OpenRequest,
    resuming detached: DetachedSession
  ) throws(LayoutProblem) -> StoredLayoutSource? {
    guard let name = open.layoutName else { return nil }
    guard let collection = detached.collection else { throw .layoutNotFound(name) }
    do throws(LayoutProblem) { return try namedLayout(of: open, in: collection) } catch {
      // The layout was deleted meanwhile. The session keeps using it, as it would with a stream.
      if error.reason == .layoutNotFound, let followed = detached.followed,
        name.hasSuffix("/\(followed.id)")
      {
        return nil
      }
      throw error
    }
  }
}
