/** A caller of a mirror who takes bytes slowly. */
import { connect } from "node:net";
import { expect, test } from "vitest";
import { expectLog } from "../../world/logs.ts";
import { long } from "../../world/tiers.ts";
import { digestOf, newImageOf, send, someBytes } from "../client.ts";
import { startOwnRegistry } from "../own_registry.ts";
import { mirrorIn } from "./mirrors.ts";
import { startUpstream } from "./upstream.ts";

/** Asks for a path, and takes some bytes of the answer twice per second. Node's fetch would take all that fit in its buffers. */
function takeSlowly(origin: string, token: string, path: string, bytes: number) {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nhost: registry\r\nauthorization: Bearer ${token}\r\n\r\n`);
  const taking = setInterval(() => socket.read(bytes), 500);
  return () => {
    clearInterval(taking);
    socket.destroy();
  };
}

test("a caller who is slow does not hold up the others", long, async () => {
  const upstream = await startUpstream();
  const registry = await startOwnRegistry({ bindings: { UPLOAD_STALL_SECONDS: "5" } });
  const size = 30_000_000;
  const image = upstream.put("slow/app", "v1", newImageOf({ layer: someBytes(size) }));
  const mirror = await mirrorIn(registry, { address: `${upstream.host}/slow/app` });
  await send(mirror, "manifests/v1");
  const digest = digestOf(image.layer);
  const path = `/v2/${mirror.name}/blobs/${digest}`;
  await expectLog("the caller is too slow");
  const stop = takeSlowly(registry.origin, mirror.token, path, 50_000);
  // It would take five minutes.
  await expect
    .poll(() => registry.run("select size from blobs where digest = unhex(?)", digest.slice(7)))
    .toEqual([{ size }]);
  const answer = await send(mirror, `blobs/${digest}`);
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(image.layer);
  expect(upstream.asked(digest)).toHaveLength(1);
  stop();
  await Promise.all([upstream.close(), registry.stop()]);
});
