/** Bookmarks that a caller must not have, and those that say nothing. */
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { newKeys } from "../../../cli/keys.ts";
import { sealBookmark } from "../../../src/rpc/bookmark.ts";
import { issuer } from "../../world/platform.ts";
import {
  type LaggingOrganization,
  type LaggingPlatform,
  startLaggingPlatform,
} from "./lagging_platform.ts";

let platform: LaggingPlatform;
let organization: LaggingOrganization;
let other: LaggingOrganization;
let genuine: string;
const keys = JSON.parse(inject("pageTokenKeys")) as string[];

beforeAll(async () => {
  platform = await startLaggingPlatform();
  organization = await platform.newOrganization();
  other = await platform.newOrganization();
  await platform.beat();
  await platform.database.replicate();
  genuine = (await createRepo()).bookmark ?? "";
});
afterAll(() => platform?.stop());

const createRepo = () =>
  platform.done(`/registry/v2/repos/${organization.uid}`, {
    ...{ token: organization.owner.token, body: { name: "a" } },
  });

const list = (bookmark: string | undefined, { uid, owner } = organization) =>
  platform.call(`/registry/v2/repos?uidp.descendantsOf=${uid}`, { token: owner.token, bookmark });

const ownerOf = (subject: string) => JSON.stringify([issuer, subject]);
const seal = (
  DB: string,
  { owner = ownerOf(organization.owner.uid), now = Date.now(), pageTokenKeys = keys } = {},
) => sealBookmark({ pageTokenKeys }, { DB }, { owner, now });

describe("the call starts at the primary, and D1 does not get the text, for", () => {
  const changed = () => `${genuine[0] === "A" ? "B" : "A"}${genuine.slice(1)}`;
  test.each([
    [
      "the bookmark of another caller",
      () => seal("00000001-lagging", { owner: ownerOf(other.uid) }),
    ],
    ["one that was changed", changed],
    ["one that was cut", () => genuine.slice(0, -4)],
    [
      "one that was sealed with another key",
      async () => {
        const { pageTokenKeys } = await newKeys();
        return seal("00000001-lagging", { pageTokenKeys });
      },
    ],
    ["a constraint of D1", () => "first-unconstrained"],
    ["a bookmark of D1", () => "00000001-lagging"],
    ["a page token", () => "eyJhbGciOiJIUzI1NiJ9.e30.AAAA"],
    ["bytes that are not text", () => "\u00ff\u00fe"],
    ["a long text", () => "A".repeat(9_000)],
    ["17 bookmarks", () => Array.from({ length: 17 }, (_, at) => `${genuine}${at}`).join(",")],
    ["a genuine one next to a wrong one", () => `${genuine},x`],
    ["the word primary", () => "primary"],
    ["a genuine one next to the word primary", () => `${genuine},primary`],
  ])("%s", async (_, make) => {
    const { status, body, served, bookmark } = await list(await make());
    expect([status, body.repos.length]).toEqual([200, 1]);
    expect(served[0]).toMatchObject({ at: "primary", start: "first-primary" });
    expect((await list(bookmark)).served[0]?.at).toBe("replica");
  });

  test("one that another caller got", async () => {
    const { served } = await list(genuine, other);
    expect(served[0]).toMatchObject({ at: "primary", start: "first-primary" });
  });
});

test("an empty header is the same as none", async () => {
  for (const text of [undefined, "", " , ,"]) {
    expect((await list(text)).served[0]?.start).toBe("first-unconstrained");
  }
});

test("a bookmark opens with each key of the platform", async () => {
  const [first = ""] = keys;
  const { pageTokenKeys } = await newKeys();
  const rotated = await startLaggingPlatform({
    PAGE_TOKEN_KEYS: JSON.stringify([...pageTokenKeys, first]),
  });
  try {
    const own = await rotated.newOrganization();
    await rotated.beat();
    await rotated.database.replicate();
    const owner = ownerOf(own.owner.uid);
    const bookmark = await seal("00000001-lagging", { owner });
    const { served } = await rotated.call(`/registry/v2/repos?uidp.descendantsOf=${own.uid}`, {
      ...{ token: own.owner.token, bookmark },
    });
    expect(served[0]).toMatchObject({ at: "replica", start: "00000001-lagging" });
  } finally {
    await rotated.stop();
  }
});

test("a bookmark that is older than every replica in use is left out", async () => {
  const minutes = (count: number) => Date.now() - count * 60_000;
  // READS_MAX_AGE is 2m here, and the platform gives it as much time again.
  const recent = await seal("00000002-lagging", { now: minutes(3.9) });
  expect((await list(recent)).served[0]?.start).toBe("00000002-lagging");
  const old = await seal("00000002-lagging", { now: minutes(4.1) });
  expect((await list(old)).served[0]?.start).toBe("first-unconstrained");
});

test("a bookmark without a read that uses it changes no session", async () => {
  for (const path of ["/iam/v2/roles", "/events/v2/events"]) {
    const { served } = await platform.call(path, {
      ...{ token: organization.owner.token, bookmark: genuine },
    });
    expect(served[0]?.start).toBe("first-primary");
  }
});

test("the end of a page token is only a bookmark", async () => {
  const { token } = organization.owner;
  for (const name of ["b", "c"])
    await platform.done(`/registry/v2/repos/${organization.uid}`, { token, body: { name } });
  await platform.database.replicate();
  const path = (pageToken: string) =>
    `/registry/v2/repos?${new URLSearchParams({ "uidp.descendantsOf": organization.uid, page_size: "2", page_token: pageToken })}`;
  const page = await platform.done(path(""), { token, bookmark: "primary" });
  const [jwt = "", carried = ""] = String(page.body.nextPageToken).split("~");
  expect(carried).toBe(page.bookmark);
  for (const text of [`${jwt}~`, `${jwt}~x`, `${jwt}~${carried}`]) {
    expect((await platform.done(path(text), { token })).body.repos).toHaveLength(1);
  }
  for (const text of [`~${carried}`, `${jwt}x~${carried}`, `${jwt}~a~${carried}`]) {
    const refused = await platform.call(path(text), { token });
    expect([refused.status, refused.body?.details?.[0]?.reason ?? ""]).toEqual(
      text.startsWith("~") ? [200, ""] : [400, "INVALID_ARGUMENT"],
    );
  }
});
