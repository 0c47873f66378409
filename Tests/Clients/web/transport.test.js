// SPDX-License-Identifier: Apache-2.0
// WebSockets: what is sent, what ends mean, and a whole session through a door.

import assert from "node:assert/strict";
import { describe as suite, test } from "node:test";

import { Client, LayoutError, WebSocketTransport } from "../../../Clients/web/collection-layout.js";
import { Door } from "./door.js";
import { LayoutServer } from "./server.js";

/** A WebSocket that goes nowhere. */
class FakeSocket {
  static last;
  bufferedAmount = 0;
  readyState = 0;
  sent = [];

  constructor(url, protocols) {
    Object.assign(this, { url, protocols });
    FakeSocket.last = this;
  }

  send(bytes) {
    this.sent.push(bytes);
  }

  close(code) {
    this.closedWith = code;
  }
}

/** A stream over a fake socket, and what it told. */
async function open(options = {}, method = "LayoutSessionService/StreamLayout") {
  const transport = new WebSocketTransport("https://layouts.example.org/", { WebSocket: FakeSocket, ...options });
  const told = [];
  const stream = transport.open(method, {
    collection: "collections/a b", message: (bytes) => told.push(bytes), end: (error) => told.push(error),
  });
  // The token may be asynchronous.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  return { stream, told, socket: FakeSocket.last };
}

suite("WebSockets", { timeout: 60_000 }, () => {
  test("the path names the call, and the subprotocols have the token", async () => {
    const { socket, stream } = await open({ token: async () => "ab.c-d" });
    assert.equal(
      socket.url, "wss://layouts.example.org/v1/LayoutSessionService/StreamLayout?collection=collections%2Fa%20b");
    assert.deepEqual(socket.protocols, ["collection-layout.v1", "bearer.ab.c-d"]);
    stream.send(Uint8Array.of(1));
    assert.equal(socket.sent.length, 0);
    socket.readyState = 1;
    socket.onopen();
    stream.send(Uint8Array.of(2));
    assert.deepEqual(socket.sent, [Uint8Array.of(1), Uint8Array.of(2)]);
  });

  test("what is sent before the socket is open waits to be sent like the rest", async () => {
    const { socket, stream } = await open({}, "CollectionService/ImportContents");
    stream.send(new Uint8Array(1_000));
    stream.end();
    assert.equal(stream.buffered, 1_003);
    Object.assign(socket, { readyState: 1, bufferedAmount: 7 }).onopen();
    assert.equal(stream.buffered, 7);
  });

  test("an import waits for a socket that does not open", async () => {
    const transport = new WebSocketTransport("ws://a", { WebSocket: FakeSocket });
    const client = new Client(transport, { timeout: 0.1 });
    let parts = 0;
    // Twenty times of what may wait.
    function* contents() {
      for (; parts < 160; parts += 1) yield { items: { count: 8_192, heights: new Float32Array(16_384) } };
    }
    await assert.rejects(client.importContents("a", contents()), { code: "DEADLINE_EXCEEDED" });
    assert.ok(parts < 20, `${parts} parts`);
  });

  test("a token that a subprotocol cannot hold is an error", async () => {
    const { told } = await open({ token: "a b=" });
    assert.equal(told[0].code, "UNAUTHENTICATED");
  });

  test("ends are statuses", async () => {
    const ends = [
      [4005, "SESSION_EXPIRED: There is no session.", ["NOT_FOUND", "SESSION_EXPIRED", "There is no session."]],
      [4016, "the token has ended", ["UNAUTHENTICATED", "", "the token has ended"]],
      [1006, "", ["UNAVAILABLE", ""]], [1009, "", ["RESOURCE_EXHAUSTED", ""]], [1011, "x", ["INTERNAL", "", "x"]],
      [1012, "", ["UNAVAILABLE", ""]], [4099, "?", ["UNAVAILABLE", ""]],
    ];
    for (const [code, reason, [status, name, text]] of ends) {
      const { socket, told } = await open();
      socket.onclose({ code, reason });
      assert.ok(told[0] instanceof LayoutError);
      assert.deepEqual([told[0].code, told[0].reason], [status, name]);
      if (text) assert.ok(told[0].message.endsWith(text), told[0].message);
    }
    const { socket, told } = await open();
    socket.onclose({ code: 1000, reason: "" });
    assert.deepEqual(told, [undefined]);
  });

  test("a text message before the end has the details, and one that cannot be read does no harm", async () => {
    const { socket, told } = await open();
    socket.onmessage({ data: "nonsense" });
    socket.onmessage({
      data: JSON.stringify({
        code: 8, reason: "SLOW_CLIENT", message: "too slow", metadata: { retryDelayMilliseconds: "1500" },
        fieldViolations: [{ field: "a", description: "b" }],
      }),
    });
    socket.onclose({ code: 4008, reason: "SLOW_CLIENT: too" });
    assert.equal(told[0].retryDelay, 1.5);
    assert.equal(told[0].field, "a");
    assert.match(told[0].message, /too slow/);
  });

  test("an error without an end is a lost connection", async () => {
    const { socket, told } = await open();
    socket.onerror();
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    assert.deepEqual(told.map(({ code }) => code), ["UNAVAILABLE"]);
    const other = await open();
    other.socket.onerror();
    other.socket.onclose({ code: 1011, reason: "" });
    assert.deepEqual(other.told.map(({ code }) => code), ["INTERNAL"]);
  });

  test("what is cancelled tells nothing more", async () => {
    const { socket, told, stream } = await open();
    stream.cancel();
    socket.onmessage({ data: new ArrayBuffer(2) });
    socket.onclose({ code: 1006, reason: "" });
    assert.equal(socket.closedWith, 1000);
    assert.deepEqual(told, []);
  });

  test("a connection that can be dropped is, since the server may ignore its end", async () => {
    class Droppable extends FakeSocket {
      terminate() {
        this.droppedAfter = this.closedWith;
      }
    }
    const { socket, stream } = await open({ WebSocket: Droppable });
    stream.end();
    assert.equal(socket.droppedAfter, undefined);
    stream.cancel();
    assert.equal(socket.droppedAfter, 1000);
  });
});

suite("Through a door", { skip: !globalThis.WebSocket && "Node has no WebSocket", timeout: 120_000 }, () => {
  test("calls, a viewer, a connection that breaks, and a collection that goes", async () => {
    const server = await LayoutServer.start(), door = new Door(server.address);
    const client = new Client(`ws://127.0.0.1:${await door.listen()}`);
    try {
      const contents = { sections: [{ blocks: [{ count: 500, heights: [44] }] }] };
      await client.createCollection("rows", contents, { layout: { list: {} } });
      await assert.rejects(client.createCollection("rows", contents), { code: "ALREADY_EXISTS" });
      await assert.rejects(
        client.createCollection("others", {}, { layout: { list: { rowSpacing: -1e300 } } }),
        (error) => error.code === "INVALID_ARGUMENT" && error.field.includes("row_spacing"));
      const viewer = client.view("rows", { size: { width: 390, height: 844 } });
      await viewer.nextFrame();
      viewer.scroll({ y: 4_000 });
      await viewer.settle();
      door.breakConnections();
      const version = await viewer.update([{ deleteItems: { section: 0, firstItem: 0, itemCount: 50 } }]);
      while (viewer.dataVersion < version) await viewer.nextFrame();
      assert.equal(viewer.reconnections, 1);
      assert.equal(viewer.viewport.y, 4_000 - 50 * 44);
      const end = new Promise((resolve) => {
        viewer.on("end", resolve);
      });
      await client.deleteCollection("rows");
      assert.equal((await end).reason, "COLLECTION_NOT_FOUND");
    } finally {
      client.close();
      door.close();
      await server.stop();
    }
  });
});
