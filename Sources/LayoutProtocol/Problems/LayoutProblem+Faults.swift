// SPDX-License-Identifier: Apache-2.0

public import CollectionModel
import GRPCCore

// One factory for each fault that the protocol names.

// MARK: - What a client sent

extension LayoutProblem {
  /// INVALID_ARGUMENT, FIELD_INVALID: a field is not finite, out of its range, too long, or
  /// unknown.
  ///
  /// - Parameters:
  ///   - field: the path from the event or request to the field.
  ///   - description: what was found and what is allowed.
  public static func fieldInvalid(_ field: String, _ description: String) -> LayoutProblem {
    fieldsInvalid([FieldViolation(field: field, description: description)])
  }

  /// INVALID_ARGUMENT, FIELD_INVALID: several fields are invalid. The message describes the first.
  public static func fieldsInvalid(_ violations: [FieldViolation]) -> LayoutProblem {
    LayoutProblem(Refusal(.fieldInvalid, violations))
  }

  /// OUT_OF_RANGE, INDEX_OUT_OF_RANGE: an index is beyond the end of the contents.
  public static func indexOutOfRange(_ violations: [FieldViolation]) -> LayoutProblem {
    LayoutProblem(Refusal(.indexOutOfRange, violations))
  }

  /// INVALID_ARGUMENT, LAYOUT_KIND_UNKNOWN: there is no layout, or one of a kind that this server
  /// does not support.
  ///
  /// - Parameters:
  ///   - found: what was found, without a full stop.
  ///   - supported: the kinds that are.
  public static func layoutKindUnknown(
    field: String,
    found: String,
    supported: [String]
  ) -> LayoutProblem {
    let list = supported.joined(separator: ", ")
    return LayoutProblem(
      .invalidArgument,
      .layoutKindUnknown,
      field,
      "\(found); supported are \(list)",
      metadata: ["supportedKinds": list]
    )
  }

  /// INVALID_ARGUMENT, PAGE_TOKEN_INVALID: the page token is of another query, or of another
  /// server.
  public static func pageTokenInvalid(_ description: String) -> LayoutProblem {
    LayoutProblem(.invalidArgument, .pageTokenInvalid, "page_token", description)
  }

  /// INVALID_ARGUMENT, RESUME_TOKEN_INVALID: the resume token is malformed, or signed with another
  /// key.
  public static func resumeTokenInvalid(_ description: String) -> LayoutProblem {
    LayoutProblem(.invalidArgument, .resumeTokenInvalid, "resume.resume_token", description)
  }

  /// INVALID_ARGUMENT, ROUTING_KEY_MISMATCH: the metadata names another collection than the
  /// message, so a proxy may have routed the call to the wrong server.
  public static func routingKeyMismatch(metadata: String, message: String) -> LayoutProblem {
    LayoutProblem(
      code: .invalidArgument,
      reason: .routingKeyMismatch,
      message: """
        The metadata x-layout-collection names \(Quoted(metadata)), but the request names \
        \(Quoted(message)); both must be the same.
        """
    )
  }

  /// FAILED_PRECONDITION, PROTOCOL_VIOLATION: the client broke the protocol. For example, its first
  /// message does not open a session, its event numbers decrease, or it acknowledges a frame that
  /// was never sent.
  public static func protocolViolation(_ message: String) -> LayoutProblem {
    LayoutProblem(code: .failedPrecondition, reason: .protocolViolation, message: message)
  }

  /// DEADLINE_EXCEEDED, OPEN_TIMEOUT: the first request of a stream did not arrive in time.
  public static func openTimeout(after limit: Duration) -> LayoutProblem {
    late("first request", .openTimeout, after: limit)
  }

  /// DEADLINE_EXCEEDED, MESSAGE_TIMEOUT: the next message of a client stream did not arrive in
  /// time.
  public static func messageTimeout(after limit: Duration) -> LayoutProblem {
    late("next message", .messageTimeout, after: limit)
  }

  private static func late(
    _ what: String,
    _ reason: Reason,
    after limit: Duration
  ) -> LayoutProblem {
    LayoutProblem(
      code: .deadlineExceeded,
      reason: reason,
      message: "The \(what) did not arrive within \(limit)."
    )
  }

  /// UNIMPLEMENTED, FEATURE_UNSUPPORTED: this server does not support what was asked for.
  public static func featureUnsupported(_ message: String) -> LayoutProblem {
    LayoutProblem(code: .unimplemented, reason: .featureUnsupported, message: message)
  }
}

// MARK: - What is there and what is not

extension LayoutProblem {
  /// NOT_FOUND, COLLECTION_NOT_FOUND: there is no collection of that name.
  ///
  /// - Parameter name: "collections/{collection}".
  public static func collectionNotFound(_ name: String) -> LayoutProblem {
    LayoutProblem(
      code: .notFound,
      reason: .collectionNotFound,
      message: "There is no collection \(Quoted(name)).",
      resource: Resource(type: "collection", name: Quoted.shortened(name))
    )
  }

  /// NOT_FOUND, SESSION_EXPIRED: there is no such session, or it can no longer be resumed. The
  /// client opens a new one.
  ///
  /// - Parameter name: "sessions/{session}"; "" = not known.
  public static func sessionExpired(_ name: String) -> LayoutProblem {
    LayoutProblem(
      code: .notFound,
      reason: .sessionExpired,
      message: name.isEmpty
        ? "The session has expired; open a new one."
        : "There is no session \(Quoted(name)); open a new one.",
      resource: Resource(type: "session", name: Quoted.shortened(name))
    )
  }

  /// ALREADY_EXISTS, COLLECTION_EXISTS: there is a collection of that name already.
  public static func collectionExists(_ name: String) -> LayoutProblem {
    LayoutProblem(
      code: .alreadyExists,
      reason: .collectionExists,
      message: "The collection \(Quoted(name)) exists already; choose another name.",
      resource: Resource(type: "collection", name: Quoted.shortened(name))
    )
  }

  /// NOT_FOUND, LAYOUT_NOT_FOUND: the collection has no layout of that name.
  ///
  /// - Parameter name: "collections/{collection}/layouts/{layout}".
  public static func layoutNotFound(_ name: String) -> LayoutProblem {
    LayoutProblem(
      code: .notFound,
      reason: .layoutNotFound,
      message: "There is no layout \(Quoted(name)).",
      resource: Resource(type: "layout", name: Quoted.shortened(name))
    )
  }

  /// ALREADY_EXISTS, LAYOUT_EXISTS: the collection has a layout of that name already.
  ///
  /// - Parameter name: "collections/{collection}/layouts/{layout}".
  public static func layoutExists(_ name: String) -> LayoutProblem {
    LayoutProblem(
      code: .alreadyExists,
      reason: .layoutExists,
      message: "The layout \(Quoted(name)) exists already; choose another name, or update it.",
      resource: Resource(type: "layout", name: Quoted.shortened(name))
    )
  }

  /// ABORTED, VERSION_CONFLICT: a batch or an import was made for another data version than the
  /// current one.
  public static func versionConflict(
    field: String = "expected_data_version",
    expected: UInt64,
    current: UInt64
  ) -> LayoutProblem {
    LayoutProblem(Refusal.versionConflict(field: field, expected: expected, current: current))
  }

  /// ABORTED, VERSION_CONFLICT: the collection, or a layout of it, has changed since the client
  /// read its etag.
  public static func etagConflict(
    field: String = "etag",
    expected: String,
    current: String
  ) -> LayoutProblem {
    LayoutProblem(
      .aborted,
      .versionConflict,
      field,
      "\(Quoted(expected)) found; the current etag is \(Quoted(current))",
      metadata: ["currentEtag": current]
    )
  }

  /// ABORTED, VERSION_CONFLICT: other servers changed the collection so often that this change
  /// never succeeded.
  public static func contended(_ name: String) -> LayoutProblem {
    LayoutProblem(
      code: .aborted,
      reason: .versionConflict,
      message:
        "\(Quoted(name)) is being changed or kept locked by others all the time; nothing was changed. Try again.",
      retryDelay: .milliseconds(100)
    )
  }

  /// OUT_OF_RANGE, HISTORY_COMPACTED: the updates after a version are no longer kept. The client
  /// reads the collection and continues from its version.
  ///
  /// - Parameter minDataVersion: the oldest version after which updates are kept.
  public static func historyCompacted(
    field: String = "after_data_version",
    found: UInt64,
    minDataVersion: UInt64
  ) -> LayoutProblem {
    LayoutProblem(
      .outOfRange,
      .historyCompacted,
      field,
      "\(found) found; only updates after \(minDataVersion) are kept",
      metadata: ["minDataVersion": String(minDataVersion)]
    )
  }

  /// OUT_OF_RANGE, VERSION_AHEAD: the client knows a version that the collection has not reached,
  /// as after the store was restored from a backup.
  public static func versionAhead(
    field: String = "after_data_version",
    found: UInt64,
    current: UInt64
  ) -> LayoutProblem {
    LayoutProblem(
      .outOfRange,
      .versionAhead,
      field,
      "\(found) found; at most the current data version, \(current), is allowed",
      metadata: ["currentDataVersion": String(current)]
    )
  }

  /// OUT_OF_RANGE, INCARNATION_CHANGED: the client's versions are of another incarnation, from
  /// before the collection was recreated or restored from a backup.
  public static func incarnationChanged(
    field: String = "incarnation",
    found: UInt64,
    current: UInt64
  ) -> LayoutProblem {
    LayoutProblem(
      .outOfRange,
      .incarnationChanged,
      field,
      "\(found) found; the collection was recreated or restored, its incarnation is \(current)",
      metadata: ["currentIncarnation": String(current)]
    )
  }

  /// FAILED_PRECONDITION, DATA_VERSION_NOT_REACHED: the collection did not reach the version that
  /// the client asked for in time.
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
  /// RESOURCE_EXHAUSTED, QUOTA_…: a limit was reached.
  ///
  /// - Parameters:
  ///   - limit: in the unit of the quota.
  ///   - found: what was asked for; nil = one more than the limit.
  ///   - field: the field that asks for too much; nil = none does.
  ///   - retryDelay: after which a retry may succeed; nil = waiting does not help.
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

  /// RESOURCE_EXHAUSTED, MESSAGE_TOO_LARGE: a request has `found` bytes; `limit` are allowed.
  public static func messageTooLarge(found: Int, limit: Int) -> LayoutProblem {
    LayoutProblem(
      code: .resourceExhausted,
      reason: .messageTooLarge,
      message: "The message has \(found) bytes; at most \(limit) are allowed.",
      metadata: ["limit": String(limit)]
    )
  }

  /// RESOURCE_EXHAUSTED, SLOW_CLIENT: the client does not acknowledge frames.
  public static func slowClient(
    unacknowledgedFor: Duration,
    retryDelay: Duration = .seconds(1)
  ) -> LayoutProblem {
    slowClient("No frame was acknowledged for \(unacknowledgedFor).", retryDelay)
  }

  /// RESOURCE_EXHAUSTED, SLOW_CLIENT: the client does not read what is sent to it.
  public static func slowClient(unreadFor time: Duration) -> LayoutProblem {
    slowClient("Nothing was read for \(time).", .seconds(1))
  }

  private static func slowClient(_ message: String, _ retryDelay: Duration) -> LayoutProblem {
    LayoutProblem(
      code: .resourceExhausted,
      reason: .slowClient,
      message: message,
      retryDelay: retryDelay
    )
  }

  /// UNAVAILABLE, LAYOUT_PROVIDER_UNAVAILABLE: the program that places the layout is away.
  public static func layoutProviderUnavailable(
    _ layout: String,
    _ reason: String,
    retryDelay: Duration
  ) -> LayoutProblem {
    LayoutProblem(
      code: .unavailable,
      reason: .layoutProviderUnavailable,
      message: "The provider of the layout \(Quoted(layout)) cannot be reached: \(reason).",
      metadata: ["layout": Quoted.shortened(layout)],
      retryDelay: retryDelay
    )
  }

  /// FAILED_PRECONDITION, LAYOUT_PROVIDER_FAILED: the program that places the layout refused, was
  /// slow, or gave an invalid answer.
  public static func layoutProviderFailed(
    _ layout: String,
    _ reason: String,
    retryDelay: Duration
  ) -> LayoutProblem {
    LayoutProblem(
      code: .failedPrecondition,
      reason: .layoutProviderFailed,
      message: "The provider of the layout \(Quoted(layout)) failed: \(reason).",
      metadata: ["layout": Quoted.shortened(layout)],
      retryDelay: retryDelay
    )
  }

  /// UNAUTHENTICATED: credentials are missing or wrong.
  public static func unauthenticated(_ message: String) -> LayoutProblem {
    LayoutProblem(code: .unauthenticated, reason: .none, message: message)
  }

  /// PERMISSION_DENIED: the client may not do this. The message is the same whether or not the
  /// resource exists, so that nobody can probe for names.
  public static func permissionDenied(
    _ message: String = "This is not allowed, or it does not exist."
  ) -> LayoutProblem {
    LayoutProblem(code: .permissionDenied, reason: .none, message: message)
  }
}

// MARK: - Faults of the server

extension LayoutProblem {
  /// UNAVAILABLE, SERVER_DRAINING: the server is shutting down. A retry may reach another one.
  public static func serverDraining(retryDelay: Duration = .seconds(1)) -> LayoutProblem {
    LayoutProblem(
      code: .unavailable,
      reason: .serverDraining,
      message: "The server is shutting down; connect again.",
      retryDelay: retryDelay
    )
  }

  /// UNAVAILABLE, STORE_UNAVAILABLE: the store does not work at present. Nothing was changed unless
  /// the message says otherwise; a retry after `retryDelay` may succeed.
  public static func storeUnavailable(
    _ message: String = "The store cannot be read or written at present.",
    retryDelay: Duration = .seconds(1)
  ) -> LayoutProblem {
    LayoutProblem(
      code: .unavailable,
      reason: .storeUnavailable,
      message: message,
      retryDelay: retryDelay
    )
  }

  /// DATA_LOSS, LOG_CORRUPT: the stored data of the collection is damaged.
  public static func logCorrupt(_ message: String) -> LayoutProblem {
    LayoutProblem(code: .dataLoss, reason: .logCorrupt, message: message)
  }

  /// INTERNAL: a fault of the server. Details go into its log, not to clients.
  public static func internalFault(
    _ message: String = "An internal error occurred; the server's log has the details."
  ) -> LayoutProblem {
    LayoutProblem(code: .internalError, reason: .none, message: message)
  }
}

// MARK: - Parts

extension LayoutProblem {
  /// A problem of one field.
  ///
  /// - Parameter description: what was found and what is allowed, without a full stop.
  private init(
    _ code: RPCError.Code,
    _ reason: Reason,
    _ field: String,
    _ description: String,
    metadata: [String: String] = [:]
  ) {
    self.init(
      code: code,
      reason: reason,
      message: "\(field): \(description).",
      violations: [FieldViolation(field: field, description: description)],
      metadata: metadata
    )
  }
}

// MARK: - Words

/// A string from outside as a part of a message: quoted, and cut to 80 characters.
struct Quoted: CustomStringConvertible {
  var description: String

  init(_ text: String) { description = "\"\(Quoted.shortened(text))\"" }

  /// The first 80 characters, followed by "…" if there are more.
  static func shortened(_ text: String) -> String {
    // Counting bytes is O(1), counting the characters of a megabyte is not.
    if text.utf8.count <= 80 { return text }
    return "\(String(text.unicodeScalars.prefix(160)).prefix(80))…"
  }
}
