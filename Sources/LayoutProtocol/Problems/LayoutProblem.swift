// SPDX-License-Identifier: Apache-2.0

public import GRPCCore

/// Why something was refused: the message `Problem` of an event, or the status of a call that
/// fails as a whole.
///
/// A refusal says which field, what was found there and what is allowed.
public struct LayoutProblem: Error, Hashable, Sendable {
  /// One field at fault.
  public struct Violation: Hashable, Sendable {
    /// A path from the event or request on: "operations[3].move_item.to".
    public var field: String
    /// What was found and what is allowed.
    public var description: String

    public init(field: String, description: String) {
      self.field = field
      self.description = description
    }
  }

  /// What was not found, or exists already.
  public struct Resource: Hashable, Sendable {
    /// "collection" or "session".
    public var type: String
    public var name: String

    public init(type: String, name: String) {
      self.type = type
      self.name = name
    }
  }

  public var code: RPCError.Code
  /// Stable, for programs. Empty where the code says everything.
  public var reason: Reason
  /// For people.
  public var message: String
  public var violations: [Violation]
  /// Keys in lowerCamelCase.
  public var metadata: [String: String]
  public var resource: Resource?
  /// How long to wait before trying again; nil = trying again does not help.
  public var retryDelay: Duration?

  public init(
    code: RPCError.Code,
    reason: Reason,
    message: String,
    violations: [Violation] = [],
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
    for index in problem.violations.indices {
      let field = problem.violations[index].field
      problem.violations[index].field = field.isEmpty ? prefix : "\(prefix).\(field)"
    }
    return problem
  }
}

extension LayoutProblem: CustomStringConvertible {
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

    public static let none = Reason(rawValue: "")
    public static let fieldInvalid = Reason(rawValue: "FIELD_INVALID")
    public static let batchInconsistent = Reason(rawValue: "BATCH_INCONSISTENT")
    public static let layoutKindUnknown = Reason(rawValue: "LAYOUT_KIND_UNKNOWN")
    public static let indexOutOfRange = Reason(rawValue: "INDEX_OUT_OF_RANGE")
    public static let historyCompacted = Reason(rawValue: "HISTORY_COMPACTED")
    public static let collectionNotFound = Reason(rawValue: "COLLECTION_NOT_FOUND")
    public static let sessionExpired = Reason(rawValue: "SESSION_EXPIRED")
    public static let collectionExists = Reason(rawValue: "COLLECTION_EXISTS")
    public static let versionConflict = Reason(rawValue: "VERSION_CONFLICT")
    public static let protocolViolation = Reason(rawValue: "PROTOCOL_VIOLATION")
    public static let resumeTokenInvalid = Reason(rawValue: "RESUME_TOKEN_INVALID")
    public static let pageTokenInvalid = Reason(rawValue: "PAGE_TOKEN_INVALID")
    public static let routingKeyMismatch = Reason(rawValue: "ROUTING_KEY_MISMATCH")
    public static let openTimeout = Reason(rawValue: "OPEN_TIMEOUT")
    public static let dataVersionNotReached = Reason(rawValue: "DATA_VERSION_NOT_REACHED")
    public static let featureUnsupported = Reason(rawValue: "FEATURE_UNSUPPORTED")
    public static let messageTooLarge = Reason(rawValue: "MESSAGE_TOO_LARGE")
    public static let slowClient = Reason(rawValue: "SLOW_CLIENT")
    public static let serverDraining = Reason(rawValue: "SERVER_DRAINING")
    public static let storeUnavailable = Reason(rawValue: "STORE_UNAVAILABLE")
    public static let logCorrupt = Reason(rawValue: "LOG_CORRUPT")

    /// A limit that was reached: "QUOTA_ITEMS".
    public static func quota(_ quota: Quota) -> Reason {
      Reason(rawValue: "QUOTA_\(quota.rawValue)")
    }

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
  }
}
