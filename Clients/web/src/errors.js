// SPDX-License-Identifier: Apache-2.0
// What goes wrong between the client and the server.

/** The names of gRPC's status codes, by number. */
export const CODES = [
  "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
  "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
  "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
];

// So many seconds a server can make a client wait at most.
const MOST_DELAY = 60;

/** A time to wait in seconds that a server has sent, which may be absurd: 0 to 60 s. */
export function boundedDelay(seconds) {
  return Math.min(Math.max(seconds, 0), MOST_DELAY) || 0;
}

/** Something that the server refused, or that did not reach it. */
export class LayoutError extends Error {
  name = "LayoutError";

  constructor(code, message, { reason = "", violations = [], metadata = {}, cause, requestId } = {}) {
    super(`${reason || code}: ${message}`, { cause });
    /** The name of the gRPC status: "NOT_FOUND". */
    this.code = code;
    /** Stable, for programs: "VERSION_CONFLICT". Empty where the code says everything. */
    this.reason = reason;
    /** The fields at fault: of each its path and a description for people. */
    this.violations = violations;
    /** Facts for programs: "currentDataVersion", "limit". */
    this.metadata = metadata;
    /**
     * That of an update whose answer did not come, so that nobody knows whether it is applied: sent again with
     * the same identifier, it is applied once.
     */
    this.requestId = requestId;
  }

  /** The first field at fault; empty where no field is. */
  get field() {
    return this.violations[0]?.field ?? "";
  }

  /** After how many seconds to try again, 60 at most; undefined = waiting does not help. */
  get retryDelay() {
    const milliseconds = Number(this.metadata.retryDelayMilliseconds);
    return milliseconds > 0 ? boundedDelay(milliseconds / 1000) : undefined;
  }

  /** The error for a `Problem`. */
  static fromProblem({ code, message, reason, fieldViolations, metadata }) {
    return new LayoutError(
      CODES[code] ?? "UNKNOWN", message ?? "", { reason, violations: fieldViolations, metadata });
  }
}

/** The function that gives tokens has failed, with `cause`. */
export class TokenSourceError extends LayoutError {
  constructor(cause) {
    super("UNAVAILABLE", `no token: ${cause?.message ?? cause}`, { cause });
  }
}

/** Whether a call has failed because of its server, and not because there is no token, so that another try may help. */
export function isServerAway(error) {
  return error.code === "UNAVAILABLE" && !(error instanceof TokenSourceError);
}

/**
 * Whether what changes nothing may begin again after an error: a proxy may tell the end of a server that was killed as
 * CANCELLED or UNKNOWN.
 */
export function mayBeginAgain(error) {
  return isServerAway(error) || error.code === "CANCELLED" || error.code === "UNKNOWN";
}
