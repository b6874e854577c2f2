import { spawn } from "node:child_process";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { sbomContent } from "../contract/requests.ts";
import { newProvider } from "../issuer/login/logins.ts";
import { osvOf } from "../races/fixtures.ts";
import { grypeReport, matchOf, packedReport } from "../registry/vuln_reports/grype_reports.ts";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  type Organization,
  roleUid,
} from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { long, tiers } from "../world/tiers.ts";
import { csafDocument, openVexDocument } from "../world/vex_documents.ts";
import { newStateFolder, platformctl, root } from "./command.ts";

let organization: Organization;
let env: NodeJS.ProcessEnv;
beforeEach(async () => {
  organization = await newOrganization();
  env = { PLATFORM_STATE: await newStateFolder(organization), NO_COLOR: "1" };
});

/** In milliseconds: the test fills three groups through the API and starts programs. */
const patience = 120_000;

const tables = [
  ...[
    "groups",
    "repos",
    "tags",
    "tag_rules",
    "manifests",
    "sboms",
    "vuln_reports",
    "advisories",
    "artifacts",
  ],
  ...["advisory_documents", "artifact_versions", "vulnerability_metadata", "group_invites"],
  ...["account_associations", "identity_providers", "external_group_role_mappings", "identities"],
  ...["roles", "role_bindings", "subscriptions", "terms_acceptances"],
];

/** The tables that have rows in the organization, with the group itself. */
async function tablesOf(uid: string): Promise<string[]> {
  const below = "uid = ?1 or (uid > ?1 || '/' and uid < ?1 || '0')";
  const each = tables.map((table) => `exists (select 1 from ${table} where ${below}) as ${table}`);
  const [found = {}] = await sql<Record<string, number>>(`select ${each}`, uid);
  return tables.filter((table) => found[table] === 1);
}

/** One of every resource in a group. */
async function fill(uid: string, { repos = 1 } = {}) {
  const { token, uid: owner } = organization.owner;
  const at = (path: string, body: object) => createResource(`${path}/${uid}`, token, body);
  for (let i = 0; i < repos; i++) {
    const repo = await at("/registry/v2/repos", { name: `repo-${i}` });
    await createResource(`/registry/v2/tags/${repo.uid}`, token, {
      name: "1.0",
      digest: fakeDigest("one"),
    });
    if (i > 0) continue;
    const mediaType = "application/vnd.oci.image.manifest.v1+json";
    const config = {
      mediaType: "application/vnd.oci.empty.v1+json",
      size: 2,
      digest: fakeDigest("c"),
    };
    const content = Buffer.from(JSON.stringify({ mediaType, config, layers: [] })).toString(
      "base64",
    );
    await createResource(`/registry/v2/manifests/${repo.uid}`, token, { mediaType, content });
    await createResource(`/registry/v2/sboms/${repo.uid}`, token, {
      digest: fakeDigest("one"),
      content: sbomContent("x"),
    });
    await createResource(`/registry/v2/vulnReports/${repo.uid}`, token, {
      ...{
        digest: fakeDigest("one"),
        content: packedReport(grypeReport([matchOf("CVE-2026-1", "High")])),
      },
    });
  }
  const load = (collection: string, body: object) =>
    createResource(`/vulnerabilities/v2/${collection}/${uid}:import`, token, body);
  const rule = { name: "forward", keep: { forward: "FORWARD_ORDER_VERSION" } };
  await at("/registry/v2/tagRules", { ...rule, includeTags: ["stable"] });
  await load("osvRecords", { records: [osvOf("OSV-1", "2026-01-01T00:00:00Z")] });
  await load("openVexDocuments", { documents: [openVexDocument("CVE-2026-1001")] });
  await load("csafDocuments", { documents: [csafDocument("CVE-2026-1002")] });
  const advisory = { advisoryId: "HAND-1", artifactName: "solo", artifactType: "apk" };
  await createResource("/vulnerabilities/v1/advisories", token, { parentId: uid, advisory });
  const capabilities = ["CAP_REPO_LIST"];
  const role = await at("/iam/v2/roles", { name: "used", capabilities });
  await at("/iam/v2/roles", { name: "unused", capabilities });
  const bot = await at("/iam/v2/identities", { name: "bot" });
  await at("/iam/v2/roleBindings", { identityUid: bot.uid, roleUid: role.uid });
  await at("/iam/v2/roleBindings", { identityUid: owner, roleUid: role.uid });
  await at("/iam/v2/groupInvites", { roleUid: role.uid, ttl: "3600s" });
  await at("/iam/v2/accountAssociations", { name: "clouds", amazon: { account: "123456789012" } });
  await at("/events/v2/subscriptions", { sink: "https://hooks.example/events" });
  const provider = await newProvider(uid, { issuer: "https://id.example", default_role: role.uid });
  const mapped = uid.includes("/") ? await roleUid("viewer") : role.uid;
  const mapping = { externalGroupId: "staff", roleUid: mapped, scope: uid.slice(0, 40) };
  await createResource(`/iam/v2/externalGroupRoleMappings/${provider}`, token, mapping);
  await at("/iam/v2/terms", { documentIds: ["sfdpa.v1"] });
}

/** An organization with groups below it, and one of every resource in each. */
async function fillAll(options = {}) {
  const { token } = organization.owner;
  const { uid: team } = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
    name: "team",
  });
  const { uid: inner } = await createResource(`/iam/v2/groups/${team}`, token, { name: "inner" });
  for (const uid of [organization.uid, team, inner]) await fill(uid, options);
  expect(await tablesOf(organization.uid)).toEqual(tables);
  return { team, inner };
}

const remove = (...args: string[]) =>
  platformctl(["delete", "group", organization.name, "--recursive", ...args], { env });

/** The same with confirmation, as a process that can receive signals. */
const startRemoval = () =>
  spawn(
    process.execPath,
    [
      join(root, "cli/platformctl.js"),
      ...["delete", "group", organization.name, "--recursive", "--confirm", organization.name],
    ],
    { env: { PATH: process.env.PATH, XDG_CONFIG_HOME: "/nowhere", ...env } },
  );

describe("an organization with one of everything, and groups below it", {
  timeout: patience,
}, () => {
  test("is deleted completely, after a plan, by the name of the group, leaves first", async () => {
    await fillAll();
    const plain = await platformctl(["delete", "group", organization.name, "--yes"], { env });
    expect(plain.code).toBe(1);
    expect(plain.err).toContain("add --recursive to delete everything in the group");
    const { code, out, err } = await remove("--confirm", organization.name);
    expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
    expect(out).toBe(
      `Deleted group ${organization.name} (${organization.uid}) and everything in it\n`,
    );
    expect(err).toMatch(/This permanently deletes group .* with everything in it/);
    for (const line of [
      "3 repos",
      "3 tags",
      "12 advisories",
      "3 artifacts",
      "6 roles",
      "3 identities",
    ]) {
      expect(err).toContain(`  ${line}\n`);
    }
    const deleted = [...err.matchAll(/^Deleted (.*)$/gm)].map(([, path]) => path);
    const { name } = organization;
    expect(deleted).toEqual([`${name}/team/inner`, `${name}/team`, name]);
    expect(await tablesOf(organization.uid)).toEqual([]);
    const totals = await sql(
      "select 1 from counts where (ancestor = ? or ancestor like ? || '/%') and (children <> 0 or descendants <> 0)",
      organization.uid,
      organization.uid,
    );
    expect(totals).toEqual([]);
  });

  test("can be deleted by a second run after the first was killed", long, async () => {
    await fillAll({ repos: 8 });
    const child = startRemoval();
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
      if (/^Deleted .*inner$/m.test(err)) child.kill("SIGKILL");
    });
    await new Promise((resolve) => child.once("close", resolve));
    expect(child.signalCode).toBe("SIGKILL");
    const left = await tablesOf(organization.uid);
    expect(left).toContain("groups");
    expect(left).toContain("repos");
    const { code, err: second } = await remove("--confirm", organization.name);
    expect({ code, err: code === 0 ? "" : second }).toEqual({ code: 0, err: "" });
    expect(second).not.toContain("inner");
    expect(await tablesOf(organization.uid)).toEqual([]);
  });

  const stops = [
    { what: "Ctrl-C", signals: 1 },
    { what: "Ctrl-C that npm passes on as well", signals: 2 },
  ];
  for (const [rows, tier] of tiers(stops, () => "Ctrl-C"))
    test.for(rows)(
      "is deleted further after $what stopped the command, which prints a message and no stack",
      tier,
      async ({ signals }) => {
        await fillAll({ repos: 8 });
        const child = startRemoval();
        let err = "";
        child.stderr.setEncoding("utf8").on("data", (text: string) => {
          const isFirst = !err.includes("inner: repos");
          err += text;
          if (!isFirst || !err.includes("inner: repos")) return;
          child.kill("SIGINT");
          // Two at the same moment would be one.
          if (signals > 1) setTimeout(() => child.kill("SIGINT"), 10);
        });
        const code = await new Promise((resolve) => child.once("close", resolve));
        expect(code).toBe(130);
        expect(err).toContain("To continue, run the same command again.");
        expect(err).not.toMatch(/ at .*\.ts:/);
        expect(await tablesOf(organization.uid)).toContain("groups");
        expect((await remove("--confirm", organization.name)).code).toBe(0);
        expect(await tablesOf(organization.uid)).toEqual([]);
      },
    );

  test("is deleted with everything that others create meanwhile", long, async () => {
    const { team } = await fillAll();
    const { token } = organization.owner;
    let isOver = false;
    let made = 0;
    const writer = (async () => {
      while (!isOver && made < 40) {
        const body = { name: `late-${made}` };
        const { status } = await callRest(
          `/registry/v2/repos/${made % 2 ? team : organization.uid}`,
          {
            token,
            body,
          },
        );
        if (status === 200) made += 1;
        else if (made > 0) break;
      }
    })();
    const { code, err } = await remove("--confirm", organization.name);
    isOver = true;
    await writer;
    expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
    expect(made).toBeGreaterThan(0);
    expect(await tablesOf(organization.uid)).toEqual([]);
  });
});

describe("confirmation", () => {
  test("without a terminal requires --confirm with the exact name, and --yes is not enough", async () => {
    const before = await tablesOf(organization.uid);
    const refused = [
      [[], 2, /Add --confirm/],
      [["--yes"], 2, /--yes is not enough/],
      [["--confirm", `${organization.name}x`], 1, /The name of the group is/],
      [["--confirm", ""], 1, /The name of the group is/],
      [["other", "--confirm", "other"], 2, /one group at a time/],
    ] as [string[], number, RegExp][];
    for (const [args, code, text] of refused) {
      const ended = await remove(...args);
      expect({ args, code: ended.code, out: ended.out }).toEqual({ args, code, out: "" });
      expect(ended.err).toMatch(text);
    }
    expect(await tablesOf(organization.uid)).toEqual(before);
  });

  test("on a terminal asks for the name, and another input deletes nothing", async () => {
    const typed = async (answer: string) => {
      const program = `'${process.execPath}' '${join(root, "cli/platformctl.js")}' delete group ${organization.uid} -r`;
      const child = spawn("script", ["-qec", `stty cols 100; ${program}`, "/dev/null"], {
        env: { PATH: process.env.PATH, XDG_CONFIG_HOME: "/nowhere", ...env },
      });
      let out = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        out += text;
        if (text.includes("Type the name")) child.stdin.write(`${answer}\n`);
      });
      const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
      return { code, out };
    };
    expect(await typed("y")).toMatchObject({
      code: 1,
      out: expect.stringContaining("Nothing was deleted"),
    });
    expect(await tablesOf(organization.uid)).toContain("groups");
    // A name may begin with a space, or be nothing else.
    const rename = (name: string) =>
      sql("update groups set name = ? where uid = ?", name, organization.uid);
    await rename("  ");
    expect((await typed("")).code).toBe(1);
    await rename(` ${organization.name}`);
    expect((await typed(` ${organization.name}`)).code).toBe(0);
    expect(await tablesOf(organization.uid)).toEqual([]);
  });
});

describe("the caller's own access", { timeout: patience }, () => {
  test(
    "is kept to the end if an identity of the organization is its only owner",
    long,
    async () => {
      await fillAll();
      const bot = await newIdentity(organization, "owner");
      await sql(
        "delete from role_bindings where parent = ? and identity_uid = ?",
        organization.uid,
        organization.owner.uid,
      );
      const owner = { ...organization, owner: bot };
      env = { PLATFORM_STATE: await newStateFolder(owner), NO_COLOR: "1" };
      const { code, err } = await remove("--confirm", organization.name);
      expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
      expect(await tablesOf(organization.uid)).toEqual([]);
    },
  );

  test("that is too narrow leaves the rest, says what and why, and exits with 1", async () => {
    const { token } = organization.owner;
    const { uid: group } = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: "g",
    });
    const repo = await createResource(`/registry/v2/repos/${group}`, token, { name: "kept" });
    const subscription = { sink: "https://hooks.example/events" };
    await createResource(`/events/v2/subscriptions/${group}`, token, subscription);
    const capabilities = [
      ...["CAP_IAM_GROUPS_DELETE", "CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST", "CAP_TAG_LIST"],
      ...["CAP_EVENTS_SUBSCRIPTION_LIST", "CAP_EVENTS_SUBSCRIPTION_DELETE"],
    ];
    const role = await createResource(`/iam/v2/roles/${organization.uid}`, token, {
      name: "some",
      capabilities,
    });
    const bot = await newIdentity(organization, undefined);
    const binding = { identityUid: bot.uid, roleUid: role.uid };
    await createResource(`/iam/v2/roleBindings/${organization.uid}`, token, binding);
    env = { PLATFORM_STATE: await newStateFolder({ ...organization, owner: bot }), NO_COLOR: "1" };
    const args = ["delete", "group", "g", "--recursive", "--confirm", "g"];
    const { code, err } = await platformctl(args, { env });
    expect(code).toBe(1);
    expect(err).toContain("These resources could not be deleted:");
    expect(err).toContain(`repo ${repo.uid}: Permission denied`);
    expect(await tablesOf(group)).toEqual(["groups", "repos"]);
  });

  test("is kept if the platform requires it, which the JSON output says", async () => {
    const viewer = await roleUid("viewer");
    const bot = await newIdentity(organization, undefined);
    await createResource(`/iam/v2/roleBindings/${organization.uid}`, organization.owner.token, {
      ...{ identityUid: bot.uid, roleUid: viewer },
    });
    const { code, out } = await remove("--confirm", organization.name, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ deleted: { identities: 1, groups: 1 }, kept: [] });
  });
});

describe("platformctl purge advisories", () => {
  test("deletes one source, or everything, after a question", async () => {
    const { token } = organization.owner;
    const load = (collection: string, body: object) =>
      createResource(`/vulnerabilities/v2/${collection}/${organization.uid}:import`, token, body);
    await load("osvRecords", { records: [osvOf("OSV-1", "2026-01-01T00:00:00Z")] });
    await load("openVexDocuments", { documents: [openVexDocument("CVE-2026-1001")] });
    const purge = (...args: string[]) =>
      platformctl(["purge", "advisories", "--group", organization.name, ...args], { env });
    expect(await purge()).toMatchObject({ code: 2, out: "" });
    expect(await purge("--source", "grype", "--yes")).toMatchObject({ code: 2 });
    expect(await purge("--source", "osv", "--yes")).toMatchObject({
      code: 0,
      out: "Deleted 1 advisory, 0 documents, 1 artifact, metadata of 1 vulnerability\n",
    });
    const { out } = await purge("--yes", "--json");
    expect(JSON.parse(out)).toMatchObject({
      advisories: 1,
      artifacts: 0,
      vulnerabilityMetadata: 1,
    });
    expect(await tablesOf(organization.uid)).toEqual(["groups", "role_bindings"]);
  });
});
