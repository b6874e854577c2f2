/** Events of organizations in several databases reach their subscribers, before and after a move. */
import type { D1Database } from "@cloudflare/workers-types";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noteChanges, stopNoting } from "../../../cli/move/changes.ts";
import { moveOrganization } from "../../../cli/move/move.ts";
import { sqlOf } from "../../../cli/move/sql.ts";
import { type Home, type SpreadPlatform, startSpread } from "../../world/spread.ts";

let platform: SpreadPlatform;
/** The names of the groups whose creation was delivered, by the path of the receiver. */
const received = new Map<string, string[]>();

async function receive(request: Request): Promise<Response> {
  if (request.method === "OPTIONS")
    return new Response(null, { headers: { "webhook-allowed-origin": "*" } });
  const { pathname } = new URL(request.url);
  const body = await request.text();
  const name = /"name":"(g\d+)"/.exec(body)?.[1];
  if (name) received.set(pathname, [...(received.get(pathname) ?? []), name]);
  return new Response(null, { status: pathname === "/failing" ? 500 : 204 });
}

beforeAll(async () => {
  platform = await startSpread({
    ...{ sendsEvents: true, network: receive },
    bindings: { DELIVERY_RETRIES: "1h" },
  });
});
afterAll(() => platform.stop());

async function subscribe({ uid, token }: Home, path: string): Promise<void> {
  await platform.done(`/events/v2/subscriptions/${uid}`, token, {
    sink: `https://sink.example${path}`,
  });
}

const create = ({ uid, token }: Home, name: string) =>
  platform.done(`/iam/v2/groups/${uid}`, token, { name });

const namesAt = (path: string) => received.get(path) ?? [];

test("the events of both databases are delivered", async () => {
  const homes = [await platform.newHome("DB"), await platform.newHome("DB_2")];
  for (const home of homes) {
    await subscribe(home, `/${home.at}`);
    await create(home, "g1");
  }
  for (const { at } of homes) await expect.poll(() => namesAt(`/${at}`)).toEqual(["g1"]);
});

test("each event is delivered once and in order when its organization moves", async () => {
  const home = await platform.newHome("DB_2");
  await subscribe(home, "/moved");
  const databases = new Map(
    Object.entries(platform.databases).map(([name, one]) => [name, sqlOf(one)]),
  );
  const created: string[] = [];
  const write = async () => {
    const name = `g${created.length + 1}`;
    await create(home, name);
    created.push(name);
  };
  await write();
  await moveOrganization({
    ...{ databases, root: home.uid, to: "DB", maxPause: 60_000 },
    async onStep(step) {
      if (["copy", "catch up", "pause", "delete", "done"].includes(step)) await write();
    },
  });
  await write();
  await expect.poll(() => namesAt("/moved").at(-1)).toBe(created.at(-1));
  await platform.runSchedule();
  expect([...new Set(namesAt("/moved"))]).toEqual(created);
});

test("while an organization leaves, the events of the others in its database are delivered", async () => {
  const [leaving, staying] = [await platform.newHome("DB_2"), await platform.newHome("DB_2")];
  await subscribe(leaving, "/failing");
  await subscribe(staying, "/staying");
  await create(leaving, "g1");
  const due =
    "select uid from deliveries where uid like ? and failures > 0 and due_time is not null";
  const isDue = async () => (await platform.rowsIn("DB_2", due, `${leaving.uid}%`)).length > 0;
  await expect.poll(isDue).toBe(true);
  const source = sqlOf(platform.databases.DB_2 as D1Database);
  await noteChanges(source, leaving.uid);
  const params = [leaving.uid];
  await source.batch([
    {
      sql: "update deliveries set due_time = 1, lease = '' where substr(uid, 1, 40) = ? and failures > 0",
      params,
    },
    {
      sql: "insert into organization_moves (uid, state, database, time) values (?, 'leaving', 'DB', 1)",
      params,
    },
  ]);
  await create(staying, "g1");
  await expect.poll(() => namesAt("/staying")).toEqual(["g1"]);
  await platform.rowsIn("DB_2", "delete from organization_moves where uid = ?", leaving.uid);
  await stopNoting(source, leaving.uid);
});
