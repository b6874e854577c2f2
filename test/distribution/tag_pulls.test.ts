/** The records of pulls: what is recorded, what is not, and how long it is kept. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { randomUid } from "../world/personas.ts";
import { registryAudience, tokenFor } from "../world/platform.ts";
import { pushImage, send, type Target } from "./client.ts";
import { startOwnRegistry } from "./own_registry.ts";

const day = 86_400_000;

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let silent: Awaited<ReturnType<typeof startOwnRegistry>>;
beforeAll(async () => {
  registry = await startOwnRegistry();
  await registry.run("update groups set name = 'public' where uid = ?", registry.organization);
  silent = await startOwnRegistry({ bindings: { PULL_EVENTS: "0" } });
});
afterAll(() => Promise.all([registry.stop(), silent.stop()]));

const repoOf = ({ name }: Target) => name.slice(name.indexOf("/") + 1);
const rows = (target: Target, of = registry) =>
  of.run<{
    reference: string;
    identity: string;
    identity_name: string;
    time: number;
    days: number;
  }>(
    `select reference, identity, identity_name, time, days from tag_pulls
     join repo_storage on repo_storage.id = repo_id join repos on repos.uid = repo_storage.uid
     where repos.name = ? order by reference, identity`,
    repoOf(target),
  );
const recorded = (target: Target, count: number) =>
  expect.poll(() => rows(target)).toHaveLength(count);
const pull = async (target: Target, reference = "latest") => {
  const answer = await send(target, `manifests/${reference}`);
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
};

/** The lists of the API, as the owner sees them. */
async function endOfLife(of = registry) {
  const response = await fetch(`${of.origin}/registry/v2/endOfLifeTags`, {
    headers: { authorization: `Bearer ${await tokenFor(of.owner)}` },
  });
  return (await response.json()) as {
    pullRecording: string;
    endOfLifeTags?: { tag: string; consumerCount: number; replacement?: { tag: string } }[];
  };
}

test("all callers without a role in the organization count as one identity without a uid", async () => {
  const owner = await registry.newTarget("open");
  const asked = { ...owner, name: "public/open" };
  await pushImage(asked, "latest");
  const token = async (by?: string) => {
    const headers = by ? { authorization: `Bearer ${by}` } : {};
    const path = "/token?scope=repository:public/open:pull";
    const answer = await fetch(`${registry.origin}${path}`, { headers });
    return ((await answer.json()) as { token: string }).token;
  };
  const stranger = `${randomUid()}/${randomUid().slice(0, 16)}`;
  const times = "create_time, update_time";
  await registry.run(
    `insert into groups (uid, name, ${times}) values (?, 'other', 1, 1)`,
    stranger.slice(0, 40),
  );
  await registry.run(
    `insert into identities (uid, name, last_seen_time, ${times}) values (?, 'secret-name', 1, 1, 1)`,
    stranger,
  );
  await pull({ ...asked, token: await token() });
  await recorded(owner, 1);
  await pull({
    ...asked,
    token: await token(await tokenFor(stranger, { aud: registryAudience })),
  });
  await pull(asked);
  await recorded(owner, 2);
  expect(await rows(owner)).toMatchObject([
    { reference: "latest", identity: "", identity_name: "", days: 1 },
    { reference: "latest", identity: registry.owner, identity_name: "owner", days: 1 },
  ]);
});

test("a row is deleted 400 days after the last pull, and one that was renewed stays", async () => {
  const target = await registry.newTarget("old");
  await pushImage(target, "1.0");
  await pushImage(target, "2.0");
  await pull(target, "1.0");
  await pull(target, "2.0");
  await recorded(target, 2);
  await registry.run("update tag_pulls set time = time - ?", 399 * day);
  await registry.runSchedule();
  expect(await rows(target)).toHaveLength(2);
  await registry.run("update tag_pulls set time = time - ?", 2 * day);
  await pull(target, "2.0");
  await expect.poll(async () => (await rows(target))[1]?.days).toBe(2);
  await registry.runSchedule();
  expect((await rows(target)).map(({ reference }) => reference)).toEqual(["2.0"]);
});

test("if events of pulls are off, no pull is recorded, and the response says so", async () => {
  const target = await silent.newTarget();
  await pushImage(target, "1.0");
  await pull(target, "1.0");
  await silent.run("update tags set deprecated = 1");
  const { pullRecording, endOfLifeTags } = await endOfLife(silent);
  expect(pullRecording).toBe("PULL_RECORDING_OFF");
  expect(endOfLifeTags).toMatchObject([{ tag: "1.0", consumerCount: 0 }]);
  expect(await silent.run("select 1 from tag_pulls")).toEqual([]);
  expect((await endOfLife()).pullRecording).toBe("PULL_RECORDING_ALL");
});
