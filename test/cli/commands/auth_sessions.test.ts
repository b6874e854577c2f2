/** `platformctl auth sessions` lists where people are signed in, and ends it. `create key` shows a key once. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  newIdentity,
  newOrganization,
  type Organization,
  randomUid,
} from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { commandsOf } from "../command.ts";

let organization: Organization;
let run: Awaited<ReturnType<typeof commandsOf>>;
beforeAll(async () => {
  organization = await newOrganization();
  run = await commandsOf(organization);
});

const provider = () => `${organization.uid}/00000000000000aa`;

async function addSession(person: string, userAgent = "a browser"): Promise<string> {
  const uid = `${provider()}/${randomUid().slice(0, 16)}`;
  const now = Date.now();
  await sql(
    `insert into sessions (uid, identity_uid, kind, client, user_agent, create_time, last_used_time, expire_time)
     values (?, ?, 1, 'localhost:1', ?, ?, ?, ?)`,
    ...[uid, person, userAgent, now, now, now + 3_600_000],
  );
  return uid;
}

const left = async () =>
  (
    await sql("select uid from sessions where uid > ? and uid < ?", provider(), `${provider()}0`)
  ).map(({ uid }) => uid);

describe("auth sessions", () => {
  beforeEach(() => sql("delete from sessions where uid like ?", `${organization.uid}/%`));

  test("lists your own, without control characters of a browser's name", async () => {
    const own = await addSession(organization.owner.uid, "evil\u001b[31m");
    await addSession(randomUid());
    const { code, out } = await run(["auth", "sessions"]);
    expect(code).toBe(0);
    expect(out).toContain(own);
    expect(out).not.toContain("\u001b");
    expect(out.trim().split("\n").length).toBe(1);
  });

  test("end ends the named ones, and --others the rest", async () => {
    const [one, two] = [
      await addSession(organization.owner.uid),
      await addSession(organization.owner.uid),
    ];
    const first = await run(["auth", "sessions", "end", one]);
    expect([first.code, first.out]).toEqual([0, "Ended 1 session.\n"]);
    expect(await left()).toEqual([two]);
    const all = await run(["auth", "sessions", "end", "--others"]);
    expect([all.code, all.out]).toEqual([0, "Ended 1 session.\n"]);
    expect(await left()).toEqual([]);
    expect((await run(["auth", "sessions", "end", "--others"])).out).toBe("Ended 0 sessions.\n");
  });

  test("of a group lists and ends those of its people", async () => {
    const person = randomUid();
    const [one, two] = [await addSession(person), await addSession(randomUid())];
    const { out } = await run(["auth", "sessions", "--group", organization.uid, "--json"]);
    const uids = JSON.parse(out).sessions.map(({ uid }: { uid: string }) => uid);
    expect(new Set(uids)).toEqual(new Set([one, two]));
    const of = ["--group", organization.uid, "--identity", person];
    await run(["auth", "sessions", "end", "--others", ...of]);
    expect(await left()).toEqual([two]);
  });

  test.each([
    ["nothing to end", ["end"]],
    ["uids and --others", ["end", "--others", `${"a".repeat(40)}/${"0".repeat(16)}`]],
    ["a person without a group", ["--identity", "a".repeat(40)]],
  ])("refuses %s", async (_, args) => {
    expect((await run(["auth", "sessions", ...args])).code).toBe(2);
  });
});

test("create key shows the key once, and warns on standard error", async () => {
  const identity = await newIdentity(organization, "registry.pull");
  const args = ["create", "key", "ci", "--identity", identity.uid, "--expire-time", "+30d"];
  const { code, out, err } = await run([...args, "--networks", "192.0.2.0/24"]);
  expect([code, out]).toEqual([0, expect.stringMatching(/[a-z]{2}key_[0-9A-Za-z]{49}/)]);
  expect(err).toContain("Warning: a key is a password");
  const listed = await run(["list", "keys", "--identity", identity.uid]);
  expect(listed.out).toContain("192.0.2.0/24");
  expect(listed.out).not.toMatch(/key_[0-9A-Za-z]{49}/);
  const deleted = await run(["delete", "key", "ci", "--yes"], {
    env: { PLATFORM_GROUP: organization.uid },
  });
  expect([deleted.code, deleted.err]).toEqual([0, expect.any(String)]);
  expect(await sql("select 1 from keys where parent = ?", identity.uid)).toEqual([]);
});
