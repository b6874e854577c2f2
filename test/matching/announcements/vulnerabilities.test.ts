/** Findings and announcements with a common id are about the same vulnerability. */
import { describe, expect, test } from "vitest";
import {
  changedIds,
  shownId,
  stateOf,
  vulnerabilitiesOf,
} from "../../../src/matching/announcements/vulnerabilities.ts";

const finding = (
  uid: string,
  vulnerabilityId: string,
  aliases: string[] = [],
  more: object = {},
) => ({
  ...{ uid, imageUid: "i", vulnerabilityId, aliases, unknown: "", hasStatements: 0 },
  ...more,
});
const announced = (vulnerability: string, ids = [vulnerability]) => ({
  ...{ imageUid: "i", vulnerability, severity: 1, ids },
});
const short = (all: ReturnType<typeof vulnerabilitiesOf>) =>
  all.map(({ key, findings, announced: known }) => [
    key,
    findings.map(({ uid }) => uid).join(""),
    known.map(({ vulnerability }) => vulnerability).join(""),
  ]);

describe("vulnerabilities are joined", () => {
  test("by ids in any case, also by way of others and of announcements, and sorted by their first id", () => {
    const findings = [
      finding("1", "GHSA-b", ["CVE-2"]),
      finding("2", "cve-3"),
      finding("3", "X", ["ghsa-B"]),
      finding("4", "CVE-1"),
      finding("5", "CVE-9", ["CVE-2"]),
    ];
    expect(short(vulnerabilitiesOf(findings, [announced("CVE-3", ["CVE-3", "CVE-4"])]))).toEqual([
      ["CVE-1", "4", ""],
      ["CVE-2", "135", ""],
      ["CVE-3", "2", "CVE-3"],
    ]);
    expect(
      short(
        vulnerabilitiesOf(
          [finding("1", "A"), finding("2", "B")],
          [announced("A", ["A", "B"]), announced("C")],
        ),
      ),
    ).toEqual([
      ["A", "12", "A"],
      ["C", "", "C"],
    ]);
  });

  test("without a comparison of each with each", () => {
    const findings = Array.from({ length: 20_000 }, (_, n) =>
      finding(String(n), `A-${n}`, [`A-${n + 1}`]),
    );
    expect(vulnerabilitiesOf(findings, [])).toHaveLength(1);
  });
});

test("statements decide only if every certain finding can have one", () => {
  const [certain, decided, unknown] = [
    finding("1", "A"),
    finding("2", "A", [], { hasStatements: 1 }),
    finding("3", "A", [], { unknown: "why" }),
  ];
  const stateOfAll = (...findings: (typeof certain)[]) =>
    stateOf({ key: "A", findings, announced: [] });
  expect(stateOfAll(certain, decided, unknown)).toBe("affected");
  expect(stateOfAll(decided, unknown)).toBe("undecided");
  expect([stateOfAll(unknown), stateOfAll()]).toEqual(["ended", "ended"]);
});

test("a vulnerability is announced by its CVE id as it is written, or else by its GHSA id", () => {
  expect(shownId([finding("1", "GHSA-b"), finding("2", "DSA-1", ["CVE-2", "CVE-1"])])).toBe(
    "CVE-1",
  );
  expect(shownId([finding("1", "DSA-1", ["GHSA-b"])])).toBe("GHSA-b");
});

test("the ids of an announcement always contain its own", () => {
  const one = { key: "A", findings: [finding("1", "b")], announced: [] };
  expect(changedIds(one, announced("Ghsa-a", ["GHSA-A"]))).toEqual(["B", "GHSA-A"]);
  expect(changedIds(one, announced("Ghsa-a", ["B", "GHSA-A"]))).toBeUndefined();
});
