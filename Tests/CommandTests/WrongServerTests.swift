// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRPCCore
import LayoutClient
import LayoutProtocol
import ServerTesting
import SwiftProtobuf
import Synchronization
import Testing

@testable import layoutctl

/// Commands against servers that answer what no right server answers.
@Suite("Commands and wrong servers", .timeLimit(.minutes(2)))
struct WrongServerTests {
  private typealias Export = CollectionLayout_V1_ExportContentsResponse
  private typealias Collections = CollectionLayout_V1_CollectionService.Method

  /// Runs a command against a server with these answers.
  private func run(_ arguments: [String], against answers: [ScriptedServer.Answer]) async throws {
    try await ScriptedServer.run(answers) { port in
      try await runCommand(arguments + ["--server", "127.0.0.1:\(port)"])
    }
  }

  // MARK: - Exports

  private static func answer(_ parts: [Export]) -> [ScriptedServer.Answer] {
    [
      ScriptedServer.Answer(to: Collections.GetCollection.descriptor) {
        (_: RPCAsyncSequence<CollectionLayout_V1_GetCollectionRequest, any Error>, writer) in
        try await writer.write(CollectionLayout_V1_GetCollectionResponse())
      },
      ScriptedServer.Answer(to: Collections.ExportContents.descriptor) {
        (
          _: RPCAsyncSequence<CollectionLayout_V1_ExportContentsRequest, any Error>,
          writer: RPCWriter<Export>
        ) in
        for part in parts { try await writer.write(part) }
      },
    ]
  }

  private static func header(sections: UInt32, items: UInt64) -> Export {
    .with {
      $0.header.name = "collections/a"
      $0.header.dataVersion = 1
      $0.header.sectionCount = sections
      $0.header.itemCount = items
    }
  }

  private static func section(_ key: String = "") -> Export {
    .with {
      $0.section = .init()
      $0.section.key = key
    }
  }

  private static func items(_ count: UInt32, widths: [Double] = []) -> Export {
    .with {
      $0.items.count = count
      $0.items.widths = widths
    }
  }

  @Test(
    "an export that is not complete is an error, and leaves the file as it was",
    arguments: [
      ([], "no header"), ([header(sections: 1, items: 0)], "0 sections with 0 items came"),
      ([section(), items(5)], "no header before"),
      ([header(sections: 0, items: 5), items(5)], "items before the first section"),
      ([header(sections: 1, items: 9), section(), items(5)], "1 sections with 5 items came"),
      ([header(sections: 1, items: 3), section(), items(5)], "more than"),
      ([header(sections: 1, items: 3), section(), section()], "more than"),
      ([header(sections: 1, items: 1), header(sections: 1, items: 1)], "second header"),
      ([header(sections: 0, items: 0), Export()], "neither"),
      ([header(sections: 1, items: 2), section(), items(2, widths: [.nan, 1])], "widths[0]"),
      (
        [header(sections: 1, items: 4_294_967_295), section(), items(.max, widths: [1, 2, 3])],
        "3 values found"
      ),
    ]
  )
  private func incomplete(parts: [Export], message: String) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "layoutctl-test-\(UInt64.random(in: .min ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "a.json").path
    try TextFile.write("before", to: path)
    let error = await #expect(throws: (any Error).self) {
      try await run(["export", "a", "--output", path], against: Self.answer(parts))
    }
    let text = "\(try #require(error))"
    #expect(text.contains(message), "\(text)")
    #expect(try String(decoding: TextFile.read(path), as: UTF8.self) == "before")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.json"])
  }

  @Test("an export is one document, whatever parts it comes in")
  func document() throws {
    let parts: [Export] = [
      .with {
        $0.header = Self.header(sections: 3, items: 6).header
        $0.cellKindNames = ["a", "b"]
      },
      Self.section(), Self.items(2, widths: [1, 2]), Self.items(0), Self.items(1),
      Self.section("k"),
      .with {
        $0.section.key = "l"
        $0.section.blocks = [Self.items(2).items]
      },
      Self.items(1),
    ]
    var text = ""
    var writer = ContentsWriter { text += $0 }
    for part in parts { try writer.take(part) }
    try writer.finish()
    #expect(writer.itemCount == 6)
    let contents = try Wire.CollectionContents(json: Array(text.utf8), of: "text")
    #expect(contents.cellKindNames == ["a", "b"])
    #expect(contents.sections.map(\.key) == ["", "k", "l"])
    #expect(contents.sections.map { $0.blocks.map(\.count) } == [[2, 1], [], [2, 1]])
    #expect(contents.sections[0].blocks[0].widths == [1, 2])
  }

  // MARK: - Pages

  @Test("a list whose pages name themselves as the next one is an error")
  func pages() async throws {
    let answer = ScriptedServer.Answer(to: Collections.ListCollections.descriptor) {
      (_: RPCAsyncSequence<CollectionLayout_V1_ListCollectionsRequest, any Error>, writer) in
      try await writer.write(
        CollectionLayout_V1_ListCollectionsResponse.with { $0.nextPageToken = "again" }
      )
    }
    await #expect(throws: LayoutProblem.self) { try await run(["list"], against: [answer]) }
  }

  /// A cell as queries answer it.
  private static func element(item: UInt32) -> Wire.ElementAttributes {
    .with {
      $0.key.category = .cell
      $0.key.indexPath.item = item
      $0.attributes.frame = .with { ($0.width, $0.height) = (50, 50) }
    }
  }

  @Test("--max-elements counts those of the last page", arguments: [2, 3])
  func mostElements(limit: Int) async throws {
    let answer = ScriptedServer.Answer(
      to: CollectionLayout_V1_LayoutQueryService.Method.QueryElements.descriptor
    ) {
      (_: RPCAsyncSequence<CollectionLayout_V1_QueryElementsRequest, any Error>, writer) in
      try await writer.write(
        CollectionLayout_V1_QueryElementsResponse.with { response in
          response.elements = (0 ..< 3).map { Self.element(item: $0) }
        }
      )
    }
    let arguments = ["query", "a", "--max-elements", "\(limit)"]
    guard limit < 3 else { return try await run(arguments, against: [answer]) }
    let fault = await #expect(throws: CommandFault.self) {
      try await run(arguments, against: [answer])
    }
    #expect(fault?.message.hasPrefix("more than 2 elements") == true)
  }

  // MARK: - Edits

  /// What a command asked for.
  private final class Calls: Sendable {
    let exports = Mutex(0)
    let edits = Mutex(0)
  }

  /// A collection that others edit all the time: no edit comes at the version that was read.
  ///
  /// - Parameter refusals: how many edits at any version are refused too, because their places are
  ///   gone.
  private static func busyCollection(_ calls: Calls, refusals: Int) -> [ScriptedServer.Answer] {
    let exports = ScriptedServer.Answer(to: Collections.ExportContents.descriptor) {
      (
        _: RPCAsyncSequence<CollectionLayout_V1_ExportContentsRequest, any Error>,
        writer: RPCWriter<Export>
      ) in
      calls.exports.withLock { $0 += 1 }
      for part in [header(sections: 1, items: 50), section(), items(50)] {
        try await writer.write(part)
      }
    }
    let edits = ScriptedServer.Answer(to: Collections.ApplyUpdates.descriptor) {
      (
        requests: RPCAsyncSequence<CollectionLayout_V1_ApplyUpdatesRequest, any Error>,
        writer: RPCWriter<CollectionLayout_V1_ApplyUpdatesResponse>
      ) in
      for try await request in requests {
        if request.batch.hasExpectedDataVersion {
          throw LayoutProblem(code: .aborted, reason: .versionConflict, message: "")
        }
        let count = calls.edits.withLock { edits in
          edits += 1
          return edits
        }
        guard count > refusals else {
          throw LayoutProblem(code: .outOfRange, reason: .indexOutOfRange, message: "")
        }
        try await writer.write(.with { $0.dataVersion = UInt64(count) })
      }
    }
    return [exports, edits]
  }

  @Test("edits beside a busy writer are made without reading the contents again for each")
  func busyWriter() async throws {
    let calls = Calls()
    try await run(
      ["edit", "a", "--rate", "0", "--count", "20", "--quiet"],
      against: Self.busyCollection(calls, refusals: 0)
    )
    #expect(calls.edits.withLock { $0 } == 20)
    #expect(calls.exports.withLock { $0 } == 1)
  }

  @Test("edits whose places are gone are made of the contents read again, less often each time")
  func lostPlaces() async throws {
    let calls = Calls()
    let start = ContinuousClock.now
    try await run(
      ["edit", "a", "--rate", "0", "--count", "2", "--quiet"],
      against: Self.busyCollection(calls, refusals: 3)
    )
    // 0.1 + 0.2 + 0.4 s, less what the jitter takes.
    #expect(start.duration(to: .now) >= .milliseconds(550))
    #expect(calls.exports.withLock { $0 } == 4)
  }

  // MARK: - Watching

  /// A session in which the server sends what is given, and then nothing.
  private static func session(_ messages: [Wire.StreamLayoutResponse]) -> ScriptedServer.Answer {
    ScriptedServer.Answer(
      to: CollectionLayout_V1_LayoutSessionService.Method.StreamLayout.descriptor
    ) {
      (
        requests: RPCAsyncSequence<Wire.StreamLayoutRequest, any Error>,
        writer: RPCWriter<Wire.StreamLayoutResponse>
      ) in
      for message in messages { try await writer.write(message) }
      for try await _ in requests {}
    }
  }

  private static let opened = Wire.StreamLayoutResponse.with {
    $0.opened.session = "sessions/s"
    $0.opened.resumeToken = .init([1])
  }

  private static let frame = Wire.StreamLayoutResponse.with {
    $0.frame.frameSeq = 1
    $0.frame.elements = .init()
  }

  @Test(
    "--duration limits the opening and the settling too, and says what is missing",
    arguments: [
      ([], 0.3, "showed nothing within 0.3 s"), ([opened], 0.3, "showed nothing within 0.3 s"),
      // Enough for the opening on a busy machine.
      ([opened, frame], 3, "did not answer at the end"),
    ] as [([Wire.StreamLayoutResponse], Double, String)]
  )
  private func duration(
    messages: [Wire.StreamLayoutResponse],
    seconds: Double,
    text: String
  ) async throws {
    let fault = await #expect(throws: CommandFault.self) {
      try await run(
        ["watch", "a", "--duration", "\(seconds)s", "--quiet"],
        against: [Self.session(messages)]
      )
    }
    #expect(fault?.message.contains(text) == true)
    #expect(fault?.status == .unavailable)
  }

  // MARK: - Answers that have no JSON

  @Test("an answer that cannot be written as JSON is an error in words")
  func noJSON() {
    let info = CollectionLayout_V1_GetServerInfoResponse.with {
      $0.limits.resumeGrace.seconds = .max
    }
    let fault = #expect(throws: CommandFault.self) { try info.json() }
    #expect(fault?.message.contains("a duration is out of its range") == true)
    let record = CollectionLayout_V1_Collection.with { $0.createTime.seconds = .max }
    let other = #expect(throws: CommandFault.self) { try record.json() }
    #expect(other?.message.contains("a time is out of its range") == true)
  }
}
