/** The output options of commands that print resources: -o, --columns and --jq. */
import { stripVTControlCharacters } from "node:util";
import type { Command } from "commander";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { newProgram } from "../../../cli/commands/program.ts";
import { addResourceCommands } from "../../../cli/commands/verbs/resources.ts";
import { resources, supportsVerb, verbs } from "../../../cli/resources/catalog.ts";
import { plantedDigest } from "../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { commandsOf } from "../command.ts";

let organization: Organization;
let run: Awaited<ReturnType<typeof commandsOf>>;

beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  const python = await createResource(`/registry/v2/repos/${uid}`, owner.token, {
    name: "python",
    description: "Slim: signed, yes",
  });
  await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "nginx" });
  await createResource(`/registry/v2/tags/${python.uid}`, owner.token, {
    ...{ name: "1.0", digest: plantedDigest(1) },
  });
  await createResource(`/iam/v2/identities/${uid}`, owner.token, {
    name: "bot",
    claimMatch: { issuer: "https://ci.example", subject: "a", claims: { "a.b": "c" } },
  });
  run = await commandsOf(organization);
});

async function printed(line: string[], columns?: number): Promise<string> {
  const { code, out, err } = await run(line, {
    env: { PLATFORM_GROUP: organization.name },
    ...(columns === undefined ? {} : { columns }),
  });
  expect({ line, code, err }).toEqual({ line, code: 0, err: "" });
  return stripVTControlCharacters(out);
}

const refused = async (...line: string[]) => {
  const { code, out, err } = await run(line, { env: { PLATFORM_GROUP: organization.name } });
  expect({ code, out }).toEqual({ code: 2, out: "" });
  return err;
};

describe("YAML and JSON of a command contain the same value:", () => {
  test.each([
    ["list", "repos"],
    ["get", "repo", "python"],
    ["get", "repo", "python", "nginx"],
    ["describe", "repo", "python"],
    ["describe", "identity", "bot"],
    ["list"],
    ["call"],
    ["call", "ListRepos"],
    ["call", "ListRepos", "--dry-run"],
    ["update", "repo", "python", "--description", "x", "--dry-run"],
    ["moves"],
    ["usage"],
    ["affected"],
    ["contains", "pkg:npm/lodash"],
    ["whoami"],
  ])("%s %s %s", async (...words) => {
    const line = words.filter((word) => word !== undefined);
    const json = JSON.parse(await printed([...line, "--json"]));
    const yaml = parse(await printed([...line, "-o", "yaml"]));
    // A login ends an hour after the command.
    expect({ ...yaml, expiry: 0 }).toEqual({ ...json, expiry: 0 });
  });
});

test("-o jsonl prints each row as a line of JSON, up to the limit", async () => {
  const lines = (await printed(["list", "events", "-o", "jsonl"])).trimEnd().split("\n");
  const { events } = JSON.parse(await printed(["list", "events", "--json"]));
  expect(events.length).toBeGreaterThan(3);
  expect(lines.map((text) => JSON.parse(text))).toEqual(events);
  expect(await printed(["list", "events", "-o", "jsonl", "--limit", "1"])).toBe(`${lines[0]}\n`);
});

test.each([
  [["moves"], ["list", "tag-moves"]],
  [
    ["events", "list"],
    ["list", "events"],
  ],
  [["usage"], ["list", "repo-usages"]],
  [
    ["usage", "--group", "."],
    ["get", "usage", "."],
  ],
  [["affected"], ["list", "findings"]],
  [["contains"], ["list", "packages"]],
])("%j and %j print the same, for programs and for people", async (one, other) => {
  const named = (line: string[]) => line.map((word) => (word === "." ? organization.name : word));
  for (const more of [[], ["--json"], ["--help"]]) {
    const said = await printed([...named(one), ...more]);
    if (more.length > 0) expect(said).not.toBe("");
    expect(await printed([...named(other), ...more])).toBe(said);
  }
  expect(await printed(named(other), 100)).toBe(await printed(named(one), 100));
});

test("--header begins the lines of a pipe with the titles of their columns", async () => {
  const [titles, row] = (await printed(["list", "repos", "--header"])).split("\n");
  expect(titles?.split("\t")).toEqual(["NAME", "DESCRIPTION", "CATALOG TIER", "UPDATED", "UID"]);
  expect(row).toMatch(/^nginx\t/);
  expect(await printed(["list", "repos", "--columns", "name", "--header"])).toBe(
    "NAME\nnginx\npython\n",
  );
});

test("--jq prints the results for the JSON of the API", async () => {
  expect(await printed(["list", "repos", "--jq", ".repos[].name"])).toBe("nginx\npython\n");
  expect(await printed(["get", "repo", "python", "--jq", "{name, description}"])).toBe(
    '{"name":"python","description":"Slim: signed, yes"}\n',
  );
  expect(await printed(["call", "ListRepos", "--jq", ".repos | length"])).toBe("2\n");
});

test("a bad jq expression ends a create before it creates anything", async () => {
  const err = await refused("create", "repo", "never", "--jq", ".name[");
  expect(err).toMatch(/^error: --jq: syntax error, .* in line 1 \(USAGE\)\n\.name\[$/m);
  expect(await printed(["list", "repos", "--jq", ".repos[].name"])).not.toContain("never");
});

test("a jq expression that fails with the output ends with exit code 1", async () => {
  const { code, out, err } = await run(["list", "repos", "--jq", ".repos.name"]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain('--jq failed on its output: Cannot index array with string "name"');
});

test("--columns chooses fields by their path, in any spelling, and prints all of them", async () => {
  const columns = "name,claim_match.issuer,claimMatch.claims.a.b";
  expect(await printed(["list", "identities", "--name", "bot", "--columns", columns])).toBe(
    "bot\thttps://ci.example\tc\n",
  );
  const table = await printed(["get", "identity", "bot", "--columns", columns], 20);
  expect(table).toBe(
    ["NAME  CLAIM MATCH ISSUER  CLAIM MATCH CLAIMS A B", "bot   https://ci.example  c", ""].join(
      "\n",
    ),
  );
  expect(await printed(["moves", "--columns", "tag,digest"])).toBe(`1.0\t${plantedDigest(1)}\n`);
  expect(
    await printed(["update", "repo", "nginx", "--description", "x", "--columns", "name"]),
  ).toBe("nginx\n");
});

test("a column that does not exist is refused with the nearest one", async () => {
  const err = await refused("list", "identities", "--columns", "name,claimMatch.isuer");
  expect(err).toContain(
    'There is no field "claimMatch.isuer". Did you mean claimMatch.issuer? The fields are: claimMatch.issuer, ',
  );
  expect(await refused("list", "repos", "--columns", "name.x")).toContain("name has no fields");
  expect(await refused("list", "repos", "--columns", "")).toContain("There is no field");
});

test.each([
  [["--jq", ".", "-o", "yaml"], "--jq reads JSON. Leave out -o yaml."],
  [["--columns", "name", "--json"], "In a document, choose fields with --jq."],
  [["--columns", "name", "-o", "uid"], "In a document, choose fields with --jq."],
])("%j is refused", async (words, text) => {
  expect(await refused("list", "repos", ...words)).toContain(text);
});

test("-o wide has every short field, exact times and whole digests, however narrow the terminal is", async () => {
  const [titles, row] = (await printed(["list", "tags", "-o", "wide"], 40)).split("\n");
  expect(titles?.split(/ {2,}/)).toEqual(
    expect.arrayContaining(["NAME", "DIGEST", "UPDATED", "CREATED", "UID"]),
  );
  expect(row).toContain(plantedDigest(1));
  expect(row).toMatch(/ \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*Z /);
});

/** Every command of the program, with those of each resource. */
function allCommands(): Command[] {
  const found: Command[] = [];
  const collect = (command: Command) => {
    found.push(command);
    command.commands.forEach(collect);
  };
  const plain = newProgram(false);
  plain.commands.forEach(collect);
  for (const verb of verbs) {
    for (const resource of resources().filter((one) => supportsVerb(one, verb))) {
      const command = newProgram(false).commands.find((one) => one.name() === verb);
      if (!command) throw new Error(verb);
      const name = addResourceCommands(command, verb === "list" ? resource.words : resource.word);
      collect(command.commands.find((one) => one.name() === name) ?? command);
    }
  }
  return found;
}

test("every command that prints JSON also prints YAML and the results of jq", () => {
  const withJson = allCommands().filter((one) => one.options.some(({ long }) => long === "--json"));
  expect(withJson.length).toBeGreaterThan(100);
  const lacking = withJson.filter(({ options }) => {
    const output = options.find(({ long }) => long === "--output");
    const hasJq = options.some(({ long }) => long === "--jq");
    return !hasJq || !output?.argChoices?.includes("yaml");
  });
  expect(lacking.map((one) => `${one.parent?.name()} ${one.name()}`)).toEqual([]);
});
