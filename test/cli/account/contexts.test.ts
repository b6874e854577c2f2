/** Contexts: which platform and group a command uses, and where they are stored. */
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Contexts, settingsOf, takeContext } from "../../../cli/account/contexts.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import { newFolder, newStateFolder, platformctl, spawnPlatformctl } from "../command.ts";

const stored: Contexts = {
  current: "production",
  contexts: {
    production: { url: "https://api.example.com", group: "example.com" },
    other: { url: "https://other.example" },
    team: { group: "example.com/team" },
  },
};

const chosen = (env: NodeJS.ProcessEnv, named?: string, contexts = stored) => {
  const { url, group } = settingsOf(env, contexts, named);
  return [url.value, url.source, group.value, group.source];
};

describe("a value comes from --context, then the environment, then the current context:", () => {
  const local = "http://localhost:1";
  test.each([
    [
      {},
      undefined,
      "https://api.example.com",
      "context production",
      "example.com",
      "context production",
    ],
    [
      { PLATFORM_GROUP: "x" },
      undefined,
      "https://api.example.com",
      "context production",
      "x",
      "PLATFORM_GROUP",
    ],
    // The group belongs to another platform than that of PLATFORM_URL.
    [{ PLATFORM_URL: local }, undefined, local, "PLATFORM_URL", undefined, ""],
    [
      { PLATFORM_URL: "https://api.example.com/" },
      undefined,
      "https://api.example.com/",
      "PLATFORM_URL",
      "example.com",
      "context production",
    ],
    [
      { PLATFORM_URL: local, PLATFORM_GROUP: "x" },
      "production",
      "https://api.example.com",
      "--context production",
      "example.com",
      "--context production",
    ],
    [
      { PLATFORM_GROUP: "x" },
      "other",
      "https://other.example",
      "--context other",
      "x",
      "PLATFORM_GROUP",
    ],
    [{ PLATFORM_URL: local }, "team", local, "PLATFORM_URL", "example.com/team", "--context team"],
    [
      { PLATFORM_URL: "", PLATFORM_GROUP: "" },
      "team",
      undefined,
      "",
      "example.com/team",
      "--context team",
    ],
  ])("%j and --context %s", (env, named, ...wanted) => {
    expect(chosen(env, named)).toEqual(wanted);
  });

  test("without contexts, the environment remains as it is", () => {
    expect(chosen({ PLATFORM_URL: local }, undefined, { contexts: {} })).toEqual([
      ...[local, "PLATFORM_URL", undefined, ""],
    ]);
  });
});

test.each([
  [["--context", "a", "list", "repos"], ["list", "repos"], "a"],
  [["list", "repos", "--context=a"], ["list", "repos"], "a"],
  [["list", "--context", "a", "repos"], ["list", "repos"], "a"],
  [["list", "--", "--context", "a"], ["list", "--", "--context", "a"], undefined],
  [["complete", "--", "--context", "a", "get", ""], ["complete", "--", "get", ""], "a"],
  [["complete", "--", "--context", "a"], ["complete", "--", "--context", "a"], undefined],
] as [string[], string[], string | undefined][])(
  "%j without its context is %j",
  (args, rest, named) => {
    expect(takeContext(args)).toEqual({ rest, named });
  },
);

test.each([[["list", "--context"]], [["--context="]], [["--context", "a", "--context", "b"]]])(
  "%j is refused",
  (args) => {
    expect(() => takeContext(args)).toThrow("--context");
  },
);

let organization: Organization;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  const team = await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "team" });
  await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "above" });
  await createResource(`/registry/v2/repos/${team.uid}`, owner.token, { name: "within" });
  env = { PLATFORM_STATE: await newStateFolder(organization), XDG_CONFIG_HOME: await newFolder() };
});

async function run(line: string, more: NodeJS.ProcessEnv = {}) {
  const { code, out, err } = await platformctl(line.split(" "), { env: { ...env, ...more } });
  expect({ line, code, err }).toEqual({ line, code: 0, err: "" });
  return out;
}

test("commands use the current context, or the one of --context", async () => {
  expect(await run(`config set team --group ${organization.name}/team --use`)).toBe(
    `team: group ${organization.name}/team\n`,
  );
  await run(`config set all --url ${baseUrl()}/ --group ${organization.name}`);
  await run("config set closed --url http://localhost:1");
  expect(await run("list repos --jq .repos[].name")).toBe("within\n");
  expect(await run("list repos --jq .repos[].name --context all")).toBe("above\nwithin\n");
  const closed = await platformctl(["--context", "closed", "list", "repos"], { env });
  expect([closed.code, closed.err]).toEqual([
    1,
    expect.stringContaining("You are not logged in to http://localhost:1."),
  ]);
  const words = ["--context", "all", "complete", "--", "get", "repo", ""];
  expect((await spawnPlatformctl(words, { env })).out.split("\t")[0]).toBe("above");
  const shown = JSON.parse(await run("config show --context all --json"));
  expect(shown).toEqual({
    context: { value: "all", source: "--context" },
    url: { value: baseUrl(), source: "--context all" },
    group: { value: organization.name, source: "--context all" },
    login: null,
  });
  expect(await run("config list")).toBe(
    `\tall\t${baseUrl()}\t${organization.name}\n\tclosed\thttp://localhost:1\t-\n*\tteam\t-\t${organization.name}/team\n`,
  );
  await run("config use --none");
  expect(await run("list repos --jq .repos[].name")).toBe("above\nwithin\n");
});

test("only the user can read the file, and concurrent commands lose no context", async () => {
  const folder = await newFolder();
  const own = { XDG_CONFIG_HOME: folder };
  const names = Array.from({ length: 6 }, (_, index) => `c${index}`);
  await Promise.all(names.map((name) => run(`config set ${name} --group ${name}`, own)));
  const file = join(folder, "platform/contexts.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "platform"))).mode & 0o777).toBe(0o700);
  expect(await readdir(join(folder, "platform"))).toEqual(["contexts.json"]);
  expect(Object.keys(JSON.parse(await readFile(file, "utf8")).contexts).toSorted()).toEqual(names);
});

test("a context can be changed, and after its deletion there is no current context", async () => {
  const own = { XDG_CONFIG_HOME: await newFolder() };
  await run("config set a --url https://a.example --group g --use", own);
  await run("config set a --group=", own);
  expect(JSON.parse(await run("config list --json", own))).toEqual({
    contexts: [{ name: "a", url: "https://a.example", isCurrent: true }],
  });
  await run("config delete a", own);
  expect(JSON.parse(await run("config show --json", own)).context).toEqual({ source: "" });
});

test.each([
  ["config use nowhere", 'There is no context "nowhere".'],
  ["list repos --context nowhere", 'There is no context "nowhere".'],
  ["config use", "Add the name of a context, or --none."],
  ["config set a", "Add --url or --group."],
  ["config set a/b --group g", "The name of a context"],
  ["config set a --url ftp://a.example", "It must be an http or https URL."],
  ["config set a --url https://user:secret@a.example", "It must not contain a user"],
  ["config set a --url=", "Nothing would be left of a."],
])("platformctl %s is refused", async (line, text) => {
  const own = { ...env, XDG_CONFIG_HOME: await newFolder() };
  const { code, out, err } = await platformctl(line.split(" "), { env: own });
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(text);
});

test("if the file is unreadable, the help works, and no command runs on another platform", async () => {
  const own = { ...env, XDG_CONFIG_HOME: await newFolder() };
  await run("config set a --url https://a.example --use", own);
  const file = join(own.XDG_CONFIG_HOME, "platform/contexts.json");
  for (const text of ["{", "[]", '{"contexts":{"a":{"token":"x"}}}']) {
    await writeFile(file, text);
    expect(await run("list repos --help", own)).toContain("Usage:");
    const { code, err } = await platformctl(["list", "repos"], { env: own });
    expect([code, err]).toEqual([2, expect.stringContaining(`Cannot read ${file}.`)]);
  }
});
