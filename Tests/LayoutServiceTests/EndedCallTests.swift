// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import LayoutEngine
import LayoutProtocol
import Metrics
import SwiftProtobuf
import Synchronization
import Testing

@testable import LayoutService

@Suite("Calls that end before their work begins", .timeLimit(.minutes(2)))
struct EndedCallTests {
  /// A list whose preparation goes on for as long as its work may, or until the test has failed.
  private struct EndlessList: CollectionLayout {
    /// How often the preparation went on though nobody wanted it.
    let runaways: Runaways

    var kindName: String { "custom:endless" }

    func prepare(_ context: LayoutContext) -> any PreparedLayout { ListLayout().prepare(context) }

    func prepare(
      _ context: LayoutContext,
      work: LayoutWork
    ) throws(LayoutWork.Stop) -> any PreparedLayout {
      let end = ContinuousClock.now + .seconds(5)
      while work.proceed(16_384) {
        guard ContinuousClock.now < end, runaways.count == 0 else {
          runaways.add()
          break
        }
      }
      try work.throwIfStopped()
      return prepare(context)
    }
  }

  private final class Runaways: Hashable, Sendable {
    private let value = Atomic(0)
    /// Such a call has ended too, but is not measured, because its stream takes no answer.
    private let note: @Sendable () -> Void

    init(note: @escaping @Sendable () -> Void) { self.note = note }

    var count: Int { value.load(ordering: .relaxed) }

    func add() {
      value.add(1, ordering: .relaxed)
      note()
    }

    static func == (a: Runaways, b: Runaways) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// Tells when calls have ended, as they are then measured.
  private struct EndedCalls: MetricsFactory {
    private final class Call: TimerHandler {
      private let note: @Sendable () -> Void

      init(note: @escaping @Sendable () -> Void) { self.note = note }

      func recordNanoseconds(_ duration: Int64) { note() }
    }

    let note: @Sendable () -> Void

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
      guard dimensions.contains(where: { $0.0 == "rpc.method" }) else {
        return NOOPMetricsHandler.instance
      }
      return Call(note: note)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
      NOOPMetricsHandler.instance
    }

    func makeRecorder(
      label: String,
      dimensions: [(String, String)],
      aggregate: Bool
    ) -> any RecorderHandler { NOOPMetricsHandler.instance }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
  }

  @Test("their work does not go on for nobody")
  func reset() async throws {
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    let runaways = Runaways { continuation.yield() }
    var layouts = LayoutRegistry()
    layouts.register(name: "endless") { _, _ in EndlessList(runaways: runaways) }
    var configuration = ServiceConfiguration.patient
    configuration.engine.stepLimit = .max
    let metrics = EndedCalls { continuation.yield() }
    try await withServer(configuration, layouts: layouts, metrics: metrics) { clients in
      let message: [UInt8] = try CollectionLayout_V1_GetContentSizeRequest.with {
        $0.target.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 10_000 }] }]
        $0.target.layout.custom.name = "endless"
        $0.target.viewport.size = .with { ($0.width, $0.height) = (100, 100) }
      }
      .serializedBytes()
      let calls = 16
      // The stream of each is gone when its task begins, or soon after.
      let connection = try #require(
        RawConnection(
          port: clients.port,
          path: "/collection_layout.v1.LayoutQueryService/GetContentSize",
          message: message,
          calls: calls,
          resets: true
        )
      )
      var endings = ended.makeAsyncIterator()
      for _ in 0 ..< calls { await endings.next() }
      #expect(runaways.count == 0)
      connection.tearDown()
    }
  }
}
