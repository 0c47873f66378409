// SPDX-License-Identifier: Apache-2.0

/// Counts the answers to PINGs and the updates of windows that a client has not read: no flow
/// control holds them back.
struct UnreadFrames: Hashable, Sendable {
  /// Nothing more is read from a client who has to read more of them than this.
  private static let most = 1000

  /// Since the connection had no room for more.
  private var count = 0

  var areTooMany: Bool { count > Self.most }

  /// Counts a frame.
  ///
  /// - Parameter isWritable: whether the connection has room for more.
  mutating func wrote(isWritable: Bool) { if !isWritable { count += 1 } }
}
