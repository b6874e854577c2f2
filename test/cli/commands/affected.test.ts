/** The commands that find images by vulnerability and by package. */
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { bomOf, isMatched, npm, recordOf } from "../../matching/matches.ts";
import { newRepoNamed, putBom, putReport } from "../../registry/findings/stored_findings.ts";
import { putSbom } from "../../registry/images/stored_images.ts";
import { loadOpenVex, openVexOf } from "../../vulnerabilities/vex/vex_imports.ts";
import { createResource, fakeDigest, newOrganization } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { type CommandOptions, commandsOf } from "../command.ts";

let run: Awaited<ReturnType<typeof commandsOf>>;
let group: string;
let app: string;
const [old, fixed] = [fakeDigest("old"), fakeDigest("fixed")];

beforeAll(async () => {
  const organization = await newOrganization();
  const { token } = organization.owner;
  run = await commandsOf(organization);
  group = organization.name;
  const [first = "", web = ""] = await Promise.all(
    ["app", "web"].map((name) => newRepoNamed(organization, name)),
  );
  app = first;
  await putReport(token, app, old, ["2.14.1"]);
  await putReport(token, app, fixed, ["2.15.0"]);
  await putReport(token, web, old, ["2.14.1"]);
  await putBom(organization, app, old, ["2.14.1"]);
  await putSbom(organization, app, fixed, {
    ...{ bomFormat: "CycloneDX", specVersion: "1.6" },
    components: [{ type: "library", name: "rake", purl: "pkg:hackage/rake@13.0.0" }],
  });
  await putBom(organization, web, fixed, ["2.17.1"]);
  for (const name of ["1.0", "latest"]) {
    await createResource(`/registry/v2/tags/${app}`, token, { name, digest: old });
  }
  const statement = {
    vulnerability: { name: "CVE-2021-44228" },
    products: [{ "@id": "pkg:oci/web" }],
    status: "not_affected",
    justification: "vulnerable_code_not_present",
  };
  await loadOpenVex(token, organization.uid, openVexOf([statement]));
});

async function ran(args: string[], setting: CommandOptions = {}) {
  const answer = await run(args, { ...setting, env: { PLATFORM_GROUP: group } });
  return { ...answer, out: stripVTControlCharacters(answer.out) };
}

test("affected says why a statement about another range cannot be applied", async () => {
  const organization = await newOrganization();
  const { token } = organization.owner;
  const repo = await newRepoNamed(organization, "app");
  await putReport(token, String(repo), old, ["2.14.1"]);
  const purl = "pkg:maven/org.apache.logging.log4j/log4j-core?vers=all%20before%203";
  const statement = {
    vulnerability: { name: "CVE-2021-44228" },
    products: [{ "@id": purl }],
    status: "fixed",
  };
  await loadOpenVex(token, organization.uid, openVexOf([statement]));
  const commands = await commandsOf(organization);
  const args = ["affected", "CVE-2021-44228", "--group", organization.name];
  const { code, out } = await commands(args, { columns: 200 });
  expect(code).toBe(0);
  expect(stripVTControlCharacters(out)).toContain(
    'VEX not applied: its version range "all before 3" cannot be read, CVE-2021-44228-',
  );
});

describe("affected", () => {
  test("groups images by repository and tag, with fix and VEX status", async () => {
    const { code, out, err } = await ran(["affected", "CVE-2021-44228"], { columns: 100 });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const lines = [
      "CVE-2021-44228 affects 2 images in 1 repository. VEX resolves 1 finding, shown dimmed.",
      "",
      "app",
      `  1.0, latest  ${old.slice(0, 19)}`,
      "    CVE-2021-44228  critical  log4j-core 2.14.1  fixed in 2.17.1  found by scanner",
      `  (no tag)  ${fixed.slice(0, 19)}`,
      "    CVE-2021-44228  critical  log4j-core 2.15.0  fixed in 2.17.1  found by scanner",
      "",
      "web",
      `  (no tag)  ${old.slice(0, 19)}`,
      "    CVE-2021-44228  critical  log4j-core 2.14.1  fixed in 2.17.1  found by scanner  ",
    ];
    expect(out.slice(0, lines.join("\n").length)).toBe(lines.join("\n"));
    expect(out).toMatch(
      /VEX: not affected \(vulnerable_code_not_present\), CVE-2021-44228-web-\w+\n$/,
    );
  });

  test("prints a line of values for each finding if it does not go to a terminal", async () => {
    const { out } = await ran(["affected", "CVE-2021-44228", "--repo", "app", "--tagged"]);
    expect(out).toBe(
      `app\t1.0,latest\t${old}\tCVE-2021-44228\tcritical\tlog4j-core\t2.14.1\t2.17.1\t\tscanner\taffected\n`,
    );
  });

  test.each([
    [["CVE-2021-44228"], 3],
    [["CVE-2021-44228", "--open"], 2],
    [["CVE-2021-44228", "--tagged"], 1],
    [["CVE-2021-44228", "--repo", "web"], 1],
    [["pkg:maven/org.apache.logging.log4j/log4j-core@2.15.0"], 1],
    [["--severity", "critical", "--fixable"], 3],
    [["--found-by", "scanner"], 3],
    [["--found-by", "sbom"], 0],
    [["CVE-1999-0001"], 0],
    [["CVE-2021-44228", "--limit", "2"], 2],
    [["CVE-2021-44228", "--at", "30d"], 0],
    [["CVE-2021-44228", "--pulled-since", "7d"], 0],
    [["CVE-2021-44228", "--found-since", "1d"], 3],
    [["CVE-2021-44228", "--found-since", new Date(Date.now() + 3_600_000).toISOString()], 0],
  ])("%j finds the rows that the options name", async (args, count) => {
    const { code, out } = await ran(["affected", ...args, "--json"]);
    expect(code).toBe(0);
    const { findings, more } = JSON.parse(out);
    expect(findings).toHaveLength(count);
    expect(more).toBe(args.includes("--limit"));
  });

  test("--at finds the images to which tags led at that time, and --pulled-since those that were pulled", async () => {
    const now = new Date().toISOString();
    const at = await ran(["affected", "CVE-2021-44228", "--at", now], { columns: 100 });
    expect(at.out).toContain(`app\n  1.0, latest  ${old.slice(0, 19)}`);
    expect(at.out).not.toContain(fixed.slice(0, 19));
    await sql("insert or ignore into repo_storage (uid, organization_id) values (?, 1)", app);
    await sql(
      `insert into tag_pulls (repo_id, reference, identity, identity_name, time, days)
        select id, 'latest', 'ci', 'ci', ?, 1 from repo_storage where uid = ?`,
      ...[Date.now(), app],
    );
    const pulled = await ran(["affected", "CVE-2021-44228", "--pulled-since", "1d", "--json"]);
    expect(JSON.parse(pulled.out).findings).toMatchObject([{ digest: old, repoName: "app" }]);
    const contains = await ran(["contains", "log4j-core", "--pulled-since", "1d", "--json"]);
    expect(JSON.parse(contains.out).packages).toMatchObject([{ digest: old, repoName: "app" }]);
  });

  const log4j = "pkg:maven/org.apache.logging.log4j/log4j-core";

  test.each([
    [`${log4j}@<2.15`, ["app"]],
    [`${log4j}@>=2.15 <3`, ["web"]],
    [`${log4j}@2.14.1`, ["app"]],
    ["log4j-core", ["app", "web"]],
    [`${log4j}@<2`, []],
  ])("--package %s needs no advisory", async (name, repos) => {
    const { code, out, err } = await ran(["affected", "--package", name, "--json"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const names = JSON.parse(out).packages.map(({ repoName }: { repoName: string }) => repoName);
    expect(names.sort()).toEqual(repos);
  });

  test.each([
    [["CVE-2021-44228", "--package", "log4j-core"], "not both"],
    [["--package", "log4j-core", "--severity", "high"], "--severity"],
    [["CVE-2021-44228", "--at", "30d", "--tagged"], "--tagged"],
    [["CVE-2021-44228", "--at", "30d", "--pulled-since", "1d"], "--pulled-since"],
    [["CVE-2021-44228", "--at", "soon"], "soon is not a time"],
  ])("%j is refused", async (args, text) => {
    const { code, err } = await ran(["affected", ...args]);
    expect(code).toBe(2);
    expect(err).toContain(text);
  });

  test("--fail ends with 1 only if something is affected", async () => {
    expect((await ran(["affected", "CVE-2021-44228", "--fail"])).code).toBe(1);
    expect((await ran(["affected", "CVE-2021-44228", "--repo", "web", "--fail"])).code).toBe(0);
    expect((await ran(["affected", "CVE-1999-0001", "--fail"])).code).toBe(0);
  });

  test("says so if nothing is found", async () => {
    const { out } = await ran(["affected", "CVE-1999-0001"], { columns: 100 });
    expect(out).toBe("No image with an SBOM or a report that you can see has CVE-1999-0001.\n");
    expect((await ran(["affected", "CVE-1999-0001"])).out).toBe("");
  });
});

describe("affected without a scan", () => {
  test("shows what a record says about SBOMs, and what is not known does not count", async () => {
    const organization = await newOrganization();
    const { token } = organization.owner;
    const repo = String(await newRepoNamed(organization, "app"));
    await putSbom(organization, repo, old, bomOf(npm("1.0.0"), npm("weird")));
    await createResource(`/vulnerabilities/v2/osvRecords/${organization.uid}:import`, token, {
      records: [recordOf("GHSA-1")],
    });
    await isMatched(organization.uid);
    const commands = await commandsOf(organization);
    const args = ["affected", "GHSA-1", "--group", organization.name];
    const { out } = await commands(args, { columns: 150 });
    const text = stripVTControlCharacters(out);
    expect(text).toContain(
      "GHSA-1 affects 1 image in 1 repository. For 1 finding this is not known.",
    );
    expect(text).toMatch(/left 1\.0\.0 {2}fixed in 2\.0\.0 {2}found by SBOM\n/);
    expect(text).toMatch(
      /left weird {2}not known whether affected: the version cannot be compared/,
    );
    await putSbom(organization, repo, old, bomOf(npm("weird")));
    await isMatched(organization.uid);
    expect((await commands([...args, "--fail"])).code).toBe(0);
    expect((await commands(args)).out).toMatch(/\tsbom\tunknown\n$/);
  });
});

describe("contains", () => {
  test("groups images by repository and tag", async () => {
    const { code, out } = await ran(["contains", "log4j-core", "--below", "2.17"], {
      columns: 100,
    });
    expect(code).toBe(0);
    expect(out).toBe(
      `1 image in 1 repository contains log4j-core.\n\napp\n  1.0, latest  ${old.slice(0, 19)}\n    log4j-core 2.14.1  maven\n`,
    );
  });

  test("prints a line of values for each package if it does not go to a terminal", async () => {
    const { out } = await ran(["contains", "log4j-core", "--from", "2.17"]);
    const purl = "pkg:maven/org.apache.logging.log4j/log4j-core@2.17.1";
    expect(out).toBe(`web\t\t${fixed}\tlog4j-core\t2.17.1\t${purl}\t\t\n`);
  });

  test("marks versions that cannot be compared, and --fail ends with 1", async () => {
    const { code, out } = await ran(["contains", "rake", "--below", "1", "--fail"]);
    expect(code).toBe(1);
    expect(out).toBe(`app\t\t${fixed}\trake\t13.0.0\tpkg:hackage/rake@13.0.0\t\t?\n`);
    const shown = await ran(["contains", "rake", "--below", "1"], { columns: 100 });
    expect(shown.out).toContain('Check 1 version marked "?" yourself.');
    expect(shown.out).toContain("    rake 13.0.0 ?  hackage\n");
    expect((await ran(["contains", "log4j-core", "--below", "2", "--fail"])).code).toBe(0);
  });
});
