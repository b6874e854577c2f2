/** The severity of a vulnerability follows from its CVSS vectors and from the words of a record. */
import { expect, test } from "vitest";
import { FindingSeverity as Severity } from "../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import { Severity_Type as Type } from "../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import { severityOf, wordOf } from "../../src/vulnerabilities/severity.ts";

const four = "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/";

/** Vectors with the ratings of their scores in the calculators of FIRST and NVD. */
const vectors: [type: Type, score: string, rating: Severity][] = [
  [Type.CVSS_V3, "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", Severity.CRITICAL], // 9.8
  [Type.CVSS_V3, "CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:H", Severity.CRITICAL], // 9.9
  [Type.CVSS_V3, "CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H", Severity.HIGH], // 8.8
  [Type.CVSS_V3, "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H", Severity.HIGH], // 7.5
  [Type.CVSS_V3, "CVSS:3.1/AV:L/AC:H/PR:H/UI:N/S:U/C:H/I:H/A:H", Severity.MEDIUM], // 6.4
  [Type.CVSS_V3, "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", Severity.MEDIUM], // 6.1
  [Type.CVSS_V3, "CVSS:3.1/AV:L/AC:H/PR:L/UI:N/S:U/C:H/I:N/A:N", Severity.MEDIUM], // 4.7
  [Type.CVSS_V3, "CVSS:3.1/AV:N/AC:H/PR:N/UI:R/S:U/C:N/I:L/A:N", Severity.LOW], // 3.1
  [Type.CVSS_V3, "CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N", Severity.LOW], // 1.6
  [Type.CVSS_V3, "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N", Severity.NEGLIGIBLE], // 0
  [Type.CVSS_V3, "CVSS:3.1/AV:N/AC:L", Severity.UNKNOWN],
  [Type.CVSS_V2, "AV:N/AC:L/Au:N/C:C/I:C/A:C", Severity.HIGH], // 10
  [Type.CVSS_V2, "AV:N/AC:L/Au:N/C:P/I:P/A:P", Severity.HIGH], // 7.5
  [Type.CVSS_V2, "AV:N/AC:M/Au:N/C:P/I:P/A:P", Severity.MEDIUM], // 6.8
  [Type.CVSS_V2, "AV:N/AC:M/Au:N/C:N/I:P/A:N", Severity.MEDIUM], // 4.3
  [Type.CVSS_V2, "AV:L/AC:L/Au:N/C:P/I:N/A:N", Severity.LOW], // 2.1
  [Type.CVSS_V2, "AV:L/AC:L/Au:N/C:N/I:N/A:N", Severity.NEGLIGIBLE], // 0
  [Type.CVSS_V2, "AV:L", Severity.UNKNOWN],
  [Type.CVSS_V4, `${four}VC:H/VI:H/VA:H/SC:N/SI:N/SA:N`, Severity.CRITICAL], // 9.3
  [Type.CVSS_V4, `${four}VC:N/VI:N/VA:H/SC:N/SI:N/SA:N`, Severity.HIGH], // 8.7
  [Type.CVSS_V4, `${four}VC:N/VI:N/VA:L/SC:N/SI:N/SA:N`, Severity.MEDIUM], // 6.9
  [Type.CVSS_V4, `${four}VC:N/VI:N/VA:L/SC:N/SI:N/SA:N/E:U`, Severity.LOW], // 2.7
  [Type.CVSS_V4, `${four}VC:N/VI:N/VA:N/SC:N/SI:N/SA:N`, Severity.NEGLIGIBLE], // 0
  [Type.CVSS_V4, "CVSS:4.0/AV:N/AC:L", Severity.UNKNOWN],
];

test.each(vectors)("a vector %i %s is rated %i", (type, score, rating) => {
  expect(severityOf([{ type, score }])).toBe(rating);
});

test("CVSS 4 comes before CVSS 3, CVSS 3 before a word, a word before CVSS 2, and the highest of several counts", () => {
  const two = { type: Type.CVSS_V2, score: "AV:N/AC:L/Au:N/C:C/I:C/A:C" };
  const three = {
    type: Type.CVSS_V3,
    score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N",
  };
  expect(severityOf([two, three], Severity.LOW)).toBe(Severity.MEDIUM);
  expect(severityOf([two], Severity.LOW)).toBe(Severity.LOW);
  const low = { ...three, score: "CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N" };
  expect(severityOf([low, three])).toBe(Severity.MEDIUM);
  const newest = { type: Type.CVSS_V4, score: `${four}VC:H/VI:H/VA:H/SC:N/SI:N/SA:N` };
  expect(severityOf([two, three, newest], Severity.LOW)).toBe(Severity.CRITICAL);
  expect(severityOf([])).toBe(Severity.UNKNOWN);
});

test("the word is that of the database, or of a severity, in any case", () => {
  expect(wordOf({ database_specific: { severity: "MODERATE" } })).toBe(Severity.MEDIUM);
  expect(wordOf({ severity: [{ type: "Ubuntu", score: "high" }] })).toBe(Severity.HIGH);
  expect(
    wordOf({
      database_specific: { severity: "LOW" },
      severity: [{ type: "Ubuntu", score: "high" }],
    }),
  ).toBe(Severity.LOW);
  for (const odd of [
    {},
    { database_specific: [] },
    { database_specific: { severity: 7 } },
    { severity: ["high"] },
  ])
    expect(wordOf(odd)).toBeUndefined();
});
