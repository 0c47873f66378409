// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts

/// What a prepared layout depends on besides the version of the contents.
///
/// A class, since configurations may be large: its hash is worked out once, and outside of locks.
final class Variant: Hashable, Sendable {
  let identity: ContentsIdentity
  let configuration: LayoutConfiguration
  let container: LayoutContainer
  private let hash: Int

  init(
    identity: ContentsIdentity,
    configuration: LayoutConfiguration,
    container: LayoutContainer
  ) {
    self.identity = identity
    self.configuration = configuration
    self.container = container
    var hasher = Hasher()
    hasher.combine(identity)
    hasher.combine(configuration)
    hasher.combine(container)
    hash = hasher.finalize()
  }

  static func == (a: Variant, b: Variant) -> Bool {
    a === b
      || a.hash == b.hash && a.identity == b.identity && a.container == b.container
        && a.configuration == b.configuration
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// What it keeps in memory, roughly.
  var byteCount: Int { 512 + configuration.byteCount }
}
