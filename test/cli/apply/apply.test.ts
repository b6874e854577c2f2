/** `platformctl apply` and `diff`, against a real platform. */
import { generateKeyPairSync } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { commandsOf, newFolder, newStateFolder, platformctl } from "../command.ts";

let organization: Organization;
let run: Awaited<ReturnType<typeof commandsOf>>;
let folder: string;

beforeEach(async () => {
  organization = await newOrganization();
  run = await commandsOf(organization);
  folder = await newFolder();
});

/** One of each kind, in an order in which they cannot be written. */
const everything = () => `
# Access of payments
kind: RoleBinding
group: ${organization.name}/payments/cards
identity: ci-bot
role: deployer
---
kind: Repo
group: ${organization.name}/payments/cards
name: tools/lint
description: "Lints: yes"
bundles: [base, application]
catalogTier: base
---
kind: Identity
group: ${organization.name}/payments
name: ci-bot
claimMatch:
  issuer: https://ci.example
  subject: repo:example/app
  claims: {team: a}
---
kind: Group
group: ${organization.name}/payments
name: cards
---
kind: Role
group: ${organization.name}
name: deployer
capabilities: [tag.create, repo.list, CAP_TAG_LIST]
---
kind: Group
group: ${organization.name}
name: payments
description: Payments
---
kind: RoleBinding
group: ${organization.name}/payments
identity: ${organization.name}/payments/ci-bot
role: viewer
---
`;

async function fileOf(text: string, name = "all.yaml"): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  return file;
}

async function json(...line: string[]) {
  const { code, out, err } = await run([...line, "--json"]);
  expect({ err, code: [0, 1].includes(code) }).toEqual({ err: "", code: true });
  return JSON.parse(out);
}

const actions = (changes: { action: string; kind: string; name?: string }[]) =>
  changes.map(({ action, kind, name }) => [action, kind, name].filter(Boolean).join(" "));

test("apply creates everything in an order that works, and the second apply changes nothing", async () => {
  const file = await fileOf(everything());
  const first = await run(["apply", "-f", file, "--yes"]);
  expect(first).toMatchObject({ code: 0, err: "" });
  expect(first.out).toContain("7 to create, 0 to update, 0 unchanged.");
  expect(first.out.match(/^Created /gm)).toHaveLength(7);
  const second = await run(["apply", "-f", file, "--yes"]);
  expect(second).toEqual({ code: 0, err: "", out: "There is nothing to change: 7 unchanged.\n" });
  expect((await run(["diff", "-f", file])).code).toBe(0);
  const listed = await json("list", "role-bindings", "--group", organization.name);
  const shown = listed.roleBindings.map(
    ({ identity, role, group }: Record<string, { name: string }>) =>
      `${identity?.name} ${role?.name} ${group?.name}`,
  );
  expect(shown).toEqual(
    expect.arrayContaining(["ci-bot deployer cards", "ci-bot viewer payments"]),
  );
});

test("apply changes exactly the fields that differ, and leaves the others as they are", async () => {
  const file = await fileOf(everything());
  await run(["apply", "-f", file, "--yes"]);
  const at = ["tools/lint", "--group", organization.name];
  await run(["update", "repo", ...at, "--description", "x", "--active-tags", "1,2"]);
  await run([
    "update",
    "identity",
    "ci-bot",
    "--claim-match.audience",
    "y",
    "--description",
    "kept",
  ]);
  const { changes } = await json("diff", "-f", file);
  expect(changes.filter(({ action }: { action: string }) => action === "update")).toMatchObject([
    {
      ...{ kind: "Identity", name: "ci-bot" },
      changes: [{ field: "claimMatch.audience", before: "y", after: null }],
    },
    {
      ...{ kind: "Repo", name: "tools/lint" },
      changes: [{ field: "description", before: "x", after: "Lints: yes" }],
    },
  ]);
  const { out, code } = await run(["diff", "-f", file]);
  expect(code).toBe(1);
  expect(out).toContain('    description: "x" → "Lints: yes"\n');
  expect(out).toContain("0 to create, 2 to update, 5 unchanged.");
  const { applied } = await json("apply", "-f", file, "--yes");
  expect(actions(applied).slice(3, 5)).toEqual([
    "update Identity ci-bot",
    "update Repo tools/lint",
  ]);
  expect(await json("get", "repo", ...at)).toMatchObject({
    ...{ description: "Lints: yes", activeTags: ["1", "2"] },
  });
  expect(await json("get", "identity", "ci-bot")).toMatchObject({
    ...{ description: "kept", claimMatch: { issuer: "https://ci.example", claims: { team: "a" } } },
  });
  expect((await json("diff", "-f", file)).changes.length).toBe(7);
  expect((await run(["diff", "-f", file])).code).toBe(0);
});

test("a diff writes nothing, and neither does an apply without a confirmation", async () => {
  const file = await fileOf(everything());
  expect((await run(["diff", "-f", file])).code).toBe(1);
  const { code, err } = await run(["apply", "-f", file]);
  expect([code, err]).toEqual([2, expect.stringContaining("add --yes")]);
  expect((await json("list", "groups", "--group", organization.name)).groups).toEqual([]);
});

test.each([
  ["y\n", 0, "Created repo"],
  ["\n", 1, "Nothing was changed. (NOT_CONFIRMED)"],
])(
  "on a terminal, the plan comes first, and the answer %j decides",
  async (input, exitCode, text) => {
    const file = await fileOf(`kind: Repo\ngroup: ${organization.name}\nname: asked\n`);
    const PLATFORM_STATE = await newStateFolder(organization);
    const { code, out, err } = await platformctl(["apply", "-f", file], {
      ...{ input, columns: 80, hasPerson: true },
      env: { NO_COLOR: "1", PLATFORM_STATE },
    });
    expect(out).toContain(`+ create Repo ${organization.name}/asked\n`);
    expect(out.indexOf("+ create")).toBe(0);
    expect(err).toContain("Apply? [y/N]");
    expect([code, out + err]).toEqual([exitCode, expect.stringContaining(text)]);
    const { repos } = await json("list", "repos", "--group", organization.name);
    expect(repos.length).toBe(exitCode === 0 ? 1 : 0);
  },
);

test("after an apply, a diff finds no change in identities of every kind and every field of a repository", async () => {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", use: "sig" }] };
  const pattern = {
    issuer: "https://ci.example",
    subjectPattern: "a.*",
    claimPatterns: { a: "b" },
  };
  const staticKeys = {
    ...{ issuer: "https://i.example", subject: "s", issuerKeys: JSON.stringify(keys) },
    expirationTime: new Date(Date.now() + 1e9).toISOString().replace("Z", "+00:00"),
  };
  const awsIdentity = {
    awsAccount: "123456789012",
    arn: "arn:aws:iam::123456789012:role/a",
    userId: "AROA1",
  };
  const group = organization.name;
  const documents = [
    { kind: "Identity", group, name: "pattern", description: "", claimMatch: pattern },
    { kind: "Identity", group, name: "static", staticKeys },
    { kind: "Identity", group, name: "aws", awsIdentity },
    {
      kind: "Role",
      group,
      name: "role",
      description: "All",
      capabilities: ["tag.list", "repo.list"],
    },
    {
      ...{ kind: "Repo", group, name: "repo", description: "x", catalogTier: "CATALOG_TIER_FIPS" },
      ...{ bundles: ["fips", "base"], aliases: ["b:1", "a:1"], activeTags: ["2", "1"] },
    },
  ];
  const file = await fileOf(JSON.stringify(documents), "all.json");
  expect(await run(["apply", "-f", file, "--yes"])).toMatchObject({ code: 0, err: "" });
  const { out } = await run(["diff", "-f", file]);
  expect(out).toBe("There is nothing to change: 5 unchanged.\n");
});

test("folders, several files, JSON, standard input and a default group all work", async () => {
  await mkdir(join(folder, "access/deep"), { recursive: true });
  const group = { kind: "Group", name: "a" };
  const repos = ["x", "y"].map((name) => ({ kind: "Repo", group: `${organization.name}/a`, name }));
  await fileOf(JSON.stringify(group, null, "\t"), "access/deep/group.json");
  await fileOf("not a document", "access/README.md");
  await fileOf("# nothing but a comment\n", "access/empty.yml");
  const more = await fileOf("kind: Repo\nname: z\n", "more.yaml");
  const files = ["-f", join(folder, "access"), "-f", more, "-f", "-"];
  const { out, code, err } = await platformctl(
    ["apply", ...files, "--yes", "-g", organization.name],
    { input: JSON.stringify(repos), env: { PLATFORM_STATE: await newStateFolder(organization) } },
  );
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.match(/^Created .*(?= \()/gm)?.toSorted()).toEqual([
    `Created group ${organization.name}/a`,
    `Created repo ${organization.name}/a/x`,
    `Created repo ${organization.name}/a/y`,
    `Created repo ${organization.name}/z`,
  ]);
});

describe("nothing is written, and the error names the file and the line, for", () => {
  const inOrganization = (lines: string) => lines.replaceAll("ORG", organization.name);
  test.each([
    [
      "an unknown field",
      "kind: Repo\ngroup: ORG\nname: a\ndescriptions: x",
      '4: There is no field "descriptions". Did you mean description?',
    ],
    [
      "an unknown field inside",
      "kind: Identity\ngroup: ORG\nname: a\nclaimMatch:\n  issuers: x",
      '5: There is no field "issuers". Did you mean issuer?',
    ],
    [
      "an unknown kind",
      "kind: Repos\ngroup: ORG",
      '1: There is no kind "Repos". Did you mean Repo?',
    ],
    ["no kind", "group: ORG", "1: Add the kind."],
    ["no group", "kind: Repo\nname: a", "1: Add the group"],
    ["no name", "kind: Repo\ngroup: ORG", "1: Add the name of the Repo."],
    ["a number as a name", "kind: Repo\ngroup: ORG\nname: 123", "3: name must be text."],
    [
      "a field of the platform",
      "kind: Repo\ngroup: ORG\nname: a\nuid: b",
      "4: The platform sets uid.",
    ],
    [
      "a wrong enum value",
      "kind: Role\ngroup: ORG\nname: a\ncapabilities:\n- repo.list\n- repo.lits",
      '6: capabilities cannot be "repo.lits". Did you mean repo.list?',
    ],
    [
      "an empty value",
      "kind: Repo\ngroup: ORG\nname: a\ndescription:",
      '4: description is empty. To clear it, write "".',
    ],
    [
      "two of a oneof",
      "kind: Identity\ngroup: ORG\nname: a\nclaimMatch: {issuer: a, subject: b}\nawsIdentity: {}",
      "5: Only one of claimMatch, awsIdentity is possible.",
    ],
    [
      "no role",
      "kind: RoleBinding\ngroup: ORG\nidentity: a",
      "1: Add the role of the role binding.",
    ],
    [
      "a uid field",
      "kind: RoleBinding\ngroup: ORG\nidentityUid: a\nrole: viewer",
      "3: Use identity instead of identityUid.",
    ],
    [
      "a missing group",
      "kind: Repo\ngroup: ORG/nowhere\nname: a",
      '2: There is no group "ORG/nowhere"',
    ],
    [
      "a missing identity",
      "kind: RoleBinding\ngroup: ORG\nidentity: no-one\nrole: viewer",
      '3: There is no Identity "no-one" in ORG',
    ],
    [
      "a missing role",
      "kind: RoleBinding\ngroup: ORG\nidentity: a\nrole: nothing",
      '4: There is no Role "nothing"',
    ],
    [
      "the same document twice",
      "kind: Repo\ngroup: ORG\nname: b\n---\nkind: Repo\ngroup: ORG\nname: b",
      "5: Repo ORG/b is already in ",
    ],
    ["a key twice", "kind: Repo\nname: a\nname: b", "3: Map keys must be unique"],
    ["a tag", "kind: Repo\ngroup: ORG\nname: !!js/function x", "3: Unresolved tag"],
    ["a text", "just a text", "1: A document must be an object"],
    ["bad syntax", "kind: [", "1: "],
  ])("%s", async (_, text, message) => {
    const good = "kind: Repo\ngroup: ORG\nname: good\n";
    await fileOf(inOrganization(good), "a.yaml");
    await fileOf(inOrganization(text), "b.yaml");
    const { code, out, err } = await run(["apply", "-f", folder, "--yes"]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(`b.yaml:${inOrganization(message)}`);
    expect((await json("list", "repos", "--group", organization.name)).repos).toEqual([]);
  });

  test("a resource that two documents name in different ways", async () => {
    const text = inOrganization(
      "kind: Repo\ngroup: ORG\nname: a\n---\nkind: Repo\ngroup: UID\nname: a",
    );
    const file = await fileOf(text.replace("UID", organization.uid));
    const { code, err } = await run(["apply", "-f", file, "--yes"]);
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("all.yaml:5: This is the same resource"),
    ]);
  });

  test("aliases that multiply the size of the document", async () => {
    const lines = Array.from(
      { length: 12 },
      (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`)}]`,
    );
    const file = await fileOf(["a0: &a0 x", ...lines].join("\n"));
    const { code, err } = await run(["diff", "-f", file]);
    expect([code, err]).toEqual([2, expect.stringContaining("alias")]);
  });
});

test("a failed write stops the apply, the error lists what was written, and the next run continues", async () => {
  const group = `kind: Group\ngroup: ${organization.name}\nname: first\n---\n`;
  const repos = (name: string) =>
    [name, "last"].map((one) => `kind: Repo\ngroup: ${organization.name}/first\nname: ${one}\n`);
  const broken = await fileOf(group + repos("Not-Allowed").join("---\n"));
  const { code, err } = await run(["apply", "-f", broken, "--yes"]);
  expect(code).toBe(1);
  expect(err).toContain(
    `all.yaml:5: Repo ${organization.name}/first/Not-Allowed cannot be written: `,
  );
  expect(err).toContain(`Done before:\n  create Group ${organization.name}/first\n`);
  expect(err).toContain(`Not done:\n  create Repo ${organization.name}/first/last\n`);
  const fixed = await fileOf(group + repos("allowed").join("---\n"));
  const { applied } = await json("apply", "-f", fixed, "--yes");
  expect(actions(applied)).toEqual([
    "unchanged Group first",
    "create Repo allowed",
    "create Repo last",
  ]);
});

describe("an edit of an outdated copy", () => {
  const repoOf = async (name: string) => {
    await run(["create", "repo", name, "--group", organization.name]);
    const got = await run(["get", "repo", name, "--group", organization.name, "--json"]);
    return got.out;
  };

  test("is refused by update, which says what has changed and by whom", async () => {
    const copy = await repoOf("outdated");
    const file = join(folder, "repo.json");
    await writeFile(file, JSON.stringify({ ...JSON.parse(copy), description: "mine" }));
    const named = ["repo", "outdated", "--group", organization.name];
    await run(["update", ...named, "--description", "theirs"]);
    const refused = await run(["update", ...named, "--from-file", file]);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/outdated .* was changed by \S+ at 20\S+Z, after you read it/);
    expect(refused.err).toContain('description: "mine" → "theirs"');
    const { out: stdout } = await run(["get", ...named, "--json"]);
    expect(JSON.parse(stdout).description).toBe("theirs");
    await writeFile(file, JSON.stringify({ ...JSON.parse(stdout), description: "mine" }));
    expect((await run(["update", ...named, "--from-file", file])).code).toBe(0);
  });
});
