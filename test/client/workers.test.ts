/** The client in a Worker: one request must not wait for the promise of another. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Miniflare, convertV4MiniflareOptions as options } from "miniflare";
import { expect, test } from "vitest";
import { jsonAnswer, neverAnswer, startScriptedServer } from "./scripted_server.ts";

const script = `
import { createClient, exchangedToken } from "platform-api/client";

let token;
export default {
  async fetch(_request, { URL }) {
    token ??= exchangedToken({ issuer: URL, source: async () => "theirs", audience: URL });
    const client = createClient({ url: URL, token });
    return Response.json(await client.repos.get("u"));
  },
};`;

test("a renewal that one request started and never ends does not delay another request", async () => {
  const expiry = new Date(Date.now() + 3_600_000).toISOString();
  await using server = await startScriptedServer(
    neverAnswer,
    jsonAnswer(200, { token: "ours", expiry }),
    jsonAnswer(200, { uid: "u" }),
  );
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: fileURLToPath(new URL("../..", import.meta.url)) },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["checkout"],
  });
  const worker = new Miniflare(
    options({
      modules: true,
      script: outputFiles[0]?.text ?? "",
      compatibilityDate: "2026-10-01",
      bindings: { URL: server.url },
    }),
  );
  try {
    const held = worker.dispatchFetch("http://worker/").catch(() => undefined);
    await expect.poll(() => server.received).toHaveLength(1);
    const answer = await worker.dispatchFetch("http://worker/");
    expect(await answer.json()).toEqual({ uid: "u" });
    expect(server.received.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/sts/exchange", "Bearer theirs"],
      ["/sts/exchange", "Bearer theirs"],
      ["/registry/v2/repos/u", "Bearer ours"],
    ]);
    await worker.dispose();
    await held;
  } finally {
    await worker.dispose();
  }
});
