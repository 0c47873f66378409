// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GRPCCore
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession
internal import SwiftProtobuf

extension LayoutViewer {
  // MARK: - The first stream

  /// Opens the session and reads until the first frame has been applied. If the connection breaks
  /// before, this retries over a new one, up to 4 attempts in total, or more with several
  /// addresses.
  func open() async throws {
    isOnline = true
    for attempt in 1 ... openingAttempts {
      do {
        try await openOnce()
        break
      } catch let error as RPCError
        where attempt < openingAttempts && session.isEmpty && error.isPassing
      {
        link.cut()
        try await Task.sleep(for: backoff.next(asked: error.retryDelay))
        link = ViewerLink(replacing: link, patience: patience)
        lastEvent = 0
        end = nil
      }
    }
  }

  private func openOnce() async throws {
    var request = Wire.StreamLayoutRequest()
    request.open = opening
    connect(link)
    send(request)
    inbox = Inbox(iterator: try await link.responses().makeAsyncIterator())
    while mirror.frameSequence == 0 {
      guard try await advance() else {
        throw RPCError(code: .unavailable, message: "the stream ended before the first frame")
      }
      // The caller waits for the first frame, so what arrives until then is not reported again.
      keepNotices()
    }
  }

  /// Ends the session. Tells the server to discard it, and waits at most a second for the stream to
  /// end, even in a cancelled task: the server would keep the session for a while.
  func close() async { await Task { await closeNow() }.value }

  private func closeNow() async {
    if !isClosing { send(.close(discard: true)) }
    // From now on nobody else begins to read.
    end = end ?? .closed
    // A stream whose session is not open yet has nothing to discard.
    guard isOnline, !isBroken, session != "" else {
      reading?.cancel()
      link.cut()
      await reading?.value
      return
    }
    link.finishSending()
    let link = link
    let limit = Task {
      try? await Task.sleep(for: .seconds(1))
      link.cut()
    }
    await reading?.value
    do { while try await read() != nil {} } catch {}
    limit.cancel()
    link.cut()
  }

  /// How often to look for a new token where the present one does not say when it expires.
  private static let renewalPause = 60.0
  /// A day, in seconds: a token that expires later is looked at again.
  private static let longestRenewalPause = 86_400.0

  /// Sends each new token on the stream before the previous one expires, until the task is
  /// cancelled.
  func renewCredentials(from source: TokenSource) async {
    // The stream's own token.
    var sent = (try? await source.token())?.value
    var isWaiting = false
    while true {
      let due = await source.nextRenewal?.timeIntervalSinceNow ?? Self.renewalPause
      // A token may say that it expires in more seconds than a `Duration` can hold.
      let pause = isWaiting ? 1 : min(max(1, due), Self.longestRenewalPause)
      guard (try? await Task.sleep(for: .seconds(pause))) != nil else { return }
      // Without a token the stream ends when the old one expires, and a new one is requested for
      // resuming.
      guard let token = try? await source.token(), token.value != sent, !isClosing else { continue }
      // A stream that is being opened may have begun with the old token.
      isWaiting = !isOnline
      if isWaiting { continue }
      send(.with { $0.credentials.token = token.value })
      sent = token.value
    }
  }

  func read() async throws -> Wire.StreamLayoutResponse? {
    // The iterator is moved out during the wait, because an actor's state cannot be borrowed across
    // a suspension.
    guard var current = inbox else { return nil }
    let response = try await link.waiting { try await current.iterator.next(isolation: self) }
    inbox = current
    return response
  }

  private var visibleRect: Rect {
    let size = opening.viewport.size
    return Rect(origin: offset, size: Size(width: size.width, height: size.height))
  }

  private var anchorMode: AnchorMode {
    switch opening.options.anchorMode {
    case .none: .none
    case .lastVisible: .lastVisible
    case .firstVisible, .unspecified, .UNRECOGNIZED: .firstVisible
    }
  }

  // MARK: - Later streams

  /// Opens a new stream. Retries with backoff until a stream is open, the server refuses it with an
  /// error that a retry does not fix, or nobody waits for it any more.
  ///
  /// Once the pause before an attempt has begun, the attempt is made even if nobody waits for it
  /// any more. Otherwise callers that give up sooner than the pause ends would never be connected.
  func reconnect() async throws {
    link.cut()
    repeat {
      if !triesAtOnce { try await Task.sleep(for: backoff.next(asked: reconnectDelay)) }
      triesAtOnce = false
      reconnectDelay = nil
      link = ViewerLink(replacing: link, patience: patience)
      do {
        connect(link)
        link.send(resumption())
        inbox = Inbox(iterator: try await link.responses().makeAsyncIterator())
        while let response = try await read() {
          // Only notices can arrive before the server confirms the opening.
          guard case .opened(let opened) = response.message else { continue }
          return resume(opened)
        }
        throw RPCError(code: .unavailable, message: "the stream ended before it was opened")
      } catch let error as RPCError {
        link.cut()
        noteEnd()
        if isSessionLost(error) {
          // The server answers, so it can open another session at once.
          resumeToken = []
          triesAtOnce = true
        } else if await !mayReconnect(after: error) {
          throw error
        }
      } catch {
        // The viewer is being closed.
        link.cut()
        throw error
      }
    } while !readers.isEmpty
  }

  /// Notes that the stream has ended, or could not be opened. After one that worked for a while,
  /// another token may help again, whatever ended it.
  func noteEnd() {
    if backoff.ended() { hasRenewed = false }
  }

  /// Whether another stream may be opened after one that ended so, or could not be opened.
  func mayReconnect(after error: RPCError) async -> Bool {
    if error.isPassing || error.isTokenFailure, !Task.isCancelled {
      if let asked = error.retryDelay { reconnectDelay = max(reconnectDelay ?? .zero, asked) }
      return true
    }
    guard error.code == .unauthenticated, let tokens, !hasRenewed else { return false }
    hasRenewed = true
    await tokens.forget()
    triesAtOnce = true
    return true
  }

  /// Whether the server no longer has the session but may have the collection, so that a new
  /// session can be opened: after the session has expired, or if another server with another secret
  /// answers.
  func isSessionLost(_ error: RPCError) -> Bool {
    guard case .collection = opening.source, !resumeToken.isEmpty else { return false }
    let reason = LayoutProblem(error).reason
    // A collection without a default layout cannot be shown without one.
    return reason == .resumeTokenInvalid || reason == .sessionExpired
      || leavesLayoutOut && reason == .layoutKindUnknown
  }

  /// The request that opens the next stream: a resume if there is a token, otherwise a new session.
  func resumption() -> Wire.StreamLayoutRequest {
    var request = Wire.StreamLayoutRequest()
    request.open = opening
    openedAt = lastEvent
    leavesLayoutOut = false
    leavesOptionsOut = false
    if !resumeToken.isEmpty {
      // What has no answer yet may be applied already: the session knows best what it has.
      leavesLayoutOut = pending.hasUnanswered { $0.setsLayout || $0.isTransition }
      leavesOptionsOut = pending.hasUnanswered(\.setsOptions)
      if leavesLayoutOut {
        request.open.clearLayout()
        request.open.layoutName = ""
      }
      if leavesOptionsOut { request.open.clearOptions() }
      request.open.resume = .with {
        $0.resumeToken = .init(resumeToken)
        $0.lastFrameSeq = mirror.frameSequence
        $0.lastEventSeq = lastEvent
        $0.stateChecksum = mirror.stateChecksum
        $0.liveCount = UInt32(clamping: mirror.liveCount)
      }
      request.open.viewport.observedFrameSeq = mirror.frameSequence
    } else {
      request.open.viewport.observedFrameSeq = 0
    }
    // Before the first frame, a new session begins where the old one should have.
    if !opening.hasStart {
      request.open.viewport.contentOffset = Wire.Point(offset)
    }
    return request
  }

  /// Continues on a new stream: sends all events that the server has not applied before any new
  /// ones.
  private func resume(_ opened: Wire.SessionOpened) {
    let (before, lost, older) = (mirror, session, arrivals)
    arrivals = []
    // What the opening contains.
    viewports.accept(upTo: openedAt)
    take(opened)
    isBroken = false
    let continuation: Continuation
    switch opened.outcome {
    case .resumed:
      continuation = .resumed
      isBehind = false
    case .resumedWithKeyframe: continuation = .resumedWithKeyframe
    case .reset, .created, .unspecified, .UNRECOGNIZED:
      continuation = .reset
      // A session that ends before its first frame has no places: those of the one before count.
      if before.frameSequence > 0 {
        anchor = ScreenAnchor(before, visible: visibleRect, mode: anchorMode)
      }
    }
    let requests =
      continuation == .reset
      ? inherit(from: lost) : pending.missed(after: opened.lastEventSeq)
    for request in requests { link.send(request) }
    isOnline = true
    if continuation != .reset { (leavesLayoutOut, leavesOptionsOut) = (false, false) }
    restore()
    arrivals = older + [.reconnected(continuation)] + arrivals
  }

  /// Tells a new session what its opening left out, unless an event without an answer will tell it
  /// another value.
  func restore() {
    if leavesLayoutOut, !pending.hasUnanswered(\.setsLayout) {
      leavesLayoutOut = false
      restoreLayout()
    }
    if leavesOptionsOut, !pending.hasUnanswered(\.setsOptions) {
      leavesOptionsOut = false
      if opening.hasOptions { send(.with { $0.options = opening.options }) }
    }
  }

  private func restoreLayout() {
    guard opening.hasLayout || !opening.layoutName.isEmpty else { return }
    send(
      .with {
        $0.layout.layoutName = opening.layoutName
        if opening.hasLayout { $0.layout.layout = opening.layout }
      }
    )
  }

  /// Moves the pending events to a new session after the old one was lost, and reports those that
  /// cannot be repeated.
  ///
  /// - Parameter lost: the name of the old session.
  /// - Returns: the requests to repeat in the new session.
  private func inherit(from lost: String) -> [Wire.StreamLayoutRequest] {
    let inheritance = pending.handOver(openedAt: openedAt)
    for event in inheritance.abandoned {
      deliver(.eventRefused(sequence: event, problem: .sessionExpired(lost)))
    }
    return inheritance.repeated
  }
}

extension Wire.StreamLayoutRequest {
  var isResync: Bool { if case .resync = event { true } else { false } }

  fileprivate var setsLayout: Bool { if case .layout = event { true } else { false } }

  fileprivate var setsOptions: Bool { if case .options = event { true } else { false } }

  /// Whether it is a step of a transition, which may change the session's layout.
  fileprivate var isTransition: Bool { if case .transition = event { true } else { false } }
}

extension LayoutClient {
  /// Opens a session, waits for the first frame, and runs `body` with its viewer.
  ///
  /// The session ends when `body` returns or throws.
  /// - Throws: `LayoutProblem` if the server refuses the session; what `body` throws.
  public func view<Result: Sendable>(
    _ configuration: ViewerConfiguration,
    _ body: @Sendable @escaping (LayoutViewer) async throws -> Result
  ) async throws -> Result {
    var metadata = Metadata()
    if let key = configuration.routingKey { metadata.addString(key, forKey: "x-layout-collection") }
    let (links, queue) = AsyncStream.makeStream(of: ViewerLink.self)
    let viewer = LayoutViewer(
      try configuration.openSession(),
      offset: configuration.viewport.offset ?? .zero,
      unitsPerPoint: configuration.capabilities.unitsPerPoint,
      limits: configuration.limits,
      addresses: connections.addressCount,
      tokens: tokens,
      connect: { queue.yield($0) }
    )
    // Not a child task: if it were cancelled with this one, the session could not be closed.
    let streams = Task { [metadata] in
      await withDiscardingTaskGroup { group in
        if let tokens { group.addTask { await viewer.renewCredentials(from: tokens) } }
        for await link in links {
          group.addTask { await link.run(on: self, metadata: metadata) }
        }
        group.cancelAll()
      }
    }
    func end() async {
      await viewer.close()
      queue.finish()
      await streams.value
    }
    do {
      try await viewer.open()
      let result = try await body(viewer)
      await end()
      return result
    } catch {
      await end()
      throw (error as? RPCError).map { LayoutProblem($0) } ?? error
    }
  }
}
