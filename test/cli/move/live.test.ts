/** A move of an organization whose people and registry clients continue meanwhile, between two databases of D1. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { moveOrganization } from "../../../cli/move/move.ts";
import type { MoveStep } from "../../../cli/move/request.ts";
import { type Sql, sqlOf } from "../../../cli/move/sql.ts";
import {
  begin,
  digestOf,
  end,
  newImageOf,
  pullImage,
  pushBlob,
  pushImage,
  send,
  sendChunk,
  someBytes,
  type Target,
} from "../../distribution/client.ts";
import { type Home, type SpreadPlatform, startSpread } from "../../world/spread.ts";
import { long } from "../../world/tiers.ts";

let platform: SpreadPlatform;
let databases: Map<string, Sql>;
beforeAll(async () => {
  platform = await startSpread();
  databases = new Map(Object.entries(platform.databases).map(([name, one]) => [name, sqlOf(one)]));
});
afterAll(() => platform.stop());

const move = ({ uid }: Home, to: string, onStep?: (step: MoveStep) => Promise<void>) =>
  moveOrganization({ databases, root: uid, to, maxPause: 60_000, ...(onStep ? { onStep } : {}) });

const imageOf = async ({ uid, owner }: Home, name = "app"): Promise<Target> => ({
  ...{ origin: platform.origin, name: `${uid}/${name}` },
  token: await platform.registryToken(owner),
});

const groupsIn = (at: "DB" | "DB_2", { uid }: Home) =>
  platform.rowsIn<{ name: string }>(
    at,
    "select name from groups where uid like ? order by name",
    `${uid}/%`,
  );

/** Creates groups, one after the other, until `stop`. Returns the answers. */
function startWriting(home: Home) {
  const answers: { name: string; status: number; reason?: string }[] = [];
  let isOver = false;
  const work = (async () => {
    for (let n = 0; !isOver; n += 1) {
      const name = `g${n}`;
      const { status, body } = await platform.call(`/iam/v2/groups/${home.uid}`, home.token, {
        name,
      });
      answers.push({ name, status, reason: body.details?.[0]?.reason });
    }
  })();
  return {
    answers,
    async stop() {
      isOver = true;
      await work;
    },
  };
}

test("no write that succeeded is lost, and no refused one is done", async () => {
  const home = await platform.newHome("DB_2");
  const writer = startWriting(home);
  // Time for a write at each step.
  await move(home, "DB", () => new Promise((done) => setTimeout(done, 20)));
  const isThere = () => writer.answers.some(({ status }, n) => status === 200 && n > lastRefused());
  const lastRefused = () => writer.answers.findLastIndex(({ status }) => status !== 200);
  await expect.poll(isThere, { timeout: 20_000 }).toBe(true);
  await writer.stop();
  const done = writer.answers.filter(({ status }) => status === 200).map(({ name }) => name);
  expect((await groupsIn("DB", home)).map(({ name }) => name)).toEqual(done.toSorted());
  expect(await groupsIn("DB_2", home)).toEqual([]);
  const refused = writer.answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const one of refused)
    expect(one).toMatchObject({ status: 503, reason: "ORGANIZATION_MOVING" });
  const types = `select count(*) as n from events where ancestor0 = ? and type like '%iam.group.created%'`;
  // With the event of the organization itself.
  expect(await platform.rowsIn("DB", types, home.uid)).toEqual([{ n: done.length + 1 }]);
});

test("reads continue while writes are refused", long, async () => {
  const home = await platform.newHome("DB_2");
  const seen: number[] = [];
  await move(home, "DB", async (step) => {
    if (step !== "compare") return;
    const path = `/iam/v2/groups/${home.uid}`;
    seen.push((await platform.call(path, home.token)).status);
    seen.push((await platform.call(path, home.token, { name: "late" })).status);
  });
  expect(seen).toEqual([200, 503]);
});

test(
  "a call finds the organization between the switch and the directory's entry, and after the move",
  long,
  async () => {
    const home = await platform.newHome("DB_2");
    const path = `/iam/v2/groups/${home.uid}`;
    const seen: number[] = [];
    await move(home, "DB", async (step) => {
      if (["arm", "name", "delete"].includes(step))
        seen.push((await platform.call(path, home.token)).status);
    });
    // Until the directory names the new database, no database serves the organization.
    expect(seen).toEqual([503, 503, 200]);
    expect(await platform.call(path, home.token)).toMatchObject({ status: 200, roundTrips: 1 });
  },
);

test(
  "images can be pulled and pushed after a move, and their bytes stay in the bucket",
  long,
  async () => {
    const home = await platform.newHome("DB_2");
    const target = await imageOf(home);
    const image = await pushImage(target, "latest");
    await move(home, "DB");
    expect(await pullImage(target, "latest")).toEqual(image);
    for (let n = 0; n < 3; n += 1) await platform.runSchedule();
    expect(await pullImage(target, image.digest)).toEqual(image);
    const next = await pushImage(target, "next");
    expect(await pullImage(target, "next")).toEqual(next);
    const left = "select uid from repos where uid like ?";
    expect(await platform.rowsIn("DB_2", left, `${home.uid}/%`)).toEqual([]);
  },
);

/** Runs the clean-up as if more than a day had passed since the last use of each blob and each object. */
async function cleanUpLater(at: "DB" | "DB_2") {
  await platform.rowsIn(at, "update blobs set idle_time = 1 where idle_time is not null");
  for (let n = 0; n < 2; n += 1) {
    await platform.rowsIn(
      at,
      "update objects set idle_time = 1 where idle_time > 1 and blob_id is null and upload_id is null",
    );
    await platform.runSchedule();
  }
}

const part = 8 * 1024 * 1024;

/** Begins an upload with a piece, and sends the bytes of the next one. Returns where it continues. */
async function uploadPieces(target: Target, bytes: Uint8Array): Promise<string> {
  const location = await begin(target);
  await sendChunk(target, location, bytes.subarray(0, part), 0);
  const answer = await sendChunk(target, location, bytes.subarray(part, part + 100), part);
  return answer.headers.get("location") ?? "";
}

const ownerOf = (at: "DB" | "DB_2", digest: string) =>
  platform.rowsIn(
    at,
    "select first_byte, objects.size from objects join blobs on blobs.id = blob_id where digest = unhex(?) order by 1",
    digest.slice(7),
  );

test(
  "the clean-up of the old database keeps the objects that the new one needs: of blobs, a large manifest and an upload",
  long,
  async () => {
    const home = await platform.newHome("DB_2");
    const target = await imageOf(home);
    const layer = someBytes(part + 200);
    const image = newImageOf({ layer, annotations: { long: "x".repeat(70_000) } });
    const chunks = await uploadPieces(target, layer);
    const rest = layer.subarray(part + 100);
    expect((await end(target, chunks, digestOf(layer), rest)).status).toBe(201);
    await pushImage(target, "latest", image);
    const open = someBytes(part + 200);
    const location = await uploadPieces(target, open);
    const pieces = await ownerOf("DB_2", digestOf(layer));
    expect(pieces).toEqual([
      { first_byte: 0, size: part },
      { first_byte: part, size: 200 },
    ]);
    await move(home, "DB");
    await cleanUpLater("DB_2");
    expect(await platform.rowsIn("DB_2", "select key from objects")).toEqual([]);
    expect(await ownerOf("DB", digestOf(layer))).toEqual(pieces);
    expect(await pullImage(target, image.digest)).toEqual(image);
    const left = new Set(await platform.listObjects());
    const needed = await platform.rowsIn<{ key: string }>("DB", "select key from objects");
    expect(needed.length).toBeGreaterThanOrEqual(6);
    expect(needed.filter(({ key }) => !left.has(key))).toEqual([]);
    const reserved = "select reserved_bytes as n from organization_storage where uid = ?";
    expect(await platform.rowsIn("DB", reserved, home.uid)).toEqual([{ n: part + 100 }]);
    const digest = digestOf(open);
    expect((await end(target, location, digest, open.subarray(part + 100))).status).toBe(201);
    const pulled = await send(target, `blobs/${digest}`);
    expect(digestOf(new Uint8Array(await pulled.arrayBuffer()))).toBe(digest);
  },
);

test(
  "the clean-up of the new database deletes bytes that no database needs any more",
  long,
  async () => {
    const home = await platform.newHome("DB_2");
    const before = new Set(await platform.listObjects());
    const target = await imageOf(home);
    await pushBlob(target, someBytes(100));
    const isNew = async () => (await platform.listObjects()).filter((key) => !before.has(key));
    expect(await isNew()).toHaveLength(1);
    await move(home, "DB");
    await cleanUpLater("DB_2");
    await platform.rowsIn("DB", "update blob_links set idle_time = 1 where idle_time is not null");
    await cleanUpLater("DB");
    await cleanUpLater("DB");
    expect(await isNew()).toEqual([]);
  },
);

test("an organization that has moved can move back", long, async () => {
  const home = await platform.newHome("DB_2");
  const target = await imageOf(home);
  const image = await pushImage(target, "latest");
  await platform.done(`/iam/v2/groups/${home.uid}`, home.token, { name: "before" });
  await move(home, "DB");
  await platform.done(`/iam/v2/groups/${home.uid}`, home.token, { name: "between" });
  await move(home, "DB_2");
  await platform.done(`/iam/v2/groups/${home.uid}`, home.token, { name: "after" });
  const names = (await groupsIn("DB_2", home)).map(({ name }) => name);
  expect(names).toEqual(["after", "before", "between"]);
  expect(await pullImage(target, "latest")).toEqual(image);
});

test("lists and events show an organization once after a move", async () => {
  const owner = await platform.newPerson();
  const homes = [await platform.newHome("DB_2", owner), await platform.newHome("DB", owner)];
  const before = await platform.done("/events/v2/events?pageSize=100", owner.token);
  await move(homes[0] as Home, "DB");
  const { groups } = await platform.done("/iam/v2/groups?pageSize=100", owner.token);
  const uids = groups.map(({ uid }: { uid: string }) => uid);
  expect(uids.toSorted()).toEqual(homes.map(({ uid }) => uid).toSorted());
  const after = await platform.done("/events/v2/events?pageSize=100", owner.token);
  expect(after.events).toEqual(before.events);
});

test(
  "an event whose data is stored compressed moves as it is, and is listed with the same JSON",
  long,
  async () => {
    const home = await platform.newHome("DB_2");
    const moves = Array.from({ length: 100 }, (_, n) => ({
      ...{ repo: "python", tag: `3.${n}`, digest: `sha256:${String(n).padStart(64, "0")}` },
      updateTime: new Date(Date.UTC(2025, 0, 1) + n * 1000).toISOString(),
    }));
    await platform.done(`/registry/v2/tagMoves/${home.uid}:import`, home.token, { moves });
    const path = `/events/v2/events?uidp.descendantsOf=${home.uid}&pageSize=200`;
    const before = await platform.done(path, home.token);
    const select = "select id, data from events where ancestor0 = ? and data like '{\"packed\":%'";
    const stored = await platform.rowsIn("DB_2", select, home.uid);
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored).length).toBeLessThan(5_000);
    await move(home, "DB");
    expect(await platform.rowsIn("DB", select, home.uid)).toEqual(stored);
    expect(await platform.rowsIn("DB_2", select, home.uid)).toEqual([]);
    expect(await platform.done(path, home.token)).toEqual(before);
  },
);
