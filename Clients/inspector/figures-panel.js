// SPDX-License-Identifier: Apache-2.0
// Live figures of the page and of the server.

import { make } from "./dom.js";
import { bytesText, numberText, quantile, rate, readMetrics, sumOf } from "./figures.js";

const INTERVAL = 1000;

/** A table of figures that are read each second. */
export class FiguresPanel {
  #table;
  #inspector;
  #before;

  constructor(table, inspector) {
    this.#table = table;
    this.#inspector = inspector;
    setInterval(() => this.#read(), INTERVAL);
  }

  async #read() {
    if (document.hidden) return;
    const samples = await this.#samples(), now = this.#own(), time = performance.now();
    const reading = { samples, now, time }, before = this.#before ?? reading;
    this.#before = reading;
    const seconds = (time - before.time) / 1000;
    const rows = [["This page"], ...this.#ownRows(before.now, now, seconds), ["Server"]];
    rows.push(...(samples ? serverRows(before.samples ?? samples, samples, seconds) : [["Metrics", "not to be had"]]));
    this.#table.replaceChildren(...rows.map(([name, text]) => (
      make("tr", { className: text === undefined ? "head" : "" },
        make("th", { scope: "row", colSpan: text === undefined ? 2 : 1 }, name), text === undefined ? undefined : make("td", {}, text)))));
  }

  async #samples() {
    try {
      const response = await fetch("/metrics");
      return response.ok ? readMetrics(await response.text()) : undefined;
    } catch {
      return undefined;
    }
  }

  #own() {
    const { meter, history } = this.#inspector;
    return { received: meter.received, sent: meter.sent, frame: history.frame(history.length - 1)?.seq ?? 0 };
  }

  #ownRows(before, now, seconds) {
    const { stage, history } = this.#inspector;
    const latencies = [...history.frames()].slice(-100).map(({ latency }) => latency).filter((each) => each !== undefined);
    const milliseconds = (values, part) => {
      const value = quantile(values, part);
      return value === undefined ? "–" : `${numberText(value, 1)} ms`;
    };
    const perSecond = (name) => rate(before[name], now[name], seconds) ?? 0;
    return [
      ["Pictures", `${stage.ticks.length} /s`], ["Script for a picture", milliseconds(stage.times, 0.5)],
      ["Elements, drawn", `${numberText(stage.elements?.count ?? 0)}, ${numberText(stage.scene.count)}`],
      ["Frames", `${numberText(perSecond("frame"), 0)} /s`], ["Received", `${bytesText(perSecond("received"))}/s`],
      ["Sent", `${bytesText(perSecond("sent"))}/s`],
      ["Event to frame", milliseconds(latencies, 0.5)], ["The slowest of 100", milliseconds(latencies, 1)],
    ];
  }
}

function serverRows(before, now, seconds) {
  const gauge = (name, text = numberText) => {
    const value = sumOf(now, name);
    return value === undefined ? "–" : text(value);
  };
  const perSecond = (name, text = numberText) => {
    const value = rate(sumOf(before, name), sumOf(now, name), seconds);
    return value === undefined ? "–" : `${text(value)}/s`;
  };
  const hits = sumOf(now, "layout_cache_requests_total", { result: "hit" }) ?? 0;
  const all = sumOf(now, "layout_cache_requests_total") ?? 0;
  return [
    ["Viewers", gauge("layout_sessions")], ["Connections", gauge("layout_connections")],
    ["Collections", gauge("layout_collections")], ["Prepared layouts", gauge("layout_cache_entries")],
    ["Found in the cache", all === 0 ? "–" : `${numberText((hits / all) * 100, 1)} %`],
    ["Shared sizes, groups", gauge("layout_shared_measurements_groups")],
    ["Shared sizes, memory", gauge("layout_shared_measurements_memory_bytes", bytesText)],
    ["Frames", perSecond("layout_frames_total")],
    ["Sent", perSecond("layout_stream_sent_bytes_total", bytesText)], ["Commits", perSecond("layout_commits_total")],
    ["Memory charged", gauge("layout_memory_charged_bytes", bytesText)],
    ["Process", gauge("process_resident_memory_bytes", bytesText)],
  ];
}
