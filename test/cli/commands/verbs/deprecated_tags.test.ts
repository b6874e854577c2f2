/** `platformctl list tags --deprecated` shows end-of-life tags for people and for programs. */
import { beforeAll, expect, test } from "vitest";
import { pushImage } from "../../../distribution/client.ts";
import { registryToken } from "../../../distribution/stored_images.ts";
import { plantedDigest } from "../../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../../world/personas.ts";
import { sql } from "../../../world/platform.ts";
import { type CommandOptions, newStateFolder, platformctl } from "../../command.ts";

let organization: Organization;
let env: Record<string, string>;
let python: string;

beforeAll(async () => {
  organization = await newOrganization();
  const { token, uid: owner } = organization.owner;
  const newRepo = async (name: string) =>
    (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name })).uid;
  const put = (repo: string, name: string, deprecated: boolean, digest = plantedDigest(1)) =>
    createResource(`/registry/v2/tags/${repo}`, token, { name, digest, deprecated });
  python = await newRepo("python");
  const registry = { name: `${organization.uid}/python`, token: await registryToken(owner) };
  const { digest } = await pushImage(registry, "3.9-slim");
  await put(python, "3.9-slim", true, digest);
  await put(python, "3.10-slim", true);
  await put(python, "3.13-slim", false);
  await put(python, "focal", true);
  await put(await newRepo("app"), "1.0", true);
  await sql(
    `insert into tag_pulls (repo_id, reference, identity, identity_name, time, days)
     select repo_storage.id, '3.9-slim', who.value, who.value, ? - who.key, 1
     from repo_storage cross join json_each('["ci-bot","deploy","backup"]') as who where uid = ?`,
    Date.now() - 3 * 86_400_000,
    python,
  );
  env = { PLATFORM_STATE: await newStateFolder(organization), PLATFORM_GROUP: organization.uid };
});

const run = (args: string[], options: CommandOptions = {}) =>
  platformctl(["list", "tags", "--deprecated", ...args], { env, ...options });
const tagsOf = async (...args: string[]) => {
  const { code, out, err } = await run(args);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split("\t")[1])
    .sort();
};

test("people see a table, sorted by name, with who pulls each tag and what replaces it", async () => {
  const { out } = await run([], { env: { ...env, NO_COLOR: "1" }, columns: 120 });
  const rows = out.trimEnd().split("\n");
  expect(rows[0]).toMatch(/^REPO +TAG +DEPRECATED +PULLED BY +LAST PULL +REPLACED BY$/);
  expect(rows.slice(1).map((row) => row.split(/ {2,}/).slice(0, 2))).toEqual([
    ["app", "1.0"],
    ["python", "3.9-slim"],
    ["python", "3.10-slim"],
    ["python", "focal"],
  ]);
  expect(rows[2]).toMatch(/ci-bot, deploy, 1 more +3 days ago +3\.13-slim$/);
  expect(rows[3]).toMatch(/no one +3\.13-slim$/);
  expect(rows[4]).toMatch(/no one$/);
});

test("programs read tab-separated lines with whole times, or only uids", async () => {
  const { out } = await run(["--name", "3.9*"]);
  const [repo, tag, deprecated = "", by, last = "", replacement, uid] = out.trimEnd().split("\t");
  expect([repo, tag, by, replacement]).toEqual([
    ...["python", "3.9-slim", "ci-bot, deploy, 1 more", "3.13-slim"],
  ]);
  for (const time of [deprecated, last]) expect(new Date(time).toISOString()).toBe(time);
  expect((await run(["--name", "3.9*", "-o", "uid"])).out).toBe(`${uid}\n`);
});

test("the repository, the filters, the order and the limits choose the rows", async () => {
  expect(await tagsOf("--repo", "python")).toEqual(["3.10-slim", "3.9-slim", "focal"]);
  expect(await tagsOf("--name", "*slim", "--repo", "python")).toEqual(["3.10-slim", "3.9-slim"]);
  expect(await tagsOf("--name", "3.10-slim")).toEqual(["3.10-slim"]);
  expect(await tagsOf("--order-by", "deprecated_time desc", "--limit", "1")).toEqual(["1.0"]);
  expect(await tagsOf("--order-by", "deprecated_time", "--skip", "2", "--page-size", "1")).toEqual([
    "1.0",
    "focal",
  ]);
  expect(await tagsOf("--name", "none")).toEqual([]);
});

test("--json is one document with the rows of the API, and says whether there are more", async () => {
  const { out } = await run(["--json", "--repo", "python", "--limit", "2"]);
  const { endOfLifeTags, more } = JSON.parse(out);
  expect([endOfLifeTags.length, more]).toEqual([2, true]);
  const all = JSON.parse((await run(["--json", "--all"])).out);
  expect([all.endOfLifeTags.length, all.more]).toEqual([4, false]);
  const [one] = all.endOfLifeTags.filter(({ tag }: { tag: string }) => tag === "3.9-slim");
  expect(one.consumers.map((by: Record<string, string>) => by.identityName)).toEqual([
    ...["ci-bot", "deploy", "backup"],
  ]);
});

test("a filter that this list does not have is refused, and not ignored", async () => {
  for (const [flag, value] of [
    ["--digest", plantedDigest(1)],
    ["--updated-since", "7d"],
  ] as const) {
    const { code, out, err } = await run([flag, value]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(`${flag} does not work with --deprecated`);
  }
  const { code, err } = await run(["--order-by", "name"]);
  expect(code).toBe(1);
  expect(err).toContain("deprecated_time");
});
