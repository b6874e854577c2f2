/** Keys when the answer of the database is lost, in several databases, in a move, and when they are old. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { moveOrganization } from "../../cli/move/move.ts";
import { sqlOf } from "../../cli/move/sql.ts";
import { deleteExpiredKeys } from "../../src/idempotency/expired_keys.ts";
import { openDatabase } from "../../src/rpc/database.ts";
import { randomName, roleUid } from "../world/personas.ts";
import { type Home, type SpreadPlatform, startSpread } from "../world/spread.ts";

/** With the header `x-lose`, the result of the first batch that writes is lost, although it has taken effect. */
const losing = `
import platform from "./platform.js";

const losingOf = (database) => {
  let isLost = false;
  const withSession = (...given) => {
    const session = database.withSession(...given);
    const batch = async (statements) => {
      const results = await session.batch(statements);
      if (isLost || results.every(({ meta }) => meta.rows_written === 0)) return results;
      isLost = true;
      throw new Error("Network connection lost.");
    };
    return { prepare: (text) => session.prepare(text), getBookmark: () => session.getBookmark(), batch };
  };
  return { withSession };
};

export default {
  ...platform,
  fetch(request, env, execution) {
    if (!request.headers.has("x-lose")) return platform.fetch(request, env, execution);
    const { DB, DB_2 } = env;
    return platform.fetch(request, { ...env, DB: losingOf(DB), DB_2: losingOf(DB_2) }, execution);
  },
};
`;

let platform: SpreadPlatform;
beforeAll(async () => {
  platform = await startSpread({ wrapper: losing, log: () => {} });
});
afterAll(() => platform?.stop());

type Asked = { token: string; key?: string; headers?: Record<string, string>; body: object };

/** A POST with a key. */
async function post(path: string, { token, key = "key", headers = {}, body }: Asked) {
  const response = await fetch(platform.origin + path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "idempotency-key": key, ...headers },
    body: JSON.stringify(body),
  });
  const retryAfter = response.headers.get("retry-after");
  const isReplayed = response.headers.get("idempotency-replayed") === "true";
  // Tests read answers of every shape.
  return {
    status: response.status,
    isReplayed,
    retryAfter,
    body: (await response.json()) as {
      uid: string;
      group: { uid: string };
      details: { reason?: string }[];
    },
  };
}

const createRepo = ({ uid, token }: Home, headers = {}) =>
  post(`/registry/v2/repos/${uid}`, { token, headers, body: { name: "once" } });

const count = async (at: "DB" | "DB_2", table: string, condition: string, ...values: string[]) => {
  const query = `select count(*) as number from ${table} where ${condition}`;
  return (await platform.rowsIn<{ number: number }>(at, query, ...values))[0]?.number;
};

test("a write whose result is lost has its answer in the same call", async () => {
  const home = await platform.newHome("DB_2");
  const first = await createRepo(home, { "x-lose": "1" });
  expect([first.status, first.isReplayed]).toEqual([200, true]);
  expect((await createRepo(home)).body).toEqual(first.body);
  expect(await count("DB_2", "repos", "parent = ?", home.uid)).toBe(1);
});

describe("a call that names no organization", () => {
  test("creates one organization, in the database for new ones", async () => {
    const { token } = await platform.newPerson();
    const body = { name: randomName("spread") };
    const found = () => post("/iam/v2/groups", { token, body });
    const answers = await Promise.all([found(), found(), found(), found()]);
    answers.push(await found());
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(answers.map((one) => one.body.uid)).size).toBe(1);
    expect(answers.filter(({ isReplayed }) => !isReplayed).length).toBe(1);
    expect(await count("DB_2", "groups", "name = ?", body.name)).toBe(1);
  });

  test("accepts an invite once, and has its answer although the invite is used up", async () => {
    const home = await platform.newHome("DB_2");
    const role = await roleUid("viewer");
    const invite = await platform.done(`/iam/v2/groupInvites/${home.uid}`, home.token, {
      roleUid: role,
      ttl: "3600s",
      singleUse: true,
    });
    const guest = await platform.newPerson();
    const accept = () =>
      post("/iam/v2/groupInvites:accept", { token: guest.token, body: { code: invite.code } });
    const [first, second] = [await accept(), await accept()];
    expect([first.status, second.status, second.isReplayed]).toEqual([200, 200, true]);
    expect(second.body).toEqual(first.body);
    expect(first.body.group.uid).toBe(home.uid);
    await platform.done(`/iam/v2/roleBindings/${first.body.uid}`, home.token, undefined, "DELETE");
    expect((await accept()).status).toBe(404);
  });
});

test("a key moves with its organization", async () => {
  const home = await platform.newHome("DB_2");
  const first = await createRepo(home);
  const databases = new Map(
    Object.entries(platform.databases).map(([name, one]) => [name, sqlOf(one)]),
  );
  await moveOrganization({ databases, root: home.uid, to: "DB", maxPause: 60_000 });
  const again = await createRepo(home);
  expect([again.isReplayed, again.body]).toEqual([true, first.body]);
  expect(await count("DB_2", "idempotency_keys", "organization_uid = ?", home.uid)).toBe(0);
});

test("the schedule deletes keys after 24 hours, and leaves those of an organization that moves", async () => {
  const homes = [await platform.newHome("DB_2"), await platform.newHome("DB_2")] as const;
  const [home, moving] = homes;
  const now = Date.now();
  const day = 24 * 3600 * 1000;
  const insert = (uid: string, key: string, age: number) =>
    platform.rowsIn(
      "DB_2",
      `insert into idempotency_keys (organization_uid, caller_uid, key_digest, method, request_digest, form, create_time)
       values (?, 'c', ?, 'm', 'r', 'open', ?)`,
      uid,
      key,
      now - age,
    );
  for (let at = 0; at < 3; at += 1) await insert(home.uid, `old-${at}`, day + at);
  await insert(home.uid, "new", day - 1);
  await insert("", "of no organization", day);
  await insert(moving.uid, "kept", day);
  await platform.rowsIn(
    "DB_2",
    "insert into organization_moves (uid, state, database, time) values (?, 'leaving', 'DB', 1)",
    moving.uid,
  );
  const { databases } = openDatabase(platform.env, { waitUntil: () => {} });
  for (const db of databases.all) await deleteExpiredKeys(db, now);
  const left = await platform.rowsIn<{ key: string }>(
    "DB_2",
    "select key_digest as key from idempotency_keys where caller_uid = 'c' order by key",
  );
  expect(left.map(({ key }) => key)).toEqual(["kept", "new"]);
  await platform.rowsIn("DB_2", "delete from organization_moves where uid = ?", moving.uid);
});

test("a call whose answer was to be stored later is carried out again after 30 seconds", async () => {
  const home = await platform.newHome("DB_2");
  const path = `/vulnerabilities/v2/advisories/${home.uid}:purge`;
  const records = [
    {
      id: "SAMPLE-1",
      modified: "2026-01-01T00:00:00Z",
      affected: [{ package: { ecosystem: "PyPI", name: "sample" } }],
    },
  ];
  const recordsPath = `/vulnerabilities/v2/osvRecords/${home.uid}:import`;
  await platform.done(recordsPath, home.token, { records });
  const purge = (headers = {}) => post(path, { token: home.token, headers, body: { force: true } });
  for (const headers of [{ "x-lose": "1" }, {}]) {
    const { status, retryAfter, body } = await purge(headers);
    expect([status, retryAfter]).toEqual([409, "1"]);
    expect(body.details[0]?.reason).toBe("IDEMPOTENCY_KEY_IN_USE");
  }
  await platform.rowsIn(
    "DB_2",
    "update idempotency_keys set create_time = create_time - 30000 where organization_uid = ?",
    home.uid,
  );
  const [first, second] = [await purge(), await purge()];
  expect([first.status, first.isReplayed]).toEqual([200, false]);
  expect([second.status, second.isReplayed]).toEqual([200, true]);
  expect(second.body).toEqual(first.body);
});
