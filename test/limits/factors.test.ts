import { expect, test, vi } from "vitest";
import { defaultRateLimits } from "../../schema/deployment/rate_limits.ts";
import type { Credential } from "../../src/auth/call.ts";
import type { LimitedCall } from "../../src/limits/rate_limit.ts";

/** Each test has the state of a new isolate. */
const newIsolate = async () => {
  vi.resetModules();
  return import("../../src/limits/factors.ts");
};
const start = 1_700_000_000_000;

test("an organization has the factor 1 until its own is read, after a call", async () => {
  const { factorOf, renewFactors } = await newIsolate();
  const works: (() => Promise<unknown>)[] = [];
  const read = async () => new Map([["a", 2.5]]);
  renewFactors(start, (work) => works.push(work), read);
  expect(factorOf("a")).toBe(1);
  await works[0]?.();
  expect([factorOf("a"), factorOf("b")]).toEqual([2.5, 1]);
});

test("factors are read at most once a minute, also by calls at the same time", async () => {
  const { renewFactors } = await newIsolate();
  const read = vi.fn(async () => new Map<string, number>());
  const works: Promise<unknown>[] = [];
  const waiting: (() => Promise<unknown>)[] = [];
  for (let at = 0; at < 5; at++) renewFactors(start, (work) => waiting.push(work), read);
  for (const work of waiting) await work();
  const renewAt = (now: number) => renewFactors(now, (work) => works.push(work()), read);
  renewAt(start + 59_999);
  expect(read).toHaveBeenCalledTimes(1);
  renewAt(start + 60_000);
  renewAt(start - 60_000);
  await Promise.all(works);
  expect(read).toHaveBeenCalledTimes(3);
});

test.each([
  [1, 1],
  [1.4, 2],
  [2, 2],
  [2.5, 3],
])(
  "with the factor %d, a binding counts an organization in %d parts, so that it has at least its limit",
  async (factor, parts) => {
    const { renewFactors } = await newIsolate();
    const { limitOf } = await import("../../src/limits/rate_limit.ts");
    const organization = "a".repeat(40);
    const works: Promise<unknown>[] = [];
    const read = async () => new Map([[organization, factor]]);
    renewFactors(start, (work) => works.push(work()), read);
    await Promise.all(works);
    const keys = new Set<string>();
    const binding = {
      limit: async ({ key }: { key: string }) => ({ success: keys.add(key).size > 0 }),
    };
    for (let at = 0; at < 200; at++) {
      // Only what counting reads.
      const call = {
        env: { RATE_READ_ORGANIZATION: binding, RATE_READ_CALLER: binding },
        ...{ config: { rateLimits: defaultRateLimits }, rateClass: "read", now: start },
      } as unknown as LimitedCall;
      const credential = { bearer: { uid: `${organization}/${"b".repeat(16)}` } } as Credential;
      await limitOf(call).caller(credential, "");
    }
    expect([...keys].filter((key) => !key.includes("/"))).toHaveLength(parts);
  },
);
