/** Pulls of callers without an identity: they write no event, and are counted in one row for each tag. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { pushImage, send } from "./client.ts";
import { startOwnRegistry } from "./own_registry.ts";

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
beforeAll(async () => {
  registry = await startOwnRegistry();
  await registry.run("update groups set name = 'public' where uid = ?", registry.organization);
});
afterAll(() => registry.stop());

/** The number of rows in each table. */
async function rowCounts(): Promise<Record<string, number>> {
  const tables = await registry.run<{ name: string }>(
    "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\'",
  );
  const counts = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await registry.run<{ n: number }>(`select count(*) as n from "${name}"`);
      return [name, row?.n ?? 0] as const;
    }),
  );
  return Object.fromEntries(counts);
}

test("pulls without an identity add one row for each tag in all, with their number", async () => {
  const { token, origin } = await registry.newTarget();
  const owner = { name: "public/nginx", token, ...(origin ? { origin } : {}) };
  const { digest } = await pushImage(owner, "latest");
  const asked = await fetch(`${origin}/token?scope=repository:public/nginx:pull`);
  const { token: open } = (await asked.json()) as { token: string };
  const anyone = { ...owner, token: open };
  const before = await rowCounts();
  const count = async () =>
    (
      await registry.run<{ identity: string; days: number; anonymous_pulls: number }>(
        "select identity, days, anonymous_pulls from tag_pulls where reference = 'latest'",
      )
    ).map(({ identity, days, anonymous_pulls: pulls }) => [identity, days, pulls]);
  for (const [method, headers, status] of [
    ["GET", {}, 200],
    ["HEAD", {}, 200],
    ["GET", { "if-none-match": `"${digest}"` }, 304],
  ] as const) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => send(anyone, "manifests/latest", { method, headers })),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(status));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  }
  await expect.poll(count).toEqual([["", 1, 30]]);
  // After they were written, the number grows in the same row.
  expect((await send(anyone, "manifests/latest", { method: "HEAD" })).status).toBe(200);
  await expect.poll(count).toEqual([["", 1, 31]]);
  expect(await rowCounts()).toEqual({ ...before, tag_pulls: (before.tag_pulls ?? 0) + 1 });
  // A pull by its owner still has an event.
  expect((await send(owner, "manifests/latest", { method: "HEAD" })).status).toBe(200);
  await expect.poll(async () => (await rowCounts()).events).toBe((before.events ?? 0) + 1);
});

test("a refused request without an identity adds no row", async () => {
  const before = await rowCounts();
  const { origin } = await registry.newTarget();
  for (const path of [
    "/v2/public/nginx/manifests/unknown",
    `/v2/${registry.organization}/private/manifests/latest`,
    "/v2/public/nothing/blobs/uploads/",
    "/v2/",
    "/token?scope=repository:public/nginx:pull,push",
  ]) {
    const method = path.endsWith("uploads/") ? "POST" : "GET";
    await (await fetch(`${origin}${path}`, { method })).arrayBuffer();
  }
  expect(await rowCounts()).toEqual(before);
});
