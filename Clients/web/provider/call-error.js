// SPDX-License-Identifier: Apache-2.0
// Why a call ends without what was asked for.

import { CODES } from "../src/errors.js";

/** A call that ends with a status of gRPC. */
export class CallError extends Error {
  name = "CallError";

  /** `code` is the name of a status: "UNAVAILABLE". */
  constructor(code, message) {
    super(message);
    if (CODES.indexOf(code) < 1) throw new TypeError(`${code} is not the name of a status of gRPC`);
    this.code = code;
  }

  /** The error that callers are told instead of any other one. */
  static of(error) {
    if (error instanceof CallError) return error;
    // What layouts throw where parameters are wrong.
    if (error instanceof RangeError) return new CallError("INVALID_ARGUMENT", error.message);
    return new CallError("UNKNOWN", `the layout failed: ${error}`);
  }
}

/** The call is refused because the request breaks a rule of the contract. */
export function invalid(problem) {
  return new CallError("INVALID_ARGUMENT", problem);
}
