/** The document of a VEX statement that a person makes in the console. */
import { expect, test } from "vitest";
import type { Finding } from "../../../client/index.ts";
import {
  changedBy,
  coveredBy,
  documentOf,
  targetsOf,
  type VexTarget,
} from "../../../console/vulnerabilities/vex_statement.ts";

const organization = "a".repeat(40);
const [shop, below] = [`${organization}/${"1".repeat(16)}`, `${organization}/2/${"3".repeat(16)}`];
const digestOf = (digit: string) => `sha256:${digit.repeat(64)}`;

const finding = (repoUid: string, digit: string, more: Partial<Finding> = {}): Finding =>
  ({
    ...{ uid: `${repoUid}/${digit}`, repoUid, repoName: "shop", digest: digestOf(digit) },
    ...{ vulnerabilityId: "GHSA-jfh8-c2jp-5v3q", aliases: ["CVE-2021-44228"] },
    package: { purl: "pkg:maven/org.apache/log4j-core@2.14.1?type=jar" },
    ...more,
  }) as Finding;

const findings = [
  finding(shop, "1"),
  finding(shop, "2"),
  finding(below, "1"),
  finding(`${"b".repeat(40)}/${"1".repeat(16)}`, "1"),
  finding(`${organization}/${"4".repeat(16)}`, "1", { repoName: "tools" }),
];

const target = (digest = ""): VexTarget => ({ repoUid: shop, repoName: "shop", digest, tags: [] });
const about = { id: "urn:uuid:1", author: "ann@acme.example", now: Date.UTC(2026, 0, 2) };
const documentAbout = (chosen: VexTarget, covered: readonly Finding[]) =>
  documentOf(
    { target: chosen, status: "not_affected", justification: "component_not_present", note: " " },
    covered,
    about,
  );

test("a statement about a repository covers what the platform applies it to: the same name below its group", () => {
  expect(coveredBy(target(), findings)).toEqual(findings.slice(0, 3));
  expect(coveredBy(target(digestOf("1")), findings)).toEqual([findings[0], findings[2]]);
  expect(targetsOf(findings).slice(0, 3)).toEqual([
    target(),
    target(digestOf("1")),
    target(digestOf("2")),
  ]);
});

test("a statement names the image by its digest, and the package in any version", () => {
  const parts = [{ "@id": "pkg:maven/org.apache/log4j-core" }];
  expect(documentAbout(target(digestOf("1")), findings.slice(0, 1))).toMatchObject({
    timestamp: "2026-01-02T00:00:00.000Z",
    statements: [
      {
        vulnerability: { name: "CVE-2021-44228", aliases: ["GHSA-jfh8-c2jp-5v3q"] },
        products: [{ "@id": `pkg:oci/shop@sha256%3A${"1".repeat(64)}`, subcomponents: parts }],
        justification: "component_not_present",
      },
    ],
  });
  const unnamed = finding(shop, "3", { package: { name: "log4j-core" } });
  expect(documentAbout(target(), [...findings, unnamed])).toMatchObject({
    statements: [{ products: [{ "@id": "pkg:oci/shop" }] }],
  });
});

test("a statement is newer than the one that counts, and changes only findings with another outcome", () => {
  const stated = finding(shop, "5", {
    vex: {
      ...{ status: "VEX_STATUS_FIXED", aboutImage: true },
      statementTime: "2026-01-03T00:00:00Z",
    },
  });
  expect(documentAbout(target(), [stated])).toHaveProperty("timestamp", "2026-01-03T00:00:00.001Z");
  const [open] = findings;
  expect(changedBy("not_affected", [open as Finding, stated])).toEqual([open]);
  expect(changedBy("affected", [open as Finding, stated])).toEqual([stated]);
});
