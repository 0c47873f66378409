// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
public import GRPCCore

/// Why a request was refused: becomes the `Problem` message of one event, or the status of a call.
///
/// It names the field at fault, what was found there and what is allowed.
public struct LayoutProblem: Error, Hashable, Sendable {
  /// A resource that was not found, or exists already.
  public struct Resource: Hashable, Sendable {
    /// "collection" or "session".
    public var type: String
    /// The name as clients write it: "collections/artworks".
    public var name: String

    /// A resource of this type and name.
    public init(type: String, name: String) {
      self.type = type
      self.name = name
    }
  }

  /// The status code of the call, if the problem ends it.
  public var code: RPCError.Code
  /// A stable name for programs; `.none` = the code says everything.
  public var reason: Reason
  /// A sentence for people.
  public var message: String
  /// The fields at fault; empty = no field is.
  public var violations: [FieldViolation]
  /// Further values for programs, such as the limit that was reached. Keys are in lowerCamelCase.
  public var metadata: [String: String]
  /// The resource that was not found, or exists already; nil = the problem is another.
  public var resource: Resource?
  /// How long to wait before a retry; nil = a retry does not help.
  public var retryDelay: Duration?

  /// A problem; the factories in `LayoutProblem+Faults` make those that the protocol names.
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

  /// The same problem with `prefix` before the path of every field, for an outer message that holds
  /// the faulty one in the field `prefix`.
  public func within(_ prefix: String) -> LayoutProblem {
    var problem = self
    problem.violations = violations.map { $0.within(prefix) }
    if let summary = FieldViolation.summary(of: problem.violations),
      message == FieldViolation.summary(of: violations)
    {
      problem.message = summary
    }
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
  /// A stable name for a kind of problem. Not an enumeration, because peers of other versions may
  /// send further ones.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    /// The name in UPPER_SNAKE_CASE.
    public var rawValue: String

    /// A reason with this name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no reason besides the code.
    public static let none = Reason(rawValue: "")
    /// A field is not finite, out of its range, too long, or unknown.
    public static let fieldInvalid = Reason(rawValue: "FIELD_INVALID")
    /// The operations of a batch contradict each other or the contents.
    public static let batchInconsistent = Reason(rawValue: "BATCH_INCONSISTENT")
    /// Nothing has the key.
    public static let keyUnknown = Reason(rawValue: "KEY_UNKNOWN")
    /// Something else has the key.
    public static let keyTaken = Reason(rawValue: "KEY_TAKEN")
    /// The item is hidden in an outline.
    public static let elementHidden = Reason(rawValue: "ELEMENT_HIDDEN")
    /// There is no layout, or one of a kind that the server does not support.
    public static let layoutKindUnknown = Reason(rawValue: "LAYOUT_KIND_UNKNOWN")
    /// An index is beyond the end of the contents.
    public static let indexOutOfRange = Reason(rawValue: "INDEX_OUT_OF_RANGE")
    /// The updates that were asked for are no longer kept.
    public static let historyCompacted = Reason(rawValue: "HISTORY_COMPACTED")
    /// There is no such collection.
    public static let collectionNotFound = Reason(rawValue: "COLLECTION_NOT_FOUND")
    /// The collection has no layout of this name.
    public static let layoutNotFound = Reason(rawValue: "LAYOUT_NOT_FOUND")
    /// The collection has a layout of this name already.
    public static let layoutExists = Reason(rawValue: "LAYOUT_EXISTS")
    /// There is no such session, or it can no longer be resumed.
    public static let sessionExpired = Reason(rawValue: "SESSION_EXPIRED")
    /// There is a collection of this name already.
    public static let collectionExists = Reason(rawValue: "COLLECTION_EXISTS")
    /// The data version or etag is not the expected one.
    public static let versionConflict = Reason(rawValue: "VERSION_CONFLICT")
    /// The client broke the protocol, such as by messages in the wrong order.
    public static let protocolViolation = Reason(rawValue: "PROTOCOL_VIOLATION")
    /// The resume token is malformed, or not of this server.
    public static let resumeTokenInvalid = Reason(rawValue: "RESUME_TOKEN_INVALID")
    /// The page token is malformed, or not of this query.
    public static let pageTokenInvalid = Reason(rawValue: "PAGE_TOKEN_INVALID")
    /// The metadata names another collection than the message.
    public static let routingKeyMismatch = Reason(rawValue: "ROUTING_KEY_MISMATCH")
    /// The first request of a stream did not arrive in time.
    public static let openTimeout = Reason(rawValue: "OPEN_TIMEOUT")
    /// The next message of a call did not arrive in time.
    public static let messageTimeout = Reason(rawValue: "MESSAGE_TIMEOUT")
    /// The event does not fit the session's state.
    public static let wrongState = Reason(rawValue: "WRONG_STATE")
    /// The rules of the session keep items from being moved by hand, or from going there.
    public static let moveRefused = Reason(rawValue: "MOVE_REFUSED")
    /// The collection has not reached the data version.
    public static let versionAhead = Reason(rawValue: "VERSION_AHEAD")
    /// The collection was recreated, or restored from a backup.
    public static let incarnationChanged = Reason(rawValue: "INCARNATION_CHANGED")
    /// The data version was not reached in time.
    public static let dataVersionNotReached = Reason(rawValue: "DATA_VERSION_NOT_REACHED")
    /// The server does not support what was asked for.
    public static let featureUnsupported = Reason(rawValue: "FEATURE_UNSUPPORTED")
    /// A request has more bytes than are allowed.
    public static let messageTooLarge = Reason(rawValue: "MESSAGE_TOO_LARGE")
    /// The client does not read, or does not acknowledge frames.
    public static let slowClient = Reason(rawValue: "SLOW_CLIENT")
    /// The server is shutting down.
    public static let serverDraining = Reason(rawValue: "SERVER_DRAINING")
    /// The store cannot be read or written at present.
    public static let storeUnavailable = Reason(rawValue: "STORE_UNAVAILABLE")
    /// The program that places the layout is away.
    public static let layoutProviderUnavailable = Reason(rawValue: "LAYOUT_PROVIDER_UNAVAILABLE")
    /// The program that places the layout refused, was slow, or gave an invalid answer.
    public static let layoutProviderFailed = Reason(rawValue: "LAYOUT_PROVIDER_FAILED")
    /// The stored data of the collection is damaged.
    public static let logCorrupt = Reason(rawValue: "LOG_CORRUPT")

    /// The reason of a limit that was reached: "QUOTA_ITEMS".
    public static func quota(_ quota: Quota) -> Reason {
      Reason(rawValue: "QUOTA_\(quota.rawValue)")
    }

    /// Whether a limit was reached.
    public var isQuota: Bool { rawValue.hasPrefix("QUOTA_") }
  }

  /// What a limit counts. The raw value follows "QUOTA_" in the reason.
  public enum Quota: String, Hashable, Sendable, CaseIterable {
    case collections = "COLLECTIONS"
    case sessions = "SESSIONS"
    case sections = "SECTIONS"
    case items = "ITEMS"
    case operations = "OPERATIONS"
    case expansions = "EXPANSIONS"
    case layouts = "LAYOUTS"
    case elements = "ELEMENTS"
    case eventRate = "EVENT_RATE"
    case memory = "MEMORY"
    case calls = "CALLS"
    case callRate = "CALL_RATE"
    case imports = "IMPORTS"
    case answerBytes = "ANSWER_BYTES"
    case computations = "COMPUTATIONS"
    case steps = "STEPS"
    case credentials = "CREDENTIALS"
  }
}
