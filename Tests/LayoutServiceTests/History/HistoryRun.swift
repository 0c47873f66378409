// SPDX-License-Identifier: Apache-2.0

import CollectionStore
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutService
import LayoutSession
import SwiftProtobuf
import Synchronization
import TestSupport

/// One run of producers, viewers, a watcher and somebody who pulls the plug.
struct HistoryRun: Sendable {
  let seed: UInt64
  let scale: HistoryTests.Scale
  let recorder: Recorder
  /// Past the proxy.
  let clients: Clients
  /// Through the proxy.
  let address: ServerAddress
  let proxy: CuttableProxy
  /// Viewers whose session is still to be opened: one that never stood cannot come back.
  private let opening: Countdown
  /// Those who still edit.
  private let editing: Countdown

  init(
    seed: UInt64,
    scale: HistoryTests.Scale,
    recorder: Recorder,
    clients: Clients,
    address: ServerAddress,
    proxy: CuttableProxy
  ) {
    self.seed = seed
    self.scale = scale
    self.recorder = recorder
    self.clients = clients
    self.address = address
    self.proxy = proxy
    opening = Countdown(scale.viewers, changes: recorder.changes)
    editing = Countdown(scale.producers + scale.viewers, changes: recorder.changes)
  }

  func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0 ..< scale.producers {
        group.addTask { try await produce(index) }
      }
      for index in 0 ..< scale.viewers {
        group.addTask { try await view(index) }
      }
      group.addTask { try await watch() }
      group.addTask { try await cut() }
      // The first that fails ends all.
      while try await group.next() != nil {}
    }
  }

  private func random(_ stream: UInt64) -> SplitMix64 {
    SplitMix64(seed: seed &* 1_000_003 &+ stream)
  }

  // MARK: - Producers

  /// Edits past the proxy, now and then twice with the same identifier.
  private func produce(_ index: Int) async throws {
    defer { editing.decrement() }
    var random = random(UInt64(index))
    for number in 0 ..< scale.batchesPerProducer {
      let change = Change.random(number, of: "p\(index)", using: &random)
      var request = Wire.ApplyUpdatesRequestMessage()
      request.name = "collections/a"
      request.batch = change.batch
      request.batch.requestID = "p\(index)-\(number)"
      let response = try await clients.collections.applyUpdates(request)
      note(change, response.dataVersion, response.duplicate)
      if Int.random(in: 0 ..< 5, using: &random) == 0 {
        let again = try await clients.collections.applyUpdates(request)
        note(change, again.dataVersion, again.duplicate)
        if !again.duplicate || again.dataVersion != response.dataVersion {
          recorder.record { $0.faults.append("Unique: a retry was applied again") }
        }
      }
      // Edits come in bursts: between them a viewer, wherever it is, has to see something.
      if Bool.random(using: &random) { await waitForNotes(1) }
    }
  }

  /// Returns once viewers have noted that much more, or all edits are made.
  private func waitForNotes(_ count: Int) async {
    let wanted = recorder.noteCount + count
    await recorder.changes.wait { recorder.noteCount >= wanted || editing.count == 0 }
  }

  private func note(_ change: Change, _ version: UInt64, _ isDuplicate: Bool) {
    recorder.record {
      $0.edits.append(.init(version: version, change: change, isDuplicate: isDuplicate))
      $0.newest = max($0.newest, version)
    }
  }

  // MARK: - Viewers

  /// Scrolls and edits through the proxy, until all edits are made and seen.
  private func view(_ index: Int) async throws {
    try await LayoutClient.connect(to: address) { client in
      try await client.view(configuration(index)) { viewer in
        opening.decrement()
        await record(viewer, index, isKeyframe: true)
        do {
          defer { editing.decrement() }
          try await scrollAndEdit(viewer, index)
        }
        while editing.count > 0 { try await pass(viewer, index) }
        while await viewer.mirror.dataVersion < recorder.newest { try await pass(viewer, index) }
      }
    }
  }

  private func configuration(_ index: Int) -> ViewerConfiguration {
    var options = SessionOptions()
    options.heartbeatInterval = .seconds(1)
    options.anchorMode = [.none, .firstVisible, .lastVisible][index % 3]
    return ViewerConfiguration(
      source: .collection("collections/a"),
      viewport: ViewportChange(size: Size(width: 100, height: 200)),
      capabilities: ClientCapabilities(
        encoding: index % 2 == 0 ? .messages : .packed,
        checksums: true,
        itemKeys: true
      ),
      options: options
    )
  }

  private func scrollAndEdit(_ viewer: LayoutViewer, _ index: Int) async throws {
    var random = random(1000 + UInt64(index))
    var waiting: [UInt64: Change] = [:]
    for number in 0 ..< scale.batchesPerProducer / 4 {
      if Bool.random(using: &random) {
        let change = Change.random(number, of: "w\(index)", using: &random)
        var request = Wire.StreamLayoutRequest()
        request.update = change.batch
        waiting[await viewer.send(request)] = change
      } else {
        await viewer.scroll(
          to: Point(x: 0, y: Double.random(in: 0 ... 15_000, using: &random).rounded())
        )
      }
      try await pass(viewer, index, &waiting)
    }
    while !waiting.isEmpty { try await pass(viewer, index, &waiting) }
  }

  private func pass(_ viewer: LayoutViewer, _ index: Int) async throws {
    var nothing: [UInt64: Change] = [:]
    try await pass(viewer, index, &nothing)
  }

  /// Takes in one arrival. There always is one: heartbeats come often.
  private func pass(
    _ viewer: LayoutViewer,
    _ index: Int,
    _ waiting: inout [UInt64: Change]
  ) async throws {
    guard let arrival = try await viewer.next() else { throw StreamEnded() }
    await take(arrival, of: viewer, index)
    switch arrival {
    case .eventApplied(let event, let version, let isDuplicate):
      if let change = waiting.removeValue(forKey: event) { note(change, version, isDuplicate) }
    case .eventRefused(let event, let problem):
      waiting[event] = nil
      recorder.record { $0.faults.append("event \(event) was refused: \(problem)") }
    default: break
    }
  }

  private func take(_ arrival: LayoutViewer.Arrival, of viewer: LayoutViewer, _ index: Int) async {
    switch arrival {
    case .frame(let change): await record(viewer, index, isKeyframe: change.isKeyframe)
    case .frameRejected(let frame, let fault):
      recorder.record { $0.faults.append("Reliable: frame \(frame) does not fit: \(fault)") }
    case .heartbeat:
      let version = await viewer.mirror.dataVersion
      recorder.record { history in
        history.bookmarks.append(
          .init(viewer: index, dataVersion: version, position: history.sights.count)
        )
      }
    case .reconnected(let outcome):
      recorder.record {
        $0.reconnects += 1
        if outcome == .reset { $0.resets += 1 }
      }
    default: break
    }
  }

  private func record(_ viewer: LayoutViewer, _ index: Int, isKeyframe: Bool) async {
    let (mirror, session) = await (viewer.mirror, viewer.session)
    recorder.record {
      $0.sights.append(
        .init(
          viewer: index,
          session: session,
          frame: mirror.frameSequence,
          dataVersion: mirror.dataVersion,
          isKeyframe: isKeyframe,
          mirror: mirror
        )
      )
    }
  }

  // MARK: - The watcher

  /// Watches through the proxy and goes on after the last batch that it saw, until all edits are
  /// made and seen.
  private func watch() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await goOnWatching() }
      group.addTask {
        await recorder.changes.wait { editing.count == 0 && recorder.watched == recorder.newest }
      }
      // Watching has no end of its own.
      try await group.next()
      group.cancelAll()
    }
  }

  private func goOnWatching() async throws {
    while !Task.isCancelled {
      do {
        // Closes its connections when it is cancelled, whatever it waits for.
        try await LayoutClient.connect(to: address) { client in
          try await client.watchUpdates(of: "collections/a", after: recorder.watched) { update in
            guard update.batch != nil else { return }
            recorder.record { $0.watched.append(update.dataVersion) }
          }
        }
      } catch is LayoutProblem {
        recorder.record { $0.reconnects += 1 }
      } catch is CancellationError { return }
    }
  }

  // MARK: - Cuts

  private func cut() async throws {
    var random = random(9999)
    await recorder.changes.wait { opening.count == 0 }
    for _ in 0 ..< scale.cuts where editing.count > 0 {
      let notes = Int.random(in: scale.notesPerCut / 4 ... scale.notesPerCut, using: &random)
      await waitForNotes(notes)
      try Task.checkCancellation()
      proxy.cut()
    }
  }
}

typealias CollectionServiceClient = CollectionLayout_V1_CollectionService.Client<Transport>

extension Wire {
  typealias ApplyUpdatesRequestMessage = CollectionLayout_V1_ApplyUpdatesRequest
  typealias WatchUpdatesRequestMessage = CollectionLayout_V1_WatchUpdatesRequest
}

/// A number that several tasks count down.
final class Countdown: Sendable {
  private let state: Mutex<Int>
  private let changes: ChangeSignal

  /// - Parameter changes: sent after each step.
  init(_ count: Int, changes: ChangeSignal) {
    state = Mutex(count)
    self.changes = changes
  }

  var count: Int { state.withLock { $0 } }

  func decrement() {
    state.withLock { $0 -= 1 }
    changes.send()
  }
}
