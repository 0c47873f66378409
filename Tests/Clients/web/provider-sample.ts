// SPDX-License-Identifier: Apache-2.0
// Uses what providers declare; `tsc --strict` checks it. It is never run.

import { CallError, layout, Placed, Provider, serve, start } from "../../../Clients/web/provider.js";

const spiral = layout("spiral", (items, container) => {
  const size = container.number("size", 20);
  const x: Float64Array = items.x.map((value, index) => (items.key[index] === "" ? value : 0));
  const deep = container.parameters["deep"];
  if (Array.isArray(deep)) throw new CallError("UNAVAILABLE", "soon");
  return { x, y: [...items.index], width: size, height: size, others: [{ kind: "title", x: 0, y: 0, width: 1, height: 1 }] };
}, { scroll: "", schema: { type: "object" }, update: again });

function again(items: { length: number }, container: { width: number }, before: Placed, was: Int32Array): Placed {
  return was.includes(-1) ? { ...before, content: { width: container.width, height: items.length } } : before;
}

async function run(): Promise<void> {
  const provider: Provider = await start({ port: 0, token: "secret", seconds: 10 });
  console.log(provider.port ?? 0, typeof spiral);
  await provider.stop();
  await serve();
}

void run();
