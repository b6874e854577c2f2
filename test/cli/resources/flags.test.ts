import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { operationNamed } from "../../../cli/commands/call.ts";
import { newProgram } from "../../../cli/commands/program.ts";
import { expandVerb } from "../../../cli/commands/verbs/verbs.ts";
import {
  catalog,
  resourceNamed,
  resources,
  supportsVerb,
  verbs,
} from "../../../cli/resources/catalog.ts";
import { addFlags, applyFlags, flagsOf, givenOf } from "../../../cli/resources/flags.ts";
import { maskOf } from "../../../cli/resources/request.ts";
import { operations } from "../../../client/gen/operations.ts";
import { newFolder } from "../command.ts";

/** The JSON and the mask for flags of a message. */
function read(message: string, args: string[]) {
  const flags = flagsOf(`platform.${message}`);
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  addFlags(command, flags, "Fields:");
  command.parse(args, { from: "user" });
  const given = givenOf(command, flags);
  return { json: applyFlags({}, given), mask: maskOf({}, given) };
}

const jsonOf = (message: string, ...args: string[]) => read(message, args).json;

describe("a flag", () => {
  test.each([
    ["text", "registry.v2.Repo", ["--description", "a b"], { description: "a b" }],
    ["a switch", "registry.v2.Tag", ["--deprecated"], { deprecated: true }],
    ["a switch turned off", "registry.v2.Tag", ["--no-deprecated"], { deprecated: false }],
    [
      "a list with commas",
      "registry.v2.Repo",
      ["--aliases", "a:1,b:2"],
      { aliases: ["a:1", "b:2"] },
    ],
    [
      "a list said again",
      "registry.v2.Repo",
      ["--aliases", "a:1", "--aliases", "b:2"],
      { aliases: ["a:1", "b:2"] },
    ],
    [
      "a short word",
      "registry.v2.Repo",
      ["--catalog-tier", "fips"],
      { catalogTier: "CATALOG_TIER_FIPS" },
    ],
    [
      "a whole word in any case",
      "registry.v2.Repo",
      ["--catalog-tier", "catalog_tier_ai"],
      { catalogTier: "CATALOG_TIER_AI" },
    ],
    [
      "capabilities by name",
      "iam.v2.Role",
      ["--capabilities", "repo.list,CAP_TAG_LIST"],
      { capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] },
    ],
    ["a duration", "iam.v2.GroupInvite", ["--ttl", "90m"], { ttl: "5400s" }],
    [
      "a nested field",
      "iam.v2.Identity",
      ["--claim-match.issuer", "i", "--claim-match.subject", "s"],
      { claimMatch: { issuer: "i", subject: "s" } },
    ],
    [
      "a map",
      "iam.v2.Identity",
      ["--claim-match.claims", "a=1", "--claim-match.claims", "b=2=3"],
      { claimMatch: { claims: { a: "1", b: "2=3" } } },
    ],
    [
      "a map of messages",
      "iam.v2.AccountAssociation",
      ["--github.app-installations", '{"a":{"ids":["1"]}}'],
      { github: { appInstallations: { a: { ids: ["1"] } } } },
    ],
    [
      "a message whole",
      "iam.v2.Identity",
      ["--claim-match", '{"issuer":"i"}'],
      { claimMatch: { issuer: "i" } },
    ],
    [
      "an exact time",
      "registry.v2.VulnReport",
      ["--scan-time", "2026-01-31T10:00:00Z"],
      { scanTime: "2026-01-31T10:00:00.000Z" },
    ],
    [
      "a field with an underscore",
      "registry.v2.Repo",
      ["--sync-config.source", "x"],
      { sync_config: { source: "x" } },
    ],
    ["bytes", "registry.v2.Sbom", ["--content", "YQ=="], { content: "YQ==" }],
  ])("accepts %s", (_, message, args, wanted) => {
    expect(jsonOf(message, ...args)).toEqual(wanted);
  });

  test("accepts relative times in the past and in the future", () => {
    const hours = (args: string[]) => {
      const { scanTime } = jsonOf("registry.v2.VulnReport", ...args);
      return Math.round((Date.parse(String(scanTime)) - Date.now()) / 3_600_000);
    };
    expect([hours(["--scan-time", "30d"]), hours(["--scan-time", "+12h"])]).toEqual([-720, 12]);
  });

  test("accepts bytes and readmes from files", async () => {
    const file = join(await newFolder(), "file");
    await writeFile(file, "# Grüße\n");
    expect(jsonOf("registry.v2.Sbom", "--content", `@${file}`)).toEqual({
      content: Buffer.from("# Grüße\n").toString("base64"),
    });
    expect(jsonOf("registry.v2.RepoReadme", "--content", `@${file}`)).toEqual({
      content: "# Grüße\n",
    });
  });

  test.each([
    ["registry.v2.Repo", "--description", { description: "" }, ["description"]],
    ["registry.v2.Repo", "--aliases", { aliases: [] }, ["aliases"]],
    ["registry.v2.Repo", "--catalog-tier", { catalogTier: null }, ["catalogTier"]],
    ["iam.v2.Identity", "--claim-match", { claimMatch: null }, ["claimMatch"]],
    [
      "iam.v2.Identity",
      "--claim-match.claims",
      { claimMatch: { claims: {} } },
      ["claimMatch.claims"],
    ],
  ])("%s with an empty value clears: %s", (message, flag, json, mask) => {
    expect(read(message, [flag, ""])).toEqual({ json, mask });
  });

  test.each([
    ["registry.v2.Repo", "--catalog-tier", "nonsense", /one of application, base, fips/],
    ["iam.v2.GroupInvite", "--ttl", "soon", /30d, 12h/],
    ["registry.v2.VulnReport", "--scan-time", "2026-02-30", /is not a time/],
    ["iam.v2.Identity", "--claim-match.claims", "novalue", /KEY=VALUE/],
    ["iam.v2.Identity", "--claim-match", "{", /JSON/],
    ["registry.v2.Sbom", "--content", "@/nowhere/file", /ENOENT/],
  ])("%s reports the error: %s %s", (message, flag, value, text) => {
    expect(() => read(message, [flag, value])).toThrow(text);
  });

  test("does not exist for fields that only the server sets", () => {
    const names = flagsOf("platform.iam.v2.Identity").map(({ name }) => name);
    expect(names).toContain("description");
    expect(names.filter((name) => /uid|time$|email/.test(name))).toEqual([
      "static-keys.expiration-time",
    ]);
  });
});

test("inside the field of a file overrides that part of the field", () => {
  const given = new Map<string, unknown>([
    ["claimMatch.issuer", "b"],
    ["description", "c"],
  ]);
  const file = { claimMatch: { issuer: "a", subject: "s" } };
  expect(maskOf(file, given)).toEqual(["claimMatch", "description"]);
  expect(applyFlags(file, given)).toEqual({
    claimMatch: { issuer: "b", subject: "s" },
    description: "c",
  });
  expect(file.claimMatch.issuer).toBe("a");
});

test.each([
  ["repo", "repo"],
  ["Repos", "repo"],
  ["roleBindings", "roleBinding"],
  ["role-binding", "roleBinding"],
  ["rolebindings", "roleBinding"],
  ["role_bindings", "roleBinding"],
  ["idps", "identityProvider"],
  ["readme", "repoReadme"],
  ["vulnerability-metadata", "vulnerabilityMetadata"],
])("%s is %s", (word, name) => {
  expect(resourceNamed(word)?.name).toBe(name);
});

const everyCommand = resources().flatMap((resource) =>
  verbs
    .filter((verb) => supportsVerb(resource, verb))
    .map((verb) => [verb, resource.word] as const),
);

test.each(everyCommand)(
  "%s %s has help with examples, and lists each flag once",
  async (verb, word) => {
    const command = newProgram(false);
    const [, name] = await expandVerb(command, [verb, word]);
    const sub = command.commands
      .find((one) => one.name() === verb)
      ?.commands.find((one) => one.name() === name);
    const flags = sub?.options.map(({ long }) => long) ?? [];
    expect(new Set(flags).size).toBe(flags.length);
    const messages: string[] = [];
    sub?.configureOutput({ writeOut: (part) => messages.push(part) }).outputHelp();
    expect(messages.join("")).toMatch(/--json[\s\S]*Examples:\n {2}\$ platformctl/);
    expect(sub?.description()).toMatch(/\w\.$/);
  },
);

test("every RPC that the client has can be called, by each of its names", () => {
  const rpcs = Object.values(operations).map(({ rpc }) => rpc);
  expect(
    catalog()
      .operations.map(({ rpc }) => rpc)
      .sort(),
  ).toEqual([...rpcs].sort());
  for (const [key, { rpc }] of Object.entries(operations)) {
    const short = rpc.replace(/^.*\.(?=\w+\/)/, "");
    const named = [key, rpc, short, short.split("/")[1] ?? ""].map((name) => operationNamed(name));
    expect(named.map((one) => one.rpc)).toEqual([rpc, rpc, rpc, rpc]);
  }
  expect(() => operationNamed("GetRepoReadm")).toThrow(/Did you mean ReposService\/GetRepoReadme/);
});
