// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import Logging

/// The programs that place layouts for a server.
///
///     let providers = LayoutProviders([.init(layout: "spiral", host: "127.0.0.1", port: 50061)])
///     var layouts = LayoutRegistry()
///     providers.register(in: &layouts)
///     let server = LayoutServer(layouts: layouts)
///
/// Run them beside the server.
public struct LayoutProviders: Sendable {
  private let providers: [LayoutProvider]

  /// Providers that are not asked before `run()`.
  public init(
    _ configurations: [LayoutProviderConfiguration],
    logger: Logger = Logger(label: "layout-providers") { _ in SwiftLogNoOpLogHandler() }
  ) {
    providers = configurations.map { LayoutProvider($0, logger: logger) }
  }

  /// Makes the layouts known by their names.
  public func register(in registry: inout LayoutRegistry) {
    for provider in providers {
      registry.register(name: provider.layout) { parameters, _ in
        ProvidedCollectionLayout(provider, parameters: parameters)
      }
    }
  }

  /// Keeps connections to the providers until the task is cancelled. A provider may be away and come back.
  ///
  /// - Throws: an error if authorities cannot be read.
  public func run() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for provider in providers { group.addTask { try await provider.run() } }
      try await group.waitForAll()
    }
  }
}
