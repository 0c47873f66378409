// SPDX-License-Identifier: Apache-2.0
// The server's side of a WebSocket (RFC 6455), as much as tests need.

import { createHash } from "node:crypto";

const CONTINUATION = 0, TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10;

/** What the client's key has to be answered by. */
function acceptance(key) {
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}

/** Refuses an upgrade with a status of HTTP. */
export function refuse(socket, status) {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** A WebSocket whose handshake was accepted. */
export class ServerSocket {
  #socket;
  #waiting = Buffer.alloc(0);
  #parts = [];
  #isClosed = false;

  /** `message(bytes)` and `closed()` are called as messages come and when the socket is closed. */
  constructor(socket, request, protocol, head, { message, closed, mostBytes }) {
    this.#socket = socket;
    this.message = message;
    this.mostBytes = mostBytes;
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + `Sec-WebSocket-Accept: ${acceptance(request.headers["sec-websocket-key"])}\r\n`
      + `Sec-WebSocket-Protocol: ${protocol}\r\n\r\n`);
    socket.setNoDelay(true);
    socket.on("data", (chunk) => this.#receive(chunk));
    socket.on("error", () => {});
    socket.on("close", closed);
    this.#receive(head);
  }

  send(bytes) {
    this.#write(typeof bytes === "string" ? TEXT : BINARY, Buffer.from(bytes));
  }

  close(code, reason = "") {
    if (this.#isClosed) return;
    const text = Buffer.from(reason).subarray(0, 123), body = Buffer.alloc(2 + text.length);
    body.writeUInt16BE(code);
    body.set(text, 2);
    this.#write(CLOSE, body);
    this.#isClosed = true;
    this.#socket.end();
  }


  #write(opcode, body) {
    if (this.#isClosed || this.#socket.destroyed) return;
    const long = body.length > 0xffff ? 8 : body.length > 125 ? 2 : 0, head = Buffer.alloc(2 + long);
    head[0] = 0x80 | opcode;
    head[1] = long === 8 ? 127 : long === 2 ? 126 : body.length;
    if (long === 8) head.writeBigUInt64BE(BigInt(body.length), 2);
    else if (long === 2) head.writeUInt16BE(body.length, 2);
    this.#socket.write(Buffer.concat([head, body]));
  }

  #receive(chunk) {
    this.#waiting = Buffer.concat([this.#waiting, chunk]);
    while (!this.#isClosed && this.#takeFrame());
  }

  /** Takes a frame if one has arrived as a whole. */
  #takeFrame() {
    const bytes = this.#waiting;
    if (bytes.length < 6) return false;
    let length = bytes[1] & 0x7f, at = 2;
    if (length >= 126) {
      const size = length === 126 ? 2 : 8;
      if (bytes.length < 2 + size + 4) return false;
      length = size === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
      at += size;
    }
    if (length > this.mostBytes || (bytes[1] & 0x80) === 0) {
      this.close((bytes[1] & 0x80) === 0 ? 1002 : 1009);
      return false;
    }
    if (bytes.length < at + 4 + length) return false;
    const mask = bytes.subarray(at, at + 4), body = Buffer.from(bytes.subarray(at + 4, at + 4 + length));
    for (let index = 0; index < length; index += 1) body[index] ^= mask[index & 3];
    this.#waiting = bytes.subarray(at + 4 + length);
    this.#take(bytes[0] & 0x0f, (bytes[0] & 0x80) !== 0, body);
    return true;
  }

  #take(opcode, isLast, body) {
    if (opcode === PING) {
      this.#write(PONG, body);
    } else if (opcode === CLOSE) {
      this.close(body.length >= 2 ? body.readUInt16BE() : 1000);
    } else if (opcode === BINARY || opcode === CONTINUATION) {
      this.#parts.push(body);
      const length = this.#parts.reduce((sum, part) => sum + part.length, 0);
      if (length > this.mostBytes) {
        this.close(1009);
      } else if (isLast) {
        const message = Buffer.concat(this.#parts);
        this.#parts = [];
        this.message(new Uint8Array(message));
      }
    } else if (opcode === TEXT) {
      this.close(1003);
    }
  }
}
