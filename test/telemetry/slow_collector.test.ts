/** A collector that fails, or that does not respond, costs a request nothing. */
import { expect, test } from "vitest";
import { startOwnPlatform } from "../world/own_platform.ts";
import { startSink } from "../world/sink.ts";
import { long } from "../world/tiers.ts";

const warning = "the endpoint for spans took none";

async function startWith(otlpUrl: string) {
  const logged: string[] = [];
  const platform = await startOwnPlatform({
    bindings: { OTLP_URL: otlpUrl, TRACE_SHARE: "1" },
    log: (message) => logged.push(message),
  });
  const warnings = () => logged.filter((message) => message.includes(warning));
  const ping = async () => {
    const begin = performance.now();
    const { status } = await fetch(`${platform.origin}/ping/v2/ping`);
    return { status, took: performance.now() - begin };
  };
  return { ...platform, warnings, ping };
}

test(
  "a collector that does not respond delays no answer, and is not asked again at once",
  long,
  async () => {
    const sink = await startSink();
    // It keeps every connection open.
    sink.respondWith(() => undefined);
    const { ping, warnings, stop } = await startWith(sink.url);
    await ping();
    await sink.until(() => sink.received.length === 1);
    const answers = [];
    for (let call = 0; call < 50; call += 1) answers.push(await ping());
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(Math.max(...answers.map(({ took }) => took))).toBeLessThan(2_500);
    // No more than 20 exports wait at the same time.
    expect(sink.received.length).toBeLessThanOrEqual(20);
    await expect.poll(() => warnings().length).toBe(1);
    const before = sink.received.length;
    for (let call = 0; call < 5; call += 1) await ping();
    expect(sink.received).toHaveLength(before);
    await stop();
    await sink.close();
  },
);

test("a collector that is down, or refuses, is asked once and causes one warning", async () => {
  const sink = await startSink();
  sink.respondWith((_, response) => void response.writeHead(503).end());
  const refused = await startWith(sink.url);
  await refused.ping();
  await expect.poll(() => refused.warnings().length).toBe(1);
  for (let call = 0; call < 5; call += 1) expect((await refused.ping()).status).toBe(200);
  expect(sink.received).toHaveLength(1);
  await refused.stop();
  await sink.close();
  const down = await startWith(sink.url);
  for (let call = 0; call < 5; call += 1) expect((await down.ping()).status).toBe(200);
  await expect.poll(() => down.warnings().length).toBe(1);
  await down.stop();
});

test("without an endpoint, nothing is sent", async () => {
  const sent: string[] = [];
  const { origin, stop } = await startOwnPlatform({
    network: async ({ url }) => {
      sent.push(url);
      return new Response();
    },
  });
  for (let call = 0; call < 5; call += 1) await fetch(`${origin}/ping/v2/ping`);
  await stop();
  expect(sent).toEqual([]);
});
