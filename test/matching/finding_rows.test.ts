/** The rows of findings follow from facts: one row for each package and vulnerability. */
import { describe, expect, test } from "vitest";
import type { Fact } from "../../schema/tables/registry/findings.ts";
import {
  type Found,
  factsOf,
  findingRows,
  type PackageColumns,
  packageIdentity,
  uidPrefix,
} from "../../src/matching/finding_rows.ts";

const image = { uid: "image", repo: "repo", digest: "sha256:1" };

const packageOf = (version = "1.0", more: Partial<PackageColumns> = {}): PackageColumns => ({
  packageName: "a",
  packageVersion: version,
  purl: `pkg:npm/a@${version}`,
  packageKey: "pkg:npm/a",
  productName: "a",
  ...more,
});

const fact = (id: string, more: Partial<Fact> = {}): Fact => ({
  ...{ advisory: "", package: "", id, aliases: [], severity: 5, fixState: 0, fixVersions: [] },
  unknown: "",
  ...more,
});

const scanned = (id: string, more: Partial<Fact> = {}): Found => ({
  fact: fact(id, more),
  package: packageOf(),
});

const matched = (id: string, more: Partial<Fact> = {}): Found =>
  scanned(id, { advisory: `group/${id}`, package: "p", ...more });

/** The rows in short. */
async function rowsOf(...found: Found[]) {
  const rows = await findingRows(image, found);
  const short = rows.map(({ vulnerabilityId: id, aliases, foundBy }) => ({ id, aliases, foundBy }));
  return short.sort((a, b) => (a.id < b.id ? -1 : 1));
}

describe("facts about the same vulnerability in a package are one row", () => {
  test("a scanner and a record with the same id, found by both", async () => {
    expect(await rowsOf(scanned("CVE-1"), matched("CVE-1"))).toEqual([
      { id: "CVE-1", aliases: [], foundBy: 3 },
    ]);
  });

  test("a scanner and a record with a common alias, under the id of the scanner", async () => {
    expect(await rowsOf(matched("GHSA-1", { aliases: ["CVE-1"] }), scanned("CVE-1"))).toEqual([
      { id: "CVE-1", aliases: ["GHSA-1"], foundBy: 3 },
    ]);
  });

  test("two records that an alias of a third one joins", async () => {
    const first = matched("GHSA-1");
    const second = matched("PYSEC-1");
    expect(await rowsOf(first, second)).toHaveLength(2);
    const joining = matched("CVE-1", { aliases: ["PYSEC-1", "GHSA-1"] });
    expect(await rowsOf(first, second, joining)).toEqual([
      { id: "CVE-1", aliases: ["GHSA-1", "PYSEC-1"], foundBy: 1 },
    ]);
  });

  test("a chain of aliases, in any order of the facts", async () => {
    const chain = [
      matched("A", { aliases: ["B"] }),
      matched("C", { aliases: ["D"] }),
      matched("B", { aliases: ["C"] }),
      matched("E", { aliases: ["D"] }),
    ];
    for (const order of [chain, chain.toReversed(), [3, 0, 2, 1].map((at) => chain[at] as Found)])
      expect(await rowsOf(...order)).toEqual([
        { id: "A", aliases: ["B", "C", "D", "E"], foundBy: 1 },
      ]);
  });

  test("ids in upper and lower case", async () => {
    expect(await rowsOf(scanned("GHSA-ABCD"), matched("GHSA-abcd"))).toEqual([
      { id: "GHSA-ABCD", aliases: [], foundBy: 3 },
    ]);
  });
});

describe("facts about different things are different rows", () => {
  test("vulnerabilities without a common id", async () => {
    expect(await rowsOf(scanned("CVE-1"), matched("CVE-2"))).toEqual([
      { id: "CVE-1", aliases: [], foundBy: 2 },
      { id: "CVE-2", aliases: [], foundBy: 1 },
    ]);
  });

  test("versions of a package, and packages with another name", async () => {
    const other = { ...matched("CVE-1"), package: packageOf("2.0") };
    const named = { ...scanned("CVE-1"), package: packageOf("1.0", { packageKey: "", purl: "" }) };
    const rows = await findingRows(image, [scanned("CVE-1"), other, named]);
    expect(rows.map(({ foundBy }) => foundBy).sort()).toEqual([1, 2, 2]);
    expect(new Set(rows.map(({ uid }) => uid)).size).toBe(3);
  });
});

describe("a package is the same for a scanner and an SBOM", () => {
  const identities = (...packages: PackageColumns[]) => new Set(packages.map(packageIdentity)).size;

  test("if only the qualifiers of its package URL differ", () => {
    expect(identities(packageOf(), packageOf("1.0", { purl: "pkg:npm/a@1.0?arch=x" }))).toBe(1);
  });

  test("if only the scanner names the epoch of its version", () => {
    const rpm = { packageKey: "pkg:rpm/redhat/a", purl: "pkg:rpm/redhat/a@1.0-1?epoch=2" };
    expect(identities(packageOf("2:1.0-1", rpm), packageOf("1.0-1", rpm))).toBe(1);
  });

  test("without a version in the package URL, by the version that is named", () => {
    const bare = { purl: "pkg:npm/a" };
    expect(identities(packageOf("1.0", bare), packageOf("2.0", bare), packageOf("1.0"))).toBe(2);
  });
});

describe("a row shows", () => {
  const rowOf = async (...found: Found[]) => (await findingRows(image, found))[0];

  test("the severity and the fix of the scanner, before those of a record", async () => {
    const ofScanner = scanned("CVE-1", { severity: 3, fixVersions: ["1.1"], fixState: 1 });
    const ofRecord = matched("CVE-1", { severity: 6, fixVersions: ["1.2"], fixState: 1 });
    expect(await rowOf(ofRecord, ofScanner)).toMatchObject({
      ...{ severity: 3, fixVersions: ["1.1"], fixState: 1, hasFix: true },
    });
  });

  test("the severity and the fix of the record, if the scanner has none", async () => {
    const ofScanner = scanned("CVE-1", { severity: 1, fixState: 2 });
    const ofRecord = matched("CVE-1", { severity: 6, fixVersions: ["1.2"], fixState: 1 });
    expect(await rowOf(ofScanner, ofRecord)).toMatchObject({
      ...{ severity: 6, fixVersions: ["1.2"], fixState: 1, hasFix: true },
    });
  });

  test("the highest severity of a scanner that names a vulnerability by two ids, and all fixes", async () => {
    const [low, high] = [3, 5].map((severity) =>
      scanned(`CVE-${severity}`, {
        aliases: ["GHSA-1"],
        severity,
        fixVersions: [`${severity}`],
        fixState: 1,
      }),
    ) as [Found, Found];
    expect(await rowOf(low, high)).toMatchObject({ severity: 5, fixVersions: ["3", "5"] });
  });

  test("that it is not known whether the package is affected, only if no fact is certain", async () => {
    const unknown = matched("CVE-1", { unknown: "why", severity: 6, fixVersions: ["9"] });
    expect(await rowOf(unknown)).toMatchObject({ unknown: "why", foundBy: 1 });
    const certain = matched("CVE-2", { aliases: ["CVE-1"], severity: 3 });
    expect(await rowOf(unknown, certain)).toMatchObject({
      ...{ unknown: "", severity: 3, fixVersions: [], foundBy: 1, vulnerabilityId: "CVE-2" },
    });
    expect(await rowOf(unknown, scanned("CVE-1"))).toMatchObject({ unknown: "", foundBy: 2 });
  });

  test("the same uid, whether a scanner, a record or both found it", async () => {
    const ofRecord = matched("GHSA-1", { aliases: ["CVE-1"] });
    const ofScanner = scanned("GHSA-1", { aliases: ["CVE-1"] });
    const uids = [[ofRecord], [ofScanner], [ofRecord, ofScanner]].map(
      async (found) => (await rowOf(...found))?.uid,
    );
    expect(new Set(await Promise.all(uids)).size).toBe(1);
    const prefix = await uidPrefix(image, packageIdentity(packageOf()));
    expect(await uids[0]).toMatch(new RegExp(`^${prefix}[0-9a-f]{10}$`));
    expect(prefix).toMatch(/^repo\/[0-9a-f]{6}$/);
  });
});

describe("the facts of a stored row are those that made it", () => {
  test("of a scanner alone, from its columns", async () => {
    const found = scanned("CVE-1", { aliases: ["GHSA-1"], fixVersions: ["1.1"], fixState: 1 });
    const [row] = await findingRows(image, [found]);
    expect(row?.facts).toEqual([]);
    expect(row && factsOf(row)).toEqual([found]);
  });

  test("of a scanner and a record, with the package of each", async () => {
    const of = packageOf("1.0", { purl: "pkg:npm/a@1.0?x=y" });
    const both = [scanned("CVE-1"), { ...matched("CVE-1"), package: of }];
    const [row] = await findingRows(image, both);
    expect(row && factsOf(row, of)).toEqual(both);
    expect(row?.purl).toBe("pkg:npm/a@1.0");
  });
});
