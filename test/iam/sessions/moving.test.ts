/** Sessions of an organization that moves to another database, or has moved. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { moveOrganization } from "../../../cli/move/move.ts";
import { sqlOf } from "../../../cli/move/sql.ts";
import { newTokenFamily, storeStatements } from "../../../src/issuer/refresh_token.ts";
import { sessionStatements } from "../../../src/issuer/session.ts";
import { openDatabase } from "../../../src/rpc/database.ts";
import { randomUid } from "../../world/personas.ts";
import { type Home, type SpreadPlatform, startSpread } from "../../world/spread.ts";

let platform: SpreadPlatform;
let home: Home;
beforeAll(async () => {
  platform = await startSpread();
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  home = await platform.newHome("DB_2");
});

const newSession = ({ uid, owner }: Home) => ({
  uid: `${uid}/${randomUid().slice(0, 16)}/${randomUid().slice(0, 16)}`,
  identityUid: owner,
  ...{ kind: 1, client: "", userAgent: "", createTime: 1, lastUsedTime: 1 },
  expireTime: Date.now() + 3_600_000,
});

/** The rows of a login in the organization: its session and its refresh token. */
async function logIn(home: Home): Promise<string> {
  const { databases } = openDatabase(platform.env, { waitUntil: () => {} });
  const db = databases.databaseOf(home.uid);
  const [session, now] = [newSession(home), Date.now()];
  const act = { iss: "x", sub: "x", aud: "x" };
  const claims = { sub: home.owner, idp: session.uid.slice(0, 57), chain: [], act, scopes: [] };
  const token = await newTokenFamily(claims, now);
  const [first, ...rest] = sessionStatements(db, session, now);
  if (first) await db.batch([first, ...rest, ...storeStatements(db, token, now)]);
  return session.uid;
}

const countIn = async (at: "DB" | "DB_2", { uid }: Home) => {
  const [row] = await platform.rowsIn<{ sessions: number; tokens: number }>(
    at,
    `select (select count(*) from sessions where uid like ?1 || '/%') as sessions,
      (select count(*) from refresh_tokens where identity_provider_uid like ?1 || '/%') as tokens`,
    uid,
  );
  return [row?.sessions, row?.tokens];
};

const moveTo = (to: "DB", onStep: (step: string) => Promise<void> | void) =>
  moveOrganization({
    databases: new Map(Object.entries(platform.databases).map(([name, one]) => [name, sqlOf(one)])),
    ...{ root: home.uid, to, maxPause: 60_000, onStep },
  });

test("people can log in while an organization with expired sessions leaves the same database, and its copy keeps its rows", async () => {
  await logIn(home);
  for (const table of ["sessions", "refresh_tokens"])
    await platform.rowsIn("DB_2", `update ${table} set expire_time = 1`);
  const other = await platform.newHome("DB_2");
  const there = await platform.newHome("DB");
  const logins: string[] = [];
  const onStep = async (step: string) => {
    if (step !== "compare") return;
    logins.push(await logIn(other), await logIn(there));
  };
  await moveTo("DB", onStep);
  expect(logins).toHaveLength(2);
  expect(await countIn("DB", home)).toEqual([1, 1]);
});

test("a session that has moved is seen once, and no longer after it was ended", async () => {
  const uid = await logIn(home);
  const onStep = (step: string) => {
    if (step === "delete") throw new Error("interrupted");
  };
  const move = moveTo("DB", onStep);
  await expect(move).rejects.toThrow("interrupted");
  expect(await countIn("DB_2", home)).toEqual([1, 1]);
  const seen = async () => {
    const { sessions = [] } = await platform.done("/iam/v2/sessions:search", home.token);
    return sessions.map((one: { uid: string }) => one.uid);
  };
  expect(await seen()).toEqual([uid]);
  const ended = await platform.done("/iam/v2/sessions:end", home.token, { uids: [uid] });
  expect(ended.uids).toEqual([uid]);
  expect(await seen()).toEqual([]);
});
