/** The client's waits for rate limits. */
import {
  createClient,
  type RateLimitWait,
  ResourceExhausted,
  type Transport,
} from "platform-api/client";
import { describe, expect, test } from "vitest";
import { rateLimited } from "../../src/aip/errors.ts";
import { completeError, toStatusResponse } from "../../src/rpc/status.ts";
import { jsonAnswer, type ScriptedAnswer, startScriptedServer } from "./scripted_server.ts";

/** The response of the platform, with this many seconds to wait. */
const limitedFor = (seconds: number): ScriptedAnswer => {
  const reached = { rateClass: "write", holder: "caller", limit: 3 } as const;
  const names = { serviceDomain: "platform.example", vendor: "vendor" };
  return async (response) => {
    const error = completeError(
      rateLimited({ ...reached, retryAfterSeconds: seconds }),
      "registry",
      names,
      new Headers(),
    );
    const { status, headers, body } = toStatusResponse(error, new Headers());
    response.writeHead(status, Object.fromEntries(headers));
    response.end(await new Response(body).text());
  };
};
const done = jsonAnswer(200, { uid: "u" });

async function create(scenes: ScriptedAnswer[], options: Omit<Transport, "fetch"> = {}) {
  await using server = await startScriptedServer(...scenes);
  const waits: RateLimitWait[] = [];
  const onWait = (wait: RateLimitWait) => waits.push(wait);
  const client = createClient({ url: server.url, onWait, ...options });
  const start = Date.now();
  const result = await client.repos.create("p", { name: "n" }).catch((error: unknown) => error);
  return { result, waits, received: server.received, took: Date.now() - start };
}

describe.concurrent("a write that a rate limit refuses", () => {
  test("is sent again after the time, and a little more", async () => {
    const start = Date.now();
    const { result, waits, received } = await create([limitedFor(2), done]);
    expect(result).toMatchObject({ uid: "u" });
    const [first, second] = received;
    const pause = (second?.at ?? 0) - (first?.at ?? 0);
    expect(pause).toBeGreaterThanOrEqual(1_990);
    expect(pause).toBeLessThan(3_500);
    expect(waits).toHaveLength(1);
    expect(waits[0]?.until).toBeGreaterThanOrEqual(start + 2_000);
    expect(waits[0]?.error).toBeInstanceOf(ResourceExhausted);
    expect(waits[0]?.error.message).toContain("3 calls of the class write in a minute");
  });

  test("waits without using up attempts", async () => {
    const { result, received } = await create([limitedFor(1), limitedFor(1), done], { retries: 1 });
    expect(result).toMatchObject({ uid: "u" });
    expect(received).toHaveLength(3);
  });

  test.each([
    ["the wait is longer than the call may wait", { maxWait: 20_000 }, 1],
    ["the waits together are longer", { maxWait: 31_000 }, 1],
    ["nothing may be repeated", { retries: 0 }, 1],
    ["no wait is wanted", { maxWait: 0 }, 1],
  ])("fails with the reason if %s", async (_, options, sent) => {
    const { result, waits, received, took } = await create([limitedFor(32)], options);
    expect(result).toBeInstanceOf(ResourceExhausted);
    expect(result).toMatchObject({ reason: "RATE_LIMITED", retryAfter: 32_000 });
    expect(String(result)).toContain("the rate limit is 3 calls of the class write in a minute");
    expect(received).toHaveLength(sent);
    expect(waits).toHaveLength(0);
    expect(took).toBeLessThan(5_000);
  });

  test("gives up when it has waited as long as it may", async () => {
    const { result, waits, received } = await create([limitedFor(1)], { maxWait: 3_500 });
    expect(result).toBeInstanceOf(ResourceExhausted);
    expect(waits.length).toBeGreaterThanOrEqual(1);
    expect(waits.length).toBeLessThanOrEqual(3);
    expect(received).toHaveLength(waits.length + 1);
  });
});

test("the time to wait is also read from the body, for pages that cannot see the header", async () => {
  const bare: ScriptedAnswer = (response, request) => {
    const writeHead = response.writeHead.bind(response);
    response.writeHead = ((status: number) =>
      writeHead(status, { "content-type": "application/json" })) as typeof response.writeHead;
    return limitedFor(45)(response, request);
  };
  const { result } = await create([bare], { maxWait: 0 });
  expect(result).toMatchObject({ reason: "RATE_LIMITED", retryAfter: 45_000 });
});

test.each([-1, 1.5, Number.NaN, 2 ** 31])("a maxWait of %d is rejected", (maxWait) => {
  expect(() => createClient({ url: "http://localhost", maxWait })).toThrow("maxWait must be");
});
