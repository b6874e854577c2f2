/** Records are matched with the packages of SBOMs, whichever comes first, and are one with what scanners find. */
import { beforeEach, describe, expect, test } from "vitest";
import { publicGroup } from "../advisory/public_feed.ts";
import { newRepoIn, putSbom } from "../registry/images/stored_images.ts";
import {
  grypeReport,
  matchOf,
  nvdRecord,
  packedReport,
} from "../registry/vuln_reports/grype_reports.ts";
import { loadCsaf } from "../vulnerabilities/vex/vex_imports.ts";
import { createResource, fakeDigest, randomName } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { csafDocument } from "../world/vex_documents.ts";
import {
  affected,
  bomOf,
  isMatched,
  newScene,
  npm,
  recordOf,
  type Scene,
  shortOf,
} from "./matches.ts";

let scene: Scene;
beforeEach(async () => {
  scene = await newScene();
});

/** Stores a report about the image. */
const scan = async (image: string, matches: object[], day = 1) => {
  const scanned = new Date(Date.UTC(2026, 4, day)).toISOString();
  const content = packedReport(grypeReport(matches, { scanned }));
  const body = { digest: fakeDigest(image), content };
  return (await createResource(`/registry/v2/vulnReports/${scene.repo}`, scene.token, body)).uid;
};

/** A match of the scanner in the package. */
const matchIn = (id: string, version: string, related: object[] = []) =>
  matchOf(id, "Low", { artifact: { name: "left", version, purl: npm(version) }, related });

describe("a record and an SBOM", () => {
  test("match in either order, and the finding names the package, the fix, the record and the SBOM", async () => {
    await scene.load([recordOf("GHSA-1", { aliases: ["CVE-1"] })]);
    await scene.store("one", npm("1.0.0"), npm("2.0.0"), npm("1.0.0", "right"));
    const [finding, ...others] = await scene.matched();
    expect(others).toEqual([]);
    const [advisory] = await sql<{ uid: string }>(
      "select uid from advisories where parent = ?",
      scene.organization.uid,
    );
    const [sbom] = await sql<{ uid: string }>("select uid from sboms where parent = ?", scene.repo);
    expect(finding).toEqual({
      uid: expect.stringMatching(new RegExp(`^${scene.repo}/[0-9a-f]{16}$`)),
      repoUid: scene.repo,
      repoName: expect.any(String),
      digest: fakeDigest("one"),
      vulnerabilityId: "GHSA-1",
      aliases: ["CVE-1"],
      severity: "FINDING_SEVERITY_CRITICAL",
      package: { name: "left", version: "1.0.0", purl: npm("1.0.0"), type: "npm" },
      fixState: "FIX_STATE_FIXED",
      fixedVersions: ["2.0.0"],
      foundBy: "FOUND_BY_SBOM",
      state: "FINDING_STATE_AFFECTED",
      advisoryUids: [advisory?.uid],
      sbomUid: sbom?.uid,
      foundTime: expect.any(String),
    });
    await scene.store("two", npm("1.5.0"));
    expect(shortOf(await scene.matched())).toEqual(["GHSA-1 1.0.0 SBOM", "GHSA-1 1.5.0 SBOM"]);
    await scene.load([recordOf("GHSA-2", { affected: [affected("left", "1.2.0")] })]);
    expect(shortOf(await scene.matched())).toEqual([
      ...["GHSA-1 1.0.0 SBOM", "GHSA-1 1.5.0 SBOM", "GHSA-2 1.0.0 SBOM"],
    ]);
  });

  test("a changed range ends findings and begins others, and the rest keep their uids", async () => {
    await scene.store("one", npm("1.0.0"), npm("2.5.0"), npm("3.0.0"));
    await scene.load([recordOf("X-1")]);
    const before = await scene.matched();
    const ranges = [{ type: "SEMVER", events: [{ introduced: "2.0.0" }, { fixed: "4.0.0" }] }];
    const changed = { package: { ecosystem: "npm", name: "left" }, ranges };
    await scene.load([recordOf("X-1", { modified: "2026-01-02T00:00:00Z", affected: [changed] })]);
    expect(shortOf(await scene.matched())).toEqual(["X-1 2.5.0 SBOM", "X-1 3.0.0 SBOM"]);
    await scene.load([recordOf("X-1", { modified: "2026-01-03T00:00:00Z" })]);
    // Those that ended are found again.
    const again = { foundTime: expect.any(String) };
    expect(await scene.matched()).toEqual(before.map((row) => ({ ...row, ...again })));
  });

  test("a withdrawn record has no findings, and has them again when it is published again", async () => {
    await scene.store("one", npm("1.0.0"));
    await scene.load([recordOf("X-1")]);
    expect(await scene.matched()).toHaveLength(1);
    const withdrawn = "2026-01-02T00:00:00Z";
    await scene.load([recordOf("X-1", { modified: withdrawn, withdrawn })]);
    expect(await scene.matched()).toEqual([]);
    expect(
      await sql("select * from affected_packages where ancestor0 = ?", scene.organization.uid),
    ).toEqual([]);
    await scene.load([recordOf("X-1", { modified: "2026-01-03T00:00:00Z" })]);
    expect(await scene.matched()).toHaveLength(1);
  });

  test("a new SBOM of the image ends the findings of packages that it does not have any more", async () => {
    await scene.load([recordOf("X-1")]);
    await scene.store("one", npm("1.0.0"), npm("1.1.0"));
    expect(await scene.matched()).toHaveLength(2);
    await scene.store("one", npm("1.1.0"), npm("1.2.0"));
    expect(shortOf(await scene.matched())).toEqual(["X-1 1.1.0 SBOM", "X-1 1.2.0 SBOM"]);
    const [image] = await sql(
      "select finding_count from examined_images where parent = ?",
      scene.repo,
    );
    expect(image).toEqual({ finding_count: 2 });
  });

  test("match only below the group of the record", async () => {
    const { uid } = await createResource(`/iam/v2/groups/${scene.organization.uid}`, scene.token, {
      name: randomName("team"),
    });
    const inner = String(await newRepoIn({ ...scene.organization, uid }));
    await putSbom(scene.organization, inner, fakeDigest("inner"), bomOf(npm("1.0.0")));
    await scene.store("outer", npm("1.0.0"));
    await scene.load([recordOf("X-1")], uid);
    expect((await scene.matched()).map(({ digest }) => digest)).toEqual([fakeDigest("inner")]);
    await scene.store("later", npm("1.0.0"));
    expect(await scene.matched()).toHaveLength(1);
    const other = await newScene();
    await other.store("other", npm("1.0.0"));
    expect(await other.matched()).toEqual([]);
  });

  test("a purged record leaves no findings", async () => {
    await scene.store("one", npm("1.0.0"));
    await scene.load([recordOf("X-1")]);
    expect(await scene.matched()).toHaveLength(1);
    const { uid } = scene.organization;
    const path = `/vulnerabilities/v2/advisories/${uid}:purge`;
    const answer = await callRest(path, { token: scene.token, body: { force: true } });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    // A purge leaves the work to the schedule, or to the next call that has matching to do.
    await scene.store("two", npm("9.0.0"));
    expect(await scene.matched()).toEqual([]);
  });
});

describe("what cannot be decided is unknown, and is shown", () => {
  test("with the reason: an unreadable version, an unknown order, an unknown release", async () => {
    await scene.store("one", npm("weird"), "pkg:deb/debian/left@1.0-1", npm("3.0.0"));
    const debian = affected("left", "2.0-1", "Debian:12");
    await scene.load([recordOf("X-1", { affected: [affected("left", "2.0.0"), debian] })]);
    const found = await scene.matched();
    expect(shortOf(found)).toEqual(["X-1 1.0-1 SBOM UNKNOWN", "X-1 weird SBOM UNKNOWN"]);
    expect(found.map(({ unknownReason }) => unknownReason).sort()).toEqual([
      "the SBOM names no release of the distribution",
      "the version cannot be compared in the order of semver",
    ]);
    expect(await scene.find({ state: "FINDING_STATE_AFFECTED" })).toEqual([]);
    expect(await scene.find({ state: "FINDING_STATE_UNKNOWN" })).toHaveLength(2);
  });

  test("never across releases of a distribution", async () => {
    const deb = (distro: string) => `pkg:deb/debian/left@1.0-1?distro=${distro}`;
    await scene.store("bookworm", deb("debian-12"));
    await scene.store("trixie", deb("debian-13"));
    await scene.load([recordOf("X-1", { affected: [affected("left", "2.0-1", "Debian:12")] })]);
    expect((await scene.matched()).map(({ digest }) => digest)).toEqual([fakeDigest("bookworm")]);
  });
});

describe("a scanner's finding and a match of the same vulnerability are one", () => {
  const record = recordOf("GHSA-1", { aliases: ["CVE-1"] });
  const steps = {
    report: () => scan("one", [matchIn("CVE-1", "1.0.0"), matchIn("CVE-9", "1.0.0")]),
    sbom: () => scene.store("one", npm("1.0.0")),
    record: () => scene.load([record]),
  };
  const orders: (keyof typeof steps)[][] = [
    ["report", "sbom", "record"],
    ["report", "record", "sbom"],
    ["sbom", "report", "record"],
    ["sbom", "record", "report"],
    ["record", "report", "sbom"],
    ["record", "sbom", "report"],
  ];

  test.each(orders)("in the order %s, %s, %s", async (...order) => {
    for (const step of order) {
      await steps[step]();
      await isMatched(scene.organization.uid);
    }
    const found = await scene.find();
    expect(shortOf(found)).toEqual(["CVE-1 1.0.0 BOTH", "CVE-9 1.0.0 SCANNER"]);
    const both = found.find(({ foundBy }) => foundBy === "FOUND_BY_BOTH");
    expect(both).toMatchObject({
      ...{ aliases: ["GHSA-1"], severity: "FINDING_SEVERITY_LOW", fixedVersions: ["3.0.13-1"] },
      ...{ reportUid: expect.any(String), sbomUid: expect.any(String) },
    });
    const bothOf = await scene.find({ found_by: "FOUND_BY_BOTH" });
    expect(bothOf).toEqual([both]);
    expect(await scene.find({ found_by: "FOUND_BY_SBOM" })).toEqual([]);
    for (const vulnerability of ["CVE-1", "GHSA-1"])
      expect(await scene.find({ vulnerability })).toEqual([both]);
  });

  test("a report without the finding leaves the match, and a withdrawn record leaves the scanner's", async () => {
    for (const step of ["report", "sbom", "record"] as const) await steps[step]();
    expect(shortOf(await scene.matched())).toContain("CVE-1 1.0.0 BOTH");
    await scan("one", [matchIn("CVE-9", "1.0.0")], 2);
    const left = await scene.find();
    expect(shortOf(left)).toEqual(["CVE-9 1.0.0 SCANNER", "GHSA-1 1.0.0 SBOM"]);
    const match = left.find(({ foundBy }) => foundBy === "FOUND_BY_SBOM");
    expect(match).toMatchObject({
      severity: "FINDING_SEVERITY_CRITICAL",
      fixedVersions: ["2.0.0"],
    });
    expect(match).not.toHaveProperty("reportUid");
    await scan("one", [matchIn("CVE-1", "1.0.0")], 3);
    expect(shortOf(await scene.find())).toEqual(["CVE-1 1.0.0 BOTH"]);
    const withdrawn = "2026-01-02T00:00:00Z";
    await scene.load([{ ...record, modified: withdrawn, withdrawn }]);
    expect(shortOf(await scene.matched())).toEqual(["CVE-1 1.0.0 SCANNER"]);
  });

  test("an alias that joins two records makes one finding, and its end makes two again", async () => {
    await scene.store("one", npm("1.0.0"));
    await scene.load([recordOf("GHSA-1"), recordOf("PYSEC-1")]);
    expect(await scene.matched()).toHaveLength(2);
    const joining = recordOf("CVE-1", { aliases: ["GHSA-1", "PYSEC-1"] });
    await scene.load([joining]);
    const [one, ...others] = await scene.matched();
    expect(others).toEqual([]);
    expect(one).toMatchObject({ vulnerabilityId: "CVE-1", aliases: ["GHSA-1", "PYSEC-1"] });
    expect(one?.advisoryUids).toHaveLength(3);
    const modified = "2026-01-02T00:00:00Z";
    await scene.load([{ ...joining, modified, aliases: [] }]);
    expect(await scene.matched()).toHaveLength(3);
  });

  test("an unknown match does not make a scanner's finding one of both", async () => {
    await scene.store("one", npm("weird"));
    await scan("one", [matchIn("CVE-1", "weird", [nvdRecord("GHSA-1", "")])]);
    await scene.load([record]);
    const [finding, ...others] = await scene.matched();
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ foundBy: "FOUND_BY_SCANNER", state: "FINDING_STATE_AFFECTED" });
  });
});

describe("records of the public organization", () => {
  test("match the images of every organization, and leave them when they are withdrawn", async () => {
    const name = randomName("package");
    const { group, token, root } = await publicGroup();
    const record = recordOf(randomName("X"), { affected: [affected(name, "2.0.0")] });
    await scene.store("before", npm("1.0.0", name));
    const load = (change: object = {}) =>
      createResource(`/vulnerabilities/v2/osvRecords/${group}:import`, token, {
        records: [{ ...record, ...change }],
      });
    await load();
    await expect.poll(() => scene.find()).toHaveLength(1);
    await scene.store("after", npm("1.1.0", name));
    expect(await scene.matched()).toHaveLength(2);
    const withdrawn = "2026-01-02T00:00:00Z";
    await load({ modified: withdrawn, withdrawn });
    await isMatched(root);
    expect(await scene.find()).toEqual([]);
  });
});

test("a CSAF document about versions of a package matches SBOMs, under the id of the vulnerability", async () => {
  await scene.store("one", npm("1.0.0"), npm("3.0.0"));
  const purl = `${npm("").slice(0, -1)}?vers=vers:npm/<2.0.0`;
  const document = csafDocument("CVE-2026-1007");
  const [vulnerability] = document.vulnerabilities;
  const product = { product_id: "P", name: "left", product_identification_helper: { purl } };
  const csaf = {
    ...document,
    product_tree: { full_product_names: [product] },
    vulnerabilities: [
      {
        ...vulnerability,
        product_status: { known_affected: ["P"] },
        remediations: [{ category: "none_available", details: "None.", product_ids: ["P"] }],
        flags: [],
      },
    ],
  };
  const { status, body } = await loadCsaf(scene.token, scene.organization.uid, csaf);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toMatchObject({ created: 1, skippedCount: 0 });
  expect(shortOf(await scene.matched())).toEqual(["CVE-2026-1007 1.0.0 SBOM"]);
});

test("a CSAF statement about a part of an image matches no other image", async () => {
  await scene.store("one", npm("1.0.0"));
  const document = csafDocument("CVE-2026-1008");
  const [vulnerability] = document.vulnerabilities;
  const named = (product_id: string, purl: string) => ({
    ...{ product_id, name: product_id, product_identification_helper: { purl } },
  });
  const parts = (image: string) => ({
    ...document,
    product_tree: {
      full_product_names: [named("I", image), named("P", npm("1.0.0"))],
      relationships: [
        {
          category: "default_component_of",
          ...{ product_reference: "P", relates_to_product_reference: "I" },
          full_product_name: { product_id: "I:P", name: "left in the product" },
        },
      ],
    },
    vulnerabilities: [
      {
        ...vulnerability,
        product_status: { known_affected: ["I:P"] },
        remediations: [{ category: "none_available", details: "None.", product_ids: ["I:P"] }],
        flags: [],
      },
    ],
  });
  for (const image of ["pkg:oci/shop", `pkg:docker/shop@sha256%3A${"1".repeat(64)}`]) {
    const { status, body } = await loadCsaf(scene.token, scene.organization.uid, parts(image));
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ created: 1, skippedCount: 0 });
    expect(await scene.matched()).toEqual([]);
  }
});

test("a VEX statement applies to a match", async () => {
  await scene.store("one", npm("1.0.0"));
  await scene.load([recordOf("CVE-2026-1")]);
  const statement = {
    vulnerability: { name: "CVE-2026-1" },
    products: [{ "@id": npm("1.0.0") }],
    status: "not_affected",
    justification: "vulnerable_code_not_present",
  };
  const document = {
    "@context": "https://openvex.dev/ns/v0.2.0",
    ...{ "@id": "https://example.com/1", author: "a", timestamp: "2026-01-01T00:00:00Z" },
    ...{ version: 1, statements: [statement] },
  };
  await createResource(
    `/vulnerabilities/v2/openVexDocuments/${scene.organization.uid}:import`,
    scene.token,
    {
      ...{ documents: [document], strict: true },
    },
  );
  const [finding] = await scene.matched();
  expect(finding?.vex?.status).toBe("VEX_STATUS_NOT_AFFECTED");
});
