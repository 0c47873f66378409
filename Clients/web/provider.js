// SPDX-License-Identifier: Apache-2.0
// Layouts in JavaScript: functions that place items, served to a layout server. Needs Node 18 or later and no package.
//
//     import { layout, serve } from "collection-layout/provider";
//
//     layout("diagonal", (items) => {
//       const places = Float64Array.from(items.index, (_, number) => 20 * number);
//       return { x: places, y: places, width: 18, height: 18 };
//     });
//     await serve({ port: 50061 });
//
// The server is told where it is with `--layout-provider diagonal=127.0.0.1:50061`; clients then ask for the custom
// layout "diagonal".

export { CallError } from "./provider/call-error.js";
export { Container, Items } from "./provider/items.js";
export { layout } from "./provider/layouts.js";
export { Provider, serve, start } from "./provider/server.js";
