import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { commandsOf, newFolder, newStateFolder, spawnPlatformctl } from "../command.ts";

let organization: Organization;
let run: Awaited<ReturnType<typeof commandsOf>>;
const uids: Record<string, string> = {};

/** A team with two repositories, and a repository with the same name in the organization above. */
beforeAll(async () => {
  organization = await newOrganization();
  run = await commandsOf(organization);
  const { token } = organization.owner;
  const uidOf = async (path: string, body: object) => (await createResource(path, token, body)).uid;
  uids.team = await uidOf(`/iam/v2/groups/${organization.uid}`, { name: "team" });
  uids.inner = await uidOf(`/iam/v2/groups/${uids.team}`, { name: "inner" });
  uids.upper = await uidOf(`/registry/v2/repos/${organization.uid}`, { name: "python" });
  uids.lower = await uidOf(`/registry/v2/repos/${uids.team}`, { name: "python" });
  uids.nested = await uidOf(`/registry/v2/repos/${uids.team}`, { name: "tools/nested" });
  uids.tag = await uidOf(`/registry/v2/tags/${uids.nested}`, {
    name: "1.0",
    digest: fakeDigest("x"),
  });
});

const got = async (args: string[], env: NodeJS.ProcessEnv = {}) => {
  const { code, out, err } = await run(["get", ...args, "-o", "uid"], { env });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out.trim();
};

test("an ambiguous name is rejected, with the uid and group of each match", async () => {
  const { code, out, err } = await run(["get", "repo", "python"]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(
    /^error: 2 repos are named "python".*a path such as .*\/python: \(AMBIGUOUS\)/,
  );
  expect(err).toContain(`${uids.upper}  in ${organization.name}`);
  expect(err).toContain(`${uids.lower}  in team`);
});

test("a group makes a name unambiguous: by flag, by path, and from the environment", async () => {
  expect(await got(["repo", "python", "--group", "team"])).toBe(uids.lower);
  expect(await got(["repo", "python", "--group", `${organization.name}/team`])).toBe(uids.lower);
  expect(await got(["repo", "team/python"])).toBe(uids.lower);
  expect(await got(["repo", `${organization.name}/team/python`])).toBe(uids.lower);
  expect(await got(["repo", `${organization.name}/python`])).toBe(uids.upper);
  expect(await got(["repo", "python"], { PLATFORM_GROUP: "team" })).toBe(uids.lower);
  expect(await got(["group", `${organization.name}/team/inner`])).toBe(uids.inner);
  expect(await got(["repo", uids.upper ?? ""])).toBe(uids.upper);
});

test("a path of names does not lead out of the named group", async () => {
  const { code, err } = await run(["get", "repo", "team/python", "--group", "inner"]);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(" in inner ") });
  const env = { PLATFORM_GROUP: "inner" };
  expect(await got(["repo", "team/python"], env)).toBe(uids.lower);
});

test("the default group does not hide itself or built-in roles", async () => {
  const env = { PLATFORM_GROUP: "team" };
  expect(await got(["group", "team"], env)).toBe(uids.team);
  expect(await got(["role", "viewer"], env)).toMatch(/^[0-9a-f]{40}$/);
});

test("repositories with slashes in their names, and their tags, are found as written", async () => {
  expect(await got(["repo", "tools/nested"])).toBe(uids.nested);
  expect(await got(["repo", "team/tools/nested"])).toBe(uids.nested);
  expect(await got(["tag", "tools/nested:1.0"])).toBe(uids.tag);
  expect(await got(["tag", "1.0", "--repo", "tools/nested"])).toBe(uids.tag);
});

test("several can be read at once, in the order of their names", async () => {
  const { out } = await run(["get", "group", "inner", "team", "--json"]);
  expect(JSON.parse(out).groups.map(({ name }: { name: string }) => name)).toEqual([
    "inner",
    "team",
  ]);
});

test.each([
  [["get", "repo", "nothing"], 1, /no repository "nothing" that you can see[\s\S]*list repos/],
  [
    ["get", "repo", "nothing", "--group", "team"],
    1,
    /in team that you can see[\s\S]*list repos --group team/,
  ],
  [["get", "tag", "1.0"], 0, /^$/],
  [["get", "tag", "2.0"], 1, /REPO:TAG/],
  [
    ["get", "role-binding", "viewer"],
    2,
    /You can only name role-bindings by uid[\s\S]*list role-bindings/,
  ],
  [["get", "repo", ""], 2, /name of the repository is empty/],
  [["delete", "tag", "tools/nested:", "--yes"], 2, /name of the tag is empty/],
  [["list", "repos", "--group", ""], 2, /name of the group is empty/],
  [["list", "role-bindings", "--identity", ""], 2, /--identity is empty/],
  [["list", "repos", "--all", "--limit", "1"], 2, /cannot be used with option '--limit/],
  [["list", "repos", "--json", "-o", "uid"], 2, /--json.*--output/],
  [["create", "repo", "x", "--group", "team", "--parent", "inner"], 2, /--parent.*--group/],
  [["create", "tag", "tools/nested:2.0", "--repo", "python"], 2, /Leave out --repo/],
  [["get", "role", "nothing"], 1, /no role "nothing" that you can see/],
  [["get", "repoz", "a"], 2, /no resource "repoz". Did you mean repo\?/],
  [
    ["update", "tag", "1.0"],
    2,
    /You cannot update tags. You can use: list, get, describe, create, delete/,
  ],
  [["update", "repo", uidText()], 2, /nothing to change.*--name, --description/],
  [
    ["get", "repo", `${"0".repeat(40)}/${"0".repeat(16)}`],
    1,
    /PERMISSION_DENIED[\s\S]*platformctl whoami/,
  ],
  [["create", "tag", "1.0", "--digest", fakeDigest("y")], 2, /--repo/],
  [["list", "tags", "--repo", "nothing"], 1, /no repository "nothing"/],
  [["list", "artifact-versions"], 2, /Add --artifact/],
  [["list", "repos", "--limit", "0"], 2, /greater than 0/],
  [["list", "repos", "--order-by", "colour"], 1, /INVALID_ARGUMENT[\s\S]*list repos --help/],
  [["call", "GetRepo", "--uid", "x"], 1, /Invalid argument: --uid: /],
  [["call", "GetRepo", "-d", "[]"], 2, /JSON object/],
  [["call", "GetRepo", "--uid", ""], 2, /uid must be a string and must not be empty/],
  [
    ["call", "ListRepos", "-d", '{"colour":1}'],
    2,
    /ListRepos has no member colour; its members are/,
  ],
] as [string[], number, RegExp][])(
  "%j exits with %i and says what to do",
  async (args, code, text) => {
    const ended = await run(args);
    expect({ args, code: ended.code, err: ended.err.match(text) ? text : ended.err }).toEqual({
      args,
      code,
      err: text,
    });
  },
);

/** A uid is accepted unchecked. Whether it exists shows when it is used. */
function uidText(): string {
  return `${"0".repeat(40)}/${"0".repeat(16)}`;
}

test("the error of a create names the flag, and for an existing name the next step", async () => {
  const env = { PLATFORM_GROUP: organization.name };
  const bad = await run(["create", "identity", "BAD NAME"], { env });
  expect(bad.err).toMatch(
    /^error: Invalid argument: NAME: name can contain only lowercase letters/,
  );
  const flag = await run(["create", "identity", "a", "--claim-match.issuer", "x"], { env });
  expect(flag.err).toMatch(
    /Invalid argument: --claim-match.subject or --claim-match.subject-pattern: /,
  );
  const taken = await run(["create", "repo", "python"], { env });
  expect(taken.err).toMatch(/ALREADY_EXISTS[\s\S]*describe repo python[\s\S]*update repo python/);
});

test("the error about a group with children names them and how to list them", async () => {
  const { code, err } = await run(["delete", "group", "team", "--yes"]);
  expect(code).toBe(1);
  expect(err).toContain(
    "The group still contains: 1 group, 2 repos. Delete these first, or add --recursive to delete everything in the group.",
  );
  expect(err).toContain(`platformctl list groups --group ${uids.team} --children`);
});

test("references by name are searched in the organization first, and people see only their own", async () => {
  const other = await newOrganization();
  await newIdentity(other, "viewer");
  const binding = ["create", "role-binding", "--group", "team", "--role", "viewer"];
  const none = await run([...binding, "--identity", "nobody"]);
  expect(none.err).toMatch(/no identity "nobody"/);
  const env = { PLATFORM_GROUP: organization.name };
  await run(["create", "identity", "bot"], { env });
  const elsewhere = randomName("elsewhere");
  await run(["create", "group", elsewhere, "--as-organization"]);
  await run(["create", "identity", "bot", "--group", elsewhere]);
  expect((await run(["get", "identity", "bot"])).err).toMatch(/AMBIGUOUS/);
  const made = await run([...binding, "--identity", "bot", "--json"]);
  expect(JSON.parse(made.out)).toMatchObject({
    identity: { name: "bot" },
    group: { name: "team" },
    role: { name: "viewer" },
  });
});

test("a role is bound on a repository by its name, and listed there", async () => {
  await run(["create", "identity", "puller", "--group", "team"]);
  const flags = ["--group", "team", "--repo", "python"];
  const made = await run([
    ...["create", "role-binding", ...flags, "--identity", "puller"],
    ...["--role", "registry.pull", "--json"],
  ]);
  expect(JSON.parse(made.out)).toMatchObject({
    identity: { name: "puller" },
    group: { name: "python", repo: true },
  });
  const listed = await run(["list", "role-bindings", ...flags, "--json"]);
  expect(JSON.parse(listed.out).roleBindings).toHaveLength(1);
});

test("a list ends at its limit, says so in JSON, and continues with --skip, and filters and scopes narrow it", async () => {
  const list = async (...args: string[]) => {
    const { code, out, err } = await run(["list", "repos", "--json", ...args]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { repos, totalCount } = JSON.parse(out) as {
      repos: { name: string }[];
      totalCount: string;
    };
    expect(typeof totalCount).toBe("string");
    return [repos.map(({ name }) => name), Number(totalCount)];
  };
  const group = ["--group", organization.name];
  expect(await list(...group)).toEqual([["python", "python", "tools/nested"], 3]);
  expect(await list(...group, "--limit", "2")).toEqual([["python", "python"], 3]);
  expect(await list(...group, "--limit", "2", "--skip", "2")).toEqual([["tools/nested"], 3]);
  expect(await list(...group, "--page-size", "1", "--all")).toEqual([
    ["python", "python", "tools/nested"],
    3,
  ]);
  expect(await list(...group, "--children")).toEqual([["python"], 1]);
  expect(await list(...group, "--order-by", "name desc", "--limit", "1")).toEqual([
    ["tools/nested"],
    3,
  ]);
  expect(await list("--group", "team", "--name", "python")).toEqual([["python"], 1]);
  expect(await list("--uid", uids.nested ?? "", uids.upper ?? "")).toEqual([
    ["python", "tools/nested"],
    2,
  ]);
  expect(await list("--group", "inner")).toEqual([[], 0]);
});

test("a resource can be written as JSON and read from a file, with flags over it", async () => {
  const file = join(await newFolder(), "repo.json");
  const { out } = await run(["get", "repo", "team/python", "--json"]);
  await writeFile(
    file,
    JSON.stringify({ ...JSON.parse(out), description: "from the file", aliases: ["a:1"] }),
  );
  const update = ["update", "repo", "team/python", "--from-file", file, "--json"];
  const dry = JSON.parse((await run([...update, "--aliases", "b:2", "--dry-run"])).out);
  expect(dry.body).toMatchObject({ description: "from the file", aliases: ["b:2"] });
  expect(dry.body).not.toHaveProperty("createTime");
  expect(JSON.parse((await run(update)).out)).toMatchObject({
    description: "from the file",
    aliases: ["a:1"],
  });
  const cleared = await run([
    "update",
    "repo",
    "team/python",
    "--description",
    "",
    "--aliases",
    "",
    "--json",
  ]);
  expect(JSON.parse(cleared.out)).not.toHaveProperty("description");
  expect(JSON.parse(cleared.out)).not.toHaveProperty("aliases");
  await writeFile(file, JSON.stringify({ colour: "red" }));
  const strange = await run(update);
  expect(strange).toMatchObject({ code: 2, out: "" });
  expect(strange.err).toMatch(/has unknown fields: colour. The known fields are: uid, name/);
});

test("an organization is only created on request, and without a group one is required", async () => {
  const alone = await commandsOf(await newOrganization());
  const made = await alone(["create", "group", "below", "--json"]);
  expect(JSON.parse(made.out).uid).toContain("/");
  const root = await alone([
    "create",
    "group",
    `root-${uids.tag?.slice(-8)}`,
    "--as-organization",
    "--json",
  ]);
  expect(JSON.parse(root.out).uid).toMatch(/^[0-9a-f]{40}$/);
  const several = await alone(["create", "repo", "a"]);
  expect(several.code).toBe(2);
  expect(several.err).toMatch(/Name a group with --group or PLATFORM_GROUP. You can see: /);
});

test("a tag without an image is shown as such", async () => {
  const { token } = organization.owner;
  const { uid } = await createResource(`/registry/v2/repos/${uids.team}`, token, { name: "bare" });
  await createResource(`/registry/v1/tags/${uid}`, token, { name: "soon" });
  const repo = await run(["describe", "repo", "team/bare"]);
  expect(repo.out).toMatch(/soon +no image yet/);
  const tag = await run(["describe", "tag", "team/bare:soon"]);
  expect([tag.code, tag.out]).toEqual([0, expect.not.stringContaining("Image")]);
  const listed = await run(["list", "tags", "--repo", "team/bare", "--group", "team"]);
  const offered = await spawnPlatformctl(["complete", "--", "get", "tag", "team/bare:"], {
    env: { PLATFORM_STATE: await newStateFolder(organization) },
  });
  expect(offered.out).toContain("team/bare:soon\tno image yet");
  expect([repo, tag, listed].map(({ out }) => out).join("")).not.toContain("undefined");
});
