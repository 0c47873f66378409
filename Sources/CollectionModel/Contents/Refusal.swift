// SPDX-License-Identifier: Apache-2.0

/// Why contents, a batch or an event were refused. What is refused leaves no trace.
///
/// This is the one vocabulary of the modules that know no protocol; `LayoutProblem` adds the status
/// codes.
public struct Refusal: Error, Hashable, Sendable {
  /// What kind of fault it is. Raw values are the reasons of the contract.
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    /// A field is not finite, out of its range, of the wrong length, or unknown.
    case fieldInvalid = "FIELD_INVALID"
    /// Operations contradict each other, or the contents.
    case batchInconsistent = "BATCH_INCONSISTENT"
    /// A key that nothing has.
    case keyUnknown = "KEY_UNKNOWN"
    /// A key that something else has.
    case keyTaken = "KEY_TAKEN"
    /// An item that is hidden in an outline.
    case elementHidden = "ELEMENT_HIDDEN"
    /// There is no such layout.
    case layoutNotFound = "LAYOUT_NOT_FOUND"
    /// An index beyond the contents.
    case indexOutOfRange = "INDEX_OUT_OF_RANGE"
    /// The contents would have too many items.
    case quotaItems = "QUOTA_ITEMS"
    /// The contents would have too many sections.
    case quotaSections = "QUOTA_SECTIONS"
    /// The batch has too many operations.
    case quotaOperations = "QUOTA_OPERATIONS"
    /// A viewer would have expanded or collapsed too many items other than its base.
    case quotaExpansions = "QUOTA_EXPANSIONS"
    /// A viewer would have measured too many elements other than items, headers and footers.
    case quotaMeasurements = "QUOTA_MEASUREMENTS"
    /// The result would exceed a limit in bytes.
    case quotaMemory = "QUOTA_MEMORY"
    /// The answer would take too many steps to compute.
    case quotaSteps = "QUOTA_STEPS"
    /// The batch was made against another version than the current one.
    case versionConflict = "VERSION_CONFLICT"
    /// The event does not fit the session's state, such as the end of a movement that never began.
    case wrongState = "WRONG_STATE"
    /// The rules of the session keep items from being moved by hand, or from going there.
    case moveRefused = "MOVE_REFUSED"
    /// The session does not support what the event asks for.
    case featureUnsupported = "FEATURE_UNSUPPORTED"
    /// The caller's rights do not suffice. The status code says everything.
    case permissionDenied = ""
  }

  /// What kind of fault it is.
  public var reason: Reason
  /// A sentence for people.
  public var message: String
  /// The fields at fault, not necessarily all of them; empty if no field is.
  public var violations: [FieldViolation]
  /// Values for programs, such as "currentDataVersion". Keys in lowerCamelCase.
  public var metadata: [String: String]

  /// A refusal in these words.
  public init(
    _ reason: Reason,
    _ message: String,
    violations: [FieldViolation] = [],
    metadata: [String: String] = [:]
  ) {
    self.reason = reason
    self.message = message
    self.violations = violations
    self.metadata = metadata
  }

  /// A refusal of fields; its message is about the first of them.
  public init(_ reason: Reason, _ violations: [FieldViolation]) {
    self.init(
      reason,
      FieldViolation.summary(of: violations) ?? "\(reason.rawValue).",
      violations: violations
    )
  }

  /// A refusal of one field.
  public init(_ reason: Reason, field: String, _ description: String) {
    self.init(reason, [FieldViolation(field: field, description: description)])
  }

  /// The refusal of a batch, or an import, that was made against another version.
  public static func versionConflict(
    field: String = "expected_data_version",
    expected: UInt64,
    current: UInt64
  ) -> Refusal {
    var refusal = Refusal(
      .versionConflict,
      field: field,
      "\(expected) found; the current data version is \(current)"
    )
    refusal.metadata = ["currentDataVersion": "\(current)"]
    return refusal
  }

  /// The refusal of a batch with the identifier of another one. Taken for a retry, it would be
  /// acknowledged and lost.
  ///
  /// - Parameter version: the data version that the other batch led to.
  public static func requestIDTaken(_ requestID: String, version: UInt64) -> Refusal {
    Refusal(
      .fieldInvalid,
      field: "request_id",
      "\"\(requestID)\" found, which is that of another batch (version \(version)); each batch needs an identifier "
        + "of its own, and a retry is the same batch again"
    )
  }

  /// The refusal of a question about an item that is hidden in an outline.
  ///
  /// - Parameter offersReveal: whether the question can ask to expand the ancestors of the item.
  public static func elementHidden(
    _ key: String,
    field: String,
    offersReveal: Bool = true
  ) -> Refusal {
    var description = "\"\(key)\" is hidden below a collapsed item; expand its ancestors"
    if offersReveal {
      description += ", or ask with `reveal` in a session where viewers expand for themselves"
    }
    return Refusal(.elementHidden, field: field, description)
  }

  /// The same, seen from a message that holds the refused one in its field `prefix`.
  public func within(_ prefix: String) -> Refusal {
    var refusal = self
    refusal.violations = violations.map { $0.within(prefix) }
    if let summary = FieldViolation.summary(of: refusal.violations),
      message == FieldViolation.summary(of: violations)
    {
      refusal.message = summary
    }
    return refusal
  }
}

extension Refusal: CustomStringConvertible {
  /// The reason and the message.
  public var description: String { "\(reason.rawValue): \(message)" }
}
