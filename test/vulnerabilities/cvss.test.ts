import { expect, test } from "vitest";
import { isCvssVector } from "../../src/vulnerabilities/cvss.ts";

const [v2, v3, v4] = [1, 2, 3];
const base4 = "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N";

test.each([
  [v2, "AV:N/AC:L/Au:N/C:N/I:N/A:C", true],
  [v2, "AV:N/AC:L/Au:N/C:N/I:N/A:C/E:POC/RL:OF/RC:ND/CDP:LM/TD:H/CR:M", true],
  [v2, "(AV:N/AC:L)", false],
  [v2, "7.5", false],
  [v2, "", false],
  [v3, "CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H", true],
  [v3, "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H/E:X/MAV:P", true],
  [v3, "CVSS:3.2/AV:N", false],
  [v3, "CVSS:3.1/AV:X", false],
  [v3, "CVSS:3.1/constructor:x", false],
  [v3, "CVSS:3.1/", false],
  [v4, base4, true],
  [v4, `${base4}/E:A/U:Amber`, true],
  [v4, `${base4}/U:Amber/E:A`, false],
  [v4, `${base4}/`, false],
  [v4, "CVSS:4.0/AV:N", false],
  [0, "9.8", false],
])("type %i: %s is a vector: %s", (type, score, expected) => {
  expect(isCvssVector({ type, score })).toBe(expected);
});
