// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import LayoutProtocol
import LayoutSession
import ResourceAccounting
import SwiftProtobuf
import Synchronization
import Testing

@testable import LayoutService

/// Whom sessions are charged to, and how many there may be, from stream to stream.
@Suite("What sessions are charged for", .timeLimit(.minutes(1)))
struct SessionChargesTests {
  private let time = ManualTime()
  private let first = "ipv4:10.0.0.1:4000"
  private let second = "ipv4:10.0.0.1:5000"

  /// A session of private contents whose stream is gone.
  private func lose(
    _ services: SessionServices,
    peer: String
  ) async throws -> (opened: Wire.SessionOpened, frame: Wire.LayoutFrame) {
    var probe = StreamProbe(services, peer: peer)
    let opened = try await probe.open { open in
      open.inlineContents.sections = [
        .with {
          $0.blocks = [
            .with {
              $0.count = 3000
              $0.heights = (0 ..< 3000).map { Double(10 + $0 % 7) }
            }
          ]
        }
      ]
      open.layout.list = .init()
    }
    let frame = try await probe.frame()
    probe.closeRequests()
    #expect(await probe.end() == nil)
    return (opened, frame)
  }

  @Test("a session without a stream is charged to its peer until it expires, not to its connection")
  func detached() async throws {
    let services = SessionServices.manual(time)
    let connection = services.accounts.connection(from: first)
    let peer = try #require(connection.parent)
    _ = try await lose(services, peer: first)
    #expect(services.sessions.detachedCount == 1)
    // Another connection may have that address by now.
    #expect(connection.used == 0)
    #expect(peer.used > 3000 * 8)
    time.advance(by: .seconds(600))
    #expect(services.sessions.detachedCount == 0)
    #expect(peer.used == 0)
  }

  @Test("a session that goes on is charged to the connection that goes on with it")
  func resumed() async throws {
    let services = SessionServices.manual(time)
    let connection = services.accounts.connection(from: second)
    let (opened, frame) = try await lose(services, peer: first)
    let peer = try #require(connection.parent)
    let (before, peak) = (peer.used, peer.peak)
    var probe = StreamProbe(services, peer: second)
    let resumed = try await probe.open { open in
      open.resume = .with {
        $0.resumeToken = opened.resumeToken
        $0.lastFrameSeq = frame.frameSeq
        $0.lastEventSeq = 1
        $0.liveCount = frame.liveCount
      }
    }
    #expect(resumed.outcome == .resumed)
    #expect(connection.used > 3000 * 8)
    // Never twice.
    #expect(peer.peak < peak + before / 2)
  }

  @Test("a connection without room for a session cannot go on with it, and leaves it as it was")
  func noRoom() async throws {
    var configuration = ServiceConfiguration()
    configuration.memory.connection = 100 << 10
    let services = SessionServices.manual(time, .init(), configuration)
    let (opened, frame) = try await lose(services, peer: first)
    let connection = services.accounts.connection(from: second)
    let lease = try connection.charge(90 << 10)
    let peer = try #require(connection.parent)
    let before = peer.used
    let probe = StreamProbe(services, peer: second)
    probe.sendOpening { open in
      open.resume = .with {
        $0.resumeToken = opened.resumeToken
        $0.lastFrameSeq = frame.frameSeq
        $0.lastEventSeq = 1
        $0.liveCount = frame.liveCount
      }
    }
    let problem = await probe.end()
    #expect(problem?.reason == .quota(.memory))
    #expect(problem?.metadata["scope"] == "connection")
    #expect(services.sessions.detachedCount == 1)
    #expect(peer.used == before)
    withExtendedLifetime(lease) {}
  }

  @Test("streams count as sessions from their first moment, however slow they are to open")
  func slowToOpen() async throws {
    var configuration = ServiceConfiguration()
    configuration.limits.sessions = 3
    let services = SessionServices.manual(time, .init(), configuration)
    let silent = [StreamHolder(services), StreamHolder(services), StreamHolder(services)]
    await time.waitForAlarm(count: 3)
    #expect(services.sessions.streamCount == 3)
    let late = StreamProbe(services)
    #expect(await late.end()?.reason == .quota(.sessions))
    #expect(services.sessions.count == 0)
    withExtendedLifetime(silent) {}
  }

  @Test("streams that say nothing keep no place from those of other addresses")
  func silentAddress() async throws {
    var configuration = ServiceConfiguration()
    configuration.limits.unopenedStreamsPerAddress = 2
    let services = SessionServices.manual(time, .init(), configuration)
    let silent = [StreamHolder(services), StreamHolder(services)]
    await time.waitForAlarm(count: 2)
    let further = StreamProbe(services, peer: "ipv4:127.0.0.1:4001")
    #expect(await further.end()?.reason == .quota(.sessions))
    var other = StreamProbe(services, peer: "ipv4:127.0.0.2:4000")
    _ = try await other.open()
    #expect(services.sessions.count == 1)
    #expect(services.sessions.unopenedHostCount == 1)
    withExtendedLifetime(silent) {}
  }

  /// A stream in an array.
  private final class StreamHolder {
    let probe: StreamProbe

    init(_ services: SessionServices) { probe = StreamProbe(services) }
  }

  @Test("a client that changes its size for ever costs no more layouts than it may send events")
  func resizes() async throws {
    let counter = Counter()
    var layouts = LayoutRegistry()
    layouts.register(name: "counted") { _, _ in CountedList(counter: counter) }
    var configuration = ServiceConfiguration()
    configuration.limits.eventsPerSecond = 10
    configuration.limits.eventBurst = 20
    let services = SessionServices.manual(time, layouts, configuration)
    var probe = StreamProbe(services)
    _ = try await probe.open { open in
      open.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 100 }] }]
      open.layout.custom.name = "counted"
      open.options.maxInFlightFrames = 1
    }
    let first = try await probe.frame()
    // No frame is acknowledged, so none is sent, and every size is processed before the next
    // comes.
    var seq: UInt64 = 1
    for width in 1 ... 200 {
      seq += 2
      let event = seq
      probe.send {
        $0.eventSeq = event - 1
        $0.viewport.size = .with {
          $0.width = Double(width)
          $0.height = 200
        }
      }
      probe.send {
        $0.eventSeq = event
        $0.update = .inserting(1, at: 9999)
      }
      _ = try await probe.next { response in
        if case .eventResult(let result) = response.message, result.eventSeq == event {
          true
        } else {
          nil
        }
      }
    }
    #expect(counter.count == 20)
    // The newest size is laid out as soon as there is room for it.
    probe.send { $0.ack.frameSeq = first.frameSeq }
    time.advance(by: .milliseconds(101))
    let frame = try await probe.frame()
    #expect(frame.contentSize.width == 200)
    #expect(counter.count == 21)
  }
}

private final class Counter: Sendable {
  private let state = Mutex(0)

  var count: Int { state.withLock { $0 } }
  func increment() { state.withLock { $0 += 1 } }
}

/// A list that counts how often it is prepared.
private struct CountedList: CollectionLayout {
  let counter: Counter
  let list = ListLayout(rowHeight: 10)

  var kindName: String { "custom:counted" }

  func prepare(_ context: LayoutContext) -> any PreparedLayout {
    counter.increment()
    return list.prepare(context)
  }

  static func == (a: Self, b: Self) -> Bool { a.counter === b.counter }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(counter)) }
}
