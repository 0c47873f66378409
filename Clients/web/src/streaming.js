// SPDX-License-Identifier: Apache-2.0
// Calls that stream in one direction.

import { LayoutError } from "./errors.js";

// While so many bytes wait to be sent, nothing more is.
const MOST_BUFFERED = 1 << 20;
// How often that is looked at, in milliseconds: a WebSocket does not tell.
const PAUSE = 10;
// The same while only an answer is waited for, at most.
const LONG_PAUSE = 5_000;
// The rows of a part of an import.
const MOST_ITEMS = 8192;
// Columns of a block that have one value for each item, or one for all, or none.
const COLUMNS = ["widths", "heights", "xs", "ys", "cellKinds", "keys"];

/** A call whose answers are iterated over. */
export class Streaming {
  #stream;
  #answers = [];
  #end;
  #wake = () => {};
  #patience;
  #answerPatience = 0;
  #code;

  /**
   * `open` begins the call with the handlers of `Transport.open`. If for `patience` seconds the server neither takes
   * what is sent nor says anything while that is waited for, the call fails with `code`.
   */
  constructor(open, { patience, code = "UNAVAILABLE" }) {
    this.#patience = patience;
    this.#code = code;
    this.#stream = open({
      message: (bytes) => {
        this.#answers.push(bytes);
        this.#wake();
      },
      end: (error) => {
        this.#end = { error };
        this.#wake();
      },
    });
  }

  /**
   * Sends a message, once there is room for it. Throws the error with which the call has ended, or one if there is no
   * room for too long.
   */
  async send(bytes) {
    const check = this.#progress();
    while (!this.#end && this.#stream.buffered > MOST_BUFFERED) {
      check();
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
    if (this.#end?.error) throw this.#end.error;
    this.#stream.send(bytes);
  }

  /**
   * Sends nothing more. Once all is taken, the server may be silent for so many seconds before its
   * answer, if they are more than `patience`.
   */
  end(answerPatience = 0) {
    this.#answerPatience = answerPatience;
    this.#stream.end();
  }

  cancel() {
    if (!this.#end) this.#stream.cancel();
    this.#end ??= {};
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      while (this.#answers.length > 0) yield this.#answers.shift();
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return;
      await this.#news();
    }
  }

  async #news() {
    const check = this.#progress(), pause = Math.min(LONG_PAUSE, this.#patience * 125);
    while (this.#answers.length === 0 && !this.#end) {
      check();
      await this.#pause(pause);
    }
  }

  /** Waits until the server says something, but not longer than so many milliseconds. */
  #pause(time) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, time);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** A function that throws if nothing has been sent for too long since it was made. */
  #progress() {
    let { buffered } = this.#stream, since = performance.now();
    return () => {
      if (this.#stream.buffered !== buffered) since = performance.now();
      ({ buffered } = this.#stream);
      // A server that does not take what was sent is not busy with it.
      const seconds = buffered > 0 ? this.#patience : Math.max(this.#patience, this.#answerPatience);
      if (performance.now() - since < seconds * 1000) return;
      throw new LayoutError(this.#code, `the server took nothing and said nothing for ${seconds} s`);
    };
  }
}

/** The contents that an export has, part by part, compared with what its header says. */
export class Export {
  #header;
  #contents = { cellKindNames: [], sections: [] };
  #items = 0;

  /** Takes the next part. Throws LayoutError before anything is kept that the header does not announce. */
  add({ header, section, items, cellKindNames }) {
    const { sections } = this.#contents;
    if (header) {
      checkExport(!this.#header, "there is more than one header");
      this.#header = header;
      this.#contents.cellKindNames = cellKindNames;
      return;
    }
    const { sectionCount, itemCount } = this.#announced();
    if (section) {
      checkExport(sections.length < sectionCount, `there are more than the ${sectionCount} sections of the header`);
      sections.push(section);
    } else if (items) {
      checkExport(sections.length > 0, "there are items before the first section");
      this.#items += items.count;
      checkExport(this.#items <= itemCount, `there are more than the ${itemCount} items of the header`);
      // Without items there could be any number of blocks.
      if (items.count > 0) sections.at(-1).blocks.push(items);
    }
  }

  /** The contents after the last part, and their version. Throws LayoutError if something is missing. */
  whole() {
    const { sectionCount, itemCount, dataVersion } = this.#announced(), { length } = this.#contents.sections;
    checkExport(length === sectionCount, `there are ${length} of the ${sectionCount} sections of the header`);
    checkExport(this.#items === itemCount, `there are ${this.#items} of the ${itemCount} items of the header`);
    return { contents: this.#contents, dataVersion };
  }

  #announced() {
    checkExport(this.#header, "the header is missing");
    return this.#header;
  }
}

function checkExport(condition, problem) {
  if (!condition) throw new LayoutError("INTERNAL", `the server sent an export that is not whole: ${problem}`);
}

/** Contents as the parts of an import, none of which is large. */
export function* partsOf({ sections = [] }) {
  for (const { blocks = [], ...section } of sections) {
    yield { section };
    for (const block of blocks) yield* partsOfBlock(block);
  }
}

function* partsOfBlock(block) {
  // Places in an outline belong together.
  if (!(block.count > MOST_ITEMS) || block.outline) {
    yield { items: block };
    return;
  }
  for (let start = 0; start < block.count; start += MOST_ITEMS) {
    const end = Math.min(start + MOST_ITEMS, block.count), items = { ...block, count: end - start };
    for (const name of COLUMNS) {
      if (block[name]?.length === block.count) items[name] = block[name].slice(start, end);
    }
    yield { items };
  }
}
