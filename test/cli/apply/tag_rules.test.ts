/** Documents of the kind TagRule, against a real platform. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newOrganization, type Organization, roleUid } from "../../world/personas.ts";
import { commandsOf, newFolder } from "../command.ts";

let organization: Organization;
let run: Awaited<ReturnType<typeof commandsOf>>;
let file: string;

beforeEach(async () => {
  organization = await newOrganization();
  run = await commandsOf(organization);
  file = join(await newFolder(), "rules.yaml");
});

const rule = (name: string, keep: string, more = "") => `---
kind: TagRule
group: ${organization.name}
name: ${name}
includeTags: ["${name}-*"]
keep: ${keep}
${more}
`;

const serveRule = (name: string, serve: string) => rule(name, serve).replace("keep:", "serve:");
const expireRule = (name: string, expire: string, more = "") =>
  rule(name, expire, more).replace("keep:", "expire:");

/** A rule of each kind, before what they need. */
const everything = () =>
  [
    rule("once", "{writeOnce: true}", "repo: app"),
    rule("forward", "{forward: version}", "includeRepos: [a*, b]\nexcludeRepos: [b1]"),
    rule("built-in", "{role: editor}"),
    rule("own", "{role: releaser}", "repo: app\ndescription: Only the releasers"),
    rule("promoted", "{promotion: {from: staging-*, hours: 0}}"),
    rule(
      "required",
      "{requirement: {sbom: true, noFindings: {minSeverity: high, allowUnknown: false}, label: {name: a, value: ''}}}",
    ),
    rule("signed", "{requirement: {signature: {issuer: 'https://a.example', subject: '*'}}}"),
    serveRule("cooled", "{cooldownHours: 24, exemptRole: releaser}"),
    serveRule("served", "{requirement: {sbom: true}}"),
    expireRule("old", "{unpulledDays: 90, daily: true, approval: true}"),
    expireRule("many", "{beyondNewest: {count: 10, order: version}}", "repo: app"),
    expireRule("untagged", "{untaggedDays: 7}").replace(/includeTags: .*\n/, ""),
    `---\nkind: Repo\ngroup: ${organization.name}\nname: app\n`,
    `---\nkind: Role\ngroup: ${organization.name}\nname: releaser\ncapabilities: [tag.create]\n`,
  ].join("");

async function json(...line: string[]) {
  const { code, out, err } = await run([...line, "--json"]);
  expect({ err, code: [0, 1].includes(code) }).toEqual({ err: "", code: true });
  return JSON.parse(out);
}

test("apply creates rules of groups and repositories after what they name, and the second apply changes nothing", async () => {
  await writeFile(file, everything());
  const first = await run(["apply", "-f", file, "--yes"]);
  expect(first).toMatchObject({ code: 0, err: "" });
  expect(first.out).toContain("14 to create, 0 to update, 0 unchanged.");
  expect(first.out).toContain(`Created tag-rule ${organization.name}/app/once (`);
  const second = await run(["apply", "-f", file, "--yes"]);
  expect(second).toEqual({ code: 0, err: "", out: "There is nothing to change: 14 unchanged.\n" });
  const { tagRules } = await json("list", "tag-rules", "--group", organization.name);
  const { uid: releaser } = await json("get", "role", "releaser", "--group", organization.name);
  const keeps = Object.fromEntries(
    tagRules.map(({ name, keep, serve, expire }: Record<string, string>) => [
      ...[name, keep ?? serve ?? expire],
    ]),
  );
  expect(keeps).toMatchObject({
    once: { writeOnce: true },
    "built-in": { roleUid: await roleUid("editor") },
    own: { roleUid: releaser },
    promoted: { promotion: { from: "staging-*" } },
    signed: { requirement: { signature: { issuer: "https://a.example", subject: "*" } } },
    cooled: { cooldownHours: 24, exemptRoleUid: releaser },
    served: { requirement: { sbom: true } },
    old: { unpulledDays: 90, daily: true, approval: true },
    many: { beyondNewest: { count: 10, order: "NEWEST_ORDER_VERSION" } },
    untagged: { untaggedDays: 7 },
  });
});

test("apply changes what differs, replaces the condition as a whole, and never deletes a rule", async () => {
  await writeFile(file, everything());
  await run(["apply", "-f", file, "--yes"]);
  const other = everything()
    .replace("{role: releaser}", "{role: editor}")
    .replace("{writeOnce: true}", "{forward: image-time}")
    .replace(/---\nkind: TagRule[^-]*name: promoted[\s\S]*?(?=---)/, "");
  await writeFile(file, other);
  const { changes } = await json("diff", "-f", file);
  const changed = changes.filter(({ action }: { action: string }) => action !== "unchanged");
  expect(changed).toMatchObject([
    { action: "update", kind: "TagRule", repo: "app", name: "once" },
    { action: "update", kind: "TagRule", repo: "app", name: "own" },
  ]);
  expect((await run(["apply", "-f", file, "--yes"])).code).toBe(0);
  expect((await run(["diff", "-f", file])).code).toBe(0);
  const { tagRules } = await json("list", "tag-rules", "--group", organization.name);
  expect(tagRules).toHaveLength(12);
  expect(tagRules.find(({ name }: { name: string }) => name === "once").keep).toEqual({
    forward: "FORWARD_ORDER_IMAGE_TIME",
  });
});

test("a role that another document creates can replace a condition", async () => {
  await run(["create", "tag-rule", "own", "--group", organization.name, "--keep.write-once"]);
  const role = `---\nkind: Role\ngroup: ${organization.name}\nname: new\ncapabilities: [tag.create]\n`;
  await writeFile(file, rule("own", "{role: new}") + role);
  const { code, out, err } = await run(["apply", "-f", file, "--yes"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain('keep.roleUid: (empty) → "new"');
  expect((await run(["diff", "-f", file])).code).toBe(0);
});

test("a rule that keeps tags can become one that chooses what pulls get, and lose its role", async () => {
  await writeFile(file, rule("own", "{role: editor}"));
  expect((await run(["apply", "-f", file, "--yes"])).code).toBe(0);
  for (const serve of ["{cooldownHours: 1, exemptRole: editor}", "{cooldownHours: 1}"]) {
    await writeFile(file, serveRule("own", serve));
    const { code, err } = await run(["apply", "-f", file, "--yes"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect((await run(["diff", "-f", file])).code).toBe(0);
  }
  const { keep, serve } = await json("get", "tag-rule", "own", "--group", organization.name);
  expect([keep, serve]).toEqual([undefined, { cooldownHours: 1 }]);
});

test("a rule can become one by which tags expire, lose a condition, and be applied as get prints it", async () => {
  await writeFile(file, rule("own", "{writeOnce: true}"));
  expect((await run(["apply", "-f", file, "--yes"])).code).toBe(0);
  for (const expire of ["{unmovedDays: 30, unpulledDays: 90, daily: true}", "{unmovedDays: 30}"]) {
    await writeFile(file, expireRule("own", expire));
    const { code, err } = await run(["apply", "-f", file, "--yes"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect((await run(["diff", "-f", file])).code).toBe(0);
  }
  const { keep, expire } = await json("get", "tag-rule", "own", "--group", organization.name);
  expect([keep, expire]).toMatchObject([
    ...[undefined, { unmovedDays: 30, unpulledDays: 0, daily: false }],
  ]);
  await writeFile(file, expireRule("own", JSON.stringify(expire)));
  expect((await run(["diff", "-f", file])).code).toBe(0);
});

test("two rules of a scope with one name are the same resource, and those of two scopes are not", async () => {
  const repo = `---\nkind: Repo\ngroup: ${organization.name}\nname: app\n`;
  const [group, inRepo] = [rule("a", "{role: editor}"), rule("a", "{role: owner}", "repo: app")];
  await writeFile(file, repo + group + inRepo);
  expect((await run(["apply", "-f", file, "--yes"])).code).toBe(0);
  await writeFile(file, repo + group + rule("a", "{role: owner}"));
  const ended = await run(["diff", "-f", file]);
  expect([ended.code, ended.err]).toEqual([2, expect.stringContaining("is already in")]);
});

const wrong: [keep: string, more: string, text: string][] = [
  ["{roleUid: 'x'}", "", "rules.yaml:6: Use role instead of roleUid"],
  ["{role: 3}", "", "The role must be a name"],
  ["{role: nobody-has-it}", "", "There is no Role"],
  ["{role: editor, writeOnce: true}", "", "Only one of writeOnce, forward, role"],
  ["{forward: version, writeOnce: true}", "", "Only one of writeOnce, forward is possible"],
  ["{forwards: version}", "", "Did you mean forward?"],
  ["yes", "", "keep must be an object"],
  ["{writeOnce: true}", "serve: {exemptRoleUid: 'x'}", "Use exemptRole instead of exemptRoleUid"],
  ["{writeOnce: true}", "serve: {exempt_role: x}", "Did you mean exemptRole?"],
  ["{writeOnce: true}", "serve: {exemptRole: 3}", "The exemptRole must be a name"],
  ["{writeOnce: true}", "serve: {cooldownHours: 1}", "Only one of keep, serve is possible."],
  ["{writeOnce: true}", "serve: 1", "serve must be an object"],
  ["{writeOnce: true}", "expire: {daily: true}", "Only one of keep, expire is possible."],
  ["{writeOnce: true}", "expire: {unpulledDay: 3}", "Did you mean unpulledDays?"],
  ["{writeOnce: true}", "expire: 1", "expire must be an object"],
  ["{writeOnce: true}", "repo: ''", "The repo must be the name"],
  ["{writeOnce: true}", "repo: nowhere", 'There is no repository "nowhere"'],
  ["{writeOnce: true}", "repos: nowhere", 'There is no field "repos"'],
];

test.each(wrong)(
  "keep: %s %s is refused with its place, before any write",
  async (keep, more, text) => {
    await writeFile(file, rule("a", keep, more));
    const ended = await run(["apply", "-f", file, "--yes"]);
    expect(ended).toMatchObject({ code: 2, out: "" });
    expect(ended.err).toContain("Nothing was changed.");
    expect(ended.err).toContain(text);
  },
);
