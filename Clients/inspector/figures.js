// SPDX-License-Identifier: Apache-2.0
// Figures of the server and of this page.

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Reads Prometheus' text format: of each sample its name, its labels and its value. */
export function readMetrics(text) {
  const samples = [];
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = (line.startsWith("#") ? null : SAMPLE.exec(line)) ?? [];
    if (name === undefined) continue;
    samples.push({
      name, value: Number(value),
      labels: Object.fromEntries([...labels.matchAll(LABEL)].map(([, label, content]) => [label, content])),
    });
  }
  return samples;
}

/** The sum of a metric's samples, of those only that have some labels; undefined = there are none. */
export function sumOf(samples, name, labels = {}) {
  const found = samples.filter((sample) => sample.name === name
    && Object.entries(labels).every(([label, value]) => sample.labels[label] === value));
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

/** How much a counter grew in a second between two readings, in which it may have begun anew. */
export function rate(before, after, seconds) {
  if (before === undefined || after === undefined || !(seconds > 0)) return undefined;
  return Math.max(0, after < before ? after : after - before) / seconds;
}

/** The value below which a part of all values lies. */
export function quantile(values, part) {
  if (values.length === 0) return undefined;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}

/** A number of bytes for people: "1.2 MiB". */
export function bytesText(count) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let value = count, unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A number for people: "10,000,000", "3.25". */
export function numberText(value, digits = 2) {
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}
