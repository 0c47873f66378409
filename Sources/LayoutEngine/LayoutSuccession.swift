// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The newest prepared layout of a variant, for sessions that hold an older one: after an edit all
/// viewers want it at once.
final class LayoutSuccession: Sendable {
  private struct Newest {
    var version: UInt64 = 0
    weak var layout: SharedLayout?
  }

  private let newest = Mutex(Newest())

  /// Adds a layout, unless a newer one is known.
  func add(_ layout: SharedLayout) {
    newest.withLock { newest in
      guard layout.version >= newest.version || newest.layout == nil else { return }
      newest = Newest(version: layout.version, layout: layout)
    }
  }

  /// The newest layout, if it is of this version and somebody uses it.
  func layout(of version: UInt64) -> SharedLayout? {
    newest.withLock { $0.version == version ? $0.layout : nil }
  }
}
