/** The base scores that the page of a vulnerability shows. */
import { expect, test } from "vitest";
import { baseScore } from "../../../console/vulnerabilities/cvss.ts";

/** Examples with the scores of FIRST (https://www.first.org/cvss/v3.1/examples). */
test.each([
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 10],
  ["CVSS:3.0/AV:N/AC:H/PR:N/UI:R/S:U/C:L/I:N/A:N", 3.1],
  ["CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N", 6.4],
  ["CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H", 7.8],
  ["CVSS:3.1/AV:P/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N", 0],
  ["CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H/E:P", 7.5],
])("%s has the base score %d", (vector, score) => {
  expect(baseScore(vector)).toBe(score);
});

test.each([
  "7.5",
  "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N",
  "CVSS:3.1/AV:N",
  "CVSS:3.1/AV:Z/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H",
  "<b>CVSS:3.1/</b>",
])("%s has no base score here", (vector) => {
  expect(baseScore(vector)).toBeUndefined();
});
