/** The calls that can start at a replica, and that none does by default. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventAttributes } from "../../../schema/options.ts";
import { services as advisory } from "../../../src/advisory/worker.ts";
import { services as events } from "../../../src/events/worker.ts";
import { services as iam } from "../../../src/iam/worker.ts";
import { services as issuer } from "../../../src/issuer/worker.ts";
import { services as libraries } from "../../../src/libraries/worker.ts";
import { services as ping } from "../../../src/ping/worker.ts";
import { services as registry } from "../../../src/registry/worker.ts";
import { mayReadNearby } from "../../../src/rpc/nearest.ts";
import type { Service } from "../../../src/rpc/service.ts";
import { services as vulnerabilities } from "../../../src/vulnerabilities/worker.ts";
import { type LaggingPlatform, startLaggingPlatform } from "./lagging_platform.ts";

let platform: LaggingPlatform;
beforeAll(async () => {
  platform = await startLaggingPlatform({ READS: "" });
});
afterAll(() => platform?.stop());

const servedBy = (services: Service[]) =>
  services.flatMap(({ rpcs }) => rpcs.filter(({ unimplementedReason: reason }) => !reason));

test("Lists and Gets of registry, vulnerabilities, libraries and advisory can, and nothing else", () => {
  const near = servedBy([...registry, ...vulnerabilities, ...libraries, ...advisory]);
  for (const rpc of near) {
    const { name } = rpc.method;
    const isRead = /^(List|Get|BatchGet|Export)/.test(name);
    expect([name, mayReadNearby(rpc)]).toEqual([name, isRead]);
    if (isRead) expect(eventAttributes(rpc.method)).toBeUndefined();
  }
  for (const rpc of servedBy([...iam, ...issuer, ...events, ...ping])) {
    expect([rpc.method.name, mayReadNearby(rpc)]).toEqual([rpc.method.name, false]);
  }
});

test("without READS, each call starts at the primary, reads no heartbeat and returns no bookmark", async () => {
  const { uid, owner } = await platform.newOrganization();
  const { token } = owner;
  const made = await platform.done(`/registry/v2/repos/${uid}`, { token, body: { name: "a" } });
  await platform.done(`/registry/v2/repos/${uid}`, { token, body: { name: "b" } });
  const list = `/registry/v2/repos?uidp.descendantsOf=${uid}&page_size=1`;
  const page = await platform.done(list, { token });
  expect(page.body.nextPageToken).toMatch(/^[\w.-]+$/);
  const answers = [
    ...[made, page],
    await platform.done(list, { token, bookmark: "first-unconstrained" }),
    await platform.done(`/registry/v2/repos/${made.body.uid}`, { token }),
    await platform.done("/vulnerabilities/v2/advisories", { token }),
    await platform.done("/libraries/v2/artifacts?ecosystems=ECOSYSTEM_PYTHON", { token }),
    await platform.done("/advisory/v2/documents", {}),
    await platform.call(`/registry/v2/repos/${uid}/${"0".repeat(16)}`, { token }),
  ];
  for (const { served, bookmark } of answers) {
    expect(bookmark).toBeUndefined();
    expect([...new Set(served.map((one) => `${one.at} ${one.start}`))]).toEqual([
      "primary first-primary",
    ]);
  }
  const carried = await platform.done(`${list}&page_token=${page.body.nextPageToken}~abc`, {
    token,
  });
  expect(carried.body.repos).toHaveLength(1);
});

test("without READS, the schedule writes no heartbeat", async () => {
  await platform.runSchedule();
  expect(await platform.heartbeats()).toEqual([]);
});

test("with READS, the schedule writes the time once a minute into one row", async () => {
  const near = await startLaggingPlatform();
  try {
    const start = Date.now();
    for (const _ of [1, 2]) await near.runSchedule();
    const [only, ...more] = await near.heartbeats();
    expect(more).toEqual([]);
    expect(only).toBeGreaterThanOrEqual(start);
    expect(only).toBeLessThanOrEqual(Date.now());
  } finally {
    await near.stop();
  }
});
