/**
 * Requests that mean one thing to the access check and another to the handler, in paths, methods, headers,
 * queries and bodies. None causes an internal error, each is refused for its mistake, and only the caller's
 * own repository can change.
 */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withoutDecisionId } from "../../contract/decisions.ts";
import { type Fixtures, newFixtures } from "../../contract/fixtures.ts";
import { createResource, randomName } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { bearerHeader, mapLimited, type RawAnswer, type RawCall, sendRaw } from "../raw_call.ts";
import { bodies, overConnect } from "./bodies.ts";
import { headers, methods, queries } from "./headers.ts";
import { spellings } from "./paths.ts";
import type { SmuggledRequest } from "./request.ts";

let ours: Fixtures;
let theirs: Fixtures;
/** A repository of the caller, and one of the other organization. */
let mine = "";
let alien = "";
beforeAll(async () => {
  [ours, theirs] = await Promise.all([newFixtures(), newFixtures()]);
  alien = theirs.repo;
});
beforeEach(async () => {
  const name = randomName("mine");
  ({ uid: mine } = await createResource(`/registry/v2/repos/${ours.organization.uid}`, ours.token, {
    name,
  }));
});

const call = (given: RawCall): Promise<RawAnswer> =>
  sendRaw({ ...given, headers: [bearerHeader(ours.token), ...(given.headers ?? [])] });
const rowOf = async (uid: string) =>
  JSON.stringify(await sql("select * from repos where uid = ?", uid));
const descriptionOf = async (uid: string) => {
  const query = "select description from repos where uid = ?";
  return (await sql<{ description: string }>(query, uid))[0]?.description;
};

const aims = () => ({
  mine,
  alien,
  ours: ours.organization.uid,
  theirs: theirs.organization.uid,
});

describe("a uid of another organization in a path is rejected, and no row there changes:", () => {
  const twin = () => `${theirs.organization.uid}/${"0".repeat(16)}`;
  const at = (uid: string): RawCall[] => [
    { path: `/registry/v2/repos/${uid}` },
    { method: "HEAD", path: `/registry/v2/repos/${uid}` },
    { method: "PATCH", path: `/registry/v2/repos/${uid}`, body: '{"description":"smuggled"}' },
    { method: "DELETE", path: `/registry/v2/repos/${uid}` },
    { method: "PUT", path: `/registry/v1/repos/${uid}`, body: '{"name":"smuggled"}' },
    { method: "POST", path: `/registry/v2/tags/${uid}`, body: '{"name":"smuggled","digest":"x"}' },
    { path: `/registry/v2/repos?uidp.descendants_of=${uid}` },
  ];
  test.each(spellings)("%s", async (_, spell) => {
    const before = await rowOf(alien);
    const kept = await rowOf(mine);
    const [known, unknown] = await Promise.all(
      [alien, twin()].map((uid) => mapLimited(at(spell(uid, aims())), call)),
    );
    for (const [index, { status, text }] of (known ?? []).entries()) {
      expect([400, 403, 404, 414, 431, 501], text).toContain(status);
      const { status: ofTwin, text: textOfTwin = "" } = unknown?.[index] ?? {};
      const plain = (one: string) => withoutDecisionId(one).replaceAll(/[0-9a-f]{16,40}/gi, "x");
      expect([status, plain(text)]).toEqual([ofTwin, plain(textOfTwin)]);
    }
    expect(await rowOf(alien)).toBe(before);
    expect(await rowOf(mine)).toBe(kept);
  });
});

describe.each<[string, SmuggledRequest[]]>([
  ["methods", methods],
  ["headers", headers],
  ["queries", queries],
  ["bodies", bodies],
  ["Connect", overConnect],
])("by %s, nothing but what was allowed is done:", (_, attacks) => {
  test.each(attacks)("%s", async (_, make, wanted, description) => {
    const before = await rowOf(alien);
    const { status, text } = await call(make(aims()));
    expect(status, text).toBe(wanted);
    expect(text).not.toContain(theirs.organization.name);
    expect(await rowOf(alien)).toBe(before);
    expect(await descriptionOf(mine)).toBe(description);
  });
});
