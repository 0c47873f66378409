// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutService
import LayoutSession
import Testing
import TrustTesting

@testable import layoutctl

@Suite("Commands over loopback", .timeLimit(.minutes(3)))
struct LoopbackTests {
  /// Runs a server of its own for `body`, which gets its address.
  private func withServer(_ body: @escaping @Sendable (String) async throws -> Void) async throws {
    var configuration = ServiceConfiguration()
    // Among hundreds of other tests a stream may have to wait for its turn.
    configuration.timing.open = .seconds(60)
    let server = LayoutServer(configuration: configuration)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      try await body(server.listeningAddress)
      group.cancelAll()
      while let result = await group.nextResult() {
        if case .failure(let error) = result, !(error is CancellationError) { throw error }
      }
    }
  }

  private func itemCount(of collection: String, at address: String) async throws -> UInt64 {
    var request = Wire.GetCollectionRequest()
    request.name = CollectionArgument.name(of: collection)
    return try await LayoutClient.connect(to: #require(ServerAddress(address))) { [request] in
      try await $0.collections.getCollection(request).collection.itemCount
    }
  }

  /// A file that is gone after the test.
  private func withFile(
    _ name: String,
    _ text: String = "",
    _ body: (String) async throws -> Void
  ) async throws {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "layoutctl-test-\(UInt64.random(in: .min ... .max))-\(name)").path
    try TextFile.write(text, to: path)
    defer { TextFile.remove(path) }
    try await body(path)
  }

  private static let table =
    "id,artist,w,h\n"
    + (0 ..< 400).map { "k\($0),artist \($0 % 7),\(50 + $0 % 90),\(40 + $0 % 30)" }
    .joined(separator: "\n")

  @Test("fills a collection with generated items, the same for the same seed")
  func sample() async throws {
    try await withServer { address in
      try await withFile("export.json") { output in
        var exports: [String] = []
        for arguments in [["--seed", "3"], ["--seed", "3"], ["--seed", "4"]] {
          try await runCommand(
            [
              "sample", "some", "--items", "10007", "--sections", "5", "--keys", "--server",
              address,
            ]
              + arguments
          )
          #expect(try await itemCount(of: "some", at: address) == 10_007)
          try await runCommand(["export", "some", "--output", output, "--server", address])
          exports.append(String(decoding: try TextFile.read(output), as: UTF8.self))
        }
        #expect(exports[0].contains("item 10006") && exports[0].contains("section 4"))
        #expect(exports[0] == exports[1] && exports[0] != exports[2])
      }
    }
    for wrong in [["--items", "0"], ["--items", "3", "--sections", "4"]] {
      #expect(throws: (any Error).self) { try LayoutCtl.parseAsRoot(["sample", "some"] + wrong) }
    }
  }

  @Test("imports a table, exports it again, watches all of it and finds nothing wrong")
  func roundTrip() async throws {
    try await withServer { address in
      try await withFile("table.csv", Self.table) { table in
        try await runCommand([
          "import", table, "--collection", "art", "--section", "artist", "--key", "id",
          "--width", "w", "--height", "h", "--scale-height", "90", "--data", "artist",
          "--data", "w",
          "--default-layout", "flow", "--server", address,
        ])
      }
      try await runCommand(["list", "--server", address])
      try await runCommand(["list", "--layouts", "--server", address])
      try await withFile("contents.json") { contents in
        try await runCommand(["export", "art", "--output", contents, "--server", address])
        let exported = String(decoding: try TextFile.read(contents), as: UTF8.self)
        #expect(exported.contains(#"{\"artist\":\"artist 3\",\"w\":\"53\"}"#))
        try await withFile("art.svg") { svg in
          try await runCommand([
            "draw", "--contents", contents, "--layout", "waterfall", "--whole", "--output", svg,
            "--server", address,
          ])
          let text = String(decoding: try TextFile.read(svg), as: UTF8.self)
          #expect(text.ranges(of: "class=\"cell\"").count == 400)
        }
      }
      try await runCommand([
        "edit", "art", "--rate", "0", "--count", "20", "-q", "--server", address,
      ])
      for encoding in ["packed", "messages"] {
        try await runCommand([
          "watch", "art", "--viewport", "400x300", "--verify", "--quiet", "--encoding", encoding,
          "--script", "through; resize 700x500; layout list; scroll 0 900; layout flow",
          "--server", address,
        ])
      }
    }
  }

  @Test("a command goes on to the first server of a list that answers")
  func severalServers() async throws {
    try await withServer { address in
      // Nobody listens at port 1.
      let servers = "127.0.0.1:1,\(address)"
      try await runCommand(["sample", "some", "--items", "10", "--server", servers])
      try await runCommand(["list", "--server", servers])
      #expect(try await itemCount(of: "some", at: address) == 10)
    }
    let fault = await #expect(throws: CommandFault.self) {
      try await runCommand(["list", "--server", "127.0.0.1:1,127.0.0.1:2"])
    }
    #expect(fault?.message.hasPrefix("No server listens at 127.0.0.1:1,127.0.0.1:2.") == true)
  }

  @Test("a viewer that is watched while others edit still holds what the server says")
  func edits() async throws {
    try await withServer { address in
      try await withFile("table.csv", Self.table) { table in
        try await runCommand([
          "import", table, "--collection", "live", "--key", "id", "--width", "w", "--height", "h",
          "--default-layout", "flow", "--server", address,
        ])
      }
      let server = try #require(ServerAddress(address))
      try await LayoutClient.connect(to: server) { client in
        let configuration = ViewerConfiguration(
          source: .collection("collections/live"),
          viewport: ViewportChange(size: Size(width: 320, height: 480)),
          capabilities: ClientCapabilities(encoding: .packed, checksums: true, itemKeys: true)
        )
        let summary = try await client.view(configuration) { viewer in
          let watching = WatchRun(
            viewer,
            client: client,
            options: .init(
              viewport: Size(width: 320, height: 480),
              encoding: .packed,
              verifies: true,
              printsFrames: false,
              printsTransitions: true
            )
          )
          try await watching.start()
          for seed in 1 ... 15 {
            try await runCommand([
              "edit", "live", "--rate", "0", "--count", "3", "--seed", "\(seed)", "-q",
              "--server", address,
            ])
            try await watching.play(ScrollScript([.move(Point(x: 0, y: 90))]))
          }
          return await watching.summary
        }
        #expect(summary.mismatches == 0)
        #expect(summary.checks > 15)
        #expect(summary.frames > 10)
      }
    }
  }

  @Test("edits that come during a scroll step make no state wrong, though headers are pinned")
  func pinnedHeaders() async throws {
    try await withServer { address in
      try await withFile("table.csv", Self.table) { table in
        try await runCommand([
          "import", table, "--collection", "pinned", "--key", "id", "--section", "artist",
          "--width", "w", "--height", "h", "--default-layout",
          #"{"flow":{"header_reference_size":{"height":20},"section_headers_pin_to_visible_bounds":true}}"#,
          "--server", address,
        ])
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await runCommand(["edit", "pinned", "--rate", "100", "-q", "--server", address])
        }
        // The command fails if a state is wrong.
        try await runCommand([
          "watch", "pinned", "--viewport", "320x480", "--verify", "--quiet", "--script",
          "fling 2000 500ms; fling -2000 500ms", "--server", address,
        ])
        group.cancelAll()
        while await group.nextResult() != nil {}
      }
    }
  }

  @Test(
    "cells get the sizes that a watching viewer measures, and those who share its renderer get them at once"
  )
  func measured() async throws {
    try await withServer { address in
      try await withFile("table.csv", Self.table) { table in
        try await runCommand([
          "import", table, "--collection", "feed", "--key", "id", "--data", "artist", "--data", "w",
          "--share-measurements", "--default-layout",
          #"{"list":{"self_sizing":true}}"#, "--server", address,
        ])
      }
      let server = try #require(ServerAddress(address))
      try await LayoutClient.connect(to: server) { client in
        let first = try await watch("feed", client, measurer: TextMeasurer(textSize: 16))
        let second = try await watch("feed", client, measurer: nil)
        #expect(first.summary.mismatches == 0)
        #expect(second.summary.mismatches == 0)
        #expect(first.summary.measured >= 400)
        #expect(second.summary.measured == 0)
        #expect(first.height > 400 * 44 + 1)
        #expect(second.height == first.height)
      }
    }
  }

  /// Watches a whole collection.
  ///
  /// - Returns: what was seen, and how long the content is in the end.
  private func watch(
    _ collection: String,
    _ client: LayoutClient,
    measurer: TextMeasurer?
  ) async throws -> (summary: WatchSummary, height: Double) {
    let size = Size(width: 140, height: 480)
    var configuration = ViewerConfiguration(
      source: .collection("collections/\(collection)"),
      viewport: ViewportChange(size: size),
      capabilities: ClientCapabilities(
        encoding: .packed,
        checksums: true,
        itemKeys: true,
        itemData: true
      )
    )
    configuration.renderer = "tests 1.0"
    return try await client.view(configuration) { viewer in
      let watching = WatchRun(
        viewer,
        client: client,
        options: .init(
          viewport: size,
          encoding: .packed,
          verifies: true,
          measurer: measurer,
          printsFrames: false,
          printsTransitions: false
        )
      )
      try await watching.start()
      try await watching.play(ScrollScript([.through(0.9)]))
      return (await watching.summary, await viewer.mirror.contentSize.height)
    }
  }

  /// Why an import of one column of widths fails.
  private func importFault(
    _ path: String,
    into collection: String,
    width: String,
    at address: String
  ) async throws -> CommandFault? {
    do {
      try await runCommand([
        "import", path, "--collection", collection, "--width", width, "--server", address,
      ])
      return nil
    } catch let fault as CommandFault {
      return fault
    }
  }

  @Test("moves items by key and by place, and says no where nothing is to be moved")
  func move() async throws {
    try await withServer { address in
      try await runCommand([
        "sample", "some", "--items", "9", "--sections", "3", "--keys", "--default-layout", "list",
        "--server", address,
      ])
      try await runCommand([
        "move", "some", "--key", "item 4", "--key", "item 1", "--to", "2:0", "--server", address,
      ])
      try await runCommand([
        "move", "some", "--item", "0:0", "--over", "10,10000", "--to", "1:0", "--quiet", "--server",
        address,
      ])
      try await withFile("moved.json") { output in
        try await runCommand(["export", "some", "--output", output, "--server", address])
        let contents = try Wire.CollectionContents(json: TextFile.read(output), of: output)
        #expect(
          contents.sections.map { $0.blocks.flatMap(\.keys) } == [
            ["item 2"], ["item 0", "item 3", "item 5"],
            ["item 4", "item 1", "item 6", "item 7", "item 8"],
          ]
        )
      }
    }
    for wrong in [[], ["--key", "a"], ["--to", "0:0"], ["--key", "a", "--to", "0"]] {
      #expect(throws: (any Error).self) { try LayoutCtl.parseAsRoot(["move", "some"] + wrong) }
    }
  }

  @Test("a failed import leaves a collection that was there as it was, and makes none")
  func failedImport() async throws {
    try await withServer { address in
      try await runCommand(["sample", "some", "--items", "10", "--server", address])
      try await withFile("bad.csv", "w\n10\nwide\n") { path in
        let bad = try await importFault(path, into: "some", width: "w", at: address)
        #expect(bad?.message.contains("wide") == true)
        let missing = try await importFault(path, into: "none", width: "x", at: address)
        #expect(missing?.message.contains("no column") == true)
      }
      let count = try await itemCount(of: "some", at: address)
      #expect(count == 10)
      let absent = await #expect(throws: LayoutProblem.self) {
        _ = try await itemCount(of: "none", at: address)
      }
      #expect(absent?.reason == .collectionNotFound)
    }
  }

  @Test("an export that fails keeps the file that was there")
  func failedExport() async throws {
    try await withServer { address in
      try await withFile("old.json", "{}") { path in
        await #expect(throws: LayoutProblem.self) {
          try await runCommand(["export", "absent", "--output", path, "--server", address])
        }
        #expect(try TextFile.read(path) == Array("{}".utf8))
        try await runCommand(["sample", "some", "--items", "10", "--server", address])
        try await runCommand(["export", "some", "--output", path, "--server", address])
        #expect(String(decoding: try TextFile.read(path), as: UTF8.self).contains("section 0"))
        // Nothing is left of how it was written.
        let name = try #require(path.split(separator: "/").last)
        let files = try FileManager.default.contentsOfDirectory(
          atPath: FileManager.default.temporaryDirectory.path
        )
        #expect(files.filter { $0.hasPrefix(name) } == [String(name)])
      }
    }
  }

  @Test("keys that look the same are different if their bytes are, as on the server")
  func exactKeys() async throws {
    try await withServer { address in
      try await withFile("keys.csv", "k\ncaf\u{E9}\ncafe\u{301}\n") { path in
        try await runCommand([
          "import", path, "--collection", "exact", "--key", "k", "--server", address,
        ])
      }
      let count = try await itemCount(of: "exact", at: address)
      #expect(count == 2)
    }
  }

  @Test("a failed import leaves the description of the collection as it was, and others set it")
  func description() async throws {
    try await withServer { address in
      func names() async throws -> [String] {
        let server = try #require(ServerAddress(address))
        return try await LayoutClient.connect(to: server) { client in
          try await client.collections.listCollections(.init()).collections.map(\.displayName)
        }
      }
      let arguments = ["--collection", "some", "--width", "w", "--server", address]
      try await runCommand(["sample", "some", "--display-name", "old", "--server", address])
      try await withFile("bad.csv", "w\nwide\n") { path in
        await #expect(throws: CommandFault.self) {
          try await runCommand(["import", path, "--display-name", "new"] + arguments)
        }
      }
      #expect(try await names() == ["old"])
      try await withFile("good.csv", "w\n10\n") { path in
        try await runCommand(["import", path, "--display-name", "new"] + arguments)
      }
      #expect(try await names() == ["new"])
    }
  }

  @Test("a load test uses the servers of a list that answer")
  func loadOfSeveralServers() async throws {
    try await withServer { address in
      // Nobody listens at port 1. The command fails if there is an error.
      try await runCommand([
        "load", "--streams", "2", "--ramp", "0s", "--duration", "300ms", "--items", "100",
        "--max-errors", "0", "--quiet", "--server", "127.0.0.1:1,\(address)",
      ])
    }
  }

  @Test("a wrong default layout is named with its option", arguments: ["sample", "import"])
  func defaultLayout(command: String) async throws {
    let arguments = command == "sample" ? ["a"] : ["a.csv", "--collection", "a"]
    let fault = await #expect(throws: CommandFault.self) {
      try await runCommand([command, "--default-layout", "foo"] + arguments)
    }
    #expect(fault?.message.hasPrefix("--default-layout: \"foo\" found") == true)
  }

  @Test("a load test runs its token command once for all connections")
  func sharedTokens() async throws {
    let folder = try TemporaryFolder()
    let runs = folder.path("runs")
    try await withServer { address in
      let config = try folder.write(
        #"{"current": "a", "contexts": {"a": {"server": "\#(address)", "tokenCommand":"#
          + #" ["sh", "-c", "echo run >> \#(runs); echo token"]}}}"#,
        to: "config.json"
      )
      let end = try await ToolProcess.run(
        [
          "load", "--streams", "4", "--connections", "4", "--ramp", "0s", "--duration", "300ms",
          "--items", "100", "--max-errors", "0", "--quiet",
        ],
        variables: ["LAYOUTCTL_CONFIG": config]
      )
      #expect(end.status == 0 && !end.isSignal, "\(end)")
    }
    #expect(try TextFile.readText(runs) == "run\n")
  }

  @Test("a default layout that the server refuses leaves an existing collection as it was")
  func refusedDefaultLayout() async throws {
    try await withServer { address in
      func sample(_ items: Int, _ options: [String] = []) async throws {
        try await runCommand(
          ["sample", "kept", "--items", "\(items)", "--server", address] + options
        )
      }
      try await sample(7)
      try await withFile("layout.json", #"{"waterfall": {"columnCount": 5000}}"#) { path in
        let fault = await #expect(throws: CommandFault.self) {
          try await sample(8, ["--default-layout", path])
        }
        #expect(fault?.message.hasPrefix("--default-layout: ") == true)
      }
      #expect(try await itemCount(of: "kept", at: address) == 7)
      try await sample(8, ["--default-layout", "list"])
      #expect(try await itemCount(of: "kept", at: address) == 8)
    }
  }

  @Test("says what is wrong with a file, and leaves the collection as it was")
  func faultyFile() async throws {
    try await withServer { address in
      try await withFile("bad.csv", "w\n10\nwide\n30\n") { path in
        let fault = await #expect(throws: CommandFault.self) {
          try await runCommand([
            "import", path, "--collection", "bad", "--width", "w", "--server", address,
          ])
        }
        #expect(fault?.message == "\(path):3:1: w: \"wide\" found; a number is needed")
        // What was made for the import is gone again.
        let absent = await #expect(throws: LayoutProblem.self) {
          _ = try await itemCount(of: "bad", at: address)
        }
        #expect(absent?.reason == .collectionNotFound)
        try await runCommand([
          "import", path, "--collection", "bad", "--width", "w", "--skip-invalid",
          "--default-layout", "list", "--server", address,
        ])
        #expect(try await itemCount(of: "bad", at: address) == 2)
      }
      let server = try #require(ServerAddress(address))
      let fault = await #expect(throws: LayoutProblem.self) {
        try await runCommand(["query", "absent", "--server", server.description])
      }
      #expect(fault?.reason == .collectionNotFound)
    }
  }
}
