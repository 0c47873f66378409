// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import GRPCCore
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import TestSupport
import Testing

@Suite("Layouts of providers", .timeLimit(.minutes(2)))
struct LayoutProviderTests {
  private static func create(_ clients: Clients, _ counts: [Int] = [300, 0, 200]) async throws {
    _ = try await clients.collections.createCollection(
      .with {
        $0.collectionID = "a"
        $0.collection.defaultLayout.custom.name = "scattered"
        $0.contents.sections = counts.map { count in
          .with { $0.blocks = [.with { $0.count = UInt32(count) }] }
        }
      }
    )
  }

  private static func elements(
    _ clients: Clients,
    in rect: Wire.Rect? = nil,
    layout: String = "scattered"
  ) async throws -> [Wire.ElementAttributes] {
    try await clients.queries.queryElements(
      .with {
        $0.target.collection = "collections/a"
        $0.target.layout.custom.name = layout
        $0.target.viewport.size.width = 100
        $0.target.viewport.size.height = 200
        if let rect { $0.rect = rect }
        $0.pageSize = 20_000
      }
    ).elements
  }

  @Test("elements in a rect are those of the provider's that meet it")
  func queries() async throws {
    let provider = TestProvider()
    try await RunningProvider.run(provider) { running in
      try await withProvidedServer(port: running.port) { clients in
        try await Self.create(clients)
        let placed = TestProvider.placed([300, 0, 200])
        let all = try await Self.elements(clients)
        #expect(all.count == 503)
        #expect(all.allSatisfy { $0.attributes.alpha == 0.5 })
        for seed in 0 ..< 30 {
          let rect = Wire.Rect.with {
            $0.x = Double(seed * 37 % 1000)
            $0.y = Double(seed * 113 % 2000)
            $0.width = Double(1 + seed * 29 % 400)
            $0.height = Double(1 + seed * 53 % 500)
          }
          let found = try await Self.elements(clients, in: rect)
          let expected = (0 ..< Int(placed.count)).filter { index in
            placed.xs[index] < rect.x + rect.width
              && placed.xs[index] + placed.widths[index] > rect.x
              && placed.ys[index] < rect.y + rect.height
              && placed.ys[index] + placed.heights[index] > rect.y
              && placed.widths[index] > 0 && placed.heights[index] > 0
          }
          let shown = found.filter {
            $0.attributes.frame.width > 0 && $0.attributes.frame.height > 0
          }
          #expect(
            shown.map { [$0.attributes.frame.x, $0.attributes.frame.y] }.sorted {
              $0.lexicographicallyPrecedes($1)
            }
              == expected.map { [placed.xs[$0], placed.ys[$0]] }
              .sorted { $0.lexicographicallyPrecedes($1) }
          )
        }
        #expect(provider.calls == 1)
      }
    }
  }

  @Test("viewers of the same container share one call")
  func sharing() async throws {
    let provider = TestProvider()
    try await RunningProvider.run(provider) { running in
      try await withProvidedServer(port: running.port) { clients in
        try await Self.create(clients)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0 ..< 20 {
            group.addTask {
              try await clients.withSession { probe in
                _ = try await probe.open()
                let frame = try await probe.frame()
                #expect(frame.contentSize.height == 2000)
              }
            }
          }
          try await group.waitForAll()
        }
        #expect(provider.calls == 1)
        _ = try await clients.insert(5, at: 0)
        let all = try await Self.elements(clients)
        #expect(all.count == 508)
        #expect(provider.calls == 2)
      }
    }
  }

  @Test(
    "an answer that breaks a rule is refused by name",
    arguments: TestProvider.Manner.allCases.filter { $0 != .good && $0 != .silent }
  )
  func nonsense(_ manner: TestProvider.Manner) async throws {
    let provider = TestProvider()
    provider.manner = manner
    try await RunningProvider.run(provider) { running in
      try await withProvidedServer(port: running.port) { clients in
        try await Self.create(clients)
        let refused = await problem { _ = try await Self.elements(clients) }
        #expect(refused?.reason == .layoutProviderFailed)
        #expect(refused?.retryDelay != nil)
      }
    }
  }

  @Test("a provider that refuses parameters works, and is not said to fail")
  func refusal() async throws {
    let provider = TestProvider()
    try await RunningProvider.run(provider) { running in
      var configuration = LayoutProviderConfiguration(
        layout: "scattered",
        host: "127.0.0.1",
        port: running.port
      )
      (configuration.firstRetry, configuration.longestRetry) = (.milliseconds(1), .milliseconds(1))
      let providers = LayoutProviders([configuration])
      try await withProvidedServer(providers) { clients in
        try await Self.create(clients)
        provider.manner = .refuses
        let refused = await problem { _ = try await Self.elements(clients) }
        #expect(refused?.message.contains("no such angle") == true)
        #expect(providers.statuses.map(\.faults) == [0])
        // A broken answer is the provider's fault.
        provider.manner = .notFinite
        while providers.statuses.map(\.faults) == [0] {
          _ = await problem { _ = try await Self.elements(clients) }
        }
      }
    }
  }

  @Test("a provider that fails leaves what was placed in view, and is asked until it answers")
  func failing() async throws {
    let provider = TestProvider()
    try await RunningProvider.run(provider) { running in
      try await withProvidedServer(port: running.port) { clients in
        try await Self.create(clients)
        try await clients.withSession { probe in
          _ = try await probe.open()
          let first = try await probe.frame()
          #expect(first.liveCount > 0)
          provider.manner = .notFinite
          _ = try await clients.insert(5, at: 0)
          let notice = try await probe.notice(.layoutUnavailable)
          #expect(notice.problem.reason == "LAYOUT_PROVIDER_FAILED")
          // The session goes on, with the data as it is.
          probe.send {
            $0.eventSeq = 2
            $0.sync = .init()
          }
          #expect(try await probe.result(of: 2).hasProblem == false)
          provider.manner = .good
          let over = try await probe.notice(.layoutAvailable)
          #expect(over.problem.reason == "LAYOUT_PROVIDER_FAILED")
          let frame = try await probe.frame()
          #expect(frame.dataVersion == 1)
        }
        #expect(try await Self.elements(clients).count == 508)
      }
    }
  }

  @Test("a provider that is away comes back without another connection of its viewers")
  func away() async throws {
    let provider = TestProvider()
    let port = try await RunningProvider.run(provider) { $0.port }
    let (starts, start) = AsyncStream<Void>.makeStream()
    let (ends, end) = AsyncStream<Void>.makeStream()
    async let revived: Void = {
      for await _ in starts { break }
      try await RunningProvider.run(provider, port: port) { _ in for await _ in ends {} }
    }()
    try await withProvidedServer(port: port) { clients in
      try await Self.create(clients)
      let refused = await problem { _ = try await Self.elements(clients) }
      #expect(refused?.reason == .layoutProviderUnavailable)
      try await clients.withSession { probe in
        _ = try await probe.open()
        let notice = try await probe.notice(.layoutUnavailable)
        #expect(notice.problem.reason == "LAYOUT_PROVIDER_UNAVAILABLE")
        start.yield()
        _ = try await probe.notice(.layoutAvailable)
        let frame = try await probe.frame()
        #expect(frame.contentSize.height == 2000)
      }
    }
    end.finish()
    try await revived
  }

  @Test("a provider that never answers delays only who asked it")
  func silence() async throws {
    let provider = TestProvider()
    provider.manner = .silent
    try await RunningProvider.run(provider) { running in
      try await withProvidedServer(port: running.port, timeout: .seconds(4)) { clients in
        try await Self.create(clients)
        async let refused = problem { _ = try await Self.elements(clients) }
        #expect(try await Self.elements(clients, layout: "other").count == 503)
        #expect(await refused?.reason == .layoutProviderFailed)
      }
    }
  }
}
