import { Miniflare, convertV4MiniflareOptions as options } from "miniflare";
import { newBlob } from "./bench/registry/blob.ts";
import { transfer } from "./bench/registry/transfer.ts";
const script = `export default { async fetch(request, env) {
  const sizes = {}; const t = new URL(request.url).searchParams.get("t");
  let s = request.body; if (t) { s = s.pipeThrough(new IdentityTransformStream()); }
  const count = new TransformStream({ transform(c, k) { sizes[c.byteLength] = (sizes[c.byteLength] ?? 0) + 1; } });
  await s.pipeThrough(count).pipeTo(new WritableStream());
  return Response.json(Object.entries(sizes).sort((a, b) => b[1] - a[1]).slice(0, 4));
} };`;
const mf = new Miniflare(options({ workers: [{ name: "bare", modules: true, script, compatibilityDate: "2023-07-24", compatibilityFlags: ["nodejs_compat","experimental"], unsafeDirectSockets: [{ host: "127.0.0.1", port: 9310 }] }] }) as never);
const url = (await mf.unsafeGetDirectURL("bare")).origin;
const blob = newBlob(2 ** 27);
for (const q of ["", "?t=1"]) console.log((await transfer(`${url}/${q}`, { method: "PUT", body: blob })).text);
await mf.dispose();
