// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel
internal import LayoutEngine
internal import LayoutProtocol
internal import ResourceAccounting
internal import SwiftProtobuf

/// A layout that another program places.
struct ProvidedCollectionLayout: FetchedLayout {
  let name: String
  let parameters: [String: CustomValue]
  let parameterByteCount: Int
  /// Of the same name, there is one for each server.
  let provider: LayoutProvider

  init(_ provider: LayoutProvider, parameters: [String: CustomValue]) {
    name = provider.layout
    self.provider = provider
    self.parameters = parameters
    // An encoded value of two bytes takes a hundred in memory.
    let bytes: [UInt8]? = try? Google_Protobuf_Struct(parameters).serializedBytes()
    parameterByteCount = 50 * (bytes?.count ?? 0)
  }

  static func == (a: Self, b: Self) -> Bool {
    a.provider === b.provider && a.parameters == b.parameters
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(provider))
    hasher.combine(parameters)
  }

  var kindName: String { "custom:\(name)" }

  func fetched(
    _ context: LayoutContext,
    of identity: ContentsIdentity?,
    since base: FetchedBase?,
    for account: Account?,
    byteLimit: Int,
    on engine: LayoutEngine
  ) async throws -> FetchedSource {
    let (placement, lease) = try await provider.place(
      context,
      parameters: parameters,
      identity: identity,
      since: base,
      account: account,
      byteLimit: byteLimit,
      on: EnginePlacing(engine: engine, account: account)
    )
    return FetchedSource(PlacedLayout(placement, kindName: kindName), lease: lease)
  }

  /// Nothing, until it is placed.
  func prepare(_ context: LayoutContext) -> any PreparedLayout {
    PlacedLayout(.empty(context.contents), kindName: kindName).prepare(context)
  }

  /// What was placed before and is still there, where it was.
  func update(_ prepared: any PreparedLayout, by change: ContentsChange) -> any PreparedLayout {
    PlacedLayout.following(prepared, by: change, within: .unlimited)
  }
}

/// Answers are put together by an engine, in turn with its other computations.
private struct EnginePlacing: PlacementThreads {
  /// The elements that are not worth a turn: up to a millisecond.
  private static let few = 4000

  let engine: LayoutEngine
  /// Whose turn it is; nil = the server's.
  let account: Account?

  func perform<Result: Sendable>(
    cost: Int,
    _ step: @escaping @Sendable (LayoutWork) throws -> Result
  ) async throws -> Result {
    if cost <= Self.few { return try step(.unlimited) }
    // What the engine takes for small, it may begin a second time; a step changes the answer.
    return try await engine.perform(cost: .max, for: account, step)
  }
}

/// What a provider is asked to place, apart from its version: what fails is not tried again too soon.
///
/// A digest, for it is kept when the session has gone, and parameters may be large. Its hashes are seeded when the
/// process starts, so that nobody can look for two subjects with the same one.
struct ProviderSubject: Hashable, Sendable {
  private let first: Int
  private let second: Int

  /// - Parameter identity: nil = private contents.
  init(
    parameters: [String: CustomValue],
    container: LayoutContainer,
    identity: ContentsIdentity?
  ) {
    func digest(_ number: Int) -> Int {
      var hasher = Hasher()
      hasher.combine(number)
      hasher.combine(parameters)
      hasher.combine(container)
      hasher.combine(identity)
      return hasher.finalize()
    }
    (first, second) = (digest(1), digest(2))
  }
}
