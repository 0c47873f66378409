// SPDX-License-Identifier: Apache-2.0
// What a viewer does when streams end, with a server that tests play.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe as suite, test } from "node:test";

import { Client, decode, encode, LayoutError, messages } from "../../../Clients/web/collection-layout.js";
import { Backoff } from "../../../Clients/web/src/backoff.js";
import { TokenSourceError } from "../../../Clients/web/src/errors.js";
import { Session } from "../../../Clients/web/src/session.js";
import { Streaming } from "../../../Clients/web/src/streaming.js";
import { WebSocketTransport } from "../../../Clients/web/src/transport.js";
import { Viewer } from "../../../Clients/web/src/viewer.js";
import { randomNumbers } from "./random.js";

const vectors = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url)));

/** A transport whose other side is the test. */
class Played {
  address = "played";
  canRenew = false;
  streams = [];
  #waiting = [];

  open(method, handlers) {
    const stream = {
      handlers, buffered: 0, sent: [],
      send: (bytes) => stream.sent.push(decode(messages.StreamLayoutRequest, bytes)),
      end: () => {},
      cancel: () => {
        stream.isCancelled = true;
      },
      say: (response) => handlers.message(encode(messages.StreamLayoutResponse, response)),
    };
    this.streams.push(stream);
    this.#waiting.shift()?.(stream);
    return stream;
  }

  /** The next stream. */
  next() {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}

function opened(fields = {}) {
  return {
    opened: {
      session: "sessions/a", outcome: "created", unitsPerPoint: 64, resumeToken: Uint8Array.of(1), ...fields,
    },
  };
}

function sleep(milliseconds) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

function keyframe(frameSeq, fields = {}) {
  return { frame: { frameSeq, liveCount: 0, contentSize: { width: 100, height: 1_000 }, ...fields } };
}

/** A message as it comes. */
function decodedResponse(response) {
  return decode(messages.StreamLayoutResponse, encode(messages.StreamLayoutResponse, response));
}

suite("Calls", { timeout: 60_000 }, () => {
  test("a source of tokens that fails ends a call, an export and a watch", async () => {
    let asked = 0;
    const transport = () => new WebSocketTransport("http://127.0.0.1:1", {
      token: async () => {
        asked += 1;
        throw new Error("logged out");
      },
    });
    const client = new Client([transport(), transport()]);
    const expected = { code: "UNAVAILABLE", message: /no token: logged out/ };
    await assert.rejects(client.call("CollectionService.GetCollection", { name: "collections/a" }), expected);
    await assert.rejects(client.exportContents("a"), expected);
    await assert.rejects(client.watchUpdates("a").next(), expected);
    await assert.rejects(client.importContents("a", { sections: [] }), expected);
    assert.equal(asked, 4);
  });
});

suite("Watches", { timeout: 60_000 }, () => {
  test("a watch goes on after what may be a server that was killed, and ends with other errors", async () => {
    const codes = ["UNAVAILABLE", "CANCELLED", "UNKNOWN", "NOT_FOUND"], after = [];
    const transport = {
      address: "watches",
      open: (_, handlers) => ({
        buffered: 0,
        send: (bytes) => {
          after.push(decode(messages.WatchUpdatesRequest, bytes).afterDataVersion);
          const dataVersion = after.length;
          handlers.message(encode(messages.WatchUpdatesResponse, { dataVersion }));
          handlers.end(new LayoutError(codes[dataVersion - 1], "it ended"));
        },
        end: () => {},
        cancel: () => {},
      }),
    };
    const versions = [];
    await assert.rejects(async () => {
      for await (const { dataVersion } of new Client(transport).watchUpdates("a")) versions.push(dataVersion);
    }, { code: "NOT_FOUND" });
    assert.deepEqual([after, versions], [[0, 1, 2, 3], [1, 2, 3, 4]]);
  });
});

suite("Servers that are silent", { timeout: 60_000 }, () => {
  /** A transport whose server does nothing by itself. */
  function silent() {
    const stream = {
      buffered: 0, sent: 0, isCancelled: false, end: () => {},
      send: () => {
        stream.sent += 1;
      },
      cancel: () => {
        stream.isCancelled = true;
      },
    };
    const open = (_, handlers) => Object.assign(stream, { handlers });
    return { stream, client: new Client({ address: "silent", open }, { timeout: 0.2, importTimeout: 0.8 }) };
  }

  test("an export ends if no part comes for the client's timeout", async () => {
    const { stream, client } = silent(), parts = client.exportParts("a"), first = parts.next();
    const say = () => stream.handlers.message(encode(messages.ExportContentsResponse, { header: {} }));
    setTimeout(say, 150);
    await first;
    setTimeout(say, 150);
    await parts.next();
    const began = performance.now();
    await assert.rejects(parts.next(), { code: "DEADLINE_EXCEEDED" });
    assert.ok(performance.now() - began > 190);
    assert.equal(stream.isCancelled, true);
  });

  test("an import ends if the server does not answer", async () => {
    const { stream, client } = silent();
    const began = performance.now();
    await assert.rejects(client.importContents("a", { sections: [] }), { code: "DEADLINE_EXCEEDED" });
    assert.deepEqual([stream.sent, stream.isCancelled], [2, true]);
    // The server may need longer to store it than to say something else.
    assert.ok(performance.now() - began > 700);
  });

  test("an import ends if the server takes nothing, and not while it takes anything", async () => {
    const { stream, client } = silent();
    stream.buffered = 2 << 20;
    const began = performance.now(), reading = setInterval(() => {
      stream.buffered -= 1;
    }, 20);
    setTimeout(() => clearInterval(reading), 600);
    await assert.rejects(client.importContents("a", { sections: [] }), { code: "DEADLINE_EXCEEDED" });
    assert.ok(performance.now() - began > 700);
    assert.deepEqual([stream.sent, stream.isCancelled], [0, true]);
  });

  test("an import has no longer than others while the server takes nothing of its end", async () => {
    const { stream, client } = silent();
    // It is never taken.
    stream.end = () => {
      stream.buffered = 1;
    };
    const expected = { code: "DEADLINE_EXCEEDED", message: /for 0.2 s/ };
    await assert.rejects(client.importContents("a", { sections: [] }), expected);
  });

  test("an import waits for its answer while the server takes what was sent", async () => {
    const { stream, client } = silent(), imported = client.importContents("a", { sections: [] });
    const reading = setInterval(() => {
      stream.buffered -= 1;
    }, 20);
    await sleep(600);
    clearInterval(reading);
    stream.handlers.message(encode(messages.ImportContentsResponse, { collection: { name: "collections/a" } }));
    assert.equal((await imported).name, "collections/a");
  });
});

suite("Exports", { timeout: 60_000 }, () => {
  const header = {
    header: { name: "collections/a", sectionCount: 2, itemCount: 5, dataVersion: 7 }, cellKindNames: ["", "b"],
  };
  const section = { section: { key: "k" } }, items = { items: { count: 3, heights: [9] } };

  /** The contents that a server exports as these parts. */
  function exported(parts) {
    let isCancelled = false;
    const open = (_, handlers) => ({
      send: async () => {
        for (const part of parts) {
          if (isCancelled) return;
          handlers.message(encode(messages.ExportContentsResponse, part));
          await new Promise(setImmediate);
        }
        handlers.end();
      },
      end: () => {},
      cancel: () => {
        isCancelled = true;
      },
    });
    return new Client({ address: "exports", open }).exportContents("a");
  }

  test("an export that is not whole is an error", async () => {
    for (const [missing, parts] of [
      ["the header is missing", []],
      ["the header is missing", [section, items]],
      ["more than one header", [header, header]],
      ["items before the first section", [header, items]],
      ["1 of the 2 sections", [header, section]],
      ["3 of the 5 items", [header, section, section, items]],
      ["more than the 2 sections", [header, section, section, section]],
      ["more than the 5 items", [header, section, ...Array(1_000).fill(items)]],
    ]) {
      await assert.rejects(exported(parts), { code: "INTERNAL", message: new RegExp(missing) });
    }
  });

  test("begins at the next address if the first does not answer, and does not go on there", async () => {
    const lost = new LayoutError("UNAVAILABLE", "lost");
    const played = (parts, error) => ({
      address: "exports",
      open: (_, handlers) => ({
        send: () => setImmediate(() => {
          for (const part of parts) handlers.message(encode(messages.ExportContentsResponse, part));
          handlers.end(error);
        }),
        end: () => {},
        cancel: () => {},
      }),
    });
    const whole = played([header, section, items, section, { items: { count: 2 } }]);
    const { contents } = await new Client([played([], lost), whole]).exportContents("a");
    assert.equal(contents.sections.length, 2);
    await assert.rejects(new Client([played([header], lost), whole]).exportContents("a"), { code: "UNAVAILABLE" });
  });

  test("a server that says nothing while it is waited for has lost the connection", async () => {
    const streaming = new Streaming(() => ({ cancel: () => {} }), { patience: 0.02 });
    await assert.rejects(streaming[Symbol.asyncIterator]().next(), { code: "UNAVAILABLE" });
  });

  test("a whole export is what was sent", async () => {
    const { contents, dataVersion } = await exported(
      [header, section, items, { items: { count: 0 } }, section, { items: { count: 2 } }]);
    assert.equal(dataVersion, 7);
    assert.deepEqual(contents.cellKindNames, ["", "b"]);
    assert.deepEqual(contents.sections.map(({ blocks }) => blocks.map(({ count }) => count)), [[3], [2]]);
  });
});

suite("Pages", { timeout: 60_000 }, () => {
  test("a page that names itself as the next one ends the list", async () => {
    let calls = 0;
    const transport = {
      address: "pages",
      open: (_, handlers) => ({
        send: () => {
          calls += 1;
          handlers.message(encode(messages.ListCollectionsResponse, { nextPageToken: "a" }));
          handlers.end();
        },
        end: () => {},
        cancel: () => {},
      }),
    };
    await assert.rejects(new Client(transport).listCollections().next(), {
      code: "INTERNAL", message: /nextPageToken/,
    });
    assert.equal(calls, 2);
  });
});

/** A viewer with a stream that is open. */
function start(options) {
  const transport = new Played(), viewer = new Client(transport).view("a", options), [stream] = transport.streams;
  stream.say(opened());
  stream.say(keyframe(1));
  return { transport, viewer, stream };
}

suite("A viewer", { timeout: 30_000 }, () => {
  test("refuses options that do not fit before anything is sent", () => {
    const transport = new Played();
    assert.throws(
      () => new Client(transport).view("a", { layout: { flow: { itemSise: {} } } }), { name: "FieldError" });
    assert.equal(transport.streams.length, 0);
  });

  test("acknowledges frames and heartbeats", () => {
    const { stream, viewer } = start();
    stream.say({ heartbeat: { lastFrameSeq: 1 } });
    assert.deepEqual(stream.sent.map(({ ack }) => ack?.frameSeq), [undefined, 1, 1]);
    assert.equal(stream.sent[0].eventSeq, 1);
    viewer.close();
    assert.deepEqual(stream.sent.at(-1).close, { discard: true });
  });

  test("rejects a frame that does not fit, and gives up if no keyframe helps", async () => {
    const { stream, viewer } = start();
    stream.say(keyframe(2, { baseFrameSeq: 9 }));
    assert.deepEqual(stream.sent.at(-1).ack, { frameSeq: 2, rejected: true });
    for (let seq = 3; seq < 6; seq += 1) stream.say(keyframe(seq, { liveCount: 7 }));
    await viewer.nextFrame();
    await assert.rejects(viewer.nextFrame(), { code: "DATA_LOSS" });
    assert.equal(stream.isCancelled, true);
  });

  /** A frame with one element, x points from the left. */
  function shows(frameSeq, x, fields = {}) {
    const attributes = { frame: { x, y: 0, width: 1, height: 1 } };
    const key = { category: "cell", indexPath: { section: 0, item: 0 } };
    return keyframe(frameSeq, { liveCount: 1, elements: { upserts: [{ slot: 0, key, attributes }] }, ...fields });
  }

  test("a frame that is refused is not seen, and settling waits for the keyframe", async () => {
    const { transport, viewer, stream } = start();
    stream.say(shows(2, 0));
    const settled = viewer.settle(), { eventSeq } = stream.sent.at(-1);
    stream.say(shows(3, 5, { baseFrameSeq: 2, stateChecksum: 1, contentSize: { width: 7, height: 7 } }));
    stream.say({ eventResult: { eventSeq } });
    const frame = await viewer.nextFrame();
    assert.deepEqual([frame.seq, viewer.elements.x[0], viewer.contentSize.width], [2, 0, 100]);
    assert.equal(await Promise.race([settled, sleep(20)]), undefined);
    stream.say(shows(4, 6));
    assert.equal((await settled).x[0], 6);
    assert.equal((await viewer.nextFrame()).seq, 4);
    // The adjustments up to that frame are in the offset. 0 would ask for all of them again.
    stream.say(shows(5, 7, { baseFrameSeq: 4, stateChecksum: 1 }));
    const next = transport.next();
    stream.handlers.end();
    const second = await next;
    assert.equal(second.sent[0].open.resume.lastFrameSeq, 4);
    // The server has nothing to send: it is where the viewer is.
    second.say(opened({ outcome: "resumed", lastEventSeq: eventSeq }));
    const again = viewer.settle();
    second.say({ eventResult: { eventSeq: second.sent.at(-1).eventSeq } });
    assert.equal((await again).x[0], 6);
    viewer.close();
  });

  test("after a refused frame, a heartbeat that agrees ends the wait for a keyframe", async () => {
    const { viewer, stream } = start();
    stream.say(shows(2, 0));
    stream.say(shows(3, 5, { baseFrameSeq: 2, stateChecksum: 1 }));
    const settled = viewer.settle(), { eventSeq } = stream.sent.at(-1);
    stream.say({ eventResult: { eventSeq } });
    const { stateChecksum } = stream.sent.findLast(({ ack }) => ack && !ack.rejected).ack;
    stream.say({ heartbeat: { lastFrameSeq: 2, liveCount: 1, stateChecksum: stateChecksum + 1 } });
    assert.equal(await Promise.race([settled, sleep(20)]), undefined);
    stream.say({ heartbeat: { lastFrameSeq: 2, liveCount: 1, stateChecksum } });
    assert.equal((await settled).x[0], 0);
    viewer.close();
  });

  test("while much waits to be sent, of acknowledgements the newest waits, and all rejections", () => {
    const { viewer, stream } = start(), before = stream.sent.length;
    stream.buffered = 1 << 20;
    stream.say(shows(2, 0));
    stream.say(shows(3, 1, { baseFrameSeq: 2 }));
    for (const frameSeq of [4, 5]) stream.say(shows(frameSeq, 5, { baseFrameSeq: 1 }));
    stream.say({ heartbeat: {} });
    stream.say(shows(6, 2));
    assert.equal(stream.sent.length, before);
    stream.buffered = 0;
    stream.say({ heartbeat: {} });
    const told = stream.sent.slice(before).map(({ ack }) => [ack.frameSeq, ack.rejected]);
    assert.deepEqual(told, [[3, false], [4, true], [5, true], [6, false]]);
    stream.buffered = 1 << 20;
    for (let frameSeq = 7; frameSeq < 5_000; frameSeq += 1) stream.say(shows(frameSeq, 5, { baseFrameSeq: 1 }));
    stream.buffered = 0;
    stream.say({ heartbeat: {} });
    assert.equal(stream.sent.length, before + 4 + 1_000);
    viewer.close();
  });

  test("says why there is no connection", async () => {
    const { transport, viewer, stream } = start(), told = [], next = transport.next();
    viewer.on("state", (error) => told.push([viewer.isConnected, error?.message]));
    assert.equal(viewer.connectionError, undefined);
    stream.handlers.end(new LayoutError("UNAVAILABLE", "lost"));
    assert.equal(viewer.connectionError.message, "UNAVAILABLE: lost");
    const second = await next, third = transport.next();
    second.handlers.message(Uint8Array.of(0x12, 5));
    assert.match(viewer.connectionError.message, /INTERNAL: .* at byte/);
    (await third).say(opened());
    assert.equal(viewer.connectionError, undefined);
    (await third).handlers.end();
    assert.deepEqual(told.map(([isConnected]) => isConnected), [false, false, true, false]);
    assert.deepEqual([told[0][1], told[2][1], told[3][1]], [
      "UNAVAILABLE: lost", undefined, "UNAVAILABLE: the server ended the stream",
    ]);
    viewer.close();
    const unreachable = new Played(), waiting = new Client(unreachable, { timeout: 0.02 }).view("a");
    unreachable.streams[0].handlers.end(new LayoutError("UNAVAILABLE", "refused"));
    await assert.rejects(waiting.settle(), ({ cause }) => cause.message === "UNAVAILABLE: refused");
    waiting.close();
  });

  test("a stream that was closed is cancelled if the server does not end it", () => {
    for (const answers of [false, true]) {
      const { viewer, stream } = start(), timers = new Map(), { setTimeout: set, clearTimeout: clear } = globalThis;
      globalThis.setTimeout = (run, time) => {
        timers.set(run, time);
        return run;
      };
      globalThis.clearTimeout = (run) => timers.delete(run) || clear(run);
      try {
        viewer.close();
        assert.deepEqual([...timers.values()], [5_000]);
        assert.equal(stream.isCancelled, undefined);
        if (answers) stream.handlers.end();
        for (const run of timers.keys()) run();
      } finally {
        Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
      }
      assert.equal(stream.isCancelled, answers ? undefined : true);
    }
  });

  test("acknowledgements that cannot be sent give way to the next one, except before a rejection", () => {
    const { viewer, stream } = start(), before = stream.sent.length;
    stream.buffered = 1 << 20;
    for (let count = 0; count < 100; count += 1) stream.say({ heartbeat: { lastFrameSeq: 1 } });
    viewer.scroll({ y: 5 });
    assert.equal(stream.sent.length, before);
    stream.say(keyframe(2, { baseFrameSeq: 1, liveCount: 7 }));
    stream.say({ heartbeat: { lastFrameSeq: 2 } });
    stream.say(keyframe(3));
    stream.buffered = 0;
    stream.say({ heartbeat: { lastFrameSeq: 3 } });
    assert.deepEqual(
      stream.sent.slice(before).map(
        ({ ack, viewport }) => (ack ? [ack.frameSeq, ack.rejected] : viewport.contentOffset.y)),
      [[1, false], [2, true], [3, false], 5]);
    viewer.close();
  });

  test("resumes with its token, and sends again what was not answered", async () => {
    const { transport, viewer, stream } = start();
    const update = viewer.update([{ deleteItems: { itemCount: 1 } }]);
    viewer.scroll({ y: 77 });
    assert.equal(stream.sent.at(-2).update.requestId.length, 32);
    const next = transport.next();
    stream.handlers.end(new LayoutError("UNAVAILABLE", "lost"));
    const second = await next;
    const { open } = second.sent[0];
    assert.deepEqual(open.resume.resumeToken, Uint8Array.of(1));
    assert.equal(open.resume.lastFrameSeq, 1);
    assert.equal(open.collection, undefined);
    assert.deepEqual(open.viewport.contentOffset, { x: 0, y: 77 });
    second.say(opened({ outcome: "resumed", lastEventSeq: 1 }));
    // The opening has the viewport.
    assert.deepEqual(second.sent.slice(1).map(({ eventSeq, update: sent }) => [eventSeq, !!sent]), [[2, true]]);
    second.say({ eventResult: { eventSeq: 2, dataVersion: 5 } });
    assert.equal(await update, 5);
    viewer.close();
  });

  test("what was applied is sent again to another session only", () => {
    const session = new Session({ collection: "collections/a" }, new Backoff(1));
    const reopened = (fields) => {
      session.firstRequest();
      session.receive(opened(fields), 0);
      return [...session.outgoing()].map(({ eventSeq }) => eventSeq);
    };
    assert.deepEqual(reopened({ lastEventSeq: 1 }), []);
    for (let count = 0; count < 3; count += 1) session.event({ update: { operations: {} } });
    assert.deepEqual([...session.outgoing()].map(({ eventSeq }) => eventSeq), [2, 3, 4]);
    session.ended();
    // Two were applied, and their answers were lost with the stream; the server tells them again.
    assert.deepEqual(reopened({ lastEventSeq: 3 }), [4]);
    session.receive({ eventResult: { eventSeq: 2, dataVersion: 1 } }, 0);
    session.ended();
    assert.deepEqual(reopened({ session: "sessions/b", lastEventSeq: 0 }), [3, 4]);
  });

  test("a layout that was applied is kept, however it came, and so are options", () => {
    const opening = { collection: "collections/a", layout: { list: {} }, options: { maxInFlightFrames: 1 } };
    const session = new Session(opening, new Backoff(1));
    session.firstRequest();
    session.receive(opened({ lastEventSeq: 1 }), 0);
    const reopened = () => {
      session.ended();
      const { open } = session.firstRequest();
      session.receive(opened({ outcome: "resumed", lastEventSeq: 99 }), 0);
      return open;
    };
    const answer = (eventSeq) => session.receive({ eventResult: { eventSeq } }, 0);
    session.event({ layout: { layout: { grid: {} } } });
    // Whether it was applied is not known, so the session keeps the layout that it has.
    assert.equal(reopened().layout, undefined);
    answer(2);
    assert.deepEqual(reopened().layout, { grid: {} });
    session.event({ transition: { begin: { line: {} } } });
    answer(3);
    session.event({ transition: { finish: true } });
    assert.equal(reopened().layout, undefined);
    answer(4);
    assert.deepEqual(reopened().layout, { line: {} });
    session.event({ options: { maxInFlightFrames: 2 } });
    assert.equal(reopened().options, undefined);
    answer(5);
    assert.deepEqual(reopened().options, { maxInFlightFrames: 2 });
  });

  test("a new session is told what its opening left out", () => {
    const layout = { list: {} }, options = { maxInFlightFrames: 1 };
    const session = new Session({ collection: "collections/a", layout, options }, new Backoff(1));
    session.firstRequest();
    session.receive(opened({ lastEventSeq: 1 }), 0);
    const reopened = (name) => {
      session.ended();
      assert.equal(session.firstRequest().open.layout, undefined);
      session.receive(opened({ session: name, lastEventSeq: 99 }), 0);
      return [...session.outgoing()];
    };
    const answer = (eventSeq, problem) => {
      session.receive({ eventResult: { eventSeq, problem } }, 0);
      return [...session.outgoing()];
    };
    const problem = { code: 3, reason: "OUT_OF_RANGE", message: "no" };
    // A step of a transition makes no sense in another session, so nothing else tells this one its layout.
    session.event({ transition: { begin: { grid: {} } } });
    const [told, ...others] = reopened("sessions/b");
    assert.deepEqual([told.layout.layout, others], [layout, []]);
    answer(told.eventSeq);
    // The pending events tell it others, unless they are refused.
    const last = session.event({ layout: { layout: { grid: {} } } });
    const changed = session.event({ options: { maxInFlightFrames: 2 } });
    assert.deepEqual(reopened("sessions/c").map(({ eventSeq }) => eventSeq), [last, changed]);
    const [again] = answer(last, problem);
    assert.deepEqual(again.layout.layout, layout);
    assert.deepEqual(answer(again.eventSeq), []);
    const [back] = answer(changed, problem);
    assert.deepEqual(back.options, options);
    // A collection without a default layout cannot be opened without one.
    session.event({ layout: { layout: { grid: {} } } });
    session.ended();
    assert.ok(session.firstRequest().open.resume);
    session.ended(new LayoutError("INVALID_ARGUMENT", "none", { reason: "LAYOUT_KIND_UNKNOWN" }));
    const { open } = session.firstRequest();
    assert.deepEqual([open.resume, open.layout], [undefined, layout]);
  });

  test("opens a new session if the old one is gone", async () => {
    const { transport, viewer, stream } = start();
    const next = transport.next();
    stream.handlers.end(new LayoutError("NOT_FOUND", "gone", { reason: "SESSION_EXPIRED" }));
    const second = await next;
    assert.equal(second.sent[0].open.resume, undefined);
    assert.equal(second.sent[0].open.collection, "collections/a");
    const measured = viewer.measure([0], [{ width: 1, height: 1 }]);
    second.say(opened({ session: "sessions/b" }));
    // It was meant for elements of the old session.
    await assert.rejects(measured, { reason: "SESSION_EXPIRED" });
    viewer.close();
  });

  /** A session whose first frame, with an item at y, has come; `lose` takes it to another session. */
  function begin(opening = {}, y = 0) {
    const session = new Session({ collection: "collections/a", ...opening }, new Backoff(1));
    const element = (place) => ({
      elements: {
        upserts: [{
          slot: 0, itemKey: "a", key: { category: "cell", indexPath: { section: 0, item: 0 } },
          attributes: { frame: { x: 0, y: place, width: 100, height: 100 } },
        }],
      },
    });
    const say = (response) => session.receive(decodedResponse(response), 0);
    const show = (seq, place, fields = {}) => say(keyframe(seq, { liveCount: 1, ...element(place), ...fields }));
    const lose = (name = "sessions/b") => {
      session.ended();
      const { open } = session.firstRequest();
      say(opened({ session: name }));
      return open;
    };
    session.firstRequest();
    say(opened());
    show(1, y);
    return { session, say, show, lose };
  }

  test("a new session is sent all but what names slots and steps of what ended", () => {
    const { session, lose } = begin(), refused = [];
    session.tell = (type, value) => {
      if (type === "answer") refused.push(Object.keys(value.request)[1]);
    };
    for (const event of [
      { update: { operations: {} } }, { measurements: { slots: [0], sizes: [{}] } }, { outline: { expand: ["a"] } },
      { outline: { toggledSlots: [0] } }, { table: { reset: true } }, { scrollTarget: { element: { itemKey: "a" } } },
      { movement: { cancel: true } }, { resync: {} }, { invalidation: {} }, { transition: { cancel: true } }, { sync: {} },
    ]) session.event(event);
    lose();
    assert.deepEqual(refused, ["measurements", "outline", "movement", "transition"]);
    assert.deepEqual([...session.outgoing()].map((request) => Object.keys(request)[1]), [
      "update", "outline", "table", "scrollTarget", "resync", "invalidation", "sync",
    ]);
  });

  test("a new session is told the columns and what is expanded", () => {
    const { session, say, lose } = begin({ expansions: { base: "collapsed", collapsed: ["a", "c"] } });
    const apply = (event, fields = {}) => say({ eventResult: { eventSeq: session.event(event), ...fields } });
    apply({ table: { columns: [{ id: "year", width: 80 }, { id: "note", hidden: true }], order: { ids: ["note"] } } });
    apply({ table: { columns: [{ id: "year" }, { id: "title", width: 9 }] } });
    apply({ outline: { expand: ["a", "b"] } });
    apply({ outline: { collapse: ["b"] } });
    // With a version the collection keeps it.
    apply({ outline: { expand: ["d"] } }, { dataVersion: 4 });
    session.event({ table: { reset: true } });
    const { table, expansions } = lose();
    assert.deepEqual(table, {
      columns: [{ id: "note", hidden: true }, { id: "title", width: 9 }], order: { ids: ["note"] },
    });
    assert.deepEqual(expansions, { base: "collapsed", expanded: ["a"], collapsed: ["c", "b"] });
    apply({ table: { reset: true } });
    assert.deepEqual(lose("sessions/c").table, { columns: [], order: undefined });
  });

  test("an item in sight is where it was in a new session", () => {
    const { session, show, lose } = begin({ viewport: { size: { width: 100, height: 500 } } }, 450);
    session.event({ viewport: { contentOffset: { x: 0, y: 400 } } });
    lose();
    const frames = [];
    session.tell = (type, frame) => {
      if (type === "frame") frames.push(frame.adjustment);
    };
    show(1, 1450);
    assert.deepEqual(frames, [{ x: 0, y: 1_000 }]);
    const [{ viewport }] = session.outgoing();
    assert.deepEqual([viewport.contentOffset.y, viewport.observedFrameSeq], [1_400, 1]);
    show(2, 1450);
    assert.deepEqual([...session.outgoing()], []);
  });

  test("a session begins at the start until there was a frame", () => {
    const session = new Session({ collection: "collections/a", start: { edge: "end" } }, new Backoff(1));
    session.firstRequest();
    session.receive(decodedResponse(opened()), 0);
    session.ended();
    let { open } = session.firstRequest();
    assert.deepEqual([open.start, open.viewport.contentOffset], [{ edge: "end" }, undefined]);
    session.receive(decodedResponse(opened()), 0);
    session.receive(decodedResponse(keyframe(1, { contentOffsetAdjustment: { x: 0, y: 70 } })), 0);
    session.ended();
    ({ open } = session.firstRequest());
    assert.deepEqual([open.start, open.viewport.contentOffset], [undefined, { x: 0, y: 70 }]);
  });

  test("a section that the server has scrolled stays there", () => {
    const { viewer, stream } = start(), told = [];
    viewer.on("scrollTarget", ({ sectionOffset }) => told.push(sectionOffset));
    stream.say({ scrollTarget: { sectionOffset: { section: 3, offset: 70 } } });
    assert.deepEqual(told, [{ section: 3, offset: 70 }]);
    const { session, say, lose } = begin();
    session.event({ viewport: { sectionOffsets: [{ section: 2, offset: 5 }] } });
    say({ scrollTarget: { sectionOffset: { section: 3, offset: 70 } } });
    assert.deepEqual(lose().viewport.sectionOffsets, [{ section: 2, offset: 5 }, { section: 3, offset: 70 }]);
    viewer.close();
  });

  test("an opening has the newest offsets of sections, as many as servers accept", () => {
    const { session, lose } = begin();
    for (let section = 0; section < 5000; section += 1) {
      session.event({ viewport: { sectionOffsets: [{ section, offset: 1 }] } });
    }
    session.event({ viewport: { sectionOffsets: [{ section: 1000, offset: 2 }] } });
    const { sectionOffsets } = lose().viewport;
    assert.equal(sectionOffsets.length, 4096);
    assert.deepEqual([sectionOffsets[0].section, sectionOffsets.at(-1)], [904, { section: 1000, offset: 2 }]);
  });

  test("changes name the frame in which they were made", async () => {
    const { viewer, stream } = start();
    stream.say(keyframe(2));
    viewer.scroll({ y: 5, frame: 1 });
    assert.equal(stream.sent.at(-1).viewport.observedFrameSeq, 1);
    const measured = viewer.measure([0], [{ width: 1, height: 1 }], { frame: 1 });
    assert.equal(stream.sent.at(-1).measurements.observedFrameSeq, 1);
    stream.say({ eventResult: { eventSeq: stream.sent.at(-1).eventSeq } });
    await measured;
    // Merged ones name that of the offset.
    stream.buffered = 1 << 20;
    viewer.scroll({ y: 6 });
    stream.say(keyframe(3));
    viewer.resize(5, 5);
    stream.buffered = 0;
    stream.say({ heartbeat: {} });
    const { viewport } = stream.sent.at(-1);
    assert.deepEqual([viewport.contentOffset.y, viewport.size.width, viewport.observedFrameSeq], [6, 5, 2]);
    viewer.close();
  });

  test("an event whose answer is late is taken back if it was not sent", async () => {
    const transport = new Played(), viewer = new Client(transport, { timeout: 0.05 }).view("a");
    const [stream] = transport.streams, update = [{ deleteItems: { itemCount: 1 } }];
    await assert.rejects(viewer.update(update), { code: "DEADLINE_EXCEEDED", requestId: undefined });
    stream.say(opened());
    assert.equal(stream.sent.length, 1);
    const late = viewer.update(update);
    await assert.rejects(late, { code: "DEADLINE_EXCEEDED", requestId: stream.sent[1].update.requestId });
    viewer.close();
  });

  test("settling waits for an answer", async () => {
    const { viewer, stream } = start();
    const settled = viewer.settle(), { eventSeq, sync } = stream.sent.at(-1);
    assert.ok(sync);
    stream.say({ eventResult: { eventSeq } });
    assert.equal((await settled).has(-1), false);
    viewer.close();
  });

  test("nothing is taken after the end", async () => {
    const { viewer, stream } = start();
    let frames = 0;
    viewer.on("frame", () => {
      frames += 1;
    });
    viewer.close();
    stream.say(keyframe(2));
    stream.say(opened());
    assert.deepEqual([frames, viewer.isConnected], [0, false]);
  });

  test("ends with a status that another stream would end with too", async () => {
    const { viewer, stream } = start();
    const end = new Promise((resolve) => {
      viewer.on("end", resolve);
    });
    stream.handlers.end(new LayoutError("PERMISSION_DENIED", "no"));
    assert.equal((await end).code, "PERMISSION_DENIED");
    assert.throws(() => viewer.scroll({ y: 1 }), { code: "PERMISSION_DENIED" });
  });

  test("a function that gives tokens may fail once a stream has been open", async () => {
    const fault = new Error("the service for tokens is away"), error = new TokenSourceError(fault);
    const session = new Session({ collection: "collections/a" }, new Backoff(1));
    session.firstRequest();
    assert.throws(() => session.ended(error), { cause: fault });
    session.firstRequest();
    session.receive(opened(), 0);
    assert.ok(session.ended(error) < 1);
    const transport = new WebSocketTransport("ws://127.0.0.1:1", { token: () => Promise.reject(fault) });
    const found = await new Promise((resolve) => {
      transport.open("LayoutSessionService/StreamLayout", { message: () => {}, end: resolve });
    });
    assert.deepEqual([found.code, found.cause], ["UNAVAILABLE", fault]);
  });

  test("asks for another token once, if the server had accepted one before", async () => {
    const { transport, viewer, stream } = start();
    transport.canRenew = true;
    const next = transport.next();
    stream.handlers.end(new LayoutError("UNAUTHENTICATED", "ended"));
    const second = await next;
    second.handlers.end(new LayoutError("UNAUTHENTICATED", "refused"));
    await viewer.nextFrame();
    await assert.rejects(viewer.nextFrame(), { code: "UNAUTHENTICATED" });
  });

  test("asks for another token at once, also after an outage", async () => {
    const transport = Object.assign(new Played(), { canRenew: true }), backoff = new Backoff(1);
    const viewer = new Viewer([transport], new Session({ collection: "collections/a" }, backoff), 30);
    const [stream] = transport.streams, next = transport.next();
    // As after many failures, but for longer than this test may take.
    backoff.next = () => 3_600;
    stream.say(opened());
    stream.handlers.end(new LayoutError("UNAUTHENTICATED", "ended"));
    assert.ok((await next).sent[0].open.resume);
    viewer.close();
  });

  test("asks for another token again only if the stream after the last one has worked", async () => {
    let time = 0;
    const transport = Object.assign(new Played(), { canRenew: true });
    const session = new Session({ collection: "collections/a" }, new Backoff(1, { now: () => time }));
    const viewer = new Viewer([transport], session, 30), end = new Promise((resolve) => {
      viewer.on("end", resolve);
    });
    let [stream] = transport.streams;
    for (const worked of [2_000, 2_000, 100]) {
      const next = transport.next();
      stream.say(opened());
      time += worked;
      stream.handlers.end(new LayoutError("UNAUTHENTICATED", "ended"));
      stream = await Promise.race([next, end]);
    }
    assert.equal(stream.code, "UNAUTHENTICATED");
    assert.equal(transport.streams.length, 3);
  });

  test("a server that opens sessions and says that they are gone is not stormed", async () => {
    const transport = new Played(), viewer = new Client(transport).view("a"), until = performance.now() + 1_500;
    let ended = 0;
    while (performance.now() < until) {
      for (; ended < transport.streams.length; ended += 1) {
        transport.streams[ended].say(opened());
        transport.streams[ended].handlers.end(new LayoutError("NOT_FOUND", "gone", { reason: "SESSION_EXPIRED" }));
      }
      await sleep(1);
    }
    viewer.close();
    // One again at once, then after 0.1, 0.2, 0.4 and 0.8 s, 20 % more or less.
    assert.ok(ended >= 4 && ended <= 7, `${ended} streams`);
  });

  test("after an outage, a server that no longer has the session opens another one at once", () => {
    const session = new Session({ collection: "collections/a" }, new Backoff(1, { now: () => 0 }));
    const gone = new LayoutError("NOT_FOUND", "gone", { reason: "SESSION_EXPIRED" });
    session.firstRequest();
    session.receive(decodedResponse(opened()), 0);
    for (let attempt = 0; attempt < 10; attempt += 1) session.ended();
    assert.equal(session.ended(gone), 0);
    // It has opened this one, so it should have it.
    session.firstRequest();
    session.receive(decodedResponse(opened({ session: "sessions/b" })), 0);
    assert.ok(session.ended(gone) > 5);
  });

  test("takes the connection for lost after three heartbeats of silence", async () => {
    const transport = new Played(), viewer = new Client(transport).view("a", {
      options: { heartbeatInterval: 1 },
    });
    const [stream] = transport.streams, next = transport.next();
    // Servers grant a second at least.
    stream.say(opened({ options: { heartbeatInterval: 0.02 } }));
    stream.say({ heartbeat: {} });
    const began = performance.now();
    await next;
    assert.ok(performance.now() - began > 2_900);
    assert.equal(stream.isCancelled, true);
    viewer.close();
  });

  test("heartbeats and times to wait that are absurd are bounded", async () => {
    for (const [given, seconds] of [[2 ** 52, 60], [-(2 ** 52), 1], [0.000000001, 1], [0, 15], [20, 20]]) {
      const session = new Session({ collection: "collections/a" }, new Backoff(1));
      session.receive(decodedResponse(opened({ options: { heartbeatInterval: given } })));
      assert.equal(session.heartbeat, seconds);
    }
    for (const [given, seconds] of [[2 ** 52, 60], [-5, 0], [7, 7], [0, 0]]) {
      const session = new Session({ collection: "collections/a" }, new Backoff(1));
      session.receive(decodedResponse(opened()));
      session.receive(decodedResponse({ notice: { type: "going_away", reconnectDelay: given } }));
      assert.equal(session.ended(undefined), seconds);
    }
    for (const [given, seconds] of [["1e300", 60], ["Infinity", 60], ["-5", undefined], ["soon", undefined]]) {
      const error = new LayoutError("RESOURCE_EXHAUSTED", "", { metadata: { retryDelayMilliseconds: given } });
      assert.equal(error.retryDelay, seconds);
    }
  });

  test("a server that opens sessions and breaks them is not stormed", async () => {
    const transport = new Played(), viewer = new Client(transport).view("a"), ended = new Set();
    const until = performance.now() + 2_000;
    while (performance.now() < until) {
      for (const stream of transport.streams) {
        if (ended.has(stream)) continue;
        ended.add(stream);
        // A resume is refused at once.
        if (stream.sent[0]?.open.resume) {
          stream.handlers.end(new LayoutError("NOT_FOUND", "gone", { reason: "SESSION_EXPIRED" }));
        } else {
          stream.say(opened());
          stream.say(keyframe(1));
          stream.handlers.end(new LayoutError("UNAVAILABLE", "bye"));
        }
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    }
    assert.ok(transport.streams.length <= 12, `${transport.streams.length} streams`);
    viewer.close();
  });

  test("merges scroll steps while many bytes wait to be sent", async () => {
    const { viewer, stream } = start();
    stream.buffered = 1 << 20;
    const before = stream.sent.length;
    for (let y = 1; y <= 100; y += 1) viewer.scroll({ y });
    assert.equal(stream.sent.length, before);
    stream.buffered = 0;
    stream.say({ heartbeat: {} });
    const scrolls = stream.sent.slice(before).filter((request) => request.viewport);
    assert.deepEqual(scrolls.map(({ viewport }) => viewport.contentOffset.y), [100]);
    viewer.close();
  });

  test("messages that are none end the stream, and another one follows", async () => {
    const { transport, viewer, stream } = start();
    const next = transport.next();
    stream.handlers.message(Uint8Array.of(0x12, 5));
    await next;
    assert.equal(stream.isCancelled, true);
    viewer.close();
  });

  test("frames that nobody takes are merged into one", async () => {
    const { viewer, stream } = start();
    stream.say(keyframe(2, { contentOffsetAdjustment: { x: 0, y: 5 } }));
    stream.say(keyframe(3, { contentOffsetAdjustment: { x: 1, y: 5 } }));
    const frame = await viewer.nextFrame();
    assert.equal(frame.seq, 3);
    assert.equal(frame.merged, 3);
    assert.deepEqual(frame.adjustment, { x: 1, y: 10 });
    assert.deepEqual([viewer.viewport.x, viewer.viewport.y], [1, 10]);
    viewer.close();
  });

  test("of two who wait for a frame, each gets one of its own", async () => {
    const { viewer, stream } = start();
    await viewer.nextFrame();
    const waiting = [viewer.nextFrame(), viewer.nextFrame()];
    stream.say(keyframe(2));
    const first = await Promise.race(waiting);
    stream.say(keyframe(3));
    const seqs = (await Promise.all(waiting)).map(({ seq }) => seq);
    assert.equal(first.seq, 2);
    assert.deepEqual(seqs.sort(), [2, 3]);
    viewer.close();
  });

  test("a fault of a listener does not end the stream", () => {
    const { viewer, stream } = start();
    const faults = [], { setTimeout: real } = globalThis;
    globalThis.setTimeout = (run) => faults.push(run);
    try {
      viewer.on("frame", () => {
        throw new Error("a fault of the page");
      });
      stream.say(keyframe(2));
    } finally {
      globalThis.setTimeout = real;
    }
    assert.equal(stream.sent.at(-1).ack.frameSeq, 2);
    assert.ok(faults.some((run) => {
      try {
        run();
        return false;
      } catch (error) {
        return error.message === "a fault of the page";
      }
    }));
    viewer.close();
  });

  test("whatever a server says, the viewer goes on or ends with an error", async () => {
    const random = randomNumbers(13);
    const parts = Object.fromEntries(
      Object.entries({
        SessionOpened: "opened", LayoutFrame: "frame", EventResult: "eventResult", ScrollTarget: "scrollTarget",
        Heartbeat: "heartbeat", Notice: "notice", PrefetchChange: "prefetch", VisibilityChange: "visibility",
      }).map(([name, field]) => {
        const [, hex] = vectors.messages.find(([each]) => each === name);
        return [field, decode(messages[name], new Uint8Array(Buffer.from(hex, "hex")))];
      }));
    const fields = Object.keys(parts), ends = new Set();
    for (let round = 0; round < 200; round += 1) {
      const { transport, viewer, stream } = start();
      viewer.on("end", (error) => ends.add(error?.code));
      viewer.update([{ deleteItems: { itemCount: 1 } }]).catch(() => {});
      for (let step = 0; step < 20; step += 1) {
        const field = fields[random(fields.length)];
        const response = field === "frame" && random(2) === 0 ? keyframe(step + 2) : { [field]: parts[field] };
        const bytes = encode(messages.StreamLayoutResponse, response);
        for (let change = random(3); change > 0; change -= 1) bytes[random(bytes.length)] = random(256);
        stream.handlers.message(bytes);
        if (!stream.isCancelled) viewer.scroll({ y: step });
      }
      assert.equal(transport.streams.length, 1);
      viewer.close();
    }
    assert.ok([...ends].every((code) => ["DATA_LOSS", "CANCELLED", undefined].includes(code)), [...ends].join());
  });
});
