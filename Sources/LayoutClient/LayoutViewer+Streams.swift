// SPDX-License-Identifier: Apache-2.0

internal import GRPCCore
internal import LayoutGeometry
internal import LayoutProtocol
internal import LayoutSession
internal import SwiftProtobuf

extension LayoutViewer {
  // MARK: - The first stream

  /// How often a connection may break before a session stands.
  private static let openingAttempts = 4

  /// Opens the session and reads until its first frame is here. A connection that breaks meanwhile
  /// is replaced a few times; a server that is not there at all is an error soon.
  func open() async throws {
    isOnline = true
    for attempt in 1 ... Self.openingAttempts {
      do {
        try await openOnce()
        break
      } catch let error as RPCError
        where attempt < Self.openingAttempts && session.isEmpty && error.isPassing
      {
        link.cut()
        try await Task.sleep(for: backoff.next())
        link = ViewerLink(replacing: link)
        lastEvent = 0
      }
    }
    // What brought the frame about has been waited for.
    arrivals = []
  }

  private func openOnce() async throws {
    var request = Wire.StreamLayoutRequest()
    request.open = opening
    connect(link)
    send(request)
    inbox = Inbox(iterator: try await link.responses().makeAsyncIterator())
    while mirror.frameSequence == 0 {
      guard try await next() != nil else {
        throw RPCError(code: .unavailable, message: "the stream ended before the first frame")
      }
    }
  }

  /// Gives up the session; the server hears of it where it can be reached.
  func close() async {
    if !isClosing { send(.close(discard: true)) }
    link.finishSending()
    let link = link
    let limit = Task {
      try? await Task.sleep(for: .seconds(1))
      link.cut()
    }
    do { while try await read() != nil {} } catch {}
    limit.cancel()
    link.cut()
  }

  func read() async throws -> Wire.StreamLayoutResponse? {
    // The iterator is moved out while it waits: an actor's state cannot be borrowed meanwhile.
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

  // MARK: - Streams after it

  /// Tries again and again, until there is a stream or the server refuses one for good.
  func reconnect() async throws -> Continuation {
    isOnline = false
    link.cut()
    while true {
      let delay = reconnectDelay ?? backoff.next()
      reconnectDelay = nil
      try await Task.sleep(for: delay)
      link = ViewerLink(replacing: link)
      do {
        connect(link)
        link.send(resumption())
        inbox = Inbox(iterator: try await link.responses().makeAsyncIterator())
        while let response = try await read() {
          // Before the opening there may be nothing but notices.
          guard case .opened(let opened) = response.message else { continue }
          return goOn(opened)
        }
        throw RPCError(code: .unavailable, message: "the stream ended before it was opened")
      } catch let error as RPCError {
        link.cut()
        if isSessionLost(error) {
          resumeToken = []
        } else if !error.isPassing {
          throw error
        }
      }
    }
  }

  /// Whether nothing is left of the session where its collection may well be: the server holds
  /// another one of that name, or is another one, which knows none of the sessions of the first.
  private func isSessionLost(_ error: RPCError) -> Bool {
    guard case .collection = opening.source, !resumeToken.isEmpty else { return false }
    let reason = LayoutProblem(error).reason
    return reason == .resumeTokenInvalid || reason == .sessionExpired
  }

  /// What opens the next stream.
  private func resumption() -> Wire.StreamLayoutRequest {
    var request = Wire.StreamLayoutRequest()
    request.open = opening
    if !resumeToken.isEmpty {
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
    request.open.viewport.contentOffset = Wire.Point(offset)
    return request
  }

  /// The new stream stands: everything that had not been applied goes out before anything new.
  private func goOn(_ opened: Wire.SessionOpened) -> Continuation {
    let before = mirror
    take(opened)
    backoff.reset()
    let continuation: Continuation
    switch opened.outcome {
    case .resumed: continuation = .resumed
    case .resumedWithKeyframe: continuation = .resumedWithKeyframe
    case .reset, .created, .unspecified, .UNRECOGNIZED:
      continuation = .reset
      anchor = ScreenAnchor(before, visible: visibleRect, mode: anchorMode)
    }
    let requests =
      continuation == .reset
      ? inherit(before.dataVersion) : pending.missed(after: opened.lastEventSeq)
    for request in requests { link.send(request) }
    isOnline = true
    return continuation
  }

  /// - Returns: what another session has to be told of what was to be done in the one before.
  private func inherit(_ version: UInt64) -> [Wire.StreamLayoutRequest] {
    let inheritance = pending.handOver()
    arrivals += inheritance.granted.map {
      .eventApplied(sequence: $0, dataVersion: version, isDuplicate: false)
    }
    arrivals += inheritance.forsaken.map {
      .eventRefused(sequence: $0, problem: .sessionExpired(session))
    }
    return inheritance.repeated
  }
}

extension LayoutClient {
  /// Opens a session, waits for the first frame, and runs `body` with its viewer.
  ///
  /// - Throws: `LayoutProblem` where the server refuses; what `body` throws.
  public func view<Result: Sendable>(
    _ configuration: ViewerConfiguration,
    _ body: @Sendable @escaping (LayoutViewer) async throws -> Result
  ) async throws -> Result {
    var metadata = Metadata()
    if let key = configuration.routingKey { metadata.addString(key, forKey: "x-layout-collection") }
    let heartbeats = configuration.options.granted.heartbeatInterval ?? .seconds(15)
    let patience = ViewerLink.Patience(
      opening: max(heartbeats * 3, .seconds(45)),
      open: heartbeats * 3
    )
    let (links, queue) = AsyncStream.makeStream(of: ViewerLink.self)
    let viewer = LayoutViewer(
      try configuration.openSession(),
      offset: configuration.viewport.offset ?? .zero,
      unitsPerPoint: configuration.capabilities.unitsPerPoint,
      connect: { queue.yield($0) }
    )
    do {
      async let streams: Void = withDiscardingTaskGroup { [metadata] group in
        for await link in links {
          group.addTask { await link.run(on: self, metadata: metadata, patience: patience) }
        }
        group.cancelAll()
      }
      defer { queue.finish() }
      try await viewer.open()
      let result: Result
      do { result = try await body(viewer) } catch {
        await viewer.close()
        throw error
      }
      await viewer.close()
      queue.finish()
      await streams
      return result
    } catch let error as RPCError {
      throw LayoutProblem(error)
    }
  }
}
