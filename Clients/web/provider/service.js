// SPDX-License-Identifier: Apache-2.0
// The methods that layout servers call.

import {
  DescribeLayoutsRequest, DescribeLayoutsResponse, PrepareLayoutRequest, PrepareLayoutResponse, UpdatePlacementRequest,
  UpdatePlacementResponse,
} from "../src/messages.js";
import { message } from "../src/wire.js";
import { Answer, difference } from "./answer.js";
import { CallError, invalid } from "./call-error.js";
import { Container, ItemCollector } from "./items.js";
import { descriptions, layoutNamed } from "./layouts.js";

const HealthRequest = message("HealthCheckRequest", { service: [1, "string"] });
const HealthResponse = message("HealthCheckResponse", { status: [1, "int32"] });
const SERVING = 1, SERVICE_UNKNOWN = 3;
const SERVICE = "collection_layout.v1.LayoutProviderService";

/** The methods by their paths; each takes a call and ends when it is answered. */
export function methods(memory) {
  return new Map([
    [`/${SERVICE}/DescribeLayouts`, describeLayouts],
    [`/${SERVICE}/PrepareLayout`, (call) => prepareLayout(call, memory)],
    [`/${SERVICE}/UpdatePlacement`, (call) => updatePlacement(call, memory)],
    ["/grpc.health.v1.Health/Check", checkHealth],
    // It lasts as long as the caller likes.
    ["/grpc.health.v1.Health/Watch", Object.assign(watchHealth, { isEndless: true })],
  ]);
}

async function describeLayouts(call) {
  await call.onlyMessage(DescribeLayoutsRequest);
  await call.send(DescribeLayoutsResponse, { layouts: descriptions() });
}

async function prepareLayout(call, memory) {
  const parts = call.messages(PrepareLayoutRequest);
  const start = await startOf(parts);
  const found = layoutNamed(start.layout);
  const { items } = await collect(parts, new ItemCollector(start, { charge: call.charge, maxItems: found.maxItems }));
  const placed = await call.until(found.place(items, new Container(start), call.signal));
  const answer = new Answer(items, placed, start.layout);
  const cookie = memory.add(answer);
  for (const elements of answer.cells()) await call.send(PrepareLayoutResponse, { elements });
  for (const elements of answer.otherElements()) await call.send(PrepareLayoutResponse, { elements });
  await call.send(PrepareLayoutResponse, { end: answer.end(cookie) });
}

async function updatePlacement(call, memory) {
  const parts = call.messages(UpdatePlacementRequest);
  const { prepare: start, cookie } = await startOf(parts);
  if (!start) throw invalid("start.prepare is missing");
  const found = layoutNamed(start.layout), before = memory.get(cookie);
  if (before?.layout !== start.layout) throw new CallError("FAILED_PRECONDITION", "the cookie is not known any more");
  const collector = new ItemCollector(start, { charge: call.charge, maxItems: found.maxItems, old: before.items });
  const { items, was } = await collect(parts, collector);
  const container = new Container(start);
  const placed = await call.until(found.update
    ? found.update(items, container, before.placed, was, call.signal) : found.place(items, container, call.signal));
  const answer = new Answer(items, placed, start.layout, before.kinds);
  const { moved, added, gone } = difference(answer, before, was, collector.sections);
  const next = memory.add(answer);
  for (const elements of answer.cells(moved)) await call.send(UpdatePlacementResponse, { elements });
  for (const elements of answer.otherElements(added)) await call.send(UpdatePlacementResponse, { elements });
  for (const removed of answer.removed(gone)) await call.send(UpdatePlacementResponse, { removed });
  await call.send(UpdatePlacementResponse, { end: answer.end(next) });
}

async function startOf(parts) {
  const { value } = await parts.next();
  if (!value?.start) throw invalid("the first part of a request has to be its start");
  return value.start;
}

async function collect(parts, collector) {
  for (;;) {
    const { value, done } = await parts.next();
    if (done) return collector.finish();
    collector.add(value);
  }
}

// MARK: Health

const hasService = (name) => name === "" || name === SERVICE;

async function checkHealth(call) {
  const { service } = await call.onlyMessage(HealthRequest);
  if (!hasService(service)) throw new CallError("NOT_FOUND", "there is no such service");
  await call.send(HealthResponse, { status: SERVING });
}

/** What is served does not change while the process runs, so one answer is all until the call ends. */
async function watchHealth(call) {
  const { service } = await call.onlyMessage(HealthRequest);
  await call.send(HealthResponse, { status: hasService(service) ? SERVING : SERVICE_UNKNOWN });
  await call.until(new Promise(() => {}));
}
