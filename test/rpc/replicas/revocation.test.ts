/** The removal of access when reads may start at a replica (docs/decisions/0011). */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type LaggingOrganization,
  type LaggingPlatform,
  startLaggingPlatform,
} from "./lagging_platform.ts";

const minute = 60_000;

let platform: LaggingPlatform;
let organization: LaggingOrganization;
let bot: Awaited<ReturnType<LaggingPlatform["newBot"]>>;
beforeAll(async () => {
  platform = await startLaggingPlatform({ READS_MAX_AGE: "5m" });
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  organization = await platform.newOrganization();
  bot = await platform.newBot(organization, "editor");
  await platform.beat();
  await platform.database.replicate();
});

const revoke = () =>
  platform.done(`/iam/v2/roleBindings/${bot.binding}`, {
    ...{ token: organization.owner.token, method: "DELETE" },
  });
const listRepos = (bookmark?: string) =>
  platform.call(`/registry/v2/repos?uidp.descendantsOf=${organization.uid}`, {
    ...{ token: bot.token, bookmark },
  });

test("a read can still have access until the replica has the change", async () => {
  expect((await listRepos()).status).toBe(200);
  await revoke();
  const late = await listRepos();
  expect([late.status, late.served[0]?.at]).toEqual([200, "replica"]);
  await platform.database.replicate();
  expect((await listRepos()).status).toBe(403);
});

test("IAM, events, writes, the registry host and exchanges have no access at once", async () => {
  const { body: repo } = await platform.done(`/registry/v2/repos/${organization.uid}`, {
    ...{ token: organization.owner.token, body: { name: "a" } },
  });
  await platform.database.replicate();
  await revoke();
  const as = { token: bot.token };
  const refused = [
    await platform.call(`/iam/v2/groups/${organization.uid}`, as),
    await platform.call(`/events/v2/events?uidp.descendantsOf=${organization.uid}`, as),
    await platform.call(`/registry/v2/repos/${organization.uid}`, { ...as, body: { name: "b" } }),
    await platform.call(`/registry/v2/repos/${repo.uid}`, { ...as, method: "DELETE" }),
    await platform.call(`/registry/v2/readmes/${repo.uid}:render`, { ...as, body: {} }),
  ];
  for (const { status, served } of refused) {
    expect([status, [...new Set(served.map(({ at }) => at))]]).toEqual([403, ["primary"]]);
  }
  for (const path of ["/token?service=x", "/sts/exchange?aud=localhost:8787"]) {
    const { served } = await platform.call(path, { ...as, headers: {} });
    expect(served.filter(({ at }) => at === "replica")).toEqual([]);
  }
});

test("a caller who has seen the state after the removal has no access", async () => {
  await revoke();
  const { bookmark, status } = await platform.call("/iam/v2/roles", { token: bot.token });
  expect(status).toBe(403);
  expect((await listRepos(bookmark)).status).toBe(403);
});

test("a replica without a heartbeat of the last READS_MAX_AGE is not used", async () => {
  await revoke();
  expect((await listRepos()).status).toBe(200);
  const before = await startLaggingPlatform({ READS_MAX_AGE: "5m" });
  try {
    const own = await before.newOrganization();
    const path = `/registry/v2/repos?uidp.descendantsOf=${own.uid}`;
    for (const [age, at] of [
      [undefined, ["replica", "primary"]],
      [4.9 * minute, ["replica"]],
      [5.1 * minute, ["replica", "primary"]],
    ] as const) {
      if (age !== undefined) await before.beat(Date.now() - age);
      await before.database.replicate();
      const { status, served } = await before.call(path, { token: own.owner.token });
      expect(status).toBe(200);
      // The last batch records the use of the role, once.
      expect(served.slice(0, at.length).map((one) => one.at)).toEqual(at);
    }
  } finally {
    await before.stop();
  }
});
