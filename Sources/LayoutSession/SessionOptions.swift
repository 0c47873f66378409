// SPDX-License-Identifier: Apache-2.0

/// What a client may choose, and change while the session runs.
public struct SessionOptions: Hashable, Sendable {
  /// Frames that may be unacknowledged, 1…8; 0 = 2.
  public var maxInFlightFrames: Int
  /// The shortest time from one frame to the next.
  public var minFrameInterval: Duration
  /// How far beyond the visible rect elements are kept, in viewports: in the direction of motion
  /// and, when at rest, both ways; nil = 1.
  public var overscanAhead: Double?
  /// Against the direction of motion; nil = 0.5.
  public var overscanBehind: Double?
  public var anchorMode: AnchorMode
  /// nil = 15 s.
  public var heartbeatInterval: Duration?

  public init(
    maxInFlightFrames: Int = 0,
    minFrameInterval: Duration = .zero,
    overscanAhead: Double? = nil,
    overscanBehind: Double? = nil,
    anchorMode: AnchorMode = .firstVisible,
    heartbeatInterval: Duration? = nil
  ) {
    self.maxInFlightFrames = maxInFlightFrames
    self.minFrameInterval = minFrameInterval
    self.overscanAhead = overscanAhead
    self.overscanBehind = overscanBehind
    self.anchorMode = anchorMode
    self.heartbeatInterval = heartbeatInterval
  }

  /// What a session makes of these wishes: every value set and within what is served.
  public var granted: SessionOptions {
    SessionOptions(
      maxInFlightFrames: maxInFlightFrames <= 0 ? 2 : min(maxInFlightFrames, 8),
      minFrameInterval: min(max(minFrameInterval, .zero), .seconds(10)),
      overscanAhead: Self.grantedOverscan(overscanAhead ?? 1),
      overscanBehind: Self.grantedOverscan(overscanBehind ?? 0.5),
      anchorMode: anchorMode,
      heartbeatInterval: min(max(heartbeatInterval ?? .seconds(15), .seconds(1)), .seconds(60))
    )
  }

  /// Five viewports each way keep the coverage within sixteen.
  private static func grantedOverscan(_ wish: Double) -> Double {
    wish.isFinite ? min(max(wish, 0), 5) : 0
  }
}

/// What stays still on screen when the content above it changes.
///
/// At the very start `firstVisible` keeps the start in view, at the very end `lastVisible` the end.
public enum AnchorMode: UInt8, Hashable, Sendable, CaseIterable {
  case none = 1
  case firstVisible = 2
  case lastVisible = 3
}
