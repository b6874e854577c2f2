import { base64url } from "jose";
import { describe, expect, test } from "vitest";
import { decisionLifetime, openDecision, sealDecision } from "../../src/auth/access_decision.ts";
import type { Credential } from "../../src/auth/call.ts";
import { sealBookmark } from "../../src/rpc/bookmark.ts";
import { randomUid } from "../world/personas.ts";

const newKey = () => base64url.encode(crypto.getRandomValues(new Uint8Array(32)));
const [current, previous] = [newKey(), newKey()];
const time = Date.UTC(2026, 0, 1);
const resource = `${randomUid()}/0123456789abcdef`;
const call = { capabilities: [1, 2], resource, method: "platform.x.v2.Y/Z", time };
const uid = randomUid();
const bot: Credential = { bearer: { uid }, act: {}, chain: [] };

const seal = (credential: Credential, key = current) =>
  sealDecision({ pageTokenKeys: [key] }, { ...call, credential });
const open = (id: string, now = time, keys = [current, previous]) =>
  openDecision({ pageTokenKeys: keys }, id, now);

test("an id contains what was asked, by whom and when", async () => {
  expect(await open(await seal(bot))).toEqual({ ...call, credential: bot, isTruncated: false });
});

test.each<[string, Partial<Credential>]>([
  ["with an own token", {}],
  ["of a foreign issuer", { bearer: { issuer: "https://i", subject: "s", person: randomUid() } }],
  ["that is limited to groups", { scopes: [resource, uid] }],
  ["that is limited to capabilities", { capabilities: [1, 3] }],
  ["with a login", { login: { identityProvider: resource, groups: ["a", "b"] } }],
  ["of a person who was exchanged", { chain: [{ sub: uid }] }],
])("an id contains the caller %s", async (_, more) => {
  const credential = { ...bot, ...more };
  expect(await open(await seal(credential))).toStrictEqual({
    ...{ ...call, credential, isTruncated: false },
  });
});

test("an id contains the image of a request to the registry", async () => {
  const asked = { ...call, credential: bot, image: "acme/app" };
  const id = await sealDecision({ pageTokenKeys: [current] }, asked);
  expect(await open(id)).toStrictEqual({ ...asked, isTruncated: false });
});

test("an id that leaves out the groups of a login still contains the login", async () => {
  const login = { identityProvider: resource, groups: ["組".repeat(2000)] };
  const { credential } = await open(await seal({ ...bot, login, scopes: [resource] }));
  expect(credential).toStrictEqual({ ...bot, login: { ...login, groups: [] } });
});

test("two ids of the same decision differ, and have the same length", async () => {
  const [one, other] = [await seal(bot), await seal(bot)];
  expect(one).not.toBe(other);
  expect(one.length).toBe(other.length);
});

test("an id shows nothing of its content", async () => {
  const bytes = Buffer.from(await seal(bot), "base64url").toString("latin1");
  for (const part of [uid, resource, call.method]) expect(bytes).not.toContain(part);
});

test("a bookmark, which is sealed with the same keys, is not an id", async () => {
  const sent = { owner: "", now: time };
  const bookmark = await sealBookmark({ pageTokenKeys: [current] }, { DB: "1" }, sent);
  await expect(open(bookmark)).rejects.toThrow(/Not found/);
});

test("an id can be read for 30 days, and not longer", async () => {
  const id = await seal(bot);
  expect(await open(id, time + decisionLifetime - 1)).toMatchObject({ resource });
  await expect(open(id, time + decisionLifetime)).rejects.toThrow(/older than 30 days/);
});

test("an id from before a key rotation can be read as long as its key is still there", async () => {
  const id = await seal(bot, previous);
  expect(await open(id)).toMatchObject({ resource });
  await expect(open(id, time, [current])).rejects.toThrow(/Not found/);
});

describe("an id is short enough for GetAccessDecision, and says that it leaves limits out,", () => {
  const long = "組".repeat(800);
  test.each<[string, Partial<Credential>]>([
    [
      "with a login whose groups are long",
      { login: { identityProvider: resource, groups: [long, long, long], expires: 0 } as never },
    ],
    ["with many scopes", { scopes: Array.from({ length: 90 }, () => resource) }],
    [
      "with a foreign subject that is long",
      { bearer: { issuer: "https://i.example", subject: long.repeat(2), person: randomUid() } },
    ],
  ])("%s", async (_, more) => {
    const id = await seal({ ...bot, ...more });
    expect(id.length).toBeLessThanOrEqual(8192);
    expect(await open(id)).toMatchObject({ resource, isTruncated: true });
  });
});
