/** `GET /v2/_catalog`: the names of the repositories that the caller can pull from. */
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bindPerson,
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  type Persona,
} from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { type SpreadPlatform, startSpread } from "../world/spread.ts";
import { list, newGroup, readAll } from "./catalog_pages.ts";
import { askToken, newVerified, publicImage, refusalOf, registryToken } from "./stored_images.ts";

/** Creates repositories in a group. Returns their names with a prefix. */
async function newRepos(
  organization: Organization,
  group: string,
  prefix: string,
  names: string[],
) {
  for (const name of names) {
    await createResource(`/registry/v2/repos/${group}`, organization.owner.token, { name });
  }
  return names.map((name) => `${prefix}/${name}`);
}

describe("with roles in two organizations", () => {
  let person: Persona;
  let token: string;
  let expected: string[];
  let verified: Organization;
  let fresh: Organization;

  beforeAll(async () => {
    verified = await newVerified();
    fresh = await newOrganization();
    person = await newUser();
    const team = await newGroup(verified, verified.uid, "team");
    const inner = await newGroup(verified, team, "inner");
    const odd = await newGroup(verified, verified.uid, "team b");
    const alike = await newGroup(verified, verified.uid, team.slice(-16));
    await newGroup(verified, verified.uid, "empty");
    const { name, uid } = verified;
    expected = [
      // Bytes before and after the slash, so that the names of groups and repositories alternate.
      ...(await newRepos(verified, uid, name, [
        "team-a",
        "team.b",
        "team0",
        "a",
        "team/tool",
        "z",
      ])),
      ...(await newRepos(verified, team, `${name}/team`, ["a", "b", "inner-a", "z"])),
      ...(await newRepos(verified, inner, `${name}/team/inner`, ["a", "b"])),
      ...(await newRepos(verified, odd, `${name}/${odd.slice(-16)}`, ["c"])),
      ...(await newRepos(verified, alike, `${name}/${alike.slice(-16)}`, ["d"])),
      ...(await newRepos(fresh, fresh.uid, fresh.uid, ["a", "b/c"])),
    ].toSorted();
    // The name of this one leads to the repository of the organization.
    await newRepos(verified, team, "", ["tool"]);
    for (const { uid: at, owner } of [verified, fresh]) {
      await bindPerson({ uid: at, token: owner.token }, person.uid, "registry.pull");
    }
    token = await registryToken(person.uid);
  });

  test.for(["", "?n=1", "?n=2", "?n=3", "?n=100"])(
    "all pages of %s have all names, in the order of their bytes",
    async (query) => {
      expect(await readAll(token, query)).toEqual(expected);
    },
  );

  test("each name leads to a repository that the caller can pull from", async () => {
    for (const name of expected) {
      const { status, body } = await callRest(`/v2/${name}/tags/list`, { token });
      expect([status, body.name]).toEqual([200, name]);
    }
  });

  test("names come after last, whether or not it exists", async () => {
    const texts = expected.flatMap((name) => [name, `${name}!`, `${name}/`, name.slice(0, -1)]);
    for (const last of [...texts, "", "/", "~", "\u{10ffff}", "'", verified.name, verified.uid]) {
      const answer = await list(token, `?n=2&last=${encodeURIComponent(last)}`);
      const after = expected.filter(
        (name) => Buffer.compare(Buffer.from(name), Buffer.from(last)) > 0,
      );
      expect([last, answer.body.repositories]).toEqual([last, after.slice(0, 2)]);
    }
  });

  test("n=0 has no names, and anything but a whole number is refused", async () => {
    expect((await list(token, "?n=0")).body).toEqual({ repositories: [] });
    for (const n of ["-1", "1.5", "x", "1e3"]) {
      expect(refusalOf(await list(token, `?n=${n}`))).toEqual([400, "QUERY_INVALID"]);
    }
  });

  test("HEAD has the same headers without a body", async () => {
    const head = await callRest("/v2/_catalog?n=1", { token, method: "HEAD" });
    expect([head.status, head.body]).toEqual([200, undefined]);
    expect(head.headers.get("link")).toBe((await list(token, "?n=1")).headers.get("link"));
  });

  test("a role in one group, or a token that is narrowed to a repository, lists only what it reaches", async () => {
    const inTeam = expected.filter((name) => name.startsWith(`${verified.name}/team/inner/`));
    const [inner] = await sql<{ uid: string }>(
      "select uid from groups where name = 'inner' and uid like ?",
      `${verified.uid}/%`,
    );
    const role = { bindAt: inner?.uid ?? "" };
    const bot = await newIdentity(verified, "registry.pull", role);
    expect(await readAll(await registryToken(bot.uid), "?n=1")).toEqual(inTeam);
    const [repo] = await sql<{ uid: string }>(
      "select uid from repos where parent = ? and name = 'a'",
      inner?.uid,
    );
    const narrowed = await registryToken(person.uid, { scopes: [repo?.uid, `${fresh.uid}`] });
    const some = [`${verified.name}/team/inner/a`, `${fresh.uid}/a`, `${fresh.uid}/b/c`].toSorted();
    expect(await readAll(narrowed, "?n=1")).toEqual(some);
  });

  test("a role without tag.list lists nothing, as it cannot pull", async () => {
    const answer = await list(await registryToken(person.uid, { capabilities: [1605] }));
    expect([answer.status, answer.body]).toEqual([200, { repositories: [] }]);
  });
});

test("public images are not in the list of a stranger", async () => {
  await publicImage(["latest"]);
  const answer = await list(await registryToken((await newUser()).uid));
  expect([answer.status, answer.body]).toEqual([200, { repositories: [] }]);
});

describe("a token", () => {
  const challenge = 'scope="registry:catalog:*"';

  test("is required, and the challenge names the scope", async () => {
    const { name } = await publicImage(["latest"]);
    const anonymous = (await askToken(`repository:${name}:pull`)).body.token;
    for (const token of [undefined, anonymous]) {
      const answer = await callRest("/v2/_catalog", { token });
      expect(refusalOf(answer)).toEqual([401, "UNAUTHORIZED"]);
      expect(answer.headers.get("www-authenticate")).toContain(challenge);
    }
    const alone = await askToken("registry:catalog:*");
    expect(refusalOf(alone)).toEqual([401, "UNAUTHORIZED"]);
    expect(alone.headers.get("www-authenticate")).toContain(challenge);
  });

  test("for images only is refused, and one for the scope lists", async () => {
    const organization = await newVerified();
    const names = await newRepos(organization, organization.uid, organization.name, ["one"]);
    const login = await registryToken(organization.owner.uid);
    const image = await askToken(`repository:${names[0]}:pull`, login);
    const refused = await list(image.body.token);
    expect(refusalOf(refused)).toEqual([401, "UNAUTHORIZED"]);
    expect(refused.headers.get("www-authenticate")).toContain(challenge);
    const { body } = await askToken("registry:catalog:*", login);
    expect(decodeJwt(body.token).access).toEqual([
      { type: "registry", name: "catalog", actions: ["*"] },
    ]);
    expect((await list(body.token)).body).toEqual({ repositories: names });
    const pull = await callRest(`/v2/${names[0]}/tags/list`, { token: body.token });
    expect(refusalOf(pull)).toEqual([401, "UNAUTHORIZED"]);
  });

  test("of someone who is gone is refused", async () => {
    const ghost = await registryToken("0123456789".repeat(4));
    expect(refusalOf(await list(ghost))).toEqual([401, "UNAUTHORIZED"]);
  });
});

describe("with several databases", () => {
  let platform: SpreadPlatform;
  beforeAll(async () => {
    platform = await startSpread();
  });
  afterAll(() => platform.stop());

  test("the names of all of them are in one order", async () => {
    const owner = await platform.newPerson();
    const homes = [
      await platform.newHome("DB", owner),
      await platform.newHome("DB_2", owner),
      await platform.newHome("DB", owner),
    ];
    for (const { uid } of homes) {
      for (const name of ["a", "b"]) {
        await platform.done(`/registry/v2/repos/${uid}`, owner.token, { name });
      }
    }
    const expected = homes.flatMap(({ uid }) => [`${uid}/a`, `${uid}/b`]).toSorted();
    const token = await platform.registryToken(owner.uid);
    const pages = [0, 3].map((at) => `&last=${at === 0 ? "" : expected[at - 1]}`);
    for (const [at, page] of pages.entries()) {
      const { body, roundTrips } = await platform.call(`/v2/_catalog?n=3${page}`, token);
      expect(body.repositories).toEqual(expected.slice(3 * at, 3 * at + 3));
      expect(roundTrips).toBeLessThanOrEqual(5);
    }
  });
});
