import { Miniflare, convertV4MiniflareOptions as options } from "miniflare";
import { newBlob } from "./bench/registry/blob.ts";
import { transfer } from "./bench/registry/transfer.ts";
import { readFileSync, readdirSync, rmSync } from "node:fs";
const script = `
async function multi(body, bucket, key, partSize) {
  const upload = await bucket.createMultipartUpload(key);
  const reader = body.getReader({ mode: "byob" });
  const parts = []; let sending;
  for (;;) {
    const { done, value } = await reader.readAtLeast(partSize, new Uint8Array(partSize));
    if (sending) parts.push(await sending);
    sending = value?.byteLength ? upload.uploadPart(parts.length + 1, value) : undefined;
    if (done || !sending) break;
  }
  if (sending) parts.push(await sending);
  await upload.complete(parts);
}
export default { async fetch(request, env) {
  const url = new URL(request.url); const key = url.pathname;
  if (request.method === "PUT") {
    const mode = url.searchParams.get("m");
    if (mode === "multi") await multi(request.body, env.BLOBS, key, 8 << 20);
    else if (mode === "put") await env.BLOBS.put(key, request.body);
    else if (mode === "drain") { await request.body.pipeTo(new WritableStream({ write() {} })); }
    else if (mode === "digest") { const d = new crypto.DigestStream("SHA-256"); await request.body.pipeTo(d); await d.digest; }
    else if (mode === "copy") {
      const size = Number(request.headers.get("content-length"));
      const { readable, writable } = new FixedLengthStream(size);
      const putting = env.BLOBS.put(key, readable);
      const d = new crypto.DigestStream("SHA-256"); const dw = d.getWriter();
      const w = writable.getWriter(); const reader = request.body.getReader({ mode: "byob" });
      let buf = new Uint8Array(1 << 20);
      for (;;) { const { done, value } = await reader.readAtLeast(buf.byteLength, buf); if (value?.byteLength) { await Promise.all([dw.write(value), w.write(value)]); } if (done) break; buf = new Uint8Array(value.buffer); }
      await dw.close(); await w.close(); await d.digest; await putting;
    }
    return new Response(null, { status: 201 });
  }
  if (url.searchParams.has("one")) return Response.json((await env.DB.prepare("select 1 as one").all()).results);
  if (url.searchParams.has("none")) return new Response("ok");
  const n = Number(url.searchParams.get("range") ?? 0);
  if (n) {
    const { size } = await env.BLOBS.head(key); const { readable, writable } = new FixedLengthStream(size);
    (async () => { for (let o = 0; o < size; o += n) { const g = await env.BLOBS.get(key, { range: { offset: o, length: Math.min(n, size - o) } }); await g.body.pipeTo(writable, { preventClose: true }); } await writable.close(); })();
    return new Response(readable, { headers: { "content-length": String(size) } });
  }
  const { body, size } = await env.BLOBS.get(key);
  return new Response(body, { headers: { "content-length": String(size) } });
} };`;
const folder = "/tmp/local/r2"; rmSync(folder, { recursive: true, force: true });
const mf = new Miniflare(options({ resourcePersistencePath: folder, workers: [{ name: "bare", modules: true, script, compatibilityDate: "2026-10-01", r2Buckets: { BLOBS: "b" }, d1Databases: { DB: "x" }, unsafeDirectSockets: [{ host: "127.0.0.1", port: 9310 }] }] }) as never);
const url = (await mf.unsafeGetDirectURL("bare")).origin;
const entry = (await mf.ready).origin;
function wd() { for (const n of readdirSync("/proc")) { if (!/^\d+$/.test(n)) continue; try { const s = readFileSync(`/proc/${n}/stat`, "utf8"); const f = s.slice(s.lastIndexOf(")") + 2).split(" "); if (Number(f[1]) === process.pid && /workerd/.test(s)) return { cpu: (+f[11] + +f[12]) * 10, rss: +f[21] * 4096, pid: n }; } catch {} } return { cpu: 0, rss: 0, pid: 0 }; }
const blob = newBlob(2 ** 30);
async function t(name, f) { const a = wd(); const b = performance.now(); await f(); const c = performance.now(); await new Promise((r) => setTimeout(r, 300)); const e = wd(); console.log(`${name}: ${((c - b) / 1000).toFixed(2)}s, workerd cpu ${((e.cpu - a.cpu) / 1000).toFixed(2)}s rss ${(e.rss / 2 ** 20).toFixed(0)}M`); }
const put = (m) => () => transfer(`${url}/${m}?m=${m}`, { method: "PUT", body: blob });
const get = (p) => () => transfer(`${url}/${p}`);
for (const m of ["drain", "digest", "put", "copy", "multi"]) await t("push " + m, put(m));
for (const p of ["put", "copy", "multi", "put?range=67108864", "multi?range=67108864", "multi?range=8388608", "put?range=8388608"]) await t("pull " + p, get(p));
if (process.argv[2]) { const { sendLoad } = await import("./bench/speed/load.ts"); for (const [o, q] of [[url, "none"], [entry, "none"], [url, "one"], [entry, "one"]]) await t(`${o === url ? "direct" : "entry"} ${q}`, async () => { const l = await sendLoad({ url: `${o}/x?${q}` }, 16, 4); console.log(l.length / 4); }); }
await mf.dispose();
