/** Keys that do not exist count for the limit of their network, and cost nothing above it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { newKeySecret } from "../../src/auth/key_secret.ts";
import { basicHeader } from "../distribution/stored_images.ts";
import { vendor } from "../world/platform.ts";
import { few, startLimited } from "./limited_platform.ts";

let platform: Awaited<ReturnType<typeof startLimited>>;
beforeAll(async () => {
  platform = await startLimited(true);
});
afterAll(() => platform?.stop());

const attempts = 1000;

test("of 1,000 wrong keys from one network, only as many as its limit reach the database", async () => {
  const address = platform.newAddress();
  const statuses: number[] = [];
  let trips = 0;
  for (let number = 0; number < attempts; number += 1) {
    const headers = basicHeader(newKeySecret({ vendor }), "key");
    const answer = await platform.call("/token", { address, headers });
    statuses.push(answer.status);
    trips += answer.roundTrips ?? 0;
  }
  const refused = statuses.filter((status) => status === 429).length;
  // A minute can end in between, and the counts then begin again.
  expect(refused).toBeGreaterThanOrEqual(attempts - 3 * few);
  expect(trips).toBe(attempts - refused);
  const other = platform.newAddress();
  const headers = basicHeader(newKeySecret({ vendor }), "key");
  expect((await platform.call("/token", { address: other, headers })).status).toBe(401);
});

test("reports of leaked keys are limited in the same way", async () => {
  const address = platform.newAddress();
  const statuses: number[] = [];
  for (let number = 0; number < 4 * few; number += 1) {
    const body = JSON.stringify({ keys: [newKeySecret({ vendor })] });
    statuses.push((await platform.call("/leaked-keys", { address, body })).status);
  }
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
});
