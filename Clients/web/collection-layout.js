// SPDX-License-Identifier: Apache-2.0
// A browser client of the collection layout server.

export { CanvasView } from "./src/canvas-view.js";
export { Client } from "./src/client.js";
export { Placement } from "./src/effects.js";
export { LayoutError } from "./src/errors.js";
export { ListView } from "./src/list-view.js";
export * as messages from "./src/messages.js";
export { Mirror } from "./src/mirror.js";
export { Elements, FrameError } from "./src/table.js";
export { WebSocketTransport } from "./src/transport.js";
export { Viewer } from "./src/viewer.js";
export { decode, DecodeError, encode, FieldError } from "./src/wire.js";
