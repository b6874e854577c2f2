/** Scores of CVSS 4.0 are those of other calculators. */
import { expect, test } from "vitest";
import { score4 } from "../../src/vulnerabilities/cvss4.ts";

/**
 * Random vectors without their prefix, and their scores by `cvss` 3.6 of PyPI (LGPL-3.0). It also agreed on 60,000 others. The
 * first ones are at the bounds of ratings.
 */
const vectors: [vector: string, score: number][] = [
  ["AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H", 10],
  ["AV:L/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:H/SA:L/MAV:N/MPR:N/MSC:L/MSA:S", 10],
  ["AV:L/AC:L/AT:P/PR:N/UI:P/VC:H/VI:L/VA:N/SC:H/SI:L/SA:H/E:X/AR:X/MAT:N/MVA:H/MSA:S", 9.3],
  ["AV:N/AC:L/AT:N/PR:L/UI:P/VC:H/VI:N/VA:H/SC:L/SI:N/SA:H/MAT:X/MVC:N/MSI:S", 9.3],
  [
    "AV:N/AC:H/AT:P/PR:N/UI:N/VC:N/VI:N/VA:H/SC:H/SI:H/SA:N/IR:X/MAV:N/MAC:H/MUI:X/MVC:X/MVA:X/MSA:N",
    9,
  ],
  ["AV:N/AC:L/AT:P/PR:N/UI:N/VC:H/VI:L/VA:N/SC:H/SI:N/SA:N", 9],
  ["AV:A/AC:H/AT:P/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:L", 8.9],
  ["AV:N/AC:H/AT:N/PR:N/UI:P/VC:H/VI:H/VA:L/SC:H/SI:H/SA:H/IR:X/MAT:X/MVA:L/MSI:H/MSA:L", 8.9],
  ["AV:P/AC:H/AT:P/PR:L/UI:P/VC:H/VI:H/VA:L/SC:L/SI:H/SA:H", 7.1],
  ["AV:P/AC:H/AT:P/PR:H/UI:N/VC:N/VI:H/VA:H/SC:N/SI:L/SA:H/MAV:N/MAT:X/MSC:N", 7.1],
  ["AV:N/AC:H/AT:P/PR:H/UI:N/VC:H/VI:L/VA:H/SC:N/SI:H/SA:L/IR:L/AR:M/MAV:L/MPR:L/MSC:H", 7],
  ["AV:A/AC:H/AT:P/PR:H/UI:N/VC:L/VI:N/VA:H/SC:L/SI:L/SA:H", 7],
  ["AV:N/AC:L/AT:P/PR:H/UI:N/VC:N/VI:H/VA:N/SC:N/SI:N/SA:H", 6.9],
  ["AV:A/AC:L/AT:P/PR:N/UI:A/VC:H/VI:N/VA:L/SC:H/SI:N/SA:N", 6.9],
  ["AV:P/AC:L/AT:P/PR:H/UI:P/VC:H/VI:H/VA:L/SC:N/SI:L/SA:L/E:U/MAT:N/MPR:X/MSC:H", 5.3],
  ["AV:P/AC:H/AT:P/PR:H/UI:N/VC:H/VI:H/VA:L/SC:N/SI:N/SA:N", 5.3],
  ["AV:N/AC:H/AT:P/PR:H/UI:A/VC:N/VI:N/VA:N/SC:N/SI:H/SA:N", 4],
  ["AV:P/AC:L/AT:N/PR:H/UI:N/VC:L/VI:H/VA:N/SC:N/SI:N/SA:H/IR:M/MAV:P/MAT:P/MUI:X/MVC:N/MVI:H", 4],
  [
    "AV:A/AC:H/AT:N/PR:N/UI:P/VC:N/VI:L/VA:N/SC:L/SI:N/SA:N/E:X/IR:L/AR:X/MAV:A/MPR:L/MUI:A/MVC:H/MVI:N/MVA:L/MSA:L",
    3.9,
  ],
  [
    "AV:L/AC:H/AT:P/PR:N/UI:N/VC:L/VI:H/VA:L/SC:L/SI:L/SA:N/E:A/CR:L/IR:L/AR:M/MAV:X/MAC:X/MPR:H",
    3.9,
  ],
  ["AV:L/AC:H/AT:N/PR:L/UI:P/VC:N/VI:L/VA:L/SC:N/SI:N/SA:H/IR:H/MVC:X/MSC:L", 2],
  ["AV:A/AC:L/AT:P/PR:L/UI:A/VC:L/VI:N/VA:N/SC:L/SI:H/SA:N", 2],
  ["AV:N/AC:H/AT:N/PR:L/UI:A/VC:N/VI:N/VA:N/SC:L/SI:N/SA:N/E:U/IR:H/MAV:A/MVI:L", 0.1],
  ["AV:L/AC:H/AT:N/PR:L/UI:N/VC:N/VI:H/VA:N/SC:L/SI:N/SA:N/E:U/MAV:P/MPR:H/MUI:X/MVI:N/MSC:X", 0.1],
  ["AV:N/AC:H/AT:N/PR:H/UI:P/VC:N/VI:N/VA:N/SC:N/SI:N/SA:N/E:X/CR:X/IR:L/MAT:P/MSC:N", 0],
  ["AV:L/AC:H/AT:P/PR:L/UI:A/VC:N/VI:N/VA:N/SC:N/SI:N/SA:N", 0],
  ["AV:A/AC:L/AT:P/PR:L/UI:P/VC:N/VI:N/VA:N/SC:N/SI:N/SA:H", 1.8],
  ["AV:A/AC:H/AT:N/PR:N/UI:P/VC:H/VI:L/VA:L/SC:H/SI:N/SA:H", 7.1],
  ["AV:N/AC:H/AT:N/PR:L/UI:N/VC:N/VI:N/VA:N/SC:L/SI:L/SA:N", 2.3],
  ["AV:L/AC:H/AT:N/PR:H/UI:A/VC:H/VI:L/VA:L/SC:L/SI:H/SA:N", 5.8],
  ["AV:N/AC:H/AT:N/PR:H/UI:A/VC:L/VI:L/VA:H/SC:H/SI:L/SA:H", 7],
  ["AV:A/AC:L/AT:N/PR:N/UI:P/VC:N/VI:L/VA:L/SC:N/SI:H/SA:N", 6.1],
  ["AV:P/AC:L/AT:N/PR:N/UI:P/VC:N/VI:L/VA:L/SC:H/SI:H/SA:H", 4.7],
  ["AV:L/AC:H/AT:P/PR:N/UI:P/VC:H/VI:N/VA:H/SC:H/SI:H/SA:N", 7.1],
  ["AV:P/AC:L/AT:N/PR:N/UI:N/VC:N/VI:N/VA:N/SC:L/SI:H/SA:L", 4.4],
  ["AV:N/AC:H/AT:N/PR:N/UI:A/VC:N/VI:N/VA:H/SC:H/SI:N/SA:H", 7],
  ["AV:N/AC:H/AT:P/PR:L/UI:N/VC:L/VI:H/VA:N/SC:L/SI:N/SA:H/IR:L/MAV:X/MAC:X/MSC:L/MSI:S", 7.6],
  ["AV:A/AC:L/AT:N/PR:N/UI:A/VC:L/VI:N/VA:L/SC:N/SI:N/SA:H/CR:X/MAV:X/MAC:H/MSI:H/MSA:N", 4.3],
  [
    "AV:A/AC:L/AT:N/PR:H/UI:A/VC:L/VI:H/VA:H/SC:H/SI:N/SA:H/CR:H/AR:M/MAV:L/MVC:X/MVI:X/MVA:H/MSI:S",
    8.4,
  ],
  ["AV:A/AC:H/AT:P/PR:N/UI:P/VC:L/VI:N/VA:L/SC:H/SI:L/SA:H/E:U/IR:M/AR:H/MAV:A/MVI:N/MVA:N", 1.3],
  [
    "AV:L/AC:L/AT:P/PR:N/UI:P/VC:L/VI:H/VA:N/SC:L/SI:N/SA:N/E:P/CR:M/AR:X/MAV:A/MAC:H/MVA:L/MSC:L",
    5.1,
  ],
  [
    "AV:N/AC:L/AT:P/PR:N/UI:P/VC:N/VI:L/VA:H/SC:N/SI:N/SA:L/E:A/AR:H/MAV:P/MAT:X/MPR:H/MUI:N/MVA:X/MSC:X/MSA:H",
    5.6,
  ],
  ["AV:P/AC:H/AT:P/PR:N/UI:P/VC:H/VI:N/VA:N/SC:H/SI:N/SA:N/E:P/CR:X/MAT:X/MSI:L", 3.8],
  [
    "AV:N/AC:L/AT:N/PR:N/UI:P/VC:H/VI:N/VA:N/SC:N/SI:H/SA:N/E:U/AR:M/MAV:X/MAC:X/MAT:P/MVC:H/MVI:L/MVA:H/MSI:L",
    2.4,
  ],
  ["AV:A/AC:L/AT:N/PR:N/UI:N/VC:H/VI:N/VA:H/SC:H/SI:L/SA:H/IR:M/AR:X/MAC:L/MAT:N/MPR:X", 8.5],
  [
    "AV:P/AC:L/AT:P/PR:H/UI:P/VC:H/VI:N/VA:H/SC:L/SI:L/SA:H/E:A/CR:H/IR:M/MAC:L/MAT:N/MPR:H/MSC:N/MSA:N",
    5.2,
  ],
  [
    "AV:N/AC:H/AT:P/PR:H/UI:N/VC:L/VI:H/VA:H/SC:H/SI:N/SA:H/E:P/CR:H/MAC:H/MVC:H/MVI:N/MSC:N/MSA:S",
    7.1,
  ],
  ["AV:P/AC:L/AT:P/PR:L/UI:P/VC:N/VI:L/VA:L/SC:L/SI:H/SA:H/E:P/MAV:X/MPR:L/MVI:H/MSC:L/MSI:L", 4.1],
  [
    "AV:N/AC:L/AT:P/PR:H/UI:N/VC:N/VI:H/VA:H/SC:L/SI:N/SA:N/CR:L/MAV:A/MAC:X/MPR:N/MVC:N/MSI:N/MSA:H",
    7.1,
  ],
  [
    "AV:N/AC:H/AT:N/PR:H/UI:A/VC:N/VI:L/VA:H/SC:L/SI:N/SA:H/AR:M/MPR:H/MVC:H/MVI:H/MSC:L/MSI:H",
    8.6,
  ],
  [
    "AV:P/AC:H/AT:P/PR:N/UI:N/VC:L/VI:H/VA:L/SC:H/SI:N/SA:N/MAC:H/MAT:P/MPR:N/MUI:X/MVC:N/MSI:H",
    5.8,
  ],
  [
    "AV:P/AC:H/AT:N/PR:L/UI:P/VC:N/VI:N/VA:L/SC:L/SI:H/SA:N/MAV:P/MAC:L/MAT:N/MVC:N/MVI:L/MSC:N/MSA:L",
    4.2,
  ],
  ["AV:N/AC:L/AT:N/PR:L/UI:N/VC:H/VI:N/VA:L/SC:L/SI:L/SA:L/MAT:P/MVI:L/MVA:L/MSI:N/MSA:L", 6.1],
  [
    "AV:A/AC:H/AT:N/PR:H/UI:P/VC:H/VI:H/VA:H/SC:N/SI:L/SA:N/IR:L/AR:M/MAC:L/MAT:P/MUI:P/MVC:X/MSC:X/MSI:L",
    5.2,
  ],
  [
    "AV:A/AC:L/AT:N/PR:N/UI:A/VC:H/VI:H/VA:L/SC:H/SI:L/SA:N/E:U/IR:H/MAV:N/MAT:N/MSC:L/MSI:H/MSA:N",
    7.3,
  ],
  [
    "AV:L/AC:H/AT:N/PR:N/UI:P/VC:H/VI:H/VA:H/SC:H/SI:H/SA:N/CR:L/IR:M/AR:M/MAT:P/MUI:A/MVC:L/MSA:N",
    5.7,
  ],
];

test.each(vectors)("CVSS:4.0/%s", (vector, score) => {
  expect(score4(`CVSS:4.0/${vector}`)).toBe(score);
});

test("a metric that is not defined has the value that the standard gives it", () => {
  const base = "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N";
  expect(score4(base)).toBe(9.3);
  expect(score4(`${base}/E:X/CR:X/IR:X/AR:X/MAV:X/MVC:X`)).toBe(9.3);
  expect(score4(`${base}/E:A/CR:H/IR:H/AR:H/MAV:N/MVC:H`)).toBe(9.3);
  // The supplemental metrics change no score.
  expect(score4(`${base}/S:P/AU:Y/R:I/V:C/RE:H/U:Red`)).toBe(9.3);
});

test.each([
  "CVSS:4.0/AV:N/AC:L",
  "CVSS:4.0",
  "",
  "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N",
])("an incomplete vector has no score: %s", (vector) => {
  expect(score4(vector)).toBeNaN();
});
