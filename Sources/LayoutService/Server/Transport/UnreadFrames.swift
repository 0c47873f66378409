// SPDX-License-Identifier: Apache-2.0

/// Counts the control frames that a client has not read: answers to PINGs, the ends of calls and
/// the like, which no flow control holds back.
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
