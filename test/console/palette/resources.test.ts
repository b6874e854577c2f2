/** The search for resources: what a text finds, and how many requests it takes. */
import { createClient, staticToken } from "platform-api/client";
import { beforeAll, expect, test } from "vitest";
import {
  findResources,
  type ReadOnce,
  readDirectory,
  type SearchPlace,
} from "../../../console/palette/resources.ts";
import {
  bindPerson,
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
} from "../../world/personas.ts";
import { baseUrl, sql } from "../../world/platform.ts";

let organization: Organization;
let repo: string;
let person: string;
const digest = fakeDigest("search");
let asked: string[];
let place: SearchPlace;

/** The place of a search, without what was read before. */
function newPlace(): SearchPlace {
  const kept = new Map<string, Promise<unknown>>();
  const once: ReadOnce = <Value>(key: readonly string[], read: () => Promise<Value>) => {
    const known = kept.get(key.join()) ?? read();
    kept.set(key.join(), known);
    return known as Promise<Value>;
  };
  const client = createClient({
    url: baseUrl(),
    token: staticToken(organization.owner.token),
    fetch: (input, init) => {
      asked.push(String(input));
      return fetch(input, init);
    },
  });
  return { client, organization: organization.uid, once };
}

beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  repo = (await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "web-shop" })).uid;
  await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "platform-team" });
  const body = { name: "1.2", digest };
  await createResource(`/registry/v2/tags/${repo}`, owner.token, body);
  await newIdentity(organization, undefined);
  person = (await newUser()).uid;
  await sql(
    "update identities set name = 'Ada Lovelace', email = 'ada@numbers.example' where uid = ?",
    person,
  );
  await bindPerson({ uid, token: owner.token }, person, "viewer");
  asked = [];
  place = newPlace();
  await readDirectory(place);
  expect(asked).toHaveLength(3);
});

/** The titles and the kinds that a text finds. The search takes at most three requests. */
async function search(text: string, at = place): Promise<string[]> {
  asked = [];
  const found = await findResources(at, text);
  expect(asked.length).toBeLessThanOrEqual(3);
  return found.map(({ title, detail }) => `${title} ${detail}`);
}

test("repositories and groups are found by any part of their names", async () => {
  expect(await search("shop")).toEqual(["web-shop Repository"]);
  expect(await search("B-SH")).toEqual(["web-shop Repository"]);
  expect(await search("form-te")).toEqual(["platform-team Group"]);
});

test("people are found by a part of their name or address", async () => {
  for (const text of ["lovelace", "ada@", "numbers.ex"]) {
    expect(await search(text)).toEqual(["Ada Lovelace Person ada@numbers.example"]);
    expect((await findResources(place, text))[0]?.address).toBe(`/console/identities/${person}`);
  }
});

test("tags are found below their repository, and images by a digest or its first 12 digits", async () => {
  expect(await search("web-shop:1")).toEqual(["web-shop:1.2 Tag"]);
  expect(await search("shop:1")).toEqual(["web-shop:1.2 Tag"]);
  const image = [`${digest.slice(0, 19)} Image of web-shop`, "web-shop:1.2 Tag"];
  for (const text of [digest, digest.slice(7), digest.slice(0, 19), digest.slice(7, 19)])
    expect(await search(text)).toEqual(image);
  expect(await search(`sha256:${"f".repeat(64)}`)).toEqual([]);
});

test("an image that no tag points to any more is found by its digest", async () => {
  const { token } = organization.owner;
  const past = fakeDigest("past");
  for (const points of [past, digest])
    await createResource(`/registry/v2/tags/${repo}`, token, { name: "moved", digest: points });
  expect(await search(past)).toEqual([`${past.slice(0, 19)} Image of web-shop`]);
});

test("in a list longer than a page, names are found by their beginning, with three requests", async () => {
  const long = newPlace();
  const { once } = long;
  const isLong = { rows: [], isWhole: false };
  const at: SearchPlace = {
    ...long,
    once: async (key, read) => (key[0] === "roleBindings" ? once(key, read) : (isLong as never)),
  };
  await readDirectory(at);
  expect(await search("web", at)).toEqual(["web-shop Repository"]);
  expect(asked).toHaveLength(3);
  expect(await search("shop", at)).toEqual([]);
  expect(await search("web-shop:1", at)).toEqual(["web-shop:1.2 Tag"]);
});
