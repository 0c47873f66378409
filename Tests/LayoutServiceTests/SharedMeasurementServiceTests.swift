// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import CollectionModel
import CollectionStore
import GRPCCore
import LayoutEngine
import LayoutGeometry
import LayoutProtocol
import LayoutSession
import StoreTesting
import SwiftProtobuf
import Testing

@testable import LayoutClient
@testable import LayoutService

@Suite("Shared measurements of a server", .timeLimit(.minutes(5)))
struct SharedMeasurementServiceTests {
  private static let list = LayoutConfiguration(
    ListLayout(rowHeight: 10, isSelfSizing: true)
  )

  private static func viewing(
    _ renderer: String? = "app 1",
    width: Double = 100
  ) -> ViewerConfiguration {
    ViewerConfiguration(
      source: .collection("collections/a"),
      viewport: ViewportChange(size: Size(width: width, height: 200)),
      capabilities: ClientCapabilities(checksums: true, itemKeys: true),
      renderer: renderer
    )
  }

  private func withCollection(
    _ configuration: ServiceConfiguration = .patient,
    shares: Bool = true,
    _ body: @Sendable @escaping (Clients, LayoutClient) async throws -> Void
  ) async throws {
    try await withServer(configuration) { clients in
      try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: clients.port)) {
        let items = ItemBlock(count: 100, keys: (0 ..< 100).map { "k\($0)" })
        _ = try await $0.createCollection(
          "a",
          defaultLayout: Self.list,
          sharesMeasurements: shares,
          contents: CollectionContents(sections: [SectionContents(blocks: [items])])
        )
        try await body(clients, $0)
      }
    }
  }

  /// Measures cells by the keys of their items, and waits until that is done.
  private func measure(_ heights: [String: Double], by viewer: LayoutViewer) async throws {
    let mirror = await viewer.mirror
    var report = MeasurementReport(observedFrame: mirror.frameSequence, slots: [], sizes: [])
    for (key, height) in heights.sorted(by: { $0.key < $1.key }) {
      report.slots.append(try #require(mirror.slot(ofItemKey: key)))
      report.sizes.append(Size(width: 100, height: height))
    }
    try await viewer.perform(.measurements(report))
    try await viewer.settle()
  }

  /// Reads until a cell has a height.
  private func wait(for height: Double, of key: String, in viewer: LayoutViewer) async throws {
    while await viewer.height(of: key) != height {
      guard try await viewer.next() != nil else { throw StreamEnded() }
    }
  }

  @Test("one viewer's sizes serve all, and one layout is made for them")
  func sharing() async throws {
    try await withCollection { clients, client in
      try await client.view(Self.viewing()) { first in
        try await client.view(Self.viewing()) { second in
          let before = clients.server.statistics.engine
          try await self.measure(["k0": 40, "k3": 25], by: first)
          try await self.wait(for: 40, of: "k0", in: second)
          #expect(await second.height(of: "k3") == 25)
          #expect(await second.sharing == .contributes)
          let (one, two) = (await first.mirror, await second.mirror)
          #expect(one.stateChecksum == two.stateChecksum)
          #expect(one.contentSize == two.contentSize && one.contentSize.height == 1045)
          #expect(clients.server.statistics.engine.misses - before.misses == 1)
          // Who comes later measures nothing.
          try await client.view(Self.viewing()) { third in
            #expect(await third.mirror.stateChecksum == one.stateChecksum)
            #expect(clients.server.statistics.engine.misses - before.misses == 1)
          }
          #expect(clients.server.statistics.measurementGroups == 1)
          #expect(clients.server.statistics.measurementBytes > 4096)
        }
      }
    }
  }

  @Test("what differs in renderer, width or traits is not shared, nor what is not to be")
  func others() async throws {
    try await withCollection { clients, client in
      try await client.view(Self.viewing()) { first in
        try await self.measure(["k0": 40], by: first)
        for other in [
          Self.viewing("app 2"), Self.viewing(width: 90), Self.viewing(nil),
        ] {
          try await client.view(other) { #expect(await $0.height(of: "k0") == 10) }
        }
        var dark = Self.viewing()
        dark.viewport.traits = .init(stated: LayoutTraits(names: ["large-text"]))
        try await client.view(dark) { #expect(await $0.height(of: "k0") == 10) }
        #expect(clients.server.statistics.measurementGroups == 1)
      }
      // Sizes stay for the next viewer.
      try await client.view(Self.viewing()) { #expect(await $0.height(of: "k0") == 40) }
    }
    try await withCollection(shares: false) { clients, client in
      try await client.view(Self.viewing()) { first in
        try await self.measure(["k0": 40], by: first)
        try await client.view(Self.viewing()) { #expect(await $0.height(of: "k0") == 10) }
        #expect(clients.server.statistics.measurementGroups == 0)
        #expect(await first.sharing == .notShared)
      }
    }
  }

  @Test("sizes go with their items through batches, for all")
  func batches() async throws {
    try await withCollection { _, client in
      try await client.view(Self.viewing()) { first in
        try await client.view(Self.viewing()) { second in
          try await self.measure(["k0": 40, "k1": 50], by: first)
          try await second.perform(
            .update(
              UpdateBatch([
                .insertItems(
                  at: IndexPath(section: 0, item: 0),
                  items: [ItemBlock(count: 1, keys: ["new"])]
                ),
                .reloadItems(
                  section: 0,
                  items: 1 ..< 2,
                  blocks: [ItemBlock(count: 1, keys: ["k1"])]
                ),
              ])
            )
          )
          try await second.settle()
          try await self.wait(for: 10, of: "new", in: first)
          for viewer in [first, second] {
            #expect(await viewer.height(of: "k0") == 40)
            #expect(await viewer.height(of: "k1") == 10)
          }
          try await self.measure(["new": 33], by: second)
          try await self.wait(for: 33, of: "new", in: first)
          #expect(await first.mirror.stateChecksum == second.mirror.stateChecksum)
        }
      }
    }
  }

  @Test("another width leads to the sizes of that width, and back")
  func widths() async throws {
    try await withCollection { _, client in
      try await client.view(Self.viewing()) { first in
        try await self.measure(["k0": 40], by: first)
        try await client.view(Self.viewing(width: 90)) { narrow in
          try await self.measure(["k0": 60], by: narrow)
          try await first.perform(.viewport(width: 90))
          #expect(await first.height(of: "k0") == 60)
          #expect(await first.mirror.stateChecksum == narrow.mirror.stateChecksum)
        }
        try await first.perform(.viewport(width: 100))
        #expect(await first.height(of: "k0") == 40)
      }
    }
  }

  @Test("a session that is resumed has what was measured meanwhile")
  func resume() async throws {
    try await withCollection { clients, client in
      let proxy = CuttableProxy(target: clients.port)
      let port = try await proxy.start()
      try await LayoutClient.connect(to: ServerAddress(host: "127.0.0.1", port: port)) { cut in
        try await cut.view(Self.viewing()) { first in
          try await self.measure(["k0": 40], by: first)
          try await client.view(Self.viewing()) { second in
            proxy.cut()
            try await self.measure(["k1": 50], by: second)
            try await self.wait(for: 50, of: "k1", in: first)
            try await self.measure(["k2": 60], by: first)
            try await self.wait(for: 60, of: "k2", in: second)
            #expect(await first.mirror.stateChecksum == second.mirror.stateChecksum)
          }
        }
      }
    }
  }

  @Test("the opening says how the session takes part")
  func states() async throws {
    try await withCollection { clients, client in
      func state(
        _ fill: @escaping @Sendable (inout Wire.OpenSession) -> Void
      ) async throws -> Wire.MeasurementSharingState {
        try await clients.withSession { probe in
          try await probe.open {
            $0.collection = "collections/a"
            fill(&$0)
          }.measurements
        }
      }
      #expect(try await state { $0.renderer = "app" } == .contributes)
      #expect(try await state { _ in } == .noRenderer)
      #expect(
        try await state {
          $0.inlineContents = .init()
          $0.layout.list = .init()
          $0.renderer = "app"
        } == .inlineContents
      )
      let changed = try await client.updateCollection(
        "collections/a",
        sharesMeasurements: false
      )
      #expect(!changed.sharesMeasurements)
      #expect(try await state { $0.renderer = "app" } == .notShared)
      for wrong in [String(repeating: "x", count: 129), "a\u{7}", "ä"] {
        let refusal = await problem { _ = try await state { $0.renderer = wrong } }
        #expect(refusal?.reason == .fieldInvalid)
        #expect(refusal?.violations.first?.field == "renderer")
      }
      let info = try await client.serverInfo()
      #expect(info.maxSharedMeasurementBytesPerCollection == 128 << 20)
    }
  }

  @Test("thousands of renderers get no more groups than there may be")
  func manyRenderers() async throws {
    try await withCollection { clients, client in
      try await client.view(Self.viewing("first")) { first in
        try await self.measure(["k0": 40], by: first)
        // Those that nobody looks at and that have sizes are dropped for others.
        for number in 0 ..< 2 * CollectionMeasurements.groupLimit {
          try await client.view(Self.viewing("r\(number)")) { viewer in
            try await self.measure(["k0": 20], by: viewer)
          }
        }
        #expect(
          clients.server.statistics.measurementGroups == CollectionMeasurements.groupLimit
        )
        try await client.view(Self.viewing("first")) { #expect(await $0.height(of: "k0") == 40) }
      }
    }
  }

  @Test("a viewer for whose group there is no room measures for itself")
  func tooManyGroups() async throws {
    try await withCollection { clients, client in
      let services = clients.server.services
      let collection = try await services.registry.collection("a")
      let measured = ViewportSession(
        open: SessionParameters(contents: collection.snapshot.contents, layout: Self.list)
      ).measurementKey
      let shares = (0 ..< CollectionMeasurements.groupLimit).compactMap { number in
        MeasurementShare(
          MeasurementGroupKey(renderer: "r\(number)", measured: measured),
          of: collection,
          access: .open,
          services: services
        ) {}
      }
      #expect(shares.count == CollectionMeasurements.groupLimit)
      let state = try await clients.withSession { probe in
        try await probe.open {
          $0.collection = "collections/a"
          $0.renderer = "one more"
        }.measurements
      }
      #expect(state == .limit)
      try await client.view(Self.viewing("one more")) { viewer in
        try await self.measure(["k0": 20], by: viewer)
        #expect(await viewer.height(of: "k0") == 20)
      }
      withExtendedLifetime(shares) {}
    }
  }

  @Test("without room nothing new is shared, and viewers keep what they measure")
  func room() async throws {
    var configuration = ServiceConfiguration.patient
    configuration.limits.sharedMeasurementBytes = 0
    try await withCollection(configuration) { _, client in
      try await client.view(Self.viewing()) { first in
        try await self.measure(["k0": 40], by: first)
        #expect(await first.height(of: "k0") == 40)
        try await client.view(Self.viewing()) { #expect(await $0.height(of: "k0") == 10) }
      }
    }
  }

  @Test("renderers that disagree stop to change each other's view")
  func disputes() async throws {
    try await withCollection { _, client in
      try await client.view(Self.viewing()) { first in
        try await client.view(Self.viewing()) { second in
          for round in 0 ..< 6 {
            try await self.measure(["k0": 40 + Double(round % 2)], by: [first, second][round % 2])
          }
          // The fifth change is that viewer's own.
          #expect(await first.height(of: "k0") == 40)
          #expect(await second.height(of: "k0") == 41)
        }
      }
    }
  }

  @Test("sharing is kept by the store")
  func durable() async throws {
    try await withStore { store in
      try await store.serve { clients in
        _ = try await clients.collections.createCollection(
          .with {
            $0.collectionID = "a"
            $0.collection.sharedMeasurements = .shared
          }
        )
      }
      try await store.serve { clients in
        let collection = try await clients.collections
          .getCollection(.with { $0.name = "collections/a" }).collection
        #expect(collection.sharedMeasurements == .shared)
        let updated = try await clients.collections.updateCollection(
          .with {
            $0.collection.name = "collections/a"
            $0.collection.displayName = "x"
          }
        ).collection
        #expect(updated.sharedMeasurements == .shared)
        let emptied = try await clients.collections.updateCollection(
          .with {
            $0.collection.name = "collections/a"
            $0.updateMask.paths = ["shared_measurements"]
          }
        ).collection
        #expect(emptied.sharedMeasurements == .private && emptied.displayName == "x")
        let refusal = await problem {
          _ = try await clients.collections.updateCollection(
            .with {
              $0.collection.name = "collections/a"
              $0.collection.sharedMeasurements = .UNRECOGNIZED(9)
            }
          )
        }
        #expect(refusal?.violations.first?.field == "collection.shared_measurements")
      }
    }
  }
}

extension LayoutViewer {
  fileprivate func height(of key: String) -> Double? {
    mirror.slot(ofItemKey: key).flatMap { mirror.elements[$0]?.attributes.frame.height }
  }

  /// Changes the width of the viewport, and waits for what comes of it.
  fileprivate func perform(_ change: ViewportWidth) async throws {
    send(.viewport(ViewportChange(size: Size(width: change.width, height: 200))))
    try await settle()
  }
}

private struct ViewportWidth {
  var width: Double

  static func viewport(width: Double) -> ViewportWidth { ViewportWidth(width: width) }
}
