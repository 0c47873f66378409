// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel

/// What a session says besides frames.
public enum SessionMessage: Sendable {
  case eventResult(EventResult)
  case scrollTarget(eventSequence: UInt64, ScrollTarget)
  /// To the owner of a shared session: commit this batch, then tell its fate by `updateSettled`.
  case commit(eventSequence: UInt64, UpdateBatch)
}

/// The fate of one event.
public struct EventResult: Hashable, Sendable {
  public var eventSequence: UInt64
  /// nil = applied.
  public var problem: Refusal?
  /// Of an applied update.
  public var dataVersion: UInt64?
  /// The update's identifier had been applied before.
  public var isDuplicate: Bool

  public init(
    eventSequence: UInt64,
    problem: Refusal? = nil,
    dataVersion: UInt64? = nil,
    isDuplicate: Bool = false
  ) {
    self.eventSequence = eventSequence
    self.problem = problem
    self.dataVersion = dataVersion
    self.isDuplicate = isDuplicate
  }
}

/// A fault after which the stream cannot go on.
public struct ProtocolViolation: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }
}

/// What became of a batch that a shared session asked to commit.
public enum UpdateOutcome: Sendable {
  case committed(version: UInt64, isDuplicate: Bool)
  case refused(Refusal)
}

/// Sent when nothing else was for a while.
public struct Heartbeat: Hashable, Sendable {
  public var lastFrame: UInt64
  public var dataVersion: UInt64
  public var appliedEvent: UInt64
  public var liveCount: Int
  public var stateChecksum: UInt32
}
