// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel

/// What a session tells its client or its owner, besides frames.
public enum SessionMessage: Sendable {
  /// Whether an event was applied or refused. For the client.
  case eventResult(EventResult)
  /// The answer to a question where to scroll. For the client.
  case scrollTarget(eventSequence: UInt64, ScrollTarget)
  /// Asks the owner of a shared session to commit this batch and to report the outcome by
  /// `updateSettled`.
  case commit(eventSequence: UInt64, UpdateBatch)
  /// Asks the owner of a shared session to look up items of another collection, and to report them
  /// by `foreignFound`, or a failure by `updateSettled`.
  case lookUp(eventSequence: UInt64, ForeignKeys)
  /// Asks the owner of a shared session to transfer items of another collection to that of the
  /// session, and to report the outcome by `updateSettled`.
  case transfer(eventSequence: UInt64, from: String, ItemTransfer)
  /// Asks the owner of a session that shares measured sizes to offer these to the others, and to
  /// report the outcome by `offered`.
  case share(SharedOffer)
}

/// Items of another collection.
public struct ForeignKeys: Hashable, Sendable {
  /// "collections/{collection}", as the client has sent it.
  public var collection: String
  /// The keys of the items.
  public var keys: [String]
}

/// Whether one event was applied or refused. Viewport changes get a result only if they are
/// refused.
public struct EventResult: Hashable, Sendable {
  /// The sequence number of the event.
  public var eventSequence: UInt64
  /// Why the event was refused; nil = it was applied.
  public var problem: Refusal?
  /// The data version that an applied update led to; nil for other events.
  public var dataVersion: UInt64?
  /// Whether a batch with the same request identifier had been applied before, so that this one was
  /// not.
  public var isDuplicate: Bool

  /// A result with the given values; by default that of an event that was applied.
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

/// A fault of the client after which the stream must end.
public struct ProtocolViolation: Error, Hashable, Sendable, CustomStringConvertible {
  /// What the client did.
  public var description: String

  /// A violation with the given description.
  public init(_ description: String) { self.description = description }
}

/// The outcome of a batch that a shared session asked its owner to commit.
public enum UpdateOutcome: Sendable {
  /// The batch led to this data version; `isDuplicate` = it had been committed before.
  case committed(version: UInt64, isDuplicate: Bool)
  /// The batch was not committed.
  case refused(Refusal)
}

/// Tells a client that the session is alive, and what the client should have by now. Sent when
/// nothing else has been sent for the heartbeat interval.
public struct Heartbeat: Hashable, Sendable {
  /// The sequence number of the newest frame; 0 = none has been sent.
  public var lastFrame: UInt64
  /// The data version of the session's contents.
  public var dataVersion: UInt64
  /// The newest event such that it and all events before it have been applied or refused.
  public var appliedEvent: UInt64
  /// The number of elements that the client has once it has applied `lastFrame`.
  public var liveCount: Int
  /// The checksum of these elements.
  public var stateChecksum: UInt32
}
