// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The key index of one version, built when it is first asked for.
final class KeyIndexCache: Sendable {
  private let built: Mutex<KeyIndex?>

  init(_ index: KeyIndex? = nil) { built = Mutex(index) }

  /// - Complexity: O(items) the first time; whoever asks meanwhile waits for it.
  func index(of contents: CollectionContents) -> KeyIndex {
    built.withLock { index in
      if let index { return index }
      let new = KeyIndex(of: contents)
      index = new
      return new
    }
  }
}
