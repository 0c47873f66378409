// SPDX-License-Identifier: Apache-2.0

public import CollectionLayouts
public import CollectionModel

/// What a session tells besides frames.
public enum SessionMessage: Sendable {
  /// Whether an event was applied or refused. For the client.
  case eventResult(EventResult)
  /// The answer to a question where to scroll. For the client.
  case scrollTarget(eventSequence: UInt64, ScrollTarget)
  /// Asks the owner of a shared session to commit this batch and to report the outcome by
  /// `updateSettled`.
  case commit(eventSequence: UInt64, UpdateBatch)
}

/// Whether one event was applied or refused. Viewport changes get a result only where they are refused.
public struct EventResult: Hashable, Sendable {
  /// The sequence number of the event.
  public var eventSequence: UInt64
  /// Why the event was refused; nil = it was applied.
  public var problem: EventProblem?
  /// The data version that an applied update led to; nil for other events.
  public var dataVersion: UInt64?
  /// Whether a batch with the same request identifier had been applied before, so that this one was not.
  public var isDuplicate: Bool

  /// A result with the given values; by default that of an event that was applied.
  public init(
    eventSequence: UInt64,
    problem: EventProblem? = nil,
    dataVersion: UInt64? = nil,
    isDuplicate: Bool = false
  ) {
    self.eventSequence = eventSequence
    self.problem = problem
    self.dataVersion = dataVersion
    self.isDuplicate = isDuplicate
  }
}

/// Why an event was refused. A refused event has no effect.
public struct EventProblem: Error, Hashable, Sendable {
  /// The kind of problem; raw values are the reasons of the contract.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// A value that is not allowed.
    case fieldInvalid = "FIELD_INVALID"
    /// Operations of a batch contradict each other or the contents.
    case batchInconsistent = "BATCH_INCONSISTENT"
    /// A layout that the server does not know.
    case layoutKindUnknown = "LAYOUT_KIND_UNKNOWN"
    /// A section, an item or an element does not exist.
    case indexOutOfRange = "INDEX_OUT_OF_RANGE"
    /// A batch was made against another data version than the current one.
    case versionConflict = "VERSION_CONFLICT"
    /// A batch would lead to too many items.
    case quotaItems = "QUOTA_ITEMS"
    /// A batch would lead to too many sections.
    case quotaSections = "QUOTA_SECTIONS"
    /// A batch has too many operations.
    case quotaOperations = "QUOTA_OPERATIONS"
    /// The server does not know this kind of event.
    case featureUnsupported = "FEATURE_UNSUPPORTED"
    /// The event does not fit what went before, such as the end of a movement that has not begun.
    case wrongState = "WRONG_STATE"

    /// The number of the gRPC status code that the reason maps to.
    public var code: Int {
      switch self {
      case .fieldInvalid, .batchInconsistent, .layoutKindUnknown: 3
      case .quotaItems, .quotaSections, .quotaOperations: 8
      case .wrongState: 9
      case .versionConflict: 10
      case .indexOutOfRange: 11
      case .featureUnsupported: 12
      }
    }
  }

  /// One field at fault.
  public struct Violation: Hashable, Sendable {
    /// A path that counts from the event on: "operations[3].move_item.to".
    public var field: String
    /// What was found and what is allowed.
    public var description: String

    /// A violation of one field.
    public init(field: String, description: String) {
      self.field = field
      self.description = description
    }
  }

  /// The kind of problem.
  public var reason: Reason
  /// What was found and what is allowed, for people.
  public var message: String
  /// The fields at fault; empty where the problem is not about fields.
  public var violations: [Violation]
  /// Further values for programs: "currentDataVersion" with a version conflict, "feature" with an
  /// unsupported one.
  public var metadata: [String: String]

  /// A problem with the given values.
  public init(
    _ reason: Reason,
    _ message: String,
    violations: [Violation] = [],
    metadata: [String: String] = [:]
  ) {
    self.reason = reason
    self.message = message
    self.violations = violations
    self.metadata = metadata
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
  case refused(EventProblem)
}

/// Tells a client that the session is alive, and what the client should have by now. Sent when nothing
/// else has been sent for the heartbeat interval.
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
