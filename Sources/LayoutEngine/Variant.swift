// SPDX-License-Identifier: Apache-2.0

internal import CollectionLayouts
internal import CollectionModel

/// The key of a prepared layout, apart from the version of the contents.
///
/// A class, because configurations may be large: copies are cheap, and the hash is computed once,
/// before any lock is taken. Comparing two different objects may compare whole configurations, so
/// large ones go through `VariantTable` first: then equal variants are the same object.
final class Variant: Hashable, Sendable {
  let identity: ContentsIdentity
  /// The base of the viewers' expansions: viewers with other bases see other rows of the same
  /// version.
  let base: ExpansionBase
  let configuration: LayoutConfiguration
  let container: LayoutContainer
  private let hash: Int

  init(
    identity: ContentsIdentity,
    configuration: LayoutConfiguration,
    container: LayoutContainer,
    base: ExpansionBase = .contents
  ) {
    // Viewers that differ only in effects share the layout.
    let configuration = configuration.settled
    self.identity = identity
    self.base = base
    self.configuration = configuration
    self.container = container
    var hasher = Hasher()
    hasher.combine(identity)
    hasher.combine(base)
    hasher.combine(configuration)
    hasher.combine(container)
    hash = hasher.finalize()
  }

  static func == (a: Variant, b: Variant) -> Bool {
    a === b
      || a.hash == b.hash && a.identity == b.identity && a.base == b.base
        && a.container == b.container && a.configuration == b.configuration
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }

  /// Estimated size in memory, in bytes.
  var byteCount: Int { 512 + configuration.byteCount }
}
