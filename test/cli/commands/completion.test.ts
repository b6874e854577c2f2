import { execFile } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { registryAudience, sql } from "../../world/platform.ts";
import { long, tiers } from "../../world/tiers.ts";
import { newFolder, newStateFolder, root, spawnPlatformctl } from "../command.ts";

let organization: Organization;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  organization = await newOrganization();
  const { token } = organization.owner;
  const python = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
    name: "python",
    description: "As we build it",
  });
  await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "nginx" });
  await createResource(`/registry/v2/tags/${python.uid}`, token, {
    name: "3.12",
    digest: fakeDigest("x"),
  });
  env = { PLATFORM_STATE: await newStateFolder(organization) };
});

/** Asks again while there are no completions: on a busy machine, the platform can respond after their time limit. */
async function untilFound(ask: () => Promise<string[]>): Promise<string[]> {
  for (let left = 5; left > 0; left -= 1) {
    const found = await ask();
    if (found.length > 0) return found;
  }
  return [];
}

/** As `offeredOnce`, for words that have completions. */
const offered = (words: string[], setting = env) => untilFound(() => offeredOnce(words, setting));

/** The completions for words whose last one is incomplete. */
async function offeredOnce(words: string[], setting = env): Promise<string[]> {
  const { code, out, err } = await spawnPlatformctl(["complete", "--", ...words], { env: setting });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const lines = out.trimEnd().split("\n");
  expect(lines.pop()).toMatch(/^:\d+$/);
  return lines.map((line) => line.split("\t")[0] ?? "");
}

const completed: [words: string[], wanted: string[]][] = [
  [["desc"], ["describe"]],
  [
    ["get", "rep"],
    ["repo-readme", "repo"],
  ],
  [["list", "role-b"], ["role-bindings"]],
  [
    ["rules", "c"],
    ["check", "carry-out", "cancel"],
  ],
  [["tag-rules", "get", "--rep"], ["--repo"]],
  [["list", "repos", "--grou"], ["--group"]],
  [
    ["create", "repo", "x", "--catalog-tier", "a"],
    ["application", "ai"],
  ],
  [
    ["create", "role", "x", "--capabilities", "tag."],
    ["tag.create", "tag.update", "tag.list", "tag.delete", "tag.override"],
  ],
  [
    ["get", "repo", ""],
    ["nginx", "python"],
  ],
  [["describe", "repos", "py"], ["python"]],
  [["get", "tag", "python:"], ["python:3.12"]],
  [["get", "tag", "--repo", "python", ""], ["3.12"]],
  [["create", "role-binding", "--role", "view"], ["viewer"]],
  [["get", "repo", "python", "--output", "j"], ["json"]],
  [["nonsense", ""], []],
];

/** The kind of completion: a word of the command line, a value of an enum, or a name from the platform. */
const kindOf = ([words]: (typeof completed)[number]) => {
  const named = ["", "py", "python:", "view"].includes(words.at(-1) ?? "");
  return named ? "name" : words.length > 3 ? "value" : "word";
};

for (const [some, tier] of tiers(completed, kindOf))
  test.for(some)("%j is completed by %j", tier, async ([words, wanted]) => {
    expect(await (wanted.length > 0 ? offered : offeredOnce)(words)).toEqual(wanted);
  });

test(
  "images are completed by their repositories, and after a colon by their tags",
  long,
  async () => {
    const { uid } = organization;
    expect(await offered(["history", ""])).toEqual([`${uid}/nginx`, `${uid}/python`]);
    expect(await offered(["pull", `${uid}/py`])).toEqual([`${uid}/python`]);
    expect(await offered(["pin", `${uid}/python:`])).toEqual([`${uid}/python:3.12`]);
    expect(await offered(["rules", "check", `${uid}/py`])).toEqual([`${uid}/python`]);
    expect(await offered(["rules", "plan", `${uid}/py`])).toEqual([`${uid}/python`]);
    const host = registryAudience;
    expect(await offered(["push", "folder", `${host}/${uid}/python:3`])).toEqual([
      `${host}/${uid}/python:3.12`,
    ]);
    expect(await offeredOnce(["push", `${uid}/`])).toEqual([]);
    expect(await offeredOnce(["history", `${uid}/nowhere:`])).toEqual([]);
  },
);

test("names after the first 200 are completed, of repositories, tags and images", {
  ...long,
  timeout: 120_000,
}, async () => {
  const { uid, owner } = await newOrganization();
  const repo = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "zebra" });
  const insert = (table: string, parent: string, columns: string, values: string) =>
    sql(
      `insert into ${table} (uid, name, create_time, update_time${columns})
       select ?1 || '/' || printf('%016x', value), 'a' || value, 9e12, 9e12${values}
       from json_each(?2)`,
      parent,
      JSON.stringify(Array.from({ length: 250 }, (_, at) => at)),
    );
  await createResource(`/registry/v2/tags/${repo.uid}`, owner.token, {
    ...{ name: "1.2", digest: fakeDigest("x") },
  });
  await insert("repos", uid, "", "");
  await insert("tags", repo.uid, ", digest", ", 'sha256:0'");
  const setting = { PLATFORM_STATE: await newStateFolder({ ...organization, uid, owner }) };
  expect(await offered(["get", "repo", "ze"], setting)).toEqual(["zebra"]);
  expect(await offered(["get", "tag", "ze"], setting)).toEqual(["zebra:"]);
  expect(await offered(["get", "tag", "zebra:1"], setting)).toEqual(["zebra:1.2"]);
  expect(await offered(["get", "tag", "--repo", "zebra", "1"], setting)).toEqual(["1.2"]);
  expect(await offered(["pull", `${uid}/z`], setting)).toEqual([`${uid}/zebra`]);
  expect(await offered(["pull", `${uid}/zebra:1`], setting)).toEqual([`${uid}/zebra:1.2`]);
});

test("without a server or a login, completion offers and prints nothing", async () => {
  const nowhere = { PLATFORM_STATE: "/nowhere", PLATFORM_URL: "http://localhost:1" };
  expect(await offeredOnce(["get", "repo", ""], nowhere)).toEqual([]);
  expect(await offeredOnce(["pull", ""], nowhere)).toEqual([]);
});

test("a name that a shell would read as several words is not offered", async () => {
  const { uid, name, owner } = organization;
  for (const team of ["my team", "-x", "team"]) {
    await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: team });
  }
  expect(await offered(["get", "group", ""])).toEqual([name, "team"].toSorted());
});

test("each word is offered on one line with its description", async () => {
  const { out } = await spawnPlatformctl(["complete", "--", ""], { env });
  const lines = out.trimEnd().split("\n").slice(0, -1);
  expect(lines.filter((line) => !/^[a-z-]+\t\S/.test(line))).toEqual([]);
});

for (const [some, tier] of tiers(["bash", "zsh", "fish", "powershell"], (shell) =>
  shell === "bash" ? "ours" : "theirs",
))
  test.for(some)("%s gets a script that asks this program", tier, async (shell) => {
    const { code, out, err } = await spawnPlatformctl(["completion", shell]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/platformctl complete .?--/);
  });

/** The completions that bash inserts. It has split the line at spaces, colons and equal signs. */
async function replies(line: string, words: string[]): Promise<string[]> {
  const bin = await newFolder();
  await symlink(join(root, "cli/platformctl.js"), join(bin, "platformctl"));
  const script = `
    source <(platformctl completion bash)
    COMP_LINE=$1 COMP_POINT=\${#1}; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _platformctl
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = await promisify(execFile)(
    "bash",
    ["--norc", "-uc", script, "bash", line, ...words],
    { env: { ...env, XDG_CONFIG_HOME: "/nowhere", PATH: `${bin}:${process.env.PATH}` } },
  );
  expect(stderr).toBe("");
  return stdout.trimEnd().split("\n").filter(Boolean);
}

const typed: [line: string, words: string[], wanted: string[]][] = [
  ["platformctl get repo ng", ["platformctl", "get", "repo", "ng"], ["nginx"]],
  ["platformctl get tag py", ["platformctl", "get", "tag", "py"], ["python:"]],
  ["platformctl get tag python:", ["platformctl", "get", "tag", "python", ":"], ["3.12"]],
  ["platformctl get tag python:3", ["platformctl", "get", "tag", "python", ":", "3"], ["3.12"]],
  ["platformctl list repos --or", ["platformctl", "list", "repos", "--or"], ["--order-by"]],
];

for (const [some, tier] of tiers(typed, ([line]) => (line.includes(":") ? "colon" : "plain")))
  test.for(some)(
    "bash, without its package of completions, completes %j",
    tier,
    async ([line, words, wanted]) => {
      expect(await untilFound(() => replies(line, words))).toEqual(wanted);
    },
  );
