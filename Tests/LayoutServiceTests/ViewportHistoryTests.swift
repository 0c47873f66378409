// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import GRPCNIOTransportHTTP2Posix
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import SwiftProtobuf
import Testing

@testable import LayoutClient

/// What a viewer keeps of viewports, and of numbers that are of no use.
@Suite("Viewports of viewers", .timeLimit(.minutes(2)))
struct ViewportHistoryTests {
  private static let opening = Wire.OpenSession.with {
    $0.collection = "collections/a"
    $0.viewport.size = .with { ($0.width, $0.height) = (100, 200) }
  }

  /// A viewer that is online without a stream.
  private func viewer() async -> LayoutViewer {
    let viewer = LayoutViewer(Self.opening, offset: .zero, unitsPerPoint: 64, connect: { _ in })
    await viewer.goOnline()
    return viewer
  }

  private static func size(_ width: Double) -> SessionEvent {
    .viewport(ViewportChange(size: Size(width: width, height: 200)))
  }

  private static func refusal(of event: UInt64?) -> Wire.StreamLayoutResponse {
    .with {
      $0.eventResult.eventSeq = event ?? 0
      $0.eventResult.problem = .with { ($0.code, $0.reason) = (3, "FIELD_INVALID") }
    }
  }

  private static func frame(
    _ sequence: UInt64,
    applied: UInt64 = 0,
    adjustment: Double = 0
  ) -> Wire.StreamLayoutResponse {
    .with {
      $0.frame.frameSeq = sequence
      $0.frame.elements = .init()
      $0.frame.appliedEventSeq = applied
      $0.frame.contentOffsetAdjustment.y = adjustment
    }
  }

  @Test("an offset that is sent as a viewport change is the viewer's, also after a reconnect")
  func sentOffset() async {
    let viewer = await viewer()
    await viewer.send(.viewport(ViewportChange(offset: Point(x: 0, y: 70))))
    #expect(await viewer.offset == Point(x: 0, y: 70))
    #expect(await viewer.resumption().open.viewport.contentOffset.y == 70)
  }

  @Test("a viewport change that is refused is not part of later openings")
  func refused() async {
    let viewer = await viewer()
    await viewer.send(Self.size(90))
    let refused = await viewer.send(Self.size(-1))
    await viewer.scroll(to: Point(x: 0, y: 30))
    let arrival = await viewer.receive(Self.refusal(of: refused))
    guard case .eventRefused? = arrival else {
      Issue.record("\(String(describing: arrival)) is told")
      return
    }
    let viewport = await viewer.resumption().open.viewport
    #expect(viewport.size.width == 90 && viewport.contentOffset.y == 30)
    // It was merged with the next change, which is sent again without it.
    let repeated = await viewer.missed(after: refused ?? 0).map(\.viewport)
    #expect(repeated.map(\.hasSize) == [false])
    #expect(repeated.map(\.contentOffset.y) == [30])
  }

  @Test("after a refused offset the viewer is where it was, with the adjustments since then")
  func refusedOffset() async {
    let viewer = await viewer()
    await viewer.scroll(to: Point(x: 0, y: 30))
    let accepted = await viewer.lastEvent
    _ = await viewer.receive(Self.frame(1, applied: accepted, adjustment: 5))
    let refused = await viewer.scroll(to: Point(x: 0, y: .nan))
    _ = await viewer.receive(Self.frame(2, applied: accepted, adjustment: 7))
    #expect(await viewer.mirror.frameSequence == 1)
    _ = await viewer.receive(Self.refusal(of: refused))
    #expect(await viewer.offset == Point(x: 0, y: 35))
    _ = await viewer.receive(Self.frame(3, applied: accepted, adjustment: 7))
    #expect(await viewer.offset == Point(x: 0, y: 42))
  }

  @Test("changes that are sent together are refused together")
  func together() {
    var history = ViewportHistory(Self.opening.viewport, offset: .zero)
    for event in 1 ... 3 as ClosedRange<UInt64> {
      let change = Wire.ViewportChange.with {
        $0.contentOffset.y = Double(event)
        if event == 2 { $0.size.width = -1 }
      }
      history.append(change, event: event, isSent: event == 1, joining: event - 1)
    }
    #expect(history.viewport.size.width == -1)
    let (first, second) = (history.refuse(3), history.refuse(3))
    #expect(first && !second)
    #expect(history.viewport.size.width == 100 && history.offset.y == 1)
  }

  @Test("changes are sent together, and refused together, if what was between them was withdrawn")
  func togetherAfterWithdrawal() async {
    let viewer = LayoutViewer(Self.opening, offset: .zero, unitsPerPoint: 64, connect: { _ in })
    await viewer.send(Self.size(-1))
    let update = await viewer.send(.update(UpdateBatch([])))
    await viewer.stopAwaiting(update ?? 0)
    let last = await viewer.scroll(to: Point(x: 0, y: 30))
    let sent = await viewer.missed(after: 0)
    #expect(sent.map(\.eventSeq) == [last] && sent.first?.viewport.size.width == -1)
    _ = await viewer.receive(Self.refusal(of: last))
    #expect(await viewer.resumption().open.viewport.size.width == 100)
  }

  @Test("where the server has scrolled a section counts more than older changes")
  func scrolledSection() async {
    let viewer = await viewer()
    await viewer.send(.viewport(ViewportChange(sectionOffsets: [0: 50, 1: 10])))
    let refused = await viewer.send(Self.size(-1))
    _ = await viewer.receive(
      .with { $0.scrollTarget.sectionOffset = .with { ($0.section, $0.offset) = (0, 100) } }
    )
    _ = await viewer.receive(Self.refusal(of: refused))
    let offsets = await viewer.resumption().open.viewport.sectionOffsets
    #expect(offsets.map(\.section).sorted() == [0, 1])
    #expect(offsets.first { $0.section == 0 }?.offset == 100)
  }

  @Test("a frame whose adjustment leads to no finite offset is rejected")
  func infiniteOffset() async {
    let viewer = await viewer()
    _ = await viewer.receive(Self.frame(1, adjustment: 1.7e308))
    let arrival = await viewer.receive(Self.frame(2, adjustment: 1.7e308))
    guard case .frameRejected(2, .malformed)? = arrival else {
      Issue.record("\(String(describing: arrival)) is told")
      return
    }
    #expect(await viewer.offset.isFinite)
  }

  @Test("offsets of scroll targets and of sections that are not finite are not taken")
  func infiniteTargets() async {
    let viewer = await viewer()
    let event = await viewer.send(.with { $0.scrollTarget = .init() })
    let answers = [
      await viewer.receive(
        .with { $0.scrollTarget = .with { ($0.eventSeq, $0.contentOffset.y) = (event, .nan) } }
      ),
      await viewer.receive(
        .with { $0.scrollTarget.sectionOffset = .with { ($0.section, $0.offset) = (1, .nan) } }
      ),
    ]
    for answer in answers {
      guard case .notice? = answer else {
        Issue.record("\(String(describing: answer)) is told")
        continue
      }
    }
    #expect(await viewer.resumption().open.viewport.sectionOffsets.isEmpty)
  }

  @Test("how long the server may be silent follows the interval of heartbeats in force")
  func patience() async {
    let viewer = await viewer()
    #expect(await viewer.link.limit == .seconds(45))
    _ = await viewer.receive(
      .with {
        $0.opened.session = "sessions/a"
        $0.opened.options.heartbeatInterval = .with { $0.seconds = 2 }
      }
    )
    #expect(await viewer.link.limit == .seconds(6))
    let event = await viewer.send(
      .with { $0.options.heartbeatInterval = .with { $0.seconds = 20 } }
    )
    #expect(await viewer.link.limit == .seconds(6))
    _ = await viewer.receive(.with { $0.eventResult.eventSeq = event })
    #expect(await viewer.link.limit == .seconds(60))
    // An interval that no server grants.
    _ = await viewer.receive(
      .with {
        $0.opened.session = "sessions/a"
        $0.opened.options.heartbeatInterval = .with { $0.seconds = .max }
      }
    )
    #expect(await viewer.link.limit == .seconds(180))
  }

  @Test("keys that only look the same are expanded and collapsed for themselves")
  func exactKeys() {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let state = Wire.ExpansionState.with { $0.expanded = [composed] }
    let merged = state.merged(
      with: .with {
        $0.expand = [decomposed]
        $0.collapse = ["b"]
      }
    )
    let keys = [composed, decomposed].map { Array($0.utf8) }
    #expect(merged.expanded.map { Array($0.utf8) } == keys)
    #expect(merged.merged(with: .with { $0.collapse = [decomposed] }).expanded.count == 1)
  }

  @Test(
    "what only looks like an IP address is resolved as a name",
    arguments: ["999.1.1.1", "1", "1::2::3", "fe80::1%lo", "1.2.3.4.5", "host.example"]
  )
  func names(host: String) {
    let target = LayoutClient.target(ServerAddress(host: host, port: 1))
    #expect(String(describing: type(of: target)) == "DNS")
  }

  @Test("IP addresses are not resolved as names", arguments: ["127.0.0.1", "::1"])
  func addresses(host: String) {
    let target = LayoutClient.target(ServerAddress(host: host, port: 1))
    #expect(String(describing: type(of: target)) == (host == "::1" ? "IPv6" : "IPv4"))
  }

  @Test("connections with calls are checked by PINGs, as those of other clients are")
  func keepalive() {
    let keepalive = LayoutClient.transportConfiguration.connection.keepalive
    #expect(keepalive?.time == .seconds(20))
    #expect(keepalive?.timeout == .seconds(10))
    #expect(keepalive?.allowWithoutCalls == false)
  }
}

extension LayoutViewer {
  fileprivate func goOnline() { isOnline = true }

  fileprivate func missed(after event: UInt64) -> [Wire.StreamLayoutRequest] {
    pending.missed(after: event)
  }

  fileprivate func receive(_ response: Wire.StreamLayoutResponse) -> Arrival? { take(response) }
}
