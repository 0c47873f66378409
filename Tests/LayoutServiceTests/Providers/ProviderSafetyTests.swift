// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import GRPCCore
import LayoutProtocol
import LayoutProviding
import NIOCore
import NIOPosix
import SwiftProtobuf
import Synchronization
import Testing
import TrustTesting
import X509

@testable import LayoutService

@Suite("Calls of providers", .timeLimit(.minutes(2)))
struct ProviderSafetyTests {
  @Test("who waits for a turn can be cancelled, and the turn is not lost")
  func permits() async throws {
    let permits = CallPermits(1, subject: "calls")
    let (gate, open) = AsyncStream<Void>.makeStream()
    let (holds, hold) = AsyncStream<Void>.makeStream()
    let holder = Task {
      try await permits.perform(for: "a") {
        hold.yield()
        for await _ in gate {}
      }
    }
    for await _ in holds { break }
    // Some are cancelled before they wait, and some while they do.
    for _ in 0 ..< 300 {
      let waiter = Task { try await permits.perform(for: "a") { true } }
      waiter.cancel()
      await #expect(throws: CancellationError.self) { try await waiter.value }
    }
    let next = Task { try await permits.perform(for: "a") { true } }
    open.finish()
    try await holder.value
    #expect(try await next.value)
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await permits.perform(for: "a") { true }
    }
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(try await permits.perform(for: "a") { true })
  }

  @Test("a provider stops while clients connect")
  func stopping() async throws {
    for _ in 0 ..< 4 {
      let provider = ProviderServer([])
      let serving = Task { try await provider.run() }
      let port = try await provider.listeningPort
      let clients = Task {
        while !Task.isCancelled {
          let channel = try? await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: "127.0.0.1", port: port).get()
          guard let channel else { return }
          try? await channel.close().get()
        }
      }
      for _ in 0 ..< 3 {
        _ = try? await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
          .connect(host: "127.0.0.1", port: port).get()
      }
      serving.cancel()
      try await serving.value
      clients.cancel()
      await clients.value
    }
  }

  @Test("clients take turns, one leaves a permit to the others, and only so many of it wait")
  func fairness() async throws {
    let permits = CallPermits(3, waitingLimit: 4, subject: "calls")
    let (gate, open) = AsyncStream<Void>.makeStream()
    let started = Mutex<[String]>([])
    let isFull = { started.withLock { $0.filter { $0 == "busy" }.count } == 2 }
    let work: @Sendable (String) async -> Void = { name in
      started.withLock { $0.append(name) }
      for await _ in gate {}
    }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      // Two run and four wait; the others are refused.
      for _ in 0 ..< 10 {
        group.addTask {
          do {
            try await permits.perform(for: "busy") { await work("busy") }
            return true
          } catch let problem as LayoutProblem {
            #expect(problem.reason == .quota(.computations))
            return false
          }
        }
      }
      for _ in 0 ..< 4 { #expect(try await group.next() == false) }
      #expect(isFull())
      // Another client does not wait for them.
      try await permits.perform(for: "calm") { started.withLock { $0.append("calm") } }
      #expect(started.withLock { $0.last } == "calm")
      open.finish()
      for _ in 0 ..< 6 { #expect(try await group.next() == true) }
    }
    #expect(started.withLock { $0.count } == 7)
  }

  @Test("containers that make a provider hang leave turns to others")
  func hanging() async throws {
    let provider = TestProvider()
    provider.manner = .silent
    provider.isSilentOnly = { $0.container.size.width > 500 }
    try await RunningProvider.run(provider) { running in
      try await withProvidedServer(port: running.port, timeout: .seconds(8)) { clients in
        _ = try await clients.collections.createCollection(
          .with {
            $0.collectionID = "a"
            $0.contents.sections = [.with { $0.blocks = [.with { $0.count = 10 }] }]
          }
        )
        @Sendable func ask(_ width: Double) async throws -> Int {
          try await clients.queries.queryElements(
            .with {
              $0.target.collection = "collections/a"
              $0.target.layout.custom.name = "scattered"
              $0.target.viewport.size.width = width
              $0.target.viewport.size.height = 200
            }
          ).elements.count
        }
        // They fail once, and are tried again by half of the turns from then on.
        await withTaskGroup(of: Void.self) { group in
          for width in 0 ..< 8 {
            group.addTask { _ = await problem { _ = try await ask(600 + Double(width)) } }
          }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for width in 0 ..< 8 {
            group.addTask {
              _ = await problem { _ = try await ask(600 + Double(width)) }
            }
          }
          for width in 0 ..< 30 { #expect(try await ask(Double(100 + width)) == 11) }
          group.cancelAll()
          try await group.waitForAll()
        }
      }
    }
  }

  @Test("a token comes from a file of one line that is not too long")
  func token() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("secret\n", to: "token")
    #expect(try await ProviderToken(path: path).metadata() == ["authorization": "Bearer secret"])
    for text in ["", "\n", "ä", String(repeating: "x", count: ProviderToken.byteLimit + 1)] {
      try folder.write(text, to: "token")
      await #expect(throws: (any Error).self) { try await ProviderToken(path: path).metadata() }
    }
    await #expect(throws: (any Error).self) {
      try await ProviderToken(path: folder.path("none")).metadata()
    }
    await #expect(throws: (any Error).self) {
      try await ProviderToken(path: "/dev/zero").metadata()
    }
  }

  private static let diagonal = ProvidedLayout("diagonal") { items, _ in
    items.placed { number, _ in
      PlacedElement(x: 10 * Double(number), y: 10 * Double(number), width: 9, height: 9)
    }
  }

  /// Asks a provider that encrypts and wants a token.
  private static func ask(
    trusting authority: TestAuthority,
    of issuer: TestAuthority,
    token: String
  ) async throws -> Int {
    let folder = try TemporaryFolder()
    let issued = try issuer.issue([.dnsName("localhost")], for: .server)
    let provider = ProviderServer(
      token: "secret",
      certificate: .init(
        certificate: try folder.write(issued.pem, to: "certificate"),
        key: try folder.write(issued.key, to: "key")
      ),
      [diagonal]
    )
    let count = Mutex(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await provider.run() }
      var configuration = LayoutProviderConfiguration(
        layout: "diagonal",
        host: "localhost",
        port: try await provider.listeningPort
      )
      configuration.authorities = try folder.write(authority.pem, to: "ca")
      configuration.tokenFile = try folder.write("\(token)\n", to: "token")
      try await withProvidedServer([configuration]) { clients in
        let found = try await clients.queries.queryElements(
          .with {
            $0.target.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 5 }] }]
            $0.target.layout.custom.name = "diagonal"
            $0.target.viewport.size.width = 100
            $0.target.viewport.size.height = 100
          }
        )
        count.withLock { $0 = found.elements.count }
      }
      group.cancelAll()
    }
    withExtendedLifetime(folder) {}
    return count.withLock { $0 }
  }

  @Test("a provider is asked over TLS with a token")
  func encrypted() async throws {
    let authority = try TestAuthority()
    #expect(try await Self.ask(trusting: authority, of: authority, token: "secret") == 5)
  }

  @Test("a provider with a certificate of somebody else is not asked")
  func foreign() async throws {
    let refused = await problem {
      _ = try await Self.ask(
        trusting: try TestAuthority(),
        of: try TestAuthority("another"),
        token: "secret"
      )
    }
    #expect(refused?.reason == .layoutProviderUnavailable)
  }

  @Test("a provider that does not know the token refuses")
  func wrongToken() async throws {
    let authority = try TestAuthority()
    let refused = await problem {
      _ = try await Self.ask(trusting: authority, of: authority, token: "guessed")
    }
    #expect(refused?.reason == .layoutProviderFailed)
    #expect(refused?.message.contains("token") == true)
  }

  @Test(
    "a layout that is registered while the server runs is there, and is gone when it is withdrawn"
  )
  func registering() async throws {
    let provider = ProviderServer([Self.diagonal])
    let providers = LayoutProviders()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await provider.run() }
      let port = try await provider.listeningPort
      try await withProvidedServer(providers) { clients in
        @Sendable func ask() async throws -> Int {
          try await clients.queries.queryElements(
            .with {
              $0.target.inlineContents.sections = [.with { $0.blocks = [.with { $0.count = 5 }] }]
              $0.target.layout.custom.name = "diagonal"
              $0.target.viewport.size.width = 100
              $0.target.viewport.size.height = 100
            }
          ).elements.count
        }
        let before = await problem { _ = try await ask() }
        #expect(before?.reason == .layoutKindUnknown)
        let place = LayoutProviderConfiguration(layout: "diagonal", host: "127.0.0.1", port: port)
        try providers.register(place)
        #expect(try await ask() == 5)
        #expect(providers.status(of: "diagonal")?.answers == 1)
        // Another place, where nobody is, and back.
        try providers.register(.init(layout: "diagonal", host: "127.0.0.1", port: 1))
        let away = await problem { _ = try await ask() }
        #expect(away?.reason == .layoutProviderUnavailable)
        try providers.register(place)
        #expect(try await ask() == 5)
        #expect(providers.withdraw("diagonal")?.configuration.port == port)
        #expect(providers.withdraw("diagonal") == nil)
        let after = await problem { _ = try await ask() }
        #expect(after?.reason == .layoutKindUnknown)
        #expect(providers.statuses.isEmpty)
      }
      group.cancelAll()
    }
  }
}
