// SPDX-License-Identifier: Apache-2.0
// Calls of a provider as a layout server makes them, and as no client would.

import http2 from "node:http2";

import { decode, encode, messages } from "../../../Clients/web/collection-layout.js";

const SERVICE = "/collection_layout.v1.LayoutProviderService/";

/** A message with its prefix; `length` is what it claims to have. */
export function framed(bytes, { flag = 0, length = bytes.length } = {}) {
  const frame = Buffer.alloc(5 + bytes.length);
  frame[0] = flag;
  frame.writeUInt32BE(length, 1);
  frame.set(bytes, 5);
  return frame;
}

/** A connection to a provider. */
export class ProviderCaller {
  constructor(address, options) {
    this.session = http2.connect(address, options);
    this.session.on("error", () => {});
  }

  close() {
    this.session.destroy();
  }

  /** A stream with the headers of a call. */
  open(method, headers = {}) {
    const stream = this.session.request({
      ":method": "POST", ":path": method.startsWith("/") ? method : SERVICE + method,
      "content-type": "application/grpc", te: "trailers", ...headers,
    });
    stream.on("error", () => {});
    return stream;
  }

  /** Sends bytes in pieces of any length, and returns what comes back. */
  async raw(method, bytes, { headers, piece = bytes.length || 1, ends = true } = {}) {
    const stream = this.open(method, headers), result = answerOf(stream);
    for (let at = 0; at < bytes.length; at += piece) stream.write(bytes.subarray(at, at + piece));
    if (ends) stream.end();
    return result;
  }

  /** Sends messages, and returns the messages that come back. */
  async call(method, requests, options) {
    const [request, response] = schemas(method);
    const bytes = Buffer.concat(requests.map((each) => framed(encode(request, each))));
    const answer = await this.raw(method, bytes, options);
    return { ...answer, messages: answer.messages.map((each) => decode(response, each)) };
  }
}

function schemas(method) {
  return [messages[`${method}Request`], messages[`${method}Response`]];
}

/** What a stream brings: its HTTP status, headers, messages, gRPC status, and the code of its end. */
export function answerOf(stream) {
  return new Promise((resolve) => {
    const answer = { status: undefined, text: "", http: undefined, headers: {}, messages: [], reset: 0 };
    const chunks = [];
    const take = (headers) => {
      if (headers["grpc-status"] === undefined) return;
      answer.status = Number(headers["grpc-status"]);
      answer.text = decodeURIComponent(headers["grpc-message"] ?? "");
    };
    stream.on("response", (headers) => {
      [answer.http, answer.headers] = [headers[":status"], headers];
      take(headers);
    });
    stream.on("trailers", take);
    stream.on("data", (chunk) => chunks.push(chunk));
    stream.on("close", () => {
      let bytes = Buffer.concat(chunks);
      while (bytes.length >= 5 && bytes.length >= 5 + bytes.readUInt32BE(1)) {
        const end = 5 + bytes.readUInt32BE(1);
        answer.messages.push(new Uint8Array(bytes.subarray(5, end)));
        bytes = bytes.subarray(end);
      }
      answer.reset = stream.rstCode;
      resolve(answer);
    });
  });
}

/** The request for sections with so many items. */
export function request(layout, counts, { parameters, blocks, size = { width: 200, height: 100 } } = {}) {
  const start = {
    layout, parameters, container: { size, displayScale: 2 }, sectionCount: counts.length,
    itemCount: counts.reduce((sum, count) => sum + count, 0),
  };
  return [
    { start },
    ...counts.flatMap((count, index) => [
      { section: { key: `section ${index}` } }, ...(blocks?.[index] ?? [{ count }]).map((items) => ({ items })),
    ]),
  ];
}
