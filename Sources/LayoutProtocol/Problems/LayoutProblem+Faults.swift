// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
import GRPCCore

// One factory for each fault that the protocol names.

// MARK: - What a client sent

extension LayoutProblem {
  /// A field that is not finite, negative where lengths are, of the wrong length, or unknown.
  public static func fieldInvalid(_ field: String, _ description: String) -> LayoutProblem {
    fieldsInvalid([FieldViolation(field: field, description: description)])
  }

  /// Several such fields; the message is about the first one.
  public static func fieldsInvalid(_ violations: [FieldViolation]) -> LayoutProblem {
    LayoutProblem(Refusal(.fieldInvalid, violations))
  }

  /// An index beyond the collection.
  public static func indexOutOfRange(_ violations: [FieldViolation]) -> LayoutProblem {
    LayoutProblem(Refusal(.indexOutOfRange, violations))
  }

  /// No layout, or a kind that this server lacks.
  public static func layoutKindUnknown(
    field: String,
    found: String,
    supported: [String]
  ) -> LayoutProblem {
    let list = supported.joined(separator: ", ")
    let description = "\(found); supported are \(list)"
    return LayoutProblem(
      code: .invalidArgument,
      reason: .layoutKindUnknown,
      message: "\(field): \(description).",
      violations: [FieldViolation(field: field, description: description)],
      metadata: ["supportedKinds": list]
    )
  }

  /// A page token of another question, or none of ours.
  public static func pageTokenInvalid(_ description: String) -> LayoutProblem {
    LayoutProblem(
      code: .invalidArgument,
      reason: .pageTokenInvalid,
      message: "page_token: \(description).",
      violations: [FieldViolation(field: "page_token", description: description)]
    )
  }

  /// A resume token that is malformed or signed with another key.
  public static func resumeTokenInvalid(_ description: String) -> LayoutProblem {
    LayoutProblem(
      code: .invalidArgument,
      reason: .resumeTokenInvalid,
      message: "resume.resume_token: \(description).",
      violations: [FieldViolation(field: "resume.resume_token", description: description)]
    )
  }

  /// The metadata names another collection than the message.
  public static func routingKeyMismatch(metadata: String, message: String) -> LayoutProblem {
    LayoutProblem(
      code: .invalidArgument,
      reason: .routingKeyMismatch,
      message: """
        The metadata x-layout-collection names \(Quoted(metadata)), the request \(Quoted(message)).
        """
    )
  }

  /// The stream broke the rules: the first message does not open, counters run backwards, or a
  /// frame is acknowledged that was never sent.
  public static func protocolViolation(_ message: String) -> LayoutProblem {
    LayoutProblem(code: .failedPrecondition, reason: .protocolViolation, message: message)
  }

  /// A stream that was opened but does not say what it wants.
  public static func openTimeout(after limit: Duration) -> LayoutProblem {
    LayoutProblem(
      code: .deadlineExceeded,
      reason: .openTimeout,
      message: "The first request did not arrive within \(limit)."
    )
  }

  /// A call whose client owes a message for too long.
  public static func messageTimeout(after limit: Duration) -> LayoutProblem {
    LayoutProblem(
      code: .deadlineExceeded,
      reason: .messageTimeout,
      message: "The next message did not arrive within \(limit)."
    )
  }

  /// What this server cannot do.
  public static func featureUnsupported(_ message: String) -> LayoutProblem {
    LayoutProblem(code: .unimplemented, reason: .featureUnsupported, message: message)
  }
}

// MARK: - What is there and what is not

extension LayoutProblem {
  /// - Parameter name: "collections/{collection}".
  public static func collectionNotFound(_ name: String) -> LayoutProblem {
    LayoutProblem(
      code: .notFound,
      reason: .collectionNotFound,
      message: "There is no collection \(Quoted(name)).",
      resource: Resource(type: "collection", name: Quoted.shortened(name))
    )
  }

  /// No such session, or a resume too late.
  ///
  /// - Parameter name: "sessions/{session}"; empty = not known.
  public static func sessionExpired(_ name: String) -> LayoutProblem {
    LayoutProblem(
      code: .notFound,
      reason: .sessionExpired,
      message: name.isEmpty ? "The session is gone." : "There is no session \(Quoted(name)).",
      resource: Resource(type: "session", name: Quoted.shortened(name))
    )
  }

  /// ALREADY_EXISTS, COLLECTION_EXISTS: a collection of that name cannot be created again.
  public static func collectionExists(_ name: String) -> LayoutProblem {
    LayoutProblem(
      code: .alreadyExists,
      reason: .collectionExists,
      message: "The collection \(Quoted(name)) exists.",
      resource: Resource(type: "collection", name: Quoted.shortened(name))
    )
  }

  /// A batch or an import that was made against another version.
  public static func versionConflict(
    field: String = "expected_data_version",
    expected: UInt64,
    current: UInt64
  ) -> LayoutProblem {
    LayoutProblem(Refusal.versionConflict(field: field, expected: expected, current: current))
  }

  /// A change of a collection that has changed since it was read.
  public static func etagConflict(
    field: String = "etag",
    expected: String,
    current: String
  ) -> LayoutProblem {
    let description = "\(Quoted(expected)) is not the current etag, which is \(Quoted(current))"
    return LayoutProblem(
      code: .aborted,
      reason: .versionConflict,
      message: "\(field): \(description).",
      violations: [FieldViolation(field: field, description: description)],
      metadata: ["currentEtag": current]
    )
  }

  /// History that is no longer kept.
  public static func historyCompacted(
    field: String = "after_data_version",
    found: UInt64,
    minDataVersion: UInt64
  ) -> LayoutProblem {
    let description = "\(found) is too old, the history starts after \(minDataVersion)"
    return LayoutProblem(
      code: .outOfRange,
      reason: .historyCompacted,
      message: "\(field): \(description).",
      violations: [FieldViolation(field: field, description: description)],
      metadata: ["minDataVersion": String(minDataVersion)]
    )
  }

  /// A version that does not exist yet, as after a restored backup.
  public static func versionAhead(
    field: String = "after_data_version",
    found: UInt64,
    current: UInt64
  ) -> LayoutProblem {
    let description = "\(found) found; at most the current data version, \(current), is allowed"
    return LayoutProblem(
      code: .outOfRange,
      reason: .versionAhead,
      message: "\(field): \(description).",
      violations: [FieldViolation(field: field, description: description)],
      metadata: ["currentDataVersion": String(current)]
    )
  }

  /// Versions of a collection that has been recreated or restored since.
  public static func incarnationChanged(
    field: String = "incarnation",
    found: UInt64,
    current: UInt64
  ) -> LayoutProblem {
    let description = "\(found) found; the collection was recreated or restored as \(current)"
    return LayoutProblem(
      code: .outOfRange,
      reason: .incarnationChanged,
      message: "\(field): \(description).",
      violations: [FieldViolation(field: field, description: description)],
      metadata: ["currentIncarnation": String(current)]
    )
  }

  /// A version that did not come in time.
  public static func dataVersionNotReached(wanted: UInt64, current: UInt64) -> LayoutProblem {
    LayoutProblem(
      code: .failedPrecondition,
      reason: .dataVersionNotReached,
      message: "The data version is \(current); \(wanted) was not reached in time.",
      metadata: ["currentDataVersion": String(current)]
    )
  }
}

// MARK: - Limits and rights

extension LayoutProblem {
  /// A limit was reached.
  ///
  /// - Parameters:
  ///   - found: what was asked for; nil = one more than the limit.
  ///   - violation: the field that asked for it, if any.
  ///   - retryDelay: nil = waiting does not help.
  public static func quotaExceeded(
    _ quota: Quota,
    limit: UInt64,
    found: UInt64? = nil,
    field: String? = nil,
    retryDelay: Duration? = nil
  ) -> LayoutProblem {
    let limited = quota.rawValue.lowercased().replacing("_", with: " ")
    let description =
      found.map { "\($0) \(limited) are above the limit of \(limit)" }
      ?? "The limit of \(limit) (\(limited)) is reached"
    return LayoutProblem(
      code: .resourceExhausted,
      reason: .quota(quota),
      message: field.map { "\($0): \(description)." } ?? "\(description).",
      violations: field.map { [FieldViolation(field: $0, description: description)] } ?? [],
      metadata: ["limit": String(limit)],
      retryDelay: retryDelay
    )
  }

  /// RESOURCE_EXHAUSTED, MESSAGE_TOO_LARGE: a request of `found` bytes where `limit` are allowed.
  public static func messageTooLarge(found: Int, limit: Int) -> LayoutProblem {
    LayoutProblem(
      code: .resourceExhausted,
      reason: .messageTooLarge,
      message: "The message has \(found) bytes, \(limit) are allowed.",
      metadata: ["limit": String(limit)]
    )
  }

  /// A client that does not acknowledge frames.
  public static func slowClient(
    unacknowledgedFor: Duration,
    retryDelay: Duration = .seconds(1)
  ) -> LayoutProblem {
    LayoutProblem(
      code: .resourceExhausted,
      reason: .slowClient,
      message: "No frame was acknowledged for \(unacknowledgedFor).",
      retryDelay: retryDelay
    )
  }

  /// A client that does not read what is sent to it.
  public static func slowClient(unreadFor time: Duration) -> LayoutProblem {
    LayoutProblem(
      code: .resourceExhausted,
      reason: .slowClient,
      message: "Nothing was read for \(time).",
      retryDelay: .seconds(1)
    )
  }

  /// UNAUTHENTICATED: credentials are missing or wrong.
  public static func unauthenticated(_ message: String) -> LayoutProblem {
    LayoutProblem(code: .unauthenticated, reason: .none, message: message)
  }

  /// The same words whether or not the thing exists.
  public static func permissionDenied(
    _ message: String = "This is not allowed, or it does not exist."
  ) -> LayoutProblem {
    LayoutProblem(code: .permissionDenied, reason: .none, message: message)
  }
}

// MARK: - Faults of the server

extension LayoutProblem {
  /// The server is going away; others may be there.
  public static func serverDraining(retryDelay: Duration = .seconds(1)) -> LayoutProblem {
    LayoutProblem(
      code: .unavailable,
      reason: .serverDraining,
      message: "The server is going away.",
      retryDelay: retryDelay
    )
  }

  /// UNAVAILABLE, STORE_UNAVAILABLE: nothing was changed; worth trying again after `retryDelay`.
  public static func storeUnavailable(
    _ message: String = "The store is out of reach.",
    retryDelay: Duration = .seconds(1)
  ) -> LayoutProblem {
    LayoutProblem(
      code: .unavailable,
      reason: .storeUnavailable,
      message: message,
      retryDelay: retryDelay
    )
  }

  /// DATA_LOSS, LOG_CORRUPT: what is stored of the collection is damaged.
  public static func logCorrupt(_ message: String) -> LayoutProblem {
    LayoutProblem(code: .dataLoss, reason: .logCorrupt, message: message)
  }

  /// A fault of the server's own; details go into its log, not to its peers.
  public static func internalFault(_ message: String = "The server is at fault.") -> LayoutProblem {
    LayoutProblem(code: .internalError, reason: .none, message: message)
  }
}

// MARK: - Words

/// A string from outside inside a message: in quotes, and not endless.
struct Quoted: CustomStringConvertible {
  var description: String

  init(_ text: String) { description = "\"\(Quoted.shortened(text))\"" }

  /// At most 80 characters.
  static func shortened(_ text: String) -> String {
    // Counting bytes first keeps this from walking over a megabyte.
    if text.utf8.count <= 80 { return text }
    return "\(text.prefix(80))…"
  }
}
