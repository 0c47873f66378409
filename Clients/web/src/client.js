// SPDX-License-Identifier: Apache-2.0
// Calls, and viewers.

import { Backoff } from "./backoff.js";
import { isServerAway, LayoutError, mayBeginAgain } from "./errors.js";
import {
  calls, ExportContentsRequest, ExportContentsResponse, ImportContentsRequest, ImportContentsResponse,
  OpenSession, WatchUpdatesRequest, WatchUpdatesResponse,
} from "./messages.js";
import { newIdentifier, Session } from "./session.js";
import { Export, partsOf, Streaming } from "./streaming.js";
import { WebSocketTransport } from "./transport.js";
import { Viewer } from "./viewer.js";
import { decode, encode } from "./wire.js";

// Calls that change nothing, or nothing twice, are repeated while the server cannot be reached.
const REPEATABLE = /\/(Get|List|Query|BatchGet|HitTest|Compute|Find|Validate|ApplyUpdates)/;

// The server of a watch speaks every 15 seconds while nothing changes.
const MOST_SILENT = 45;

/** The full name of a collection: "photos" is "collections/photos". */
export function collectionName(name) {
  return name.includes("/") ? name : `collections/${name}`;
}

/**
 * A client of a layout server, or of several that share their collections and the secret of resume tokens:
 * if one cannot be reached, the next one is tried.
 */
export class Client {
  #transports;
  #timeout;
  #importTimeout;
  #viewers = new Set();

  /**
   * Addresses are URLs, transports, or a list of these. `timeout` is that of calls and events, in seconds. An export
   * may be so long without a part, and an import without a step forward. Once all of an import is
   * taken, its answer may take `importTimeout` seconds, or `timeout` if that is longer: the server
   * builds and stores millions of items. Then they reject with DEADLINE_EXCEEDED.
   */
  constructor(addresses, { token, timeout = 30, importTimeout = 600 } = {}) {
    this.#transports = [addresses].flat().map((each) => (
      typeof each === "string" || each instanceof URL ? new WebSocketTransport(each, { token }) : each));
    if (this.#transports.length === 0) throw new TypeError("a client needs an address");
    this.#timeout = timeout;
    this.#importTimeout = importTimeout;
  }

  /**
   * Opens a viewer of a collection. It connects at once, and goes on to try while the server cannot be
   * reached. Throws FieldError.
   *
   * `layout` is a `LayoutSpec` or the name of a named layout; `contents` are shown instead of a collection.
   * `renderer` says what measures elements, with which viewers of a collection can share the sizes.
   */
  view(collection, {
    contents, layout, size = { width: 1024, height: 768 }, offset, viewport, start, options, expansions,
    table, packed = true, units = 64, animations = false, pinning = false, scrollEffects = false,
    sectionScrolls = false, itemData = false, renderer,
  } = {}) {
    const opening = {
      capabilities: {
        encodings: [packed ? "packed" : "messages"], unitsPerPoint: [units], checksums: true,
        itemKeys: true, sectionKeys: true, animations, pinning, scrollEffects, sectionScrolls,
        itemData,
      },
      options: options ?? {},
      viewport: { size, ...viewport, ...(offset ? { contentOffset: offset } : {}) },
    };
    if (contents) opening.inlineContents = contents;
    else opening.collection = collectionName(collection);
    if (typeof layout === "string") opening.layoutName = layout;
    else if (layout) opening.layout = layout;
    if (start) opening.start = start;
    if (expansions) opening.expansions = expansions;
    if (table) opening.table = table;
    if (renderer) opening.renderer = renderer;
    // What does not fit the protocol is an error here, and not when it is sent.
    encode(OpenSession, opening);
    const session = new Session(opening, new Backoff(this.#transports.length));
    const viewer = new Viewer(this.#transports, session, this.#timeout);
    this.#viewers.add(viewer);
    viewer.on("end", () => this.#viewers.delete(viewer));
    return viewer;
  }

  /** Makes a call: `call("CollectionService.GetCollection", { name: "collections/photos" })`. */
  async call(name, request) {
    const entry = calls[name];
    if (!entry) throw new TypeError(`there is no call ${name}`);
    const [requestType, responseType] = entry;
    const method = name.replace(".", "/"), bytes = encode(requestType, request);
    const deadline = Date.now() + this.#timeout * 1000, backoff = new Backoff(this.#transports.length);
    for (;;) {
      try {
        return decode(responseType, await this.#once(method, bytes, backoff.address, deadline));
      } catch (error) {
        const wait = backoff.next() * 1000;
        const mayRepeat = isServerAway(error) && REPEATABLE.test(method);
        if (!mayRepeat || Date.now() + wait >= deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }

  #once(method, request, address, deadline) {
    return new Promise((resolve, reject) => {
      let response;
      const timer = setTimeout(() => {
        stream.cancel();
        reject(new LayoutError("DEADLINE_EXCEEDED", "the answer did not come in time"));
      }, Math.max(0, deadline - Date.now()));
      const stream = this.#transports[address].open(method, {
        message: (bytes) => {
          response = bytes;
        },
        end: (error) => {
          clearTimeout(timer);
          if (error) reject(error);
          else if (response) resolve(response);
          else reject(new LayoutError("INTERNAL", "the call ended without an answer"));
        },
      });
      stream.send(request);
      stream.end();
    });
  }

  /** Creates a collection, which may have contents and a layout. */
  async createCollection(name, contents, { layout, displayName = "", labels = {} } = {}) {
    const { collection } = await this.call("CollectionService.CreateCollection", {
      collectionId: collectionName(name).slice("collections/".length),
      collection: { displayName, labels, defaultLayout: layout },
      contents,
    });
    return collection;
  }

  async getCollection(name) {
    return (await this.call("CollectionService.GetCollection", { name: collectionName(name) })).collection;
  }

  /** All collections, page by page. */
  async *listCollections() {
    let pageToken = "";
    do {
      const page = await this.call("CollectionService.ListCollections", { pageToken });
      yield* page.collections;
      // Asking for the same page again would never end.
      if (pageToken && page.nextPageToken === pageToken) {
        throw new LayoutError(
          "INTERNAL", "nextPageToken: the server gave the token of the page that it was asked for");
      }
      pageToken = page.nextPageToken;
    } while (pageToken);
  }

  async deleteCollection(name, { allowMissing = false } = {}) {
    await this.call("CollectionService.DeleteCollection", { name: collectionName(name), allowMissing });
  }

  /** Changes the data, by an `UpdateBatch` or a list of operations; resolves to the new data version. */
  async apply(name, change, { animated = false } = {}) {
    const batch = Array.isArray(change) ? { operations: { operations: change } } : { ...change };
    if (animated) batch.animated = true;
    batch.requestId ||= newIdentifier();
    const request = { name: collectionName(name), batch };
    return (await this.call("CollectionService.ApplyUpdates", request)).dataVersion;
  }

  /**
   * Replaces the contents of a collection that exists: `CollectionContents`, or parts of it as `ImportContentsRequest`
   * has them after the header, from an iterable that may be asynchronous. Sends as fast as the server takes them.
   * Resolves to the collection; unless all parts arrive, nothing changes. After DEADLINE_EXCEEDED nobody knows whether
   * all arrived.
   */
  async importContents(name, contents, { expectedDataVersion, cellKindNames = contents.cellKindNames ?? [] } = {}) {
    const isWhole = !(Symbol.iterator in contents || Symbol.asyncIterator in contents);
    const stream = this.#transfer("CollectionService/ImportContents", await this.#reachable(name));
    const header = { name: collectionName(name), cellKindNames };
    if (expectedDataVersion !== undefined) header.expectedDataVersion = expectedDataVersion;
    try {
      await stream.send(encode(ImportContentsRequest, { header }));
      for await (const part of isWhole ? partsOf(contents) : contents) {
        await stream.send(encode(ImportContentsRequest, part));
      }
      await stream.send(encode(ImportContentsRequest, { end: {} }));
      stream.end(this.#importTimeout);
      for await (const bytes of stream) return decode(ImportContentsResponse, bytes).collection;
      throw new LayoutError("INTERNAL", "the import ended without an answer");
    } finally {
      stream.cancel();
    }
  }

  /** The contents of a collection part by part: first one with `header`, then such with `section` and `items`. */
  async *exportParts(name) {
    const request = encode(ExportContentsRequest, { name: collectionName(name) });
    const addresses = this.#transports.length;
    for (let address = 0; address < addresses; address += 1) {
      const stream = this.#transfer("CollectionService/ExportContents", address);
      let hasBegun = false;
      try {
        await stream.send(request);
        stream.end();
        for await (const bytes of stream) {
          hasBegun = true;
          yield decode(ExportContentsResponse, bytes);
        }
        return;
      } catch (error) {
        // What another server exports may be another version, so it cannot go on in the middle.
        if (hasBegun || !mayBeginAgain(error) || address === addresses - 1) throw error;
      } finally {
        stream.cancel();
      }
    }
  }

  /**
   * The contents of a collection, and the data version that they have. Rejects unless there are as many sections and
   * items as the server announces.
   */
  async exportContents(name) {
    const found = new Export();
    for await (const part of this.exportParts(name)) found.add(part);
    return found.whole();
  }

  /**
   * The batches of a collection after a data version, for ever: `{ dataVersion, batch, incarnation }`, without a batch at
   * the beginning and while nothing changes. A lost connection is made again, and goes on after the last version.
   * Ends with a LayoutError where the contents have to be exported again (OUT_OF_RANGE), and when the loop does.
   */
  async *watchUpdates(name, { after = 0, incarnation } = {}) {
    const backoff = new Backoff(this.#transports.length);
    let version = after, known = incarnation;
    for (;;) {
      const request = { name: collectionName(name), afterDataVersion: version };
      if (known !== undefined) request.incarnation = known;
      const stream = this.#stream("CollectionService/WatchUpdates", backoff.address, { patience: MOST_SILENT });
      try {
        await stream.send(encode(WatchUpdatesRequest, request));
        stream.end();
        for await (const bytes of stream) {
          const message = decode(WatchUpdatesResponse, bytes);
          backoff.succeeded();
          version = message.dataVersion;
          known = message.incarnation;
          yield message;
        }
      } catch (error) {
        if (!mayBeginAgain(error)) throw error;
      } finally {
        stream.cancel();
      }
      await new Promise((resolve) => setTimeout(resolve, backoff.next() * 1000));
    }
  }

  #stream(method, address, options) {
    return new Streaming((handlers) => this.#transports[address].open(method, handlers), options);
  }

  #transfer(method, address) {
    return this.#stream(method, address, { patience: this.#timeout, code: "DEADLINE_EXCEEDED" });
  }

  /** The address of a server that answers, since the parts of an import cannot be sent twice. */
  async #reachable(name) {
    if (this.#transports.length === 1) return 0;
    const [requestType] = calls["CollectionService.GetCollection"];
    const request = encode(requestType, { name: collectionName(name) });
    const deadline = Date.now() + this.#timeout * 1000;
    for (let address = 0; address < this.#transports.length - 1; address += 1) {
      try {
        await this.#once("CollectionService/GetCollection", request, address, deadline);
        return address;
      } catch (error) {
        if (!isServerAway(error)) throw error;
      }
    }
    return this.#transports.length - 1;
  }

  /** Ends all viewers. */
  close() {
    for (const viewer of this.#viewers) viewer.close();
  }
}
