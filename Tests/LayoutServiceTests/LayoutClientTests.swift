// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import GRPCCore
import LayoutClient
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import NIOCore
import NIOPosix
import ServerTesting
import SwiftProtobuf
import Testing

/// Every call of the client against a server: what its documentation shows, compiled and run.
@Suite("LayoutClient", .serialized, .timeLimit(.minutes(2)))
struct LayoutClientTests {
  private static let viewport = ViewportChange(size: Size(width: 100, height: 200))
  private static let list = LayoutConfiguration(ListLayout(rowHeight: 10))

  private func withClient(
    _ body: @Sendable @escaping (LayoutClient) async throws -> Void
  ) async throws {
    try await withServer { clients in
      try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: clients.port)) {
        try await body($0)
      }
    }
  }

  @Test("a peer that accepts and is silent is given up")
  func silentPeer() async throws {
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(listener.localAddress?.port)
    let problem = await #expect(throws: LayoutProblem.self) {
      try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: port)) {
        try await $0.waitForAnswer(within: .milliseconds(200))
      }
    }
    #expect(problem?.code == .unavailable)
    #expect(problem?.message.hasPrefix("Nothing answered within") == true)
    try await listener.close()
  }

  // Nobody listens at the port, so that calls wait for a connection. One of some ten thousand is
  // cancelled just as its wait begins.
  @Test("a client ends that is cancelled just as a call begins")
  func cancelledCall() async {
    for _ in 0 ..< 20_000 {
      let (starting, started) = AsyncStream<Void>.makeStream()
      let client = Task {
        try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: 1)) { client in
          started.finish()
          _ = try await client.collection(named: "collections/a")
        }
      }
      for await _ in starting {}
      client.cancel()
      await #expect(throws: (any Error).self) { try await client.value }
    }
  }

  @Test(
    "pages end, though a page names itself or an earlier one as the next one, or none has entries"
  )
  func pages() throws {
    var pages = Pages()
    #expect(try pages.turn(to: "a", entries: 1) && pages.token == "a")
    #expect(try pages.turn(to: "b", entries: 0) && pages.token == "b")
    for token in ["b", "a"] {
      let problem = #expect(throws: LayoutProblem.self) { try pages.turn(to: token, entries: 1) }
      #expect(problem?.code == .internalError)
    }
    #expect(try !pages.turn(to: "", entries: 0))
    var turned = 0
    var empty = Pages()
    let problem = #expect(throws: LayoutProblem.self) {
      while try empty.turn(to: "\(turned)", entries: turned < 10 ? 1 : 0) { turned += 1 }
    }
    #expect(turned == 1009)
    #expect(problem?.message.contains("1000 pages") == true)
  }

  @Test("contents that come without a header, or not all, are an error")
  func incompleteExport() async throws {
    let answer = ScriptedServer.Answer(
      to: CollectionLayout_V1_CollectionService.Method.ExportContents.descriptor
    ) {
      (
        requests: RPCAsyncSequence<CollectionLayout_V1_ExportContentsRequest, any Error>,
        writer: RPCWriter<CollectionLayout_V1_ExportContentsResponse>
      ) in
      for try await request in requests where request.name == "collections/b" {
        try await writer.write(.with { $0.header.itemCount = 5 })
      }
    }
    try await ScriptedServer.run([answer]) { port in
      try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: port)) { client in
        for name in ["collections/a", "collections/b"] {
          let problem = await #expect(throws: LayoutProblem.self) {
            try await client.exportContents(of: name)
          }
          #expect(problem?.code == .dataLoss)
        }
      }
    }
  }

  @Test("makes, lists, changes and deletes collections")
  func collections() async throws {
    try await withClient { client in
      let created = try await client.createCollection(
        "art",
        displayName: "Art",
        labels: ["kind": "test"],
        defaultLayout: Self.list
      )
      #expect(created.name == "collections/art" && created.dataVersion == 0)
      #expect(created.defaultLayout == Self.list)
      let changed = try await client.updateCollection(
        created.name,
        displayName: "New",
        etag: created.etag
      )
      #expect(changed.displayName == "New" && changed.labels == ["kind": "test"])
      #expect(try await client.collection(named: created.name) == changed)
      #expect(try await client.listCollections() == [changed])
      let short = try await client.listCollections(withLayouts: false)
      #expect(short.map(\.defaultLayout) == [nil])
      let stale = await #expect(throws: LayoutProblem.self) {
        try await client.deleteCollection(created.name, etag: created.etag)
      }
      #expect(stale?.reason == .versionConflict)
      try await client.deleteCollection(created.name)
      try await client.deleteCollection(created.name, allowMissing: true)
      let gone = await #expect(throws: LayoutProblem.self) {
        _ = try await client.collection(named: created.name)
      }
      #expect(gone?.reason == .collectionNotFound)
    }
  }

  @Test("imports what it exports, and changes nothing where the making of contents fails")
  func contents() async throws {
    struct Unreadable: Error {}
    try await withClient { client in
      let art = try await client.createCollection("art", defaultLayout: Self.list)
      let filled = try await client.importContents(into: art.name, cellKindNames: ["a", "b"]) {
        writer in
        for section in 0 ..< 3 {
          try await writer.addSection(key: "s\(section)")
          try await writer.addItems(
            ItemBlock(
              count: 20_000,
              widths: (0 ..< 20_000).map(Double.init),
              cellKinds: [section % 2]
            )
          )
        }
      }
      #expect(filled.sectionCount == 3 && filled.itemCount == 60_000 && filled.dataVersion == 1)
      let (exported, contents) = try await client.exportContents(of: art.name)
      #expect(exported == filled)
      #expect(contents.item(at: IndexPath(section: 1, item: 19_999))?.width == 19_999)
      let again = try await client.importContents(
        contents,
        into: art.name,
        expectedDataVersion: 1
      )
      #expect(again.itemCount == 60_000 && again.dataVersion == 2)
      await #expect(throws: Unreadable.self) {
        try await client.importContents(into: art.name) { writer in
          try await writer.addItems(ItemBlock(count: 1))
          throw Unreadable()
        }
      }
      #expect(try await client.collection(named: art.name).dataVersion == 2)
      let stale = await #expect(throws: LayoutProblem.self) {
        try await client.importContents(contents, into: art.name, expectedDataVersion: 1)
      }
      #expect(stale?.reason == .versionConflict)
    }
  }

  @Test("begins at a place, stays at the end of a chat, and is told what is not there")
  func starts() async throws {
    try await withClient { client in
      let chat = try await client.createCollection("chat", defaultLayout: Self.list)
      let keys = (0 ..< 100).map { "k\($0)" }
      let rows = SectionContents(key: "a", blocks: [ItemBlock(count: 100, keys: keys)])
      _ = try await client.apply(UpdateBatch([.insertSections(at: 0, [rows])]), to: chat.name)
      func viewing(_ start: SessionStart, _ edge: ContentEdge? = nil) -> ViewerConfiguration {
        ViewerConfiguration(
          source: .collection(chat.name),
          viewport: Self.viewport,
          options: SessionOptions(sizeChangeAnchor: edge),
          start: start
        )
      }
      try await client.view(viewing(.item(key: "k50", at: .start))) { viewer in
        #expect(await viewer.offset == Point(x: 0, y: 500))
      }
      try await client.view(viewing(.fraction(0.5))) { viewer in
        #expect(await viewer.offset == Point(x: 0, y: 400))
      }
      try await client.view(viewing(.edge(.end), .end)) { viewer in
        #expect(await viewer.offset == Point(x: 0, y: 800))
        func append(_ item: Int) async throws {
          let row = UpdateOperation.insertItems(
            at: IndexPath(section: 0, item: item),
            items: [ItemBlock(count: 1, keys: ["n\(item)"])]
          )
          try await viewer.perform(.update(UpdateBatch([row])))
          try await viewer.settle()
        }
        try await append(100)
        #expect(await viewer.offset == Point(x: 0, y: 810))
        await viewer.scroll(to: Point(x: 0, y: 700))
        try await append(101)
        #expect(await viewer.offset == Point(x: 0, y: 700))
      }
      // In so many items, keys are searched by an index that takes its own turn to make.
      let more = ItemBlock(count: 5000, keys: (0 ..< 5000).map { "m\($0)" })
      let bottom = IndexPath(section: 0, item: 102)
      _ = try await client.apply(
        UpdateBatch([.insertItems(at: bottom, items: [more])]),
        to: chat.name
      )
      try await client.view(viewing(.item(key: "m4000", at: .start))) { viewer in
        #expect(await viewer.offset == Point(x: 0, y: 41_020))
      }
      for (start, field) in [
        (.item(key: "gone", at: .start), "start.element.item_key"),
        (.element(.cell(0, 6000), at: .end), "start.element.key"),
        (.element(.supplementary("header", section: 0), at: .start), "start.element.key"),
      ] as [(SessionStart, String)] {
        let problem = await #expect(throws: LayoutProblem.self) {
          try await client.view(viewing(start)) { _ in }
        }
        #expect(problem?.reason == .indexOutOfRange)
        #expect(problem?.violations.map(\.field) == [field])
      }
    }
  }

  @Test("applies batches, and watches them")
  func updates() async throws {
    struct Enough: Error {}
    try await withClient { client in
      let art = try await client.createCollection("art", defaultLayout: Self.list)
      var batch = UpdateBatch([.insertSections(at: 0, [SectionContents(key: "a")])])
      batch.requestID = "once"
      #expect(try await client.apply(batch, to: art.name).dataVersion == 1)
      let again = try await client.apply(batch, to: art.name)
      #expect(again.isDuplicate && again.dataVersion == 1)
      await #expect(throws: Enough.self) {
        try await client.watchUpdates(of: art.name, after: 0, incarnation: art.incarnation) {
          update in
          #expect(update.dataVersion == 1 && update.incarnation == art.incarnation)
          guard case .operations(let operations)? = update.batch?.change else { return }
          #expect(operations.count == 1)
          throw Enough()
        }
      }
      let ahead = await #expect(throws: LayoutProblem.self) {
        try await client.watchUpdates(of: art.name, after: 9) { _ in }
      }
      #expect(ahead?.reason == .versionAhead)
    }
  }

  @Test("asks about layouts")
  func questions() async throws {
    try await withClient { client in
      let contents = try CollectionContents(
        validating: [SectionBlocks(blocks: [ItemBlock(count: 50)])],
        cellKindNames: []
      )
      let source = ViewerConfiguration.Source.contents(contents)
      let size = try await client.contentSize(
        of: source,
        layout: Self.list,
        viewport: Self.viewport
      )
      #expect(size == Size(width: 100, height: 500))
      let elements = try await client.elements(
        in: Rect(x: 0, y: 100, width: 100, height: 20),
        of: source,
        layout: Self.list,
        viewport: Self.viewport
      )
      #expect(elements.map(\.key.indexPath.item) == [10, 11])
      let cell = ElementKey(category: .cell, kind: "", indexPath: IndexPath(section: 0, item: 3))
      let none = ElementKey(category: .cell, kind: "", indexPath: IndexPath(section: 0, item: 99))
      let found = try await client.attributes(
        of: [cell, none],
        in: source,
        layout: Self.list,
        viewport: Self.viewport
      )
      #expect(found.map { $0?.attributes.frame.y } == [30, nil])
      let hit = try await client.hitTest(
        Point(x: 5, y: 35),
        in: source,
        layout: Self.list,
        viewport: Self.viewport
      )
      #expect(hit?.key == cell)
      let target = try await client.scrollTarget(
        for: .element(cell, at: .start),
        in: source,
        layout: Self.list,
        viewport: Self.viewport
      )
      #expect(target.offset == Point(x: 0, y: 30))
      let first = try await client.neighbor(
        of: .nowhere,
        step: .first,
        in: source,
        layout: Self.list,
        viewport: Self.viewport
      )
      #expect(first.element?.indexPath == IndexPath(section: 0, item: 0))
      let beyond = try await client.neighbor(
        of: .element(cell),
        step: .left,
        in: source,
        layout: Self.list,
        viewport: Self.viewport
      )
      #expect(beyond.element == nil)
      #expect(try await client.validate(Self.list).isValid)
      let review = try await client.validate(LayoutConfiguration(ListLayout(rowHeight: -1)))
      #expect(review.violations.map(\.field) == ["list.row_height"])
      let info = try await client.serverInfo()
      #expect(info.layoutKinds.contains("flow") && info.maxCallsPerConnection == 100)
    }
  }
}
