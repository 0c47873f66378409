// SPDX-License-Identifier: Apache-2.0

/// A client's report that it has applied a frame and all frames before it, or could not apply it.
public struct FrameAck: Hashable, Sendable {
  /// The sequence number of the frame; 0 = the acknowledgement is ignored.
  public var sequence: UInt64
  /// The checksum of the client's elements after this frame; nil = it is not compared. A keyframe
  /// follows where it differs from the session's.
  public var stateChecksum: UInt32?
  /// Whether the client could not apply the frame: a keyframe follows.
  public var isRejected: Bool

  /// An acknowledgement of a frame.
  public init(sequence: UInt64, stateChecksum: UInt32? = nil, isRejected: Bool = false) {
    self.sequence = sequence
    self.stateChecksum = stateChecksum
    self.isRejected = isRejected
  }
}
