// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The key index of one version, built when it is first needed. All copies of the contents share
/// it.
final class KeyIndexCache: Sendable {
  private let built: Mutex<KeyIndex?>
  /// Contents with the same sections and items at the same places, whose index is used; nil = none.
  let source: CollectionContents?

  /// - Parameter index: the index, where it was derived from that of the version before; nil = it
  ///   is built when needed.
  init(_ index: KeyIndex? = nil) {
    built = Mutex(index)
    source = nil
  }

  /// The index of other contents.
  ///
  /// - Parameter source: has the same sections and items at the same places.
  init(source: CollectionContents) {
    built = Mutex(nil)
    self.source = source
  }

  /// Whether the index has been built, so that it takes no time. False while another thread builds
  /// it.
  var isBuilt: Bool {
    if let source { return source.keyIndex.isBuilt }
    return built.withLockIfAvailable { $0 != nil } ?? false
  }

  /// The index of the contents.
  ///
  /// - Parameter contents: the version that this cache belongs to.
  /// - Complexity: O(items) the first time, else O(1). Callers on other threads wait while the
  ///   index is built.
  func index(of contents: CollectionContents) -> KeyIndex {
    built.withLock { index in
      if let index { return index }
      let new = KeyIndex(of: contents)
      index = new
      return new
    }
  }
}
