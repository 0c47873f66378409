// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import Logging
internal import Synchronization

/// The programs that place layouts for a server. More can be registered while it runs.
///
///     let providers = LayoutProviders([.init(layout: "spiral", host: "127.0.0.1", port: 50061)])
///     var layouts = LayoutRegistry()
///     providers.register(in: &layouts)
///     let server = LayoutServer(layouts: layouts)
///
/// Call `run()` beside the server's.
public final class LayoutProviders: Sendable, LayoutSource {
  /// More layouts than are allowed.
  public struct TooMany: Error, CustomStringConvertible {
    /// A sentence without a full stop.
    public let description = "at most \(LayoutProviders.limit) layouts of providers are allowed"
  }

  /// The most layouts, including withdrawn ones.
  static let limit = 1000
  /// The time between two health checks of a provider.
  private static let probeInterval = Duration.seconds(5)

  private struct State {
    var providers: [String: LayoutProvider]
    var isRunning = false
  }

  /// The limits and times of providers that are registered later; its name and address are unused.
  public let prototype: LayoutProviderConfiguration
  private let logger: Logger
  private let state: Mutex<State>

  /// Creates providers, which are not called before `run()`.
  ///
  /// - Parameter prototype: the limits and times of providers that are registered later.
  public init(
    _ configurations: [LayoutProviderConfiguration] = [],
    prototype: LayoutProviderConfiguration = .init(layout: "", host: "", port: 0),
    logger: Logger = Logger(label: "layout-providers") { _ in SwiftLogNoOpLogHandler() }
  ) {
    self.prototype = prototype
    self.logger = logger
    let providers = configurations.map { ($0.layout, LayoutProvider($0, logger: logger)) }
    state = Mutex(State(providers: Dictionary(providers) { $1 }))
  }

  /// Adds the layouts to a registry, including those that are registered later.
  public func register(in registry: inout LayoutRegistry) { registry.add(self) }

  /// Registers the program at an address for a layout, in place of an earlier one.
  ///
  /// - Throws: `TooMany`; an error if the authorities cannot be read. Then nothing has changed.
  public func register(_ configuration: LayoutProviderConfiguration) throws {
    // Throws if the authorities cannot be read.
    let trial = LayoutProvider(configuration, isRegistered: true, logger: logger)
    try trial.connect()
    trial.disconnect()
    let (provider, isRunning) = try state.withLock { state in
      if let known = state.providers[configuration.layout] { return (known, state.isRunning) }
      guard state.providers.count < Self.limit else { throw TooMany() }
      state.providers[configuration.layout] = trial
      return (trial, state.isRunning)
    }
    if provider !== trial { provider.move(to: configuration) }
    if isRunning { try provider.connect() }
    let facts: Logger.Metadata = [
      "layout": "\(configuration.layout)", "provider": "\(configuration.address)",
    ]
    logger.notice("an operator registered a layout's provider", metadata: facts)
  }

  /// Refuses a layout to clients from now on. Sessions that show it keep what they show.
  ///
  /// - Returns: its last status; nil = there is none of this name.
  public func withdraw(_ layout: String) -> LayoutProviderStatus? {
    let known = state.withLock { $0.providers[layout] }
    guard let known, known.isOffered else { return nil }
    let status = known.status
    known.withdraw()
    logger.notice(
      "an operator withdrew a layout's provider",
      metadata: ["layout": "\(layout)"]
    )
    return status
  }

  /// The status of all providers, by the names of their layouts.
  public var statuses: [LayoutProviderStatus] {
    offered.map(\.status).sorted { $0.configuration.layout < $1.configuration.layout }
  }

  /// The status of a layout's provider; nil = there is none of this name.
  public func status(of layout: String) -> LayoutProviderStatus? {
    let known = state.withLock { $0.providers[layout] }
    return known.flatMap { $0.isOffered ? $0.status : nil }
  }

  private var offered: [LayoutProvider] {
    state.withLock { Array($0.providers.values) }.filter(\.isOffered)
  }

  // MARK: - Running

  /// Keeps connections to the providers until the task is cancelled, and checks every few seconds
  /// whether they answer. A provider may be away and come back.
  ///
  /// - Throws: an error if authorities cannot be read.
  public func run() async throws {
    let first = state.withLock { state in
      state.isRunning = true
      return Array(state.providers.values)
    }
    defer {
      let last = state.withLock { state in
        state.isRunning = false
        return Array(state.providers.values)
      }
      for provider in last { provider.disconnect() }
    }
    for provider in first where provider.isOffered { try provider.connect() }
    await withDiscardingTaskGroup { group in
      repeat {
        for provider in offered { group.addTask { await provider.probe() } }
      } while (try? await Task.sleep(for: Self.probeInterval)) != nil
    }
  }

  // MARK: - The layouts

  /// The names of the layouts.
  public var names: [String] { offered.map(\.layout) }

  /// Makes the layout of this name; nil = there is none.
  public func factory(named name: String) -> LayoutRegistry.Factory? {
    let known = state.withLock { $0.providers[name] }
    guard let provider = known, provider.isOffered else { return nil }
    return { parameters, _ in ProvidedCollectionLayout(provider, parameters: parameters) }
  }
}
