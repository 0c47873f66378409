// SPDX-License-Identifier: Apache-2.0

import CollectionLayouts
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import LayoutProtocol
import LayoutService
import SwiftProtobuf
import Synchronization

/// A provider of the layout "scattered", which places items anywhere, and a header above each
/// section.
final class TestProvider: Wire.LayoutProviderService.SimpleServiceProtocol {
  /// What it answers.
  enum Manner: Hashable, Sendable, CaseIterable {
    case good
    case notFinite
    case twice
    case wrongItem
    case wrongColumn
    case wrongCount
    case noContentSize
    case noEnd
    case tooMany
    case wrongKind
    case afterTheEnd
    case refuses
    /// Nothing, until the call is given up.
    case silent
  }

  private struct State {
    var manner = Manner.good
    var calls = 0
    var isSilentOnly: @Sendable (Wire.PrepareLayoutStart) -> Bool = { _ in true }
  }

  private let state = Mutex(State())

  var manner: Manner {
    get { state.withLock { $0.manner } }
    set { state.withLock { $0.manner = newValue } }
  }

  /// For which calls the manner `silent` counts; it is `good` for all others.
  var isSilentOnly: @Sendable (Wire.PrepareLayoutStart) -> Bool {
    get { state.withLock { $0.isSilentOnly } }
    set { state.withLock { $0.isSilentOnly = newValue } }
  }

  /// Calls of PrepareLayout so far.
  var calls: Int { state.withLock { $0.calls } }

  func describeLayouts(
    request: Wire.DescribeLayoutsRequest,
    context: ServerContext
  ) async throws -> Wire.DescribeLayoutsResponse {
    .with { response in
      response.layouts = ["scattered", "other"].map { name in
        .with {
          $0.name = name
          $0.scrollDirection = .vertical
          $0.maxItems = 100_000
        }
      }
    }
  }

  func prepareLayout(
    request: RPCAsyncSequence<Wire.PrepareLayoutRequest, any Error>,
    response: RPCWriter<Wire.PrepareLayoutResponse>,
    context: ServerContext
  ) async throws {
    var manner = state.withLock { state in
      state.calls += 1
      return state.manner
    }
    var counts: [Int] = []
    for try await message in request {
      switch message.part {
      case .start(let start):
        if start.layout == "other" || manner == .silent && !isSilentOnly(start) { manner = .good }
      case .section: counts.append(0)
      case .items(let block): counts[counts.count - 1] += Int(block.count)
      case nil: break
      }
    }
    if manner == .refuses { throw RPCError(code: .invalidArgument, message: "no such angle") }
    if manner == .silent { try await context.cancellation.cancelled }
    var elements = Self.placed(counts)
    var end = Wire.PrepareLayoutEnd.with {
      $0.contentSize.width = 1000
      $0.contentSize.height = 2000
      $0.kindNames = ["title"]
      $0.elementCount = UInt64(elements.count)
    }
    switch manner {
    case .notFinite: elements.xs[0] = .nan
    case .twice: elements.items[1] = elements.items[2]
    case .wrongItem: elements.items[1] = 1_000_000
    case .wrongColumn: elements.ys.removeLast()
    case .wrongCount: end.elementCount += 1
    case .noContentSize: end.clearContentSize()
    case .wrongKind: end.kindNames = []
    case .tooMany: for _ in 0 ..< 3 { try await response.write(.with { $0.elements = elements }) }
    case .good, .noEnd, .afterTheEnd, .refuses, .silent: break
    }
    try await response.write(.with { $0.elements = elements })
    if manner == .noEnd { return }
    try await response.write(.with { $0.end = end })
    if manner == .afterTheEnd { try await response.write(.with { $0.end = end }) }
  }

  func updatePlacement(
    request: RPCAsyncSequence<Wire.UpdatePlacementRequest, any Error>,
    response: RPCWriter<Wire.UpdatePlacementResponse>,
    context: ServerContext
  ) async throws {
    throw RPCError(code: .unimplemented, message: "everything is placed anew")
  }

  /// The elements of sections with so many items.
  static func placed(_ counts: [Int]) -> Wire.PlacedElements {
    var placed = Wire.PlacedElements()
    for (section, count) in counts.enumerated() {
      for item in -1 ..< count {
        var random = UInt64(section + 1) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(item + 2)
        random = (random ^ random >> 31) &* 0xBF58_476D_1CE4_E5B9
        placed.categories.append(item < 0 ? .supplementary : .cell)
        placed.sections.append(UInt32(section))
        placed.items.append(Int32(item))
        placed.xs.append(Double(random & 0x3FF))
        placed.ys.append(Double(random >> 16 & 0x7FF))
        placed.widths.append(Double(random >> 32 & 31) / 3)
        placed.heights.append(Double(random >> 40 & 31))
        placed.zIndices.append(Int32(item))
        placed.alphas.append(0.5)
      }
    }
    placed.count = UInt32(placed.xs.count)
    return placed
  }
}

/// A provider that listens.
struct RunningProvider: Sendable {
  let port: Int
  fileprivate let server: GRPCServer<HTTP2ServerTransport.Posix>

  /// Runs a provider while the body does.
  static func run<Result: Sendable>(
    _ provider: any RegistrableRPCService,
    port: Int = 0,
    _ body: @Sendable (RunningProvider) async throws -> Result
  ) async throws -> Result {
    let transport = HTTP2ServerTransport.Posix(
      address: .ipv4(host: "127.0.0.1", port: port),
      transportSecurity: .plaintext
    )
    let server = GRPCServer(transport: transport, services: [provider])
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.serve() }
      let address = try await transport.listeningAddress
      let result = try await body(
        RunningProvider(port: address.ipv4?.port ?? 0, server: server)
      )
      group.cancelAll()
      return result
    }
  }
}

/// Runs a server whose layouts are placed by the provider at a port.
func withProvidedServer(
  port: Int,
  layouts: [String] = ["scattered", "other"],
  timeout: Duration = .seconds(10),
  _ body: @Sendable @escaping (Clients) async throws -> Void
) async throws {
  try await withProvidedServer(
    layouts.map { name in
      var configuration = LayoutProviderConfiguration(layout: name, host: "127.0.0.1", port: port)
      configuration.timeout = timeout
      configuration.elementLimit = 1500
      configuration.firstRetry = .milliseconds(50)
      configuration.longestRetry = .milliseconds(200)
      return configuration
    },
    body
  )
}

/// Runs a server with layouts of providers.
func withProvidedServer(
  _ configurations: [LayoutProviderConfiguration],
  _ body: @Sendable @escaping (Clients) async throws -> Void
) async throws {
  try await withProvidedServer(LayoutProviders(configurations), body)
}

/// Runs a server with layouts of providers.
func withProvidedServer(
  _ providers: LayoutProviders,
  _ body: @Sendable @escaping (Clients) async throws -> Void
) async throws {
  var layouts = LayoutRegistry()
  providers.register(in: &layouts)
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await providers.run() }
    try await withServer(layouts: layouts, body)
    group.cancelAll()
  }
}
