// SPDX-License-Identifier: Apache-2.0
// Streams over gRPC, for tests in Node: browsers cannot do it.

import http2 from "node:http2";

import { decode, LayoutError } from "../../../Clients/web/collection-layout.js";
import { CODES } from "../../../Clients/web/src/errors.js";
import { message } from "../../../Clients/web/src/wire.js";

// The messages of google.rpc that statuses hold.
message("Any", { typeUrl: [1, "string"], value: [2, "bytes"] });
const Status = message("Status", { code: [1, "int32"], message: [2, "string"], details: [3, "Any[]"] });
const ErrorInfo = message("ErrorInfo", {
  reason: [1, "string"], domain: [2, "string"], metadata: [3, "map<string, string>"],
});
message("BadField", { field: [1, "string"], description: [2, "string"] });
const BadRequest = message("BadRequest", { fieldViolations: [1, "BadField[]"] });
const RetryInfo = message("RetryInfo", { retryDelay: [1, "Duration"] });

/** Connects to a server in plain text. */
export class GrpcTransport {
  canRenew = false;
  #session;

  constructor(address, { metadata = {} } = {}) {
    this.address = address;
    this.metadata = metadata;
  }

  #connection() {
    if (!this.#session || this.#session.closed || this.#session.destroyed) {
      const session = http2.connect(`http://${this.address}`, { settings: { initialWindowSize: 1 << 24 } });
      session.on("error", () => {});
      session.on("goaway", () => {
        if (this.#session === session) this.#session = undefined;
      });
      session.unref();
      this.#session = session;
    }
    return this.#session;
  }

  open(method, { collection, message: receive, end }) {
    const headers = {
      ":method": "POST", ":path": `/collection_layout.v1.${method}`, "content-type": "application/grpc",
      te: "trailers", ...this.metadata,
    };
    if (collection) headers["x-layout-collection"] = collection;
    return new GrpcStream(this.#connection().request(headers), receive, end);
  }

  close() {
    this.#session?.destroy();
  }
}

class GrpcStream {
  #call;
  #isOver = false;

  constructor(call, receive, end) {
    this.#call = call;
    let waiting = Buffer.alloc(0), status;
    const over = (error) => {
      if (this.#isOver) return;
      this.#isOver = true;
      end(error);
    };
    call.on("response", (headers) => {
      if (headers["grpc-status"] !== undefined) status = headers;
    });
    call.on("trailers", (trailers) => {
      status = trailers;
    });
    call.on("data", (chunk) => {
      waiting = waiting.length > 0 ? Buffer.concat([waiting, chunk]) : chunk;
      while (waiting.length >= 5 && waiting.length >= 5 + waiting.readUInt32BE(1)) {
        const length = waiting.readUInt32BE(1), bytes = waiting.subarray(5, 5 + length);
        waiting = waiting.subarray(5 + length);
        if (!this.#isOver) receive(new Uint8Array(bytes.buffer, bytes.byteOffset, length));
      }
    });
    // The server waits for the other side to end before it closes the call.
    call.on("end", () => {
      if (!status) return;
      call.close();
      over(statusError(status));
    });
    call.on("error", (error) => over(new LayoutError("UNAVAILABLE", error.message)));
    call.on("close", () => over(status ? statusError(status) : new LayoutError(
      "UNAVAILABLE", "the connection was lost")));
  }

  get buffered() {
    return this.#call.writableLength;
  }

  send(bytes) {
    if (this.#call.closed || this.#call.destroyed || this.#call.writableEnded) return;
    const frame = Buffer.alloc(5 + bytes.length);
    frame.writeUInt32BE(bytes.length, 1);
    frame.set(bytes, 5);
    this.#call.write(frame);
  }

  end() {
    this.#call.end();
  }

  cancel() {
    this.#isOver = true;
    this.#call.close(http2.constants.NGHTTP2_CANCEL);
  }
}

/** The error of a status; undefined = OK. */
function statusError(trailers) {
  const code = Number(trailers["grpc-status"]);
  if (code === 0) return undefined;
  const found = { reason: "", violations: [], metadata: {} };
  const bytes = trailers["grpc-status-details-bin"];
  const { details = [] } = bytes ? decode(Status, new Uint8Array(Buffer.from(bytes, "base64"))) : {};
  for (const { typeUrl, value } of details) {
    if (typeUrl.endsWith("/google.rpc.ErrorInfo")) {
      const { reason, metadata } = decode(ErrorInfo, value);
      found.reason = reason;
      Object.assign(found.metadata, metadata);
    } else if (typeUrl.endsWith("/google.rpc.BadRequest")) {
      found.violations = decode(BadRequest, value).fieldViolations;
    } else if (typeUrl.endsWith("/google.rpc.RetryInfo")) {
      found.metadata.retryDelayMilliseconds ??= String((decode(RetryInfo, value).retryDelay ?? 0) * 1000);
    }
  }
  const text = decodeURIComponent(trailers["grpc-message"] ?? "");
  return new LayoutError(CODES[code] ?? "UNKNOWN", text, found);
}
