// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRPCCore
import LayoutProtocol
import ServerTesting
import SwiftProtobuf
import Synchronization
import Testing
import TrustTesting

@testable import layoutctl

@Suite("Signals", .timeLimit(.minutes(2)))
struct InterruptionTests {
  private typealias Collections = CollectionLayout_V1_CollectionService.Method

  /// What happened, in order.
  private final class Record: Sendable {
    private let texts = Mutex<[String]>([])

    func add(_ text: String) { texts.withLock { $0.append(text) } }
    var all: [String] { texts.withLock { $0 } }
  }

  // MARK: - One object

  @Test("a signal ends the process at once, after what it would leave behind was put right")
  func cleanups() {
    let record = Record()
    let interruption = Interruption { record.add("signal \($0)") }
    _ = interruption.addCleanup { record.add("first") }
    let removed = interruption.addCleanup { record.add("removed") }
    _ = interruption.addCleanup { record.add("last") }
    interruption.removeCleanup(removed)
    interruption.endIfReceived()
    #expect(record.all == [])
    interruption.receive(SIGTERM)
    #expect(record.all == ["last", "first", "signal 15"])
  }

  @Test("what is cancelled by a signal is put right before the process ends")
  func cancelled() async throws {
    let record = Record()
    let interruption = Interruption { record.add("signal \($0)") }
    let (never, keeper) = AsyncStream.makeStream(of: Void.self)
    // The signal may come too late to stop this, and counts nevertheless.
    let result = try await interruption.cancelling {
      try interruption.checkCancellation()
      interruption.receive(SIGINT)
      for await _ in never {}
      return Task.isCancelled
    }
    withExtendedLifetime(keeper) {}
    #expect(result)
    #expect(throws: CancellationError.self) { try interruption.checkCancellation() }
    #expect(record.all == [])
    interruption.endIfReceived()
    #expect(record.all == ["signal 2"])
  }

  @Test("a part of a command answers the first signal, and a second one ends the process")
  func answered() async {
    let record = Record()
    let interruption = Interruption { record.add("signal \($0)") }
    let start = ContinuousClock.now
    let answer = { @Sendable in record.add("answer") }
    await interruption.answering(with: answer) {
      interruption.receive(SIGINT, at: start)
      interruption.receive(SIGINT, at: start + Interruption.echo / 2)
      #expect(record.all == ["answer"])
      interruption.receive(SIGINT, at: start + Interruption.echo)
    }
    #expect(record.all == ["answer", "signal 2"])
    interruption.endIfReceived()
    #expect(record.all.count == 2)
  }

  // MARK: - The tool

  /// Waits for ever.
  private static func hang() async {
    let (never, keeper) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    withExtendedLifetime(keeper) {}
  }

  @Test("an export that is interrupted leaves no part of the file", arguments: [SIGINT, SIGTERM])
  func export(number: Int32) async throws {
    let folder = try TemporaryFolder()
    let output = try folder.write("before", to: "a.json")
    let parent = URL(fileURLWithPath: output).deletingLastPathComponent().path
    let (processes, started) = AsyncStream.makeStream(of: Int32.self)
    let record = Record()
    let answers = [
      ScriptedServer.Answer(to: Collections.GetCollection.descriptor) {
        (_: RPCAsyncSequence<CollectionLayout_V1_GetCollectionRequest, any Error>, writer) in
        try await writer.write(CollectionLayout_V1_GetCollectionResponse())
      },
      ScriptedServer.Answer(to: Collections.ExportContents.descriptor) {
        (
          _: RPCAsyncSequence<CollectionLayout_V1_ExportContentsRequest, any Error>,
          _: RPCWriter<CollectionLayout_V1_ExportContentsResponse>
        ) in
        let files = try FileManager.default.contentsOfDirectory(atPath: parent)
        for file in files where file.hasSuffix(".part") { record.add("part") }
        for await process in processes {
          kill(process, number)
          break
        }
        await Self.hang()
      },
    ]
    let end = try await ScriptedServer.run(answers) { port in
      try await ToolProcess.run(
        ["export", "a", "--output", output, "--server", "127.0.0.1:\(port)"],
        started: { started.yield($0) }
      )
    }
    #expect(end.isSignal && end.status == number, "\(end)")
    #expect(record.all == ["part"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == ["a.json"])
    #expect(try TextFile.read(output) == Array("before".utf8))
  }

  /// A server on which an import is interrupted, and what of collections it was told.
  ///
  /// - Parameter interrupted: called after the signal.
  private static func importing(
    _ record: Record,
    _ processes: AsyncStream<Int32>,
    interrupted: @escaping @Sendable () -> Void = {}
  ) -> [ScriptedServer.Answer] {
    [
      ScriptedServer.Answer(to: Collections.CreateCollection.descriptor) {
        (
          requests: RPCAsyncSequence<CollectionLayout_V1_CreateCollectionRequest, any Error>,
          writer: RPCWriter<CollectionLayout_V1_CreateCollectionResponse>
        ) in
        for try await request in requests {
          let name = "collections/\(request.collectionID)"
          record.add("create \(name)")
          try await writer.write(.with { $0.collection.name = name })
        }
      },
      ScriptedServer.Answer(to: Collections.ImportContents.descriptor) {
        (
          requests: RPCAsyncSequence<CollectionLayout_V1_ImportContentsRequest, any Error>,
          _: RPCWriter<CollectionLayout_V1_ImportContentsResponse>
        ) in
        for await process in processes {
          kill(process, SIGINT)
          break
        }
        interrupted()
        for try await request in requests where request.part?.isEnd == true { record.add("end") }
        await hang()
      },
      ScriptedServer.Answer(to: Collections.DeleteCollection.descriptor) {
        (
          requests: RPCAsyncSequence<CollectionLayout_V1_DeleteCollectionRequest, any Error>,
          writer: RPCWriter<CollectionLayout_V1_DeleteCollectionResponse>
        ) in
        for try await request in requests {
          record.add("delete \(request.name)")
          try await writer.write(.init())
        }
      },
    ]
  }

  @Test(
    "a collection that a command was filling when it was interrupted is deleted again",
    arguments: [["load"], ["sample", "some"]]
  )
  func importing(command: [String]) async throws {
    let (processes, started) = AsyncStream.makeStream(of: Int32.self)
    let record = Record()
    let end = try await ScriptedServer.run(Self.importing(record, processes)) { port in
      try await ToolProcess.run(
        command + ["--server", "127.0.0.1:\(port)"],
        started: { started.yield($0) }
      )
    }
    #expect(end.isSignal && end.status == SIGINT, "\(end)")
    let created = try #require(record.all.first)
    let name = created.dropFirst("create ".count)
    #expect(record.all == ["create \(name)", "delete \(name)"])
  }

  @Test("rows that a program has not finished writing when both are interrupted are not imported")
  func interruptedPipe() async throws {
    let (processes, started) = AsyncStream.makeStream(of: Int32.self)
    let record = Record()
    let folder = try TemporaryFolder()
    let rest = folder.path("rest")
    #expect(mkfifo(rest, 0o600) == 0)
    let answers = Self.importing(record, processes) {
      // Now the program that writes ends too.
      try? FileHandle(forWritingTo: URL(fileURLWithPath: rest)).close()
    }
    let end = try await ScriptedServer.run(answers) { port in
      let tool = "\(ToolProcess.path.path) import - --collection a --server 127.0.0.1:\(port)"
      return try await ToolProcess.run(
        // The shell ends as the tool does, and is in a group with it.
        ["-c", "trap : INT; (echo w; echo 1; cat '\(rest)') | \(tool) --width w; exit $?"],
        program: URL(fileURLWithPath: "/bin/sh"),
        started: { started.yield(-$0) }
      )
    }
    #expect(end.status == 128 + SIGINT, "\(end)")
    #expect(record.all == ["create collections/a", "delete collections/a"])
  }

  @Test("a collection is deleted again although what is imported goes on without an end")
  func openInput() async throws {
    let (processes, started) = AsyncStream.makeStream(of: Int32.self)
    let record = Record()
    let end = try await ScriptedServer.run(Self.importing(record, processes)) { port in
      try await ToolProcess.run(
        ["import", "-", "--collection", "a", "--width", "w", "--server", "127.0.0.1:\(port)"],
        input: "w\n1\n",
        started: { started.yield($0) }
      )
    }
    #expect(end.isSignal && end.status == SIGINT, "\(end)")
    #expect(record.all == ["create collections/a", "delete collections/a"])
  }
}

extension CollectionLayout_V1_ImportContentsRequest.OneOf_Part {
  fileprivate var isEnd: Bool {
    if case .end = self { true } else { false }
  }
}
