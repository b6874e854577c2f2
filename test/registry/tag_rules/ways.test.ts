/**
 * Every way to change a tag asks the rules. The table has a row for each way. The last tests fail if a file writes tags and
 * has no row, or if it has a permit without asking.
 */
import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import {
  digestOf,
  indexType,
  manifestType,
  pushImage,
  putManifest,
  send,
  type Target,
} from "../../distribution/client.ts";
import { registryToken } from "../../distribution/stored_images.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { sampled } from "../../world/tiers.ts";

let organization: Organization;
let owner = "";
let registry = "";

/** A repository with two images, and a tag `v1` that points to the first one. */
interface Place {
  target: Target;
  name: string;
  uid: string;
  tag: string;
  first: string;
  second: string;
}

beforeAll(async () => {
  organization = await newOrganization("ways");
  owner = organization.owner.token;
  registry = await registryToken(organization.owner.uid);
});

async function newPlace(): Promise<Place> {
  const name = randomName("app");
  const target = { token: registry, name: `${organization.uid}/${name}` };
  const [first, second] = [await pushImage(target, "v1"), await pushImage(target, "other")];
  const [{ uid = "" } = {}] = await sql<{ uid: string }>(
    "select uid from repos where parent = ? and name = ?",
    ...[organization.uid, name],
  );
  const [row] = await sql<{ uid: string }>(
    "select uid from tags where parent = ? and name = 'v1'",
    uid,
  );
  return {
    ...{ target, name, uid, tag: row?.uid ?? "" },
    ...{ first: first.digest, second: second.digest },
  };
}

const keep = (place: Place, rule: object, tags = ["v*"]) =>
  createResource(`/registry/v2/tagRules/${place.uid}`, owner, {
    name: randomName("rule"),
    includeTags: tags,
    keep: rule,
  });

const digestOfTag = async ({ uid }: Place, tag = "v1") => {
  const rows = await sql<{ digest: string }>(
    "select digest from tags where parent = ? and name = ?",
    ...[uid, tag],
  );
  return rows[0]?.digest ?? "";
};

/** The status of a call, and the type of its violation. */
const outcome = ({ status, body }: { status: number; body?: { details?: object[] } }) => {
  const violations = (body?.details ?? []).flatMap(
    (detail) => (detail as { violations?: { type: string }[] }).violations ?? [],
  );
  return [status, violations[0]?.type ?? ""];
};

const rest = async (path: string, options: object = {}) =>
  outcome(await callRest(path, { token: owner, ...options }));

const manifestUid = async ({ uid }: Place, digest: string) => {
  const rows = await sql<{ uid: string }>(
    "select uid from manifests where parent = ? and digest = ?",
    ...[uid, digest],
  );
  return rows[0]?.uid ?? "";
};

const isoTime = (ms: number) => new Date(ms).toISOString();

/** Ways that move `v1` to the second image. */
const moves: Record<string, (place: Place) => Promise<unknown>> = {
  "a push to the registry": async ({ target, first, second }) => {
    const text = await (await send(target, `manifests/${second}`)).text();
    expect(digestOf(text)).not.toBe(first);
    return (await putManifest(target, "v1", text)).status;
  },
  "a push of a digest with tags": async ({ target, second }) => {
    const text = await (await send(target, `manifests/${second}`)).text();
    return (await putManifest(target, `${second}?tag=v1`, text)).status;
  },
  CreateTag: ({ uid, second }) =>
    rest(`/registry/v2/tags/${uid}`, { body: { name: "v1", digest: second } }),
  "CreateTag of version 1": ({ uid, second }) =>
    rest(`/registry/v1/tags/${uid}`, { body: { name: "v1", digest: second } }),
  "UpdateTag of version 1": ({ tag, second }) =>
    rest(`/registry/v1/tags/${tag}`, { method: "PUT", body: { name: "v1", digest: second } }),
  RollbackTag: ({ tag, second }) =>
    rest(`/registry/v2/tags/${tag}:rollback`, { body: { digest: second } }),
  ImportTagMoves: ({ name, second }) => {
    const move = { repo: name, tag: "v1", digest: second, updateTime: isoTime(Date.now() + 1_000) };
    return rest(`/registry/v2/tagMoves/${organization.uid}:import`, { body: { moves: [move] } });
  },
};

/** Ways that delete `v1`, or take its name or its image. */
const deletions: Record<string, (place: Place) => Promise<unknown>> = {
  "a deletion of the tag at the registry": async ({ target }) =>
    (await send(target, "manifests/v1", { method: "DELETE" })).status,
  "a deletion of the manifest at the registry": async ({ target, first }) =>
    (await send(target, `manifests/${first}`, { method: "DELETE" })).status,
  DeleteTag: ({ tag }) => rest(`/registry/v2/tags/${tag}`, { method: "DELETE" }),
  "DeleteTag of version 1": ({ tag }) => rest(`/registry/v1/tags/${tag}`, { method: "DELETE" }),
  "a new name by UpdateTag of version 1": ({ tag, first }) =>
    rest(`/registry/v1/tags/${tag}`, { method: "PUT", body: { name: "w1", digest: first } }),
  DeleteManifest: async (place) =>
    rest(`/registry/v2/manifests/${await manifestUid(place, place.first)}`, { method: "DELETE" }),
  DeleteRepo: ({ uid }) => rest(`/registry/v2/repos/${uid}`, { method: "DELETE" }),
  "DeleteRepo of version 1": ({ uid }) => rest(`/registry/v1/repos/${uid}`, { method: "DELETE" }),
  "a new name by UpdateRepo": ({ uid }) =>
    rest(`/registry/v2/repos/${uid}`, { method: "PATCH", body: { name: randomName("new") } }),
  "a new name by UpdateRepo of version 1": ({ uid }) =>
    rest(`/registry/v1/repos/${uid}`, { method: "PUT", body: { name: randomName("new") } }),
};

/** Rules that refuse to set `v1` to the second image, and that refuse or allow to delete it. */
const rules: Record<string, object> = {
  "write once": { writeOnce: true },
  "forward by version": { forward: "FORWARD_ORDER_VERSION" },
  "a role that no one has": { roleUid: "" },
  promotion: { promotion: { from: "staging-*", hours: 1 } },
  requirement: { requirement: { sbom: true } },
};

const refused = [400, "TAG_RULE"];
const isRefused = (answer: unknown) =>
  typeof answer === "number"
    ? [403, 409].includes(answer)
    : JSON.stringify(answer) === JSON.stringify(refused);
const isDone = (answer: unknown) =>
  (typeof answer === "number" ? answer : ((answer as number[])[0] ?? 400)) < 300;

async function unheldRole(): Promise<string> {
  const made = { name: randomName("role"), capabilities: ["CAP_REPO_LIST"] };
  return (await createResource(`/iam/v2/roles/${organization.uid}`, owner, made)).uid;
}

const all = Object.fromEntries(Object.keys(rules).map((name) => [name, true]));

/** Whether a rule of each kind refuses a change, one after the other. */
async function refusals(place: Place, change: () => Promise<unknown>) {
  const results: [string, unknown][] = [];
  for (const [name, rule] of Object.entries(rules)) {
    const { uid } = await keep(place, "roleUid" in rule ? { roleUid: await unheldRole() } : rule);
    const answer = await change();
    results.push([name, isRefused(answer) || answer]);
    await callRest(`/registry/v2/tagRules/${uid}`, { method: "DELETE", token: owner });
  }
  return Object.fromEntries(results);
}

/** Prepares the history that a rollback needs. */
async function prepared(way: string): Promise<Place> {
  const place = await newPlace();
  if (way !== "RollbackTag") return place;
  const to = (digest: string) =>
    createResource(`/registry/v2/tags/${place.uid}`, owner, { name: "v1", digest });
  await to(place.second);
  await to(place.first);
  return place;
}

for (const [way, move] of Object.entries(moves))
  describe(`by ${way}`, sampled(way), () => {
    test("a tag does not move if a rule refuses it, of each kind", async () => {
      const place = await prepared(way);
      expect(await refusals(place, () => move(place))).toEqual(all);
      expect(await digestOfTag(place)).toBe(place.first);
    });

    test("a tag moves without a rule, and with rules about other tags and repositories", async () => {
      const place = await prepared(way);
      await keep(place, { writeOnce: true }, ["w*"]);
      await keep(await newPlace(), { writeOnce: true });
      const answer = await move(place);
      expect([answer, isDone(answer)]).toEqual([answer, true]);
      expect(await digestOfTag(place)).toBe(place.second);
    });
  });

for (const [way, remove] of Object.entries(deletions))
  describe(`by ${way}`, sampled(way), () => {
    test("a kept tag stays, by a rule of each kind", async () => {
      const place = await newPlace();
      expect(await refusals(place, () => remove(place))).toEqual(all);
      expect(await digestOfTag(place)).toBe(place.first);
      expect((await send(place.target, "manifests/v1")).status).toBe(200);
    });

    test("a tag without a rule goes, and so does one of a role that the caller has", async () => {
      const free = await newPlace();
      await keep(free, { writeOnce: true }, ["w*"]);
      expect(isDone(await remove(free))).toBe(true);
      const place = await newPlace();
      const [role] = await sql<{ uid: string }>(
        "select uid from roles where name = 'owner' and parent = ''",
      );
      await keep(place, { roleUid: role?.uid });
      const answer = await remove(place);
      expect([answer, isDone(answer)]).toEqual([answer, true]);
    });
  });

describe("an image index that a kept tag needs", () => {
  async function newIndex(depth: number): Promise<Place> {
    const place = await newPlace();
    let child = { digest: place.first, type: manifestType };
    for (let level = 0; level < depth; level += 1) {
      const { length: size } = await (await send(place.target, `manifests/${child.digest}`)).text();
      const text = JSON.stringify({
        schemaVersion: 2,
        mediaType: indexType,
        manifests: [{ mediaType: child.type, digest: child.digest, size }],
      });
      child = { digest: digestOf(text), type: indexType };
      const reference = level === depth - 1 ? "kept" : child.digest;
      expect((await putManifest(place.target, reference, text, indexType)).status).toBe(201);
    }
    await send(place.target, "manifests/v1", { method: "DELETE" });
    await keep(place, { writeOnce: true }, ["kept"]);
    return place;
  }

  test.each([1, 3])("keeps its images, %i levels below", async (depth) => {
    const place = await newIndex(depth);
    const atRegistry = await send(place.target, `manifests/${place.first}`, { method: "DELETE" });
    expect(atRegistry.status).toBe(409);
    const uid = await manifestUid(place, place.first);
    expect(await rest(`/registry/v2/manifests/${uid}`, { method: "DELETE" })).toEqual(refused);
    const other = await send(place.target, `manifests/${place.second}`, { method: "DELETE" });
    expect(other.status).toBe(202);
  });
});

test("a group cannot be deleted while it has a repository or a rule", async () => {
  const { uid } = await createResource(`/iam/v2/groups/${organization.uid}`, owner, {
    name: "team",
  });
  const rule = { name: "r", keep: { writeOnce: true } };
  const { uid: ruleUid } = await createResource(`/registry/v2/tagRules/${uid}`, owner, rule);
  const remove = () => rest(`/iam/v2/groups/${uid}`, { method: "DELETE" });
  expect(await remove()).toEqual([400, "RESOURCE_NOT_EMPTY"]);
  await rest(`/registry/v2/tagRules/${ruleUid}`, { method: "DELETE" });
  expect(isDone(await remove())).toBe(true);
});

/** The files that write the table of tags, and how each of them gets its permit. */
const writers = {
  "src/distribution/manifests/delete.ts": /permitChanges\(/,
  // Both are in plan_ways.test.ts.
  "src/registry/expiry/deletions.ts": /permit: Permit/,
  "src/registry/expiry/restorations.ts": /permitAllowed\(/,
  "src/registry/images/manifest_deletion.ts": /permit: Permit/,
  "src/registry/repos/deletion.ts": /permit: Permit/,
  "src/registry/repos/removal.ts": /allowedBefore/,
  "src/registry/tags/tag_moves.ts": /permitImport\(/,
  "src/registry/tags/tag_writes.ts": /permit: Permit/,
  "src/registry/tags/tags.ts": /permitChanges\(/,
  "src/registry/tags/tags.v1.ts": /permitChanges\(/,
};

const writing =
  /\.(?:insert|update|delete)\(\s*tags\s*\)|(?:insertFrom|updateAsRead)\(\s*[\w.]*db,\s*tags,|writeDelete\(call, tag,|stage\(\s*tags\b/;

test("each file that writes tags has a permit, and is in this table", async () => {
  const found: string[] = [];
  for await (const path of glob("src/**/*.ts")) {
    if (writing.test(readFileSync(path, "utf8"))) found.push(path);
  }
  expect(found.sort()).toEqual(Object.keys(writers));
  for (const [path, permit] of Object.entries(writers))
    expect([path, permit.test(readFileSync(path, "utf8"))]).toEqual([path, true]);
});

test("only the removal of a deleted repository and an unchanged name are allowed before", async () => {
  const found: string[] = [];
  for await (const path of glob("src/**/*.ts")) {
    if (/\ballowedBefore\b/.test(readFileSync(path, "utf8"))) found.push(path);
  }
  expect(found.sort()).toEqual([
    "src/registry/repos/removal.ts",
    "src/registry/repos/repos.ts",
    "src/registry/tag_rules/permits.ts",
  ]);
});
