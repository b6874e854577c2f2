/** `platformctl rules` and the commands of the resource: what a person sees of tag rules. */
import { beforeAll, describe, expect, test } from "vitest";
import { movedAgo } from "../../distribution/moved_ago.ts";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
  roleUid,
} from "../../world/personas.ts";
import { baseUrl, registryAudience } from "../../world/platform.ts";
import { type CommandOptions, commandsOf, newStateFolder } from "../command.ts";

const [first, second] = [fakeDigest("first"), fakeDigest("second")];
let organization: Organization;
let platformctl: Awaited<ReturnType<typeof commandsOf>>;
let repo = "";
let rule = "";

/** The owner, in the organization. */
const run = (line: string[], { env, ...options }: CommandOptions = {}) =>
  platformctl(line, { ...options, env: { PLATFORM_GROUP: organization.uid, ...env } });

const setTag = (name: string, digest: string) =>
  createResource(`/registry/v2/tags/${repo}`, organization.owner.token, { name, digest });

beforeAll(async () => {
  organization = await newOrganization();
  platformctl = await commandsOf(organization);
  const { token } = organization.owner;
  ({ uid: repo } = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
    name: "team/app",
  }));
  await setTag("v1", first);
  await setTag("v2", first);
  await setTag("v2", second);
  await setTag("latest", first);
  ({ uid: rule } = await createResource(`/registry/v2/tagRules/${organization.uid}`, token, {
    name: "releases",
    includeTags: ["v*"],
    keep: { writeOnce: true },
  }));
});

describe("rules check", () => {
  test("ends with 0 for a change that is allowed, and with 1 and the reason for one that is not", async () => {
    const allowed = await run(["rules", "check", "team/app:latest", "--delete"]);
    expect(allowed).toMatchObject({ code: 0, err: "" });
    expect(allowed.out).toBe(
      `team/app:latest may be deleted: no rule is about it.\nIt points to ${first} now.\n`,
    );
    const refused = await run(["rules", "check", "team/app:v1", "--move-to", second]);
    expect(refused).toMatchObject({ code: 1, err: "" });
    expect(refused.out).toContain(`team/app:v1 may not point to ${second}: the rule "releases"`);
    expect(refused.out).toContain("it can be set only once");
    expect(refused.out).toContain("tag.override");
  });

  test("the command that a refusal names shows the rule", async () => {
    const { out } = await run(["rules", "check", "team/app:v1", "--delete"]);
    const [, command = ""] = /see platformctl (.*)/.exec(out) ?? [];
    const shown = await run(command.split(" "));
    expect(shown).toMatchObject({ code: 0, err: "" });
    expect(shown.out).toMatch(new RegExp(`^releases\tv\\*\tset once\t.*\t${rule}\n$`));
  });

  test("prints the answer of the API as JSON, with the same exit code", async () => {
    for (const how of [["--json"], ["-o", "json"]]) {
      const { code, out } = await run(["rules", "check", "team/app:v1", "--delete", ...how]);
      expect(code).toBe(1);
      expect(JSON.parse(out)).toMatchObject({
        ...{ allowed: false, tagRuleUid: rule, currentDigest: first, overridable: true },
      });
    }
  });

  test("accepts every way to name the repository of a tag, which need not exist", async () => {
    const names = [
      "team/app",
      `${organization.name}/team/app`,
      `${organization.uid}/team/app`,
      `${registryAudience}/${organization.name}/team/app`,
    ];
    for (const name of names) {
      const line = ["rules", "check", `${name}:v9`, "--move-to", first, "--json"];
      const { code, out, err } = await run(line);
      expect({ name, code, err }).toEqual({ name, code: 0, err: "" });
      expect(JSON.parse(out)).toMatchObject({ allowed: true, tagRuleUid: rule });
    }
  });

  test.each([
    [["team/app:v1"], 2, "Add --move-to DIGEST, --delete or --pull"],
    [["team/app@v1", "--delete"], 2, "does not name a tag"],
    [["team/app@sha256:1", "--delete"], 2, "does not name a tag"],
    [["team/app:v1", "--move-to", "latest"], 2, "It must be a digest"],
    [["team/app:v1", "--delete", "--move-to", first], 2, "cannot be used with"],
    [["team/app:v1", "--delete", "--pull"], 2, "cannot be used with"],
    [["nowhere:v1", "--delete"], 1, "There is no repository"],
  ])("refuses %j with a reason", async (args, code, text) => {
    const ended = await run(["rules", "check", ...args]);
    expect(ended).toMatchObject({ code, out: "" });
    expect(ended.err).toContain(text);
  });
});

describe("a rule that chooses the image of a pull", () => {
  let [older, newest, uid] = ["", "", ""];

  beforeAll(async () => {
    const { token } = organization.owner;
    const path = `/registry/v2/repos/${organization.uid}`;
    const served = await createResource(path, token, { name: "served" });
    const moved = (hours: number) => movedAgo(organization, "served", "latest", hours);
    [older, newest] = [await moved(30), await moved(2)];
    const serve = { cooldownHours: 24, exemptRoleUid: await roleUid("registry.pull") };
    ({ uid } = await createResource(`/registry/v2/tagRules/${served.uid}`, token, {
      ...{ name: "cooldown", includeTags: ["latest"], serve },
    }));
  });

  test("check --pull says what a pull gets and why, and ends with 1 if it gets nothing", async () => {
    const { code, out, err } = await run(["rules", "check", "served:latest", "--pull"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(
      new RegExp(
        `^A pull of served:latest gets ${older}: the rule "cooldown" of .* cools down until .*; see platformctl tag-rules get ${uid}\nThe tag points to ${newest}\\.\n$`,
      ),
    );
    const json = await run(["rules", "check", "served:latest", "--pull", "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({ servedDigest: older, currentDigest: newest });
    const plain = await run(["rules", "check", "team/app:v1", "--pull"]);
    expect(plain.out).toBe(
      `A pull of team/app:v1 gets nothing: the registry does not have the image of the tag\nThe tag points to ${first}.\n`,
    );
    const none = await run(["rules", "check", "served:none", "--pull"]);
    expect([none.code, none.out]).toEqual([
      ...[1, "A pull of served:none gets nothing: the tag does not exist.\n"],
    ]);
  });

  test.each([
    [
      24,
      () => `a pull gets ${older.slice(7, 19)}: the newest image cools down`,
      "1, and nothing of 0",
    ],
    [99, () => "a pull gets nothing: the newest image cools down", "0, and nothing of 1"],
    [1, () => "as it is", "0, and nothing of 0"],
  ])("preview of a cooldown of %d hours says what a pull would get", async (hours, line, count) => {
    const rule = { kind: "TagRule", repo: "served", name: "x", serve: { cooldownHours: hours } };
    const { code, out } = await run(["rules", "preview", "-"], { input: JSON.stringify(rule) });
    expect(code).toBe(0);
    expect(out).toContain(`served:latest  ${line()}`);
    expect(out).toContain(`Your pulls would get an earlier image of ${count}.`);
  });

  test("preview reads such a rule as get prints it", async () => {
    const { out: input } = await run(["get", "tag-rule", uid, "--json"]);
    expect(input).toContain("exemptRoleUid");
    const { out, code } = await run(["rules", "preview", "-"], { input });
    expect([code, out]).toEqual([0, expect.stringContaining("get an earlier image of 1")]);
  });
});

describe("rules preview", () => {
  const document = () => `
kind: TagRule
group: ${organization.name}
repo: team/app
name: gate
includeTags: [v*]
keep:
  requirement:
    sbom: true
`;

  test("shows what a rule decides about each tag now, and which moves it would have refused", async () => {
    const { code, out, err } = await run(["rules", "preview", "-"], { input: document() });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("team/app:v1  refused: ");
    expect(out).toContain("The rule matches 2 tags. It would refuse the current image of 2,");
    const once = document().replace(/requirement:\n.*\n/, "writeOnce: true\n");
    const moves = await run(["rules", "preview", "-"], { input: once });
    expect(moves.out).toMatch(
      /team\/app:v2 {2}allowed\n {4}\S+ {2}move to [0-9a-f]{12} by \S+: it can be set only once\n/,
    );
    expect(moves.out).toContain("and would have refused 1 move of the last 90 days.");
  });

  test("reads a rule as get prints it, in its own place", async () => {
    const { out: input } = await run(["get", "tag-rule", "releases", "--json"]);
    const { code, out } = await run(["rules", "preview", "-", "--json"], { input });
    const { tags, more } = JSON.parse(out);
    expect({ code, more }).toEqual({ code: 0, more: false });
    expect(tags.map(({ tag }: { tag: string }) => tag).sort()).toEqual(["v1", "v2"]);
  });

  test("says that there is more after --limit, also if a page has more tags", async () => {
    const { out } = await run(["rules", "preview", "-", "--limit", "1", "--json"], {
      input: document(),
    });
    expect(JSON.parse(out)).toMatchObject({ more: true, tags: [expect.anything()] });
    const text = await run(["rules", "preview", "-", "--limit", "1"], { input: document() });
    expect(text.out).toContain("There are more tags.");
  });

  test("reads all pages, and shows tags of the last one", async () => {
    const { token } = organization.owner;
    const { uid } = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
      name: "many",
    });
    const moves = Array.from({ length: 430 }, (_, index) => ({
      ...{ repo: "many", tag: `n${index}`, digest: first, updateTime: "2026-01-01T00:00:00Z" },
    }));
    await createResource(`/registry/v2/tagMoves/${organization.uid}:import`, token, { moves });
    const input = `kind: TagRule\nrepo: ${uid}\nname: x\nkeep: {writeOnce: true}\n`;
    const { out } = await run(["rules", "preview", "-", "--all", "--json"], { input });
    expect(JSON.parse(out).tags).toHaveLength(430);
  });

  test.each([
    ["kind: Repo\nname: x\n", "Standard input has no tag rule."],
    [
      "kind: TagRule\nname: x\nkeep: {writeOnce: true}\n---\nkind: TagRule\nname: y\nkeep: {writeOnce: true}\n",
      "Choose one with --rule",
    ],
    ["kind: TagRule\nrepo: nope\nname: x\nkeep: {writeOnce: true}\n", "There is no repository"],
    ["kind: TagRule\nname: x\nkeep: {roleUid: a}\n", "Use role instead of roleUid"],
    [
      "kind: Repo\nname: new\n---\nkind: TagRule\nrepo: new\nname: x\nkeep: {writeOnce: true}\n",
      "does not exist yet",
    ],
  ])("refuses %j with a reason", async (input, text) => {
    const ended = await run(["rules", "preview", "-"], { input });
    expect(ended).toMatchObject({ code: 2, out: "" });
    expect(ended.err).toContain(text);
  });
});

describe("a tag rule in a table", () => {
  const conditions: [flags: string[], words: string][] = [
    [["--keep.forward", "image-time"], "only forward, by image time"],
    [["--keep.role", "editor"], "only with the role editor"],
    [
      ["--keep.promotion.from", "staging-*", "--keep.promotion.hours", "24"],
      "only images of staging-*, after 24 hours there",
    ],
    [
      [
        "--keep.requirement.sbom",
        ...["--keep.requirement.no-findings", '{"minSeverity":"FINDING_SEVERITY_HIGH"}'],
        ...["--keep.requirement.label", '{"name":"team","value":"a"}'],
      ],
      "only images with an SBOM and no fixable findings from high and the label team=a",
    ],
    [
      [
        "--keep.requirement.signature",
        '{"issuer":"https://issuer.example","subject":"*@a.example"}',
      ],
      "only images with a signature by *@a.example of https://issuer.example",
    ],
    [["--serve.cooldown-hours", "1"], "pulls get images after 1 hour"],
    [
      ["--serve.requirement.sbom", "--serve.exempt-role", "editor"],
      "pulls get images with an SBOM, except with the role editor",
    ],
    [
      ["--expire.unmoved-days", "1", "--expire.unpulled-days", "90", "--expire.daily"],
      "tags expire if not moved for 1 day and not pulled for 90 days, every day",
    ],
    [
      [
        ...["--expire.beyond-newest.count", "10", "--expire.beyond-newest.order", "version"],
        "--expire.approval",
      ],
      "tags expire if not among the newest 10 by version, with approval",
    ],
  ];

  test.each(conditions)(
    "has the condition of %j in words, and its repository",
    async (flags, words) => {
      const name = words.replaceAll(/[^a-z]/g, "").slice(0, 40);
      const tags = ["--include-tags", `${name}*,b`, "--exclude-tags", `${name}x,b`];
      const line = ["create", "tag-rule", name, "--repo", "team/app", ...tags, ...flags, "--json"];
      const made = await run(line);
      expect(made.err).toBe("");
      const { out } = await run(["list", "tag-rules", "--repo", "team/app"], { columns: 300 });
      const row = out.split("\n").find((text) => text.startsWith(`${name} `));
      expect(row?.split(/ {2,}/).slice(0, 3)).toEqual([
        ...[name, `${name}*, b without ${name}x, b`, words],
      ]);
      expect(row).toContain(`${organization.name}/team/app`);
      const described = await run(["describe", "tag-rule", JSON.parse(made.out).uid]);
      expect(described.out).toContain(words);
    },
  );
});

describe("an override", () => {
  test("needs a reason and the capability, in every command that changes a tag", async () => {
    const create = ["create", "tag", "team/app:v1", "--force", "--digest", second];
    expect((await run(create)).err).toContain("it can be set only once");
    const pusher = await newIdentity(organization, "registry.push");
    const asPusher = await commandsOf({ ...organization, owner: pusher });
    const refused = await asPusher([...create, "--override", "urgent fix"], {
      env: { PLATFORM_GROUP: organization.uid },
    });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("only once")]);
    expect((await run([...create, "--override", " "])).code).toBe(2);
    expect((await run([...create, "--override", "urgent fix"])).code).toBe(0);
    const remove = ["delete", "tag", "team/app:v1", "--yes"];
    expect((await run(remove)).err).toContain("it cannot be deleted");
    expect((await run([...remove, "--override", "not needed"])).code).toBe(0);
    expect((await run(["delete", "repo", "team/app", "--yes"])).err).toContain("keeps team/app:v2");
  });

  test("lets an owner delete the manifest of a kept tag, and then its repository", async () => {
    const { token } = organization.owner;
    const { uid } = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
      name: "images",
    });
    const mediaType = "application/vnd.oci.image.manifest.v1+json";
    const content = Buffer.from(JSON.stringify({ config: { size: 1 }, layers: [] }));
    const body = { mediaType, content: content.toString("base64") };
    const manifest = await createResource(`/registry/v2/manifests/${uid}`, token, body);
    for (const [name, digest] of [
      ["v1", manifest.digest],
      ["v2", first],
    ])
      await createResource(`/registry/v2/tags/${uid}`, token, { name, digest });
    for (const line of [
      ["delete", "manifest", manifest.uid, "--yes"],
      ["delete", "repo", "images", "--yes"],
    ]) {
      const refused = await run(line);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("keeps images:v")]);
      const ended = await run([...line, "--override", "leaked a secret"]);
      expect(ended).toMatchObject({ code: 0, err: "" });
    }
  });

  test("is next to the move in the history and in the list of moves", async () => {
    await setTag("old", first);
    const image = `${organization.uid}/team/app:v3`;
    await setTag("v3", first);
    const move = ["create", "tag", "team/app:v3", "--force", "--digest", second];
    await run([...move, "--override", "urgent fix"]);
    const PLATFORM_STATE = await newStateFolder(organization, { registryUrl: baseUrl() });
    const history = (...line: string[]) =>
      run(["history", image, ...line], { env: { PLATFORM_STATE } });
    const { out } = await history();
    expect(out).toMatch(new RegExp(`^\\S+\t${second}\treleases: urgent fix\n\\S+\t${first}\n$`));
    const json = JSON.parse((await history("--json")).out);
    expect(json.history).toMatchObject([
      { overriddenRule: "releases", overrideReason: "urgent fix" },
      { digest: first },
    ]);
    expect(json.history[1]).not.toHaveProperty("overriddenRule");
    const drawn = await run(["history", image], { env: { PLATFORM_STATE }, columns: 100 });
    expect(drawn.out).toContain("overrides the tag rule releases: urgent fix");
    const moves = await run(["moves", "--tag", "v3"]);
    expect(moves.out.split("\n")[0]).toMatch(/\treleases: urgent fix$/);
  });
});
