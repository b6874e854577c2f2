import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  type CatalogResource,
  fieldsOf,
  resources,
  supportsVerb,
} from "../../../cli/resources/catalog.ts";
import { importRecords, osvRecordOf, publicGroup } from "../../advisory/public_feed.ts";
import { type Organization, randomName } from "../../world/personas.ts";
import { tiers } from "../../world/tiers.ts";
import { type CommandOptions, commandsOf } from "../command.ts";
import {
  createCases,
  insertDelivery,
  newResourceWorld,
  type ResourceWorld,
  standardNames,
} from "./one_of_each.ts";

let world: ResourceWorld;
let organization: Organization;
let run: Awaited<ReturnType<typeof commandsOf>>;
let names: Record<string, string>;
let folder: string;
const uids: Record<string, string> = {};
/** The JSON that the command line printed for each resource that it created. */
const made: Record<string, Awaited<ReturnType<typeof json>>> = {};

/** The single JSON document that a successful command prints. */
async function json(args: string[], setting: CommandOptions = {}) {
  const { code, out, err } = await run([...args, "--json"], {
    ...setting,
    env: { PLATFORM_GROUP: organization.name, ...setting.env },
  });
  // A key is created with a warning.
  const rest = err.replace(/^Warning: a key .*\n/, "");
  expect({ args, code, rest }).toEqual({ args, code: 0, rest: "" });
  return JSON.parse(out);
}

/** The result of a command, and the JSON of the last response that it read. */
async function withBodyOf<T>(command: () => Promise<T>) {
  const own = globalThis.fetch;
  let body: Record<string, unknown> = {};
  globalThis.fetch = async (...asked) => {
    const response = await own(...asked);
    body = await response.clone().json();
    return response;
  };
  try {
    return { printed: await command(), body };
  } finally {
    globalThis.fetch = own;
  }
}

beforeAll(async () => {
  world = await newResourceWorld();
  ({ organization, folder } = world);
  run = await commandsOf(organization);
  const feed = await publicGroup();
  const seen = osvRecordOf(randomName("origin"));
  await importRecords(feed.token, feed.group, seen);
  const id = randomName("OSV");
  const advised = {
    id,
    modified: "2026-01-01T00:00:00Z",
    affected: [{ package: { ecosystem: "PyPI", name: id.toLowerCase() } }],
  };
  await importRecords(organization.owner.token, organization.uid, advised);
  for (const name of ["usage", "matching"]) uids[name] = organization.uid;
  names = {
    group: "team",
    identity: "bot",
    role: "puller",
    repo: "python",
    key: "ci",
    tag: "python:latest",
    imageHold: "prod",
    tagRule: "releases",
    trustPolicy: "release-key",
    repoReadme: "python",
    accountAssociation: "clouds",
    identityProvider: "sso",
    advisory: id,
    artifact: id.toLowerCase(),
    document: seen.affected[0]?.package.name ?? "",
    vulnerabilityMetadata: seen.aliases[0] ?? "",
    ...standardNames,
  };
  for (const [name, args] of createCases) {
    const one = await json(["create", resourceOf(name).word, ...(await args(world))]);
    Object.assign(made, { [name]: one });
    uids[name] = one.uid;
    if (name === "groupInvite") names.groupInvite = one.keyId;
    if (name === "subscription") Object.assign(uids, await insertDelivery(one.uid));
  }
});

/** Where a resource belongs, and whether it has a name: these decide how a command finds it. */
const placeOf = ({ parent, key }: CatalogResource) => `${parent} ${key?.field}`;

/** The flags that the list of a resource requires. */
const listFlags = (): Record<string, string[]> => ({
  artifactVersion: ["--artifact", names.artifact ?? ""],
  delivery: ["--subscription", uids.subscription ?? ""],
  document: ["--id", names.document ?? ""],
  manifest: ["--repo", uids.repo ?? ""],
  pastTag: ["--repo", uids.repo ?? "", "--at", "0d"],
  resolvedVulnsReport: [
    ...["--image-refs", JSON.stringify({ repo: "nginx" })],
    ...["--start-time", "30d", "--end-time", "1d"],
  ],
});

test("the test creates every resource that can be created", () => {
  const able = resources().filter((resource) => supportsVerb(resource, "create"));
  expect(createCases.map(([name]) => name).sort()).toEqual(able.map(({ name }) => name).sort());
});

describe("every resource", () => {
  test.each(createCases)("%s is created, with the values of its flags", (name) => {
    const one = made[name];
    expect(one.uid).toMatch(/^[0-9a-f]{40}/);
    if (name === "repo") {
      expect(one).toMatchObject({
        catalogTier: "CATALOG_TIER_BASE",
        aliases: ["a:1", "b:2", "c:3"],
      });
    }
    if (name === "role") expect(one.capabilities).toEqual(["CAP_REPO_LIST", "CAP_TAG_LIST"]);
  });

  const listed = resources().filter((one) => supportsVerb(one, "list"));

  for (const [some, tier] of tiers(listed, placeOf))
    test.for(some)(
      "$words are listed, with the JSON and the numbers of the API",
      tier,
      async (resource) => {
        const { name, plural, message, words } = resource;
        const args = ["list", words, ...(listFlags()[name] ?? []), "--limit", "20"];
        const { printed, body } = await withBodyOf(() => json(args));
        const { [plural]: rows, totalCount } = printed;
        expect(Array.isArray(rows)).toBe(true);
        expect(JSON.stringify(rows)).toBe(JSON.stringify(body[plural] ?? []));
        expect(totalCount).toBe(body.totalCount);
        const numbers = fieldsOf(message).filter(({ kind, many }) => kind === "int" && !many);
        if (numbers.length > 0) {
          const columns = numbers.map((field) => field.name);
          const { out } = await run([...args, "--columns", columns.join(",")], {
            env: { PLATFORM_GROUP: organization.name },
          });
          expect(out.split("\n").slice(0, -1)).toEqual(
            rows.map((row: Record<string, unknown>) =>
              columns.map((one) => String(row[one] ?? "")).join("\t"),
            ),
          );
        }
        const env = { PLATFORM_GROUP: organization.name };
        const piped = await run(args, { env });
        expect(piped).toMatchObject({ code: 0, err: "" });
        expect(piped.out.split("\n")).toHaveLength(rows.length + 1);
        const shown = await run(args, { env, columns: 120 });
        expect(shown.code).toBe(0);
        if (rows.length > 0) expect(shown.out.split("\n")).toHaveLength(rows.length + 2);
        if (name in uids && name !== "role") {
          expect(rows.map(({ uid }: { uid: string }) => uid)).toContain(uids[name]);
          if (!["delivery", "event"].includes(name)) expect(Number(totalCount)).toBeGreaterThan(0);
        }
      },
    );

  const named = resources().filter((one) => supportsVerb(one, "get"));

  for (const [some, tier] of tiers(named, placeOf))
    test.for(some)(
      "$word can be read and described, by uid and by name",
      tier,
      async ({ word, name, key, methods }) => {
        const uid = name === "repoReadme" ? uids.repo : uids[name];
        const asked = [
          ...(names[name] === undefined ? [] : [names[name]]),
          ...(uid === undefined || !methods.get ? [] : [uid]),
        ];
        expect(asked.length).toBeGreaterThan(0);
        expect(key === undefined && name !== "repoReadme").toBe(names[name] === undefined);
        const got = await Promise.all([json(["get", word, asked[0] ?? ""])]);
        for (const one of asked) {
          const again = await json(["get", word, one]);
          expect({ ...again, lastSeenTime: "" }).toEqual({ ...got[0], lastSeenTime: "" });
          const described = await json(["describe", word, one]);
          expect(described[name].uid).toEqual(got[0].uid);
          const description = await run(["describe", word, one], {
            env: { PLATFORM_GROUP: organization.name },
            columns: 100,
          });
          expect(description).toMatchObject({ code: 0, err: "" });
          expect(description.out).toContain(got[0].uid);
        }
      },
    );

  const changed = createCases.filter(([, , update]) => update);

  for (const [some, tier] of tiers(changed, ([name]) => placeOf(resourceOf(name))))
    test.for(some)(
      "%s is updated in the named fields, and in no others",
      tier,
      async ([name, _, update]) => {
        const { word } = resourceOf(name);
        const args = ["update", word, names[name] ?? uids[name] ?? "", ...(update?.() ?? [])];
        const dry = await json([...args, "--dry-run"]);
        expect(dry.method).toBe("PATCH");
        const mask = new URL(dry.url).searchParams.get("updateMask");
        expect(mask?.split(",").sort()).toEqual(Object.keys(dry.body).sort());
        const before = await json(["get", word, uids[name] ?? ""]);
        const after = await json(args);
        const kept = { ...before };
        for (const changing of [...(mask?.split(",") ?? []), "updateTime", "etag"])
          delete kept[changing];
        // Hydrated fields change together with their uid.
        if (mask?.includes("roleUid")) delete kept.role;
        expect(after).toMatchObject(kept);
        expect(after.uid).toBe(before.uid);
        expect(after.updateTime > before.updateTime).toBe(true);
      },
    );

  test("a readme can be written from a file, shown and cleared", async () => {
    await writeFile(join(folder, "readme.md"), "# Python\n\nAs we build it.\n");
    const write = ["update", "readme", "python", "--content"];
    const refused = await run([...write, `@${folder}/readme.md`], {
      env: { PLATFORM_GROUP: organization.name },
    });
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toMatch(/PERMISSION_DENIED[\s\S]*platformctl whoami/);
    const dry = await json([...write, `@${folder}/readme.md`, "--dry-run"]);
    expect(dry).toMatchObject({
      method: "PATCH",
      body: { content: "# Python\n\nAs we build it.\n" },
    });
  });

  const deleted = [...createCases]
    .reverse()
    .filter(([name]) => supportsVerb(resourceOf(name), "delete"));

  test.each(deleted)("%s is deleted, by name if it has one", async (name) => {
    const { word } = resourceOf(name);
    const uid = uids[name] ?? "";
    const { deleted: gone } = await json(["delete", word, names[name] ?? uid, "--yes"]);
    expect(gone).toEqual([uid]);
    const again = supportsVerb(resourceOf(name), "get")
      ? ["get", word, uid]
      : ["delete", word, uid, "--yes"];
    const got = await run(again);
    expect(got.code).toBe(1);
    expect(got.err).toContain("NOT_FOUND");
  });
});

function resourceOf(name: string): CatalogResource {
  const resource = resources().find((one) => one.name === name);
  if (!resource) throw new Error(name);
  return resource;
}
