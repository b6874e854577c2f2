/** `READS = "nearest"`: what a read from a lagging replica shows, and what it never does. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type LaggingOrganization,
  type LaggingPlatform,
  startLaggingPlatform,
} from "./lagging_platform.ts";

let platform: LaggingPlatform;
let organization: LaggingOrganization;
let token: string;
beforeAll(async () => {
  platform = await startLaggingPlatform();
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  organization = await platform.newOrganization();
  ({ token } = organization.owner);
  await platform.beat();
  await platform.database.replicate();
});

const createRepo = (name: string) =>
  platform.done(`/registry/v2/repos/${organization.uid}`, { token, body: { name } });

const listPath = (more: Record<string, string> = {}) =>
  `/registry/v2/repos?${new URLSearchParams({ "uidp.descendantsOf": organization.uid, order_by: "name", ...more })}`;

const namesOf = ({ body }: { body: { repos?: { name: string }[] } }) =>
  (body.repos ?? []).map(({ name }) => name);

/** Where the first batch of the call ran, and what began its session. */
const startOf = ({ served }: { served: { at: string; start: string }[] }) =>
  served[0] && [served[0].at, served[0].start];

describe("a bookmark", () => {
  test("a read without one starts at the replica, and shows the state there", async () => {
    await createRepo("a");
    const before = await platform.done(listPath(), { token });
    expect(startOf(before)).toEqual(["replica", "first-unconstrained"]);
    expect(namesOf(before)).toEqual([]);
    await platform.database.replicate();
    expect(namesOf(await platform.done(listPath(), { token }))).toEqual(["a"]);
  });

  test("a read with the bookmark of a write sees the write, at the replica", async () => {
    const { bookmark } = await createRepo("a");
    const after = await platform.done(listPath(), { token, bookmark });
    expect(startOf(after)?.[0]).toBe("replica");
    expect(namesOf(after)).toEqual(["a"]);
  });

  test("no read of a sequence is older than a read or a refusal before it", async () => {
    const { body, bookmark: written } = await createRepo("a");
    const seen = await platform.done(`/iam/v2/groups/${organization.uid}`, { token });
    const next = await platform.done(listPath(), { token, bookmark: seen.bookmark });
    expect(namesOf(next)).toEqual(["a"]);
    const path = `/registry/v2/repos/${body.uid}`;
    await platform.done(path, { token, method: "DELETE" });
    const gone = await platform.call(path, { token, bookmark: "primary" });
    expect([gone.status, startOf(gone)?.[0]]).toEqual([404, "primary"]);
    const last = await platform.done(listPath(), { token, bookmark: gone.bookmark });
    expect(namesOf(last)).toEqual([]);
    const joined = `${gone.bookmark}, ${written}`;
    expect(namesOf(await platform.done(listPath(), { token, bookmark: joined }))).toEqual([]);
  });

  test("of several bookmarks, the latest state counts", async () => {
    const first = await createRepo("a");
    const second = await createRepo("b");
    for (const bookmark of [
      `${first.bookmark},${second.bookmark}`,
      `${second.bookmark} , ${first.bookmark},`,
    ]) {
      expect(namesOf(await platform.done(listPath(), { token, bookmark }))).toEqual(["a", "b"]);
    }
  });

  test("the next page is not older than the page before it, without a header", async () => {
    for (const name of ["a", "b", "c"]) await createRepo(name);
    const first = await platform.done(listPath({ page_size: "2" }), { token, bookmark: "primary" });
    const { nextPageToken } = first.body;
    const second = await platform.done(listPath({ page_size: "2", page_token: nextPageToken }), {
      token,
    });
    expect(startOf(second)?.[0]).toBe("replica");
    expect([...namesOf(first), ...namesOf(second)]).toEqual(["a", "b", "c"]);
  });

  test("every call of the API returns one, and an open call returns one that anyone can use", async () => {
    const { body } = await createRepo("a");
    const path = `/registry/v2/repos/${body.uid}`;
    const changed = { method: "PATCH", body: { description: "b" } };
    const answers = [
      await platform.done(path, { token, ...changed }),
      await platform.done("/iam/v2/roles", { token }),
      await platform.done("/events/v2/events", { token }),
      await platform.call(`/iam/v2/groups/${"0".repeat(40)}`, { token }),
    ];
    for (const { bookmark } of answers) {
      expect(bookmark).toMatch(/^[\w-]{50,200}$/);
      expect(startOf(await platform.done(listPath(), { token, bookmark }))?.[0]).toBe("replica");
    }
    const open = await platform.done("/advisory/v2/documents", {});
    expect(startOf(open)?.[0]).toBe("replica");
    const again = await platform.done(listPath(), { token, bookmark: open.bookmark });
    expect(startOf(again)?.[0]).toBe("replica");
    expect((await platform.call(listPath(), { token: "x" })).bookmark).toBeUndefined();
  });

  test("it shows nothing about the database", async () => {
    const one = await createRepo("a");
    const two = await platform.done(listPath(), { token, bookmark: one.bookmark });
    expect(two.bookmark?.slice(0, 20)).not.toBe(one.bookmark?.slice(0, 20));
    const bytes = Buffer.from(two.bookmark ?? "", "base64url").toString("latin1");
    expect(bytes).not.toContain("lagging");
  });
});

describe("a replica refuses nothing", () => {
  test("access and rows that it does not have yet are looked up at the primary", async () => {
    const bot = await platform.newBot(organization, "viewer");
    const { body } = await createRepo("a");
    const read = await platform.call(`/registry/v2/repos/${body.uid}`, { token: bot.token });
    expect([read.status, read.body.name]).toEqual([200, "a"]);
    expect(read.served.slice(0, 2).map(({ at }) => at)).toEqual(["replica", "primary"]);
  });

  test("an error is that of the primary", async () => {
    const stranger = await platform.newPerson();
    const path = `/registry/v2/repos/${organization.uid}/${"0".repeat(16)}`;
    for (const [asked, status] of [
      [token, 404],
      [stranger.token, 403],
    ] as const) {
      const refused = await platform.call(path, { token: asked });
      // A batch after the response can record the use of a role.
      const places = refused.served.slice(0, 2).map(({ at }) => at);
      expect([refused.status, places]).toEqual([status, ["replica", "primary"]]);
    }
  });

  test("a request that is invalid is refused once, before the database is asked", async () => {
    const refused = await platform.call(listPath({ page_size: "-1" }), { token });
    expect([refused.status, refused.served.length]).toEqual([400, 0]);
  });

  test("if the replica fails, the primary answers", async () => {
    await createRepo("a");
    platform.database.failure = new Error("D1_ERROR: Network connection lost.");
    const answer = await platform.done(listPath(), { token });
    expect(namesOf(answer)).toEqual(["a"]);
  });
});
