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
  public var problem: EventProblem?
  /// Of an applied update.
  public var dataVersion: UInt64?
  /// The update's identifier had been applied before.
  public var isDuplicate: Bool

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

/// Why an event was refused. A refused event leaves no trace.
public struct EventProblem: Error, Hashable, Sendable {
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    case fieldInvalid = "FIELD_INVALID"
    case batchInconsistent = "BATCH_INCONSISTENT"
    case layoutKindUnknown = "LAYOUT_KIND_UNKNOWN"
    case indexOutOfRange = "INDEX_OUT_OF_RANGE"
    case versionConflict = "VERSION_CONFLICT"
    case quotaItems = "QUOTA_ITEMS"
    case quotaSections = "QUOTA_SECTIONS"
    case quotaOperations = "QUOTA_OPERATIONS"
    case featureUnsupported = "FEATURE_UNSUPPORTED"
    case wrongState = "WRONG_STATE"

    /// The gRPC status code that goes with it.
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

  public struct Violation: Hashable, Sendable {
    /// A path from the event on: "operations[3].move_item.to".
    public var field: String
    /// What was found and what is allowed.
    public var description: String

    public init(field: String, description: String) {
      self.field = field
      self.description = description
    }
  }

  public var reason: Reason
  public var message: String
  public var violations: [Violation]
  public var metadata: [String: String]

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

/// A fault after which the stream cannot go on.
public struct ProtocolViolation: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }
}

/// What became of a batch that a shared session asked to commit.
public enum UpdateOutcome: Sendable {
  case committed(version: UInt64, isDuplicate: Bool)
  case refused(EventProblem)
}

/// Sent when nothing else was for a while.
public struct Heartbeat: Hashable, Sendable {
  public var lastFrame: UInt64
  public var dataVersion: UInt64
  public var appliedEvent: UInt64
  public var liveCount: Int
  public var stateChecksum: UInt32
}
