/** `platformctl moves` shows what moved, for people and for programs. */
import { beforeAll, expect, test } from "vitest";
import { plantedDigest } from "../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { newStateFolder, platformctl } from "../command.ts";

let organization: Organization;
let env: Record<string, string>;

beforeAll(async () => {
  organization = await newOrganization();
  const { token } = organization.owner;
  const { uid } = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
    name: "app",
  });
  for (const [name, digest] of [
    ["1.0.0", 1],
    ["latest", 1],
    ["1.0.0", 2],
    ["latest", 2],
  ] as const) {
    await createResource(`/registry/v2/tags/${uid}`, token, {
      name,
      digest: plantedDigest(digest),
    });
  }
  env = { PLATFORM_STATE: await newStateFolder(organization), PLATFORM_GROUP: organization.uid };
});

const linesOf = async (...args: string[]) => {
  const { code, out, err } = await platformctl(["moves", ...args], { env });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out
    .trim()
    .split("\n")
    .map((line) => line.split("\t"));
};

test("a program reads tab-separated lines with whole digests and times", async () => {
  const lines = await linesOf("--since", "1h");
  expect(lines.map(([, image, move]) => `${image} ${move}`)).toEqual([
    "app:latest moved",
    "app:1.0.0 moved",
    "app:latest created",
    "app:1.0.0 created",
  ]);
  const [time, , , from, to, by, warning] = lines[1] ?? [];
  expect(new Date(time ?? "").toISOString()).toBe(time);
  expect([from, to, warning]).toEqual([plantedDigest(1), plantedDigest(2), "a release moved"]);
  expect(by).toMatch(/^user-/);
});

test("patterns, kinds, warnings and times choose the moves", async () => {
  const images = async (...args: string[]) => (await linesOf(...args)).map(([, image]) => image);
  expect(await images("--tag", "1.*", "--kind", "created")).toEqual(["app:1.0.0"]);
  expect(await images("--warnings")).toEqual(["app:1.0.0"]);
  expect(await images("--limit", "1")).toEqual(["app:latest"]);
  expect(await images("--repo-pattern", "other")).toEqual([undefined]);
  expect(await images("--until", "1h")).toEqual([undefined]);
});

test("a person reads a table, and a mistake names the values that are possible", async () => {
  const shown = await platformctl(["moves", "--group", organization.uid], {
    env: { ...env, NO_COLOR: "1" },
    columns: 120,
  });
  expect(shown.out).toMatch(/^WHEN +IMAGE +MOVE +FROM +TO +BY +WARNING\n/);
  expect(shown.out).toMatch(
    /app:1\.0\.0 +moved +sha256:1{12} +sha256:2{12} +user-\S+ +a release moved/,
  );
  const none = await platformctl(["moves", "--tag", "x"], { env, columns: 80 });
  expect(none.out).toBe("");
  const wrong = await platformctl(["moves", "--kind", "new"], { env });
  expect(wrong).toMatchObject({ code: 2, out: "" });
  expect(wrong.err).toContain("created, moved, rolled-back, deleted");
  const reversed = await platformctl(["moves", "--since", "1d", "--until", "2d"], { env });
  expect(reversed).toMatchObject({ code: 2 });
});

test("--json is one document, which says whether there are more moves", async () => {
  const { out } = await platformctl(["moves", "--json", "--limit", "3"], { env });
  const { tagMoves, more } = JSON.parse(out);
  expect([tagMoves.length, more, tagMoves[1].warnings]).toEqual([
    3,
    true,
    ["TAG_MOVE_WARNING_RELEASE_MOVED"],
  ]);
});
