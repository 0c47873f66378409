// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import GRPCCore

/// Why something was refused: the message `Problem` of an event, or the status of a call that
/// fails as a whole.
///
/// A refusal says which field, what was found there and what is allowed.
public struct LayoutProblem: Error, Hashable, Sendable {
  /// What was not found, or exists already.
  public struct Resource: Hashable, Sendable {
    /// "collection" or "session".
    public var type: String
    /// As clients write it: "collections/artworks".
    public var name: String

    /// A resource of this type and name.
    public init(type: String, name: String) {
      self.type = type
      self.name = name
    }
  }

  /// Of the status of the call, where the problem ends it.
  public var code: RPCError.Code
  /// Stable, for programs. Empty where the code says everything.
  public var reason: Reason
  /// For people.
  public var message: String
  /// The fields at fault; empty where no field is.
  public var violations: [FieldViolation]
  /// Keys in lowerCamelCase.
  public var metadata: [String: String]
  /// What was not found, or exists already; nil where the problem is another.
  public var resource: Resource?
  /// How long to wait before trying again; nil = trying again does not help.
  public var retryDelay: Duration?

  public init(
    code: RPCError.Code,
    reason: Reason,
    message: String,
    violations: [FieldViolation] = [],
    metadata: [String: String] = [:],
    resource: Resource? = nil,
    retryDelay: Duration? = nil
  ) {
    self.code = code
    self.reason = reason
    self.message = message
    self.violations = violations
    self.metadata = metadata
    self.resource = resource
    self.retryDelay = retryDelay
  }

  /// The same with every field seen from a message that holds the faulty one under `prefix`.
  public func within(_ prefix: String) -> LayoutProblem {
    var problem = self
    problem.violations = violations.map { $0.within(prefix) }
    return problem
  }
}

extension LayoutProblem: CustomStringConvertible {
  /// The reason, the message, and a line for each violation.
  public var description: String {
    let details = violations.map { "\n  \($0.field): \($0.description)" }.joined()
    return "\(reason.rawValue.isEmpty ? "\(code)" : reason.rawValue): \(message)\(details)"
  }
}

extension LayoutProblem {
  /// A stable name for a kind of fault, in UPPER_SNAKE_CASE. Open: peers may know more of them.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code says everything.
    public static let none = Reason(rawValue: "")
    /// A field is not finite, out of its range, of the wrong length, or unknown.
    public static let fieldInvalid = Reason(rawValue: "FIELD_INVALID")
    /// The operations of a batch contradict each other or the data.
    public static let batchInconsistent = Reason(rawValue: "BATCH_INCONSISTENT")
    /// No layout, or a kind that the server lacks.
    public static let layoutKindUnknown = Reason(rawValue: "LAYOUT_KIND_UNKNOWN")
    /// An index beyond the collection.
    public static let indexOutOfRange = Reason(rawValue: "INDEX_OUT_OF_RANGE")
    /// Updates that are no longer kept.
    public static let historyCompacted = Reason(rawValue: "HISTORY_COMPACTED")
    /// No such collection.
    public static let collectionNotFound = Reason(rawValue: "COLLECTION_NOT_FOUND")
    /// No such session, or a resume too late.
    public static let sessionExpired = Reason(rawValue: "SESSION_EXPIRED")
    /// The identifier is in use.
    public static let collectionExists = Reason(rawValue: "COLLECTION_EXISTS")
    /// The data version or etag is not the expected one.
    public static let versionConflict = Reason(rawValue: "VERSION_CONFLICT")
    /// Messages in the wrong order.
    public static let protocolViolation = Reason(rawValue: "PROTOCOL_VIOLATION")
    /// Not a resume token of this server.
    public static let resumeTokenInvalid = Reason(rawValue: "RESUME_TOKEN_INVALID")
    /// Not a page token of this question.
    public static let pageTokenInvalid = Reason(rawValue: "PAGE_TOKEN_INVALID")
    /// The metadata names another collection than the message.
    public static let routingKeyMismatch = Reason(rawValue: "ROUTING_KEY_MISMATCH")
    /// The first request of a stream did not come in time.
    public static let openTimeout = Reason(rawValue: "OPEN_TIMEOUT")
    /// The next message of a call did not come in time.
    public static let messageTimeout = Reason(rawValue: "MESSAGE_TIMEOUT")
    /// An event that does not fit the session's state.
    public static let wrongState = Reason(rawValue: "WRONG_STATE")
    /// A data version that does not exist yet.
    public static let versionAhead = Reason(rawValue: "VERSION_AHEAD")
    /// The collection was recreated or restored.
    public static let incarnationChanged = Reason(rawValue: "INCARNATION_CHANGED")
    /// The data version was not reached in time.
    public static let dataVersionNotReached = Reason(rawValue: "DATA_VERSION_NOT_REACHED")
    /// The server cannot do it.
    public static let featureUnsupported = Reason(rawValue: "FEATURE_UNSUPPORTED")
    /// A request above the limit.
    public static let messageTooLarge = Reason(rawValue: "MESSAGE_TOO_LARGE")
    /// The client does not read or acknowledge.
    public static let slowClient = Reason(rawValue: "SLOW_CLIENT")
    /// The server is going away.
    public static let serverDraining = Reason(rawValue: "SERVER_DRAINING")
    /// The store is out of reach.
    public static let storeUnavailable = Reason(rawValue: "STORE_UNAVAILABLE")
    /// What is stored is damaged.
    public static let logCorrupt = Reason(rawValue: "LOG_CORRUPT")

    /// A limit that was reached: "QUOTA_ITEMS".
    public static func quota(_ quota: Quota) -> Reason {
      Reason(rawValue: "QUOTA_\(quota.rawValue)")
    }

    /// Whether a limit was reached.
    public var isQuota: Bool { rawValue.hasPrefix("QUOTA_") }
  }

  /// What is limited.
  public enum Quota: String, Hashable, Sendable, CaseIterable {
    case collections = "COLLECTIONS"
    case sessions = "SESSIONS"
    case sections = "SECTIONS"
    case items = "ITEMS"
    case operations = "OPERATIONS"
    case elements = "ELEMENTS"
    case eventRate = "EVENT_RATE"
    case memory = "MEMORY"
    case calls = "CALLS"
    case callRate = "CALL_RATE"
    case imports = "IMPORTS"
    case answerBytes = "ANSWER_BYTES"
    case computations = "COMPUTATIONS"
    case steps = "STEPS"
  }
}
