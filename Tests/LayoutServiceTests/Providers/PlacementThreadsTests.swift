// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import LayoutGeometry
import LayoutProtocol
import Synchronization
import Testing

@Suite("Where providers' answers are put together", .timeLimit(.minutes(2)))
struct PlacementThreadsTests {
  /// Runs steps at once, and knows what they cost.
  private final class Recorder: PlacementThreads {
    private let noted = Mutex<[Int]>([])
    private let refused: (@Sendable (Int) -> Bool)?

    init(refused: (@Sendable (Int) -> Bool)? = nil) { self.refused = refused }

    struct Refusal: Error {}

    var costs: [Int] { noted.withLock { $0 } }

    func perform<Result: Sendable>(
      cost: Int,
      _ step: @escaping @Sendable (LayoutWork) throws -> Result
    ) async throws -> Result {
      noted.withLock { $0.append(cost) }
      if refused?(cost) == true { throw Refusal() }
      return try step(.unlimited)
    }
  }

  private static func contents(_ counts: [Int]) -> CollectionContents {
    CollectionContents(
      sections: counts.map { count in
        SectionContents(
          blocks: [ItemBlock(count: count, widths: (0 ..< count).map { Double($0) + 0.5 })]
        )
      }
    )
  }

  private static func call(_ contents: CollectionContents, _ threads: Recorder) -> PlacementCall {
    var call = PlacementCall(
      layout: "keyed",
      parameters: [:],
      LayoutContext(
        contents: contents,
        container: LayoutContainer(size: Size(width: 100, height: 100))
      ),
      scrollAxis: nil
    )
    call.threads = threads
    return call
  }

  private static func withClient(
    _ body:
      @escaping @Sendable (
        GRPCClient<HTTP2ClientTransport.Posix>
      ) async throws -> Void
  ) async throws {
    try await RunningProvider.run(UpdatingProvider()) { running in
      try await withGRPCClient(
        transport: .http2NIOPosix(
          target: .ipv4(address: "127.0.0.1", port: running.port),
          transportSecurity: .plaintext
        )
      ) { client in
        try await body(client)
      }
    }
  }

  /// A section loses all its items, and another one some: a title is removed, and elements are
  /// lost.
  private static func change(_ contents: CollectionContents) throws -> ContentsChange {
    try contents.applying(
      UpdateBatch([
        .deleteItems(section: 1, items: 0 ..< 5), .deleteItems(section: 0, items: 10 ..< 20),
      ])
    )
  }

  @Test("the beginning of an answer, each of its messages, what it says, and the end are steps")
  func steps() async throws {
    try await Self.withClient { client in
      let contents = Self.contents([6000, 5])
      let first = Recorder()
      let base = try await Self.call(contents, first).prepare(client)
      #expect(base.elements.count == 6007)
      // Messages are decoded for a quarter of their bytes. Nothing was lost, so that the end is
      // cheap.
      let (elements, end) = (54_053, 8)
      #expect(first.costs == [2 + 6005 / 64, elements, 6007, end, 0])
      let change = try Self.change(contents)
      let second = Recorder()
      let updated = try await Self.call(change.new, second)
        .update(client, from: base, KeptItems(change))
      #expect(updated.elements.count == 5991)
      let (added, removed) = (13, 3)
      #expect(second.costs == [6007 + 2 + 5990 / 64, added, 1, removed, 1, end, 5993])
      let anew = try await Self.call(change.new, Recorder()).prepare(client)
      #expect(updated.difference(from: anew) == nil)
    }
  }

  @Test("an answer ends with the reason why a step may not run", arguments: [0, 1, 2])
  func refused(_ step: Int) async throws {
    try await Self.withClient { client in
      let contents = Self.contents([6000, 5])
      let base = try await Self.call(contents, Recorder()).prepare(client)
      let change = try Self.change(contents)
      let limits = [6000 ..< 100_000, 1 ..< 2, 5000 ..< 6000]
      let threads = Recorder { limits[step].contains($0) }
      await #expect(throws: Recorder.Refusal.self) {
        _ = try await Self.call(change.new, threads)
          .update(client, from: base, KeptItems(change))
      }
    }
  }
}
