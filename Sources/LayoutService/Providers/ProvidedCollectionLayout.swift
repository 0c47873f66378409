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
  /// Each server has one provider of this name.
  let provider: LayoutProvider

  init(_ provider: LayoutProvider, parameters: [String: CustomValue]) {
    name = provider.layout
    self.provider = provider
    self.parameters = parameters
    // A value of two encoded bytes takes a hundred in memory.
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

  /// An empty layout, until `fetched` has placed the elements.
  func prepare(_ context: LayoutContext) -> any PreparedLayout {
    PlacedLayout(.empty(context.contents), kindName: kindName).prepare(context)
  }

  /// The elements placed before whose items still exist, in their old places.
  func update(_ prepared: any PreparedLayout, by change: ContentsChange) -> any PreparedLayout {
    PlacedLayout.following(prepared, by: change, within: .unlimited)
  }
}

/// Runs the computations on an answer on the engine's threads, in turn with others.
private struct EnginePlacing: PlacementThreads {
  /// Up to this many elements take at most a millisecond, which is not worth a turn.
  private static let few = 4000

  let engine: LayoutEngine
  /// The account whose turn it is; nil = the server's.
  let account: Account?

  func perform<Result: Sendable>(
    cost: Int,
    _ step: @escaping @Sendable (LayoutWork) throws -> Result
  ) async throws -> Result {
    if cost <= Self.few { return try step(.unlimited) }
    // The engine may start a small computation twice, but this one changes the answer.
    return try await engine.perform(cost: .max, for: account, step)
  }
}

/// What a provider is asked to place, without the version: a subject that failed is not retried too
/// soon.
///
/// A digest, because it outlives the session and parameters may be large. Its hashes are seeded at
/// the start of the process, so that nobody can construct two subjects with the same digest.
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
