// SPDX-License-Identifier: Apache-2.0
// How providers in JavaScript speak gRPC: framing, limits, deadlines, flow control, tokens, TLS, and what is none of it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe as suite, test } from "node:test";
import { deflateSync, gzipSync } from "node:zlib";

import { encode, messages } from "../../../Clients/web/collection-layout.js";
import { layout, start } from "../../../Clients/web/provider.js";
import { answerOf, framed, ProviderCaller, request } from "./provider-calls.js";

const OK = 0, INVALID = 3, DEADLINE = 4, EXHAUSTED = 8, UNIMPLEMENTED = 12, INTERNAL = 13, UNAUTHENTICATED = 16;
// The type, flags and stream of a frame.
const GOAWAY = "070000000000";
const NO_ERROR = 0, CANCEL = 8;
const nothing = framed(new Uint8Array(0));

let calls = 0;
let ended;
layout("row", (items) => {
  calls += 1;
  return { x: items.index, y: 0, width: 1, height: 1 };
});
layout("endless", (items, container, signal) => new Promise((_, reject) => {
  signal.addEventListener("abort", () => {
    ended?.(signal.reason.code);
    reject(signal.reason);
  });
}));

function bytesOf(parts) {
  return Buffer.concat(parts.map((each) => framed(encode(messages.PrepareLayoutRequest, each))));
}

suite("gRPC of providers in JavaScript", { timeout: 60_000 }, () => {
  let provider, caller;

  before(async () => {
    provider = await start({ messageBytes: 10_000, memory: 1 << 20, seconds: 30 });
    caller = new ProviderCaller(`http://127.0.0.1:${provider.port}`);
  });

  after(async () => {
    caller.close();
    await provider.stop();
  });

  /** Whether the provider still answers. */
  const works = async () => assert.equal((await caller.call("PrepareLayout", request("row", [3]))).status, OK);

  for (const [what, method, bytes, headers, status] of [
    ["a message that comes byte by byte", "PrepareLayout", bytesOf(request("row", [2])), {}, OK],
    ["a compressed message", "DescribeLayouts", framed(gzipSync(""), { flag: 1 }), { "grpc-encoding": "gzip" }, OK],
    ["one that is deflated", "DescribeLayouts", framed(deflateSync(""), { flag: 1 }), { "grpc-encoding": "deflate" }, OK],
    ["one that is not compressed though it may be", "DescribeLayouts", nothing, { "grpc-encoding": "gzip" }, OK],
    ["the content type of protobuf", "DescribeLayouts", nothing, { "content-type": "application/grpc+proto" }, OK],
    ["an unknown encoding", "DescribeLayouts", nothing, { "grpc-encoding": "constructor" }, UNIMPLEMENTED],
    ["a compressed message without encoding", "DescribeLayouts", framed(gzipSync(""), { flag: 1 }), {}, INTERNAL],
    ["bytes that are not compressed", "DescribeLayouts", framed(Buffer.from("no"), { flag: 1 }),
      { "grpc-encoding": "gzip" }, INTERNAL],
    ["a message that is too large when inflated", "DescribeLayouts", framed(gzipSync(Buffer.alloc(1 << 24)), { flag: 1 }),
      { "grpc-encoding": "gzip" }, EXHAUSTED],
    ["a flag that does not exist", "DescribeLayouts", framed(new Uint8Array(0), { flag: 2 }), {}, INTERNAL],
    ["a message that is too large", "DescribeLayouts", framed(new Uint8Array(10_001)), {}, EXHAUSTED],
    ["one that only says so", "DescribeLayouts", framed(new Uint8Array(1), { length: 0xffffffff }), {}, EXHAUSTED],
    ["a message that is cut off", "DescribeLayouts", framed(new Uint8Array(1), { length: 2 }), {}, INTERNAL],
    ["a prefix that is cut off", "DescribeLayouts", Buffer.alloc(3), {}, INTERNAL],
    ["bytes that are no message", "PrepareLayout", framed(Buffer.from([255, 255, 255])), {}, INTERNAL],
    ["no message where one is needed", "DescribeLayouts", Buffer.alloc(0), {}, UNIMPLEMENTED],
    ["two messages where one is needed", "DescribeLayouts", Buffer.concat([nothing, nothing]), {}, UNIMPLEMENTED],
    ["a method that does not exist", "Divine", nothing, {}, UNIMPLEMENTED],
    ["a timeout that cannot be read", "DescribeLayouts", nothing, { "grpc-timeout": "1.5S" }, INVALID],
    ["no time", "PrepareLayout", bytesOf(request("endless", [1])), { "grpc-timeout": "0n" }, DEADLINE],
    ["items that take too much memory", "PrepareLayout", bytesOf(request("row", [0xffffffff])), {}, EXHAUSTED],
    ["many sections", "PrepareLayout", bytesOf(request("row", new Array(1 << 16).fill(0), { blocks: new Array(1 << 16).fill([]) })),
      {}, EXHAUSTED],
  ]) {
    test(`${what}: status ${status}`, async () => {
      const answer = await caller.raw(method, bytes, { headers, piece: bytes.length > 10_000 ? 10_000 : 1 });
      assert.deepEqual([answer.http, answer.status, answer.reset], [200, status, NO_ERROR], answer.text);
      assert.equal(answer.headers["content-type"], "application/grpc");
      await works();
    });
  }

  for (const [what, headers, http] of [
    ["another content type", { "content-type": "application/json" }, 415],
    ["no content type", { "content-type": undefined }, 415],
    ["gRPC-Web", { "content-type": "application/grpc-web" }, 415],
    ["GET", { ":method": "GET" }, 405],
  ]) {
    test(`${what} is HTTP status ${http}`, async () => {
      const answer = await caller.raw("DescribeLayouts", nothing, { headers });
      assert.deepEqual([answer.http, answer.status], [http, undefined]);
      await works();
    });
  }

  test("who sends on after the refusal is told to stop", async () => {
    const stream = caller.open("PrepareLayout"), answer = answerOf(stream);
    stream.write(bytesOf(request("absent", [1])));
    const { status, reset } = await answer;
    assert.deepEqual([status, reset], [5, NO_ERROR]);
    await works();
  });

  test("an answer larger than the windows arrives as it is taken", async () => {
    const wide = await start({ messageBytes: 1 << 20 });
    const slow = new ProviderCaller(`http://127.0.0.1:${wide.port}`, { settings: { initialWindowSize: 1000 } });
    const { status, messages: found } = await slow.call("PrepareLayout", request("row", [300_000]));
    assert.equal(status, OK);
    assert.equal(found.reduce((sum, { elements }) => sum + (elements?.count ?? 0), 0), 300_000);
    assert.equal(found.at(-1).end.elementCount, 300_000);
    slow.close();
    await wide.stop();
  });

  test("who takes nothing is given up when the time is over", async () => {
    const few = await start({ seconds: 1 });
    const deaf = new ProviderCaller(`http://127.0.0.1:${few.port}`, { settings: { initialWindowSize: 0 } });
    const stream = deaf.open("PrepareLayout");
    stream.end(bytesOf(request("row", [100_000])));
    await once(stream, "close");
    assert.equal(stream.rstCode, CANCEL);
    deaf.close();
    await few.stop();
  });

  test("a layout is told when the caller goes, and when the time is over", async () => {
    const told = () => new Promise((resolve) => {
      ended = resolve;
    });
    let reason = told();
    const stream = caller.open("PrepareLayout");
    stream.end(bytesOf(request("endless", [1])));
    // The provider has the request when it answers what came after it.
    await works();
    stream.close(CANCEL);
    assert.equal(await reason, "CANCELLED");
    reason = told();
    const answer = await caller.raw(
      "PrepareLayout", bytesOf(request("endless", [1])), { headers: { "grpc-timeout": "50m" } });
    assert.equal(answer.status, DEADLINE);
    assert.equal(await reason, "DEADLINE_EXCEEDED");
  });

  test("calls that are given up leave their memory to others", async () => {
    for (let round = 0; round < 200; round += 1) {
      const stream = caller.open("PrepareLayout");
      stream.write(bytesOf(request("row", [10_000])));
      stream.close(CANCEL);
    }
    await works();
    const { status } = await caller.call("PrepareLayout", request("row", [10_000]));
    assert.equal(status, OK);
  });

  test("health is told once, and when it is watched until the call ends", async () => {
    for (const [service, status] of [
      ["", OK], ["collection_layout.v1.LayoutProviderService", OK], ["other", 5],
    ]) {
      const bytes = framed(Buffer.concat([Buffer.from([10, service.length]), Buffer.from(service)]));
      const answer = await caller.raw("/grpc.health.v1.Health/Check", bytes);
      assert.equal(answer.status, status);
      if (status === OK) assert.deepEqual([...answer.messages[0]], [8, 1]);
    }
    const stream = caller.open("/grpc.health.v1.Health/Watch");
    stream.end(nothing);
    const [chunk] = await once(stream, "data");
    assert.deepEqual([...chunk], [0, 0, 0, 0, 2, 8, 1]);
    stream.close(CANCEL);
    await works();
  });

  test("bytes that are no HTTP/2 are refused, and nobody else notices", async () => {
    const greeting = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    for (const bytes of [
      "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "\0".repeat(100), `${greeting}${"x".repeat(100)}`,
      // A frame that is too long, and headers that cannot be unpacked.
      `${greeting}\0\0\0\x04\0\0\0\0\0${"\x7f\x7f\x7f\0\0\0\0\0\0"}`,
      `${greeting}\0\0\0\x04\0\0\0\0\0\0\0\x04\x01\x05\0\0\0\x01\x7f\x7f\x7f\x7f`,
    ]) {
      const socket = net.connect(provider.port, "127.0.0.1");
      socket.on("error", () => {});
      const refused = new Promise((resolve) => {
        let received = "";
        socket.on("close", resolve);
        socket.on("data", (chunk) => {
          received += chunk.toString("hex");
          if (received.includes(GOAWAY)) resolve();
        });
      });
      socket.write(Buffer.from(bytes, "latin1"));
      await refused;
      socket.destroy();
    }
    await works();
  });

  test("streams that are opened and reset at once do not end the provider", async () => {
    const other = new ProviderCaller(`http://127.0.0.1:${provider.port}`);
    for (let round = 0; round < 2000; round += 1) {
      const stream = other.open("PrepareLayout");
      stream.on("ready", () => stream.close(CANCEL));
    }
    await works();
    other.close();
    await works();
    assert.ok(calls > 0);
  });
});

suite("Credentials of providers in JavaScript", { timeout: 60_000 }, () => {
  for (const [what, header, status] of [
    ["no token", {}, UNAUTHENTICATED], ["another token", { authorization: "Bearer secre" }, UNAUTHENTICATED],
    ["another scheme", { authorization: "secret" }, UNAUTHENTICATED], ["the token", { authorization: "Bearer secret" }, OK],
  ]) {
    test(`a caller with ${what} has status ${status}`, async () => {
      const provider = await start({ token: "secret" });
      const caller = new ProviderCaller(`http://127.0.0.1:${provider.port}`);
      for (const method of ["DescribeLayouts", "/grpc.health.v1.Health/Check"]) {
        assert.equal((await caller.raw(method, nothing, { headers: header })).status, status);
      }
      caller.close();
      await provider.stop();
    });
  }

  test("connections are encrypted with a certificate", async () => {
    const folder = mkdtempSync(join(tmpdir(), "layout-provider-"));
    const [keyFile, certificateFile] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
    execFileSync("openssl", [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", keyFile, "-out", certificateFile,
    ], { stdio: "ignore" });
    const certificate = readFileSync(certificateFile);
    const provider = await start({ certificate, key: readFileSync(keyFile) });
    const caller = new ProviderCaller(`https://localhost:${provider.port}`, { ca: certificate });
    assert.equal((await caller.call("PrepareLayout", request("row", [3]))).status, OK);
    caller.close();
    // Who does not encrypt is not answered.
    const open = new ProviderCaller(`http://localhost:${provider.port}`);
    const stream = open.open("DescribeLayouts");
    await once(stream, "close");
    assert.notEqual(stream.rstCode, NO_ERROR);
    open.close();
    await provider.stop();
    rmSync(folder, { recursive: true });
  });

  test("options that make no sense are refused", async () => {
    for (const options of [{ certificate: "x" }, { keep: -1 }, { messageBytes: NaN }, { seconds: Infinity }]) {
      await assert.rejects(start(options), TypeError);
    }
    for (const wrong of [
      () => layout("", () => {}), () => layout("a".repeat(129), () => {}), () => layout("a"),
      () => layout("a", () => {}, { scroll: "up" }), () => layout("a", () => {}, { maxItems: -1 }),
      () => layout("a", () => {}, { update: 3 }),
    ]) assert.throws(wrong, TypeError);
  });
});
