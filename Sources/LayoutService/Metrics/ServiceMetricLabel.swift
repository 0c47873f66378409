// SPDX-License-Identifier: Apache-2.0

/// The labels of the service's metrics. The store (`StoreMetricLabel`) and the engine
/// (`LayoutDurations`) have their own.
public enum ServiceMetricLabel {
  /// Durations of calls, including layout streams: "rpc.system.name", "rpc.method",
  /// "rpc.response.status_code", and "error.type" for failed calls, by OpenTelemetry's conventions.
  public static let calls = "rpc.server.call.duration"
  /// Refused calls, streams and events: "reason" and "of".
  public static let refusals = "layout.refusals"
  /// Opened streams: "outcome".
  public static let openings = "layout.sessions.opened"
  /// Ended streams: "reason".
  public static let endings = "layout.sessions.ended"
  /// Events of sessions: "kind".
  public static let events = "layout.events"
  /// Frames, including keyframes.
  public static let frames = "layout.frames"
  /// Sent frames that another session in the same state had built.
  public static let sharedFrames = "layout.frames.shared"
  /// Keyframes.
  public static let keyframes = "layout.keyframes"
  /// Elements that frames added or changed.
  public static let elements = "layout.frame.elements"
  /// Bytes of messages on layout streams.
  public static let sentBytes = "layout.stream.sent"
  /// The time from a commit to a frame that shows it; if a frame shows several commits, from the
  /// oldest.
  public static let latency = "layout.commit.to_frame.duration"
  /// Sizes that were offered to all viewers of a collection: "outcome", one of "accepted", "equal"
  /// (known already), "refused_role", "refused_full", "refused_disputed" and "refused_behind".
  public static let sharedSizes = "layout.shared_measurements.sizes"
  /// Clients that were told that they are slow.
  public static let slowNotices = "layout.slow_clients"
}
