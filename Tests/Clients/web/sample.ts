// SPDX-License-Identifier: Apache-2.0
// Uses what the client declares; `tsc --strict` checks it. It is never run.

import {
  CanvasView, Client, decode, Element, encode, Frame, Init, LayoutError, ListView, messages, Mirror, Transport,
  WebSocketTransport,
} from "../../../Clients/web/collection-layout.js";

const layout: Init<messages.LayoutSpec> = {
  flow: { itemSize: { width: 120, height: 80 }, scrollDirection: "vertical" },
};

async function watch(client: Client): Promise<void> {
  const viewer = client.view("photos", { layout, size: { width: 390, height: 844 }, start: { edge: "end" } });
  const stop = viewer.on("frame", (frame: Frame) => console.log(frame.changed.length, frame.adjustment.y));
  for await (const frame of viewer) {
    const key: string | undefined = viewer.elements.element(frame.changed[0])?.key;
    console.log(key, viewer.place(frame.changed[0]).css(0, 0));
    break;
  }
  stop();
  viewer.on("state", (error: LayoutError | undefined) => console.log(error?.code, viewer.connectionError?.message));
  const version: number = await viewer.update([
    { insertItems: { at: { section: 0, item: 3 }, blocks: [{ count: 1, heights: [44] }] } },
  ], { animated: true });
  const target = await viewer.neighbor("page_down", [0, 3], { position: "center" });
  console.log(version, target?.neighbor?.itemKey, target?.contentOffset?.y);
  try {
    await viewer.changeLayout("collections/photos/layouts/wide");
  } catch (error) {
    if (error instanceof LayoutError && error.code === "NOT_FOUND") console.log(error.reason, error.field);
  }
  viewer.close({ discard: false });
}

async function call(client: Client): Promise<bigint> {
  const response = await client.call("CollectionService.GetCollection", { name: "collections/photos" });
  for await (const collection of client.listCollections()) console.log(collection.createTime?.getTime());
  const { limits } = await client.call("LayoutQueryService.GetServerInfo", {});
  console.log(limits?.maxElementsPerFrame);
  return response.collection?.incarnation ?? 0n;
}

function show(container: HTMLElement, client: Client): () => void {
  const list = new ListView(container, client, "photos", {
    render: (node: HTMLElement, element: Element) => {
      node.textContent = element.item === null ? element.kind : element.key;
    },
    selfSizing: "height",
    options: { anchorMode: "last_visible", sizeChangeAnchor: "end", heartbeatInterval: 10 },
  });
  const canvas = new CanvasView(container, client, "map", {
    draw: (context, { z }, { x, y, width, height }) => context.fillRect(x, y, width, height + z),
  });
  void list.scrollToItem("key", { position: "start" });
  return () => {
    list.close();
    canvas.close();
  };
}

function own(bytes: Uint8Array): Uint8Array {
  const response = decode(messages.StreamLayoutResponse, bytes), mirror = new Mirror(192);
  if (response.frame) mirror.apply(response.frame);
  if (response.notice?.type === "going_away") console.log(response.notice.reconnectDelay);
  const shifts: Int32Array | undefined = response.frame?.packed?.indexShiftRuns;
  console.log(shifts?.length);
  return encode(messages.StreamLayoutRequest, { ack: { frameSeq: mirror.frameSeq, stateChecksum: mirror.checksum } });
}

const transport: Transport = new WebSocketTransport("wss://layouts.example.org", { token: async () => "secret" });
const client = new Client([transport, "wss://other.example.org"], { timeout: 10 });

// @ts-expect-error A misspelt field.
const misspelt: Init<messages.LayoutSpec> = { flow: { itemSise: { width: 1, height: 1 } } };
// @ts-expect-error A word that the enumeration does not have.
const unknown: Init<messages.LayoutSpec> = { flow: { scrollDirection: "sideways" } };

export { call, client, misspelt, own, show, unknown, watch };
