/** The findings of two images are compared by vulnerability and package. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FindingSeverity } from "../../../client/index.ts";
import { countBySeverity, severities } from "../../../console/data/severities.ts";
import {
  type ComparedFinding,
  compareFindings,
} from "../../../console/timeline/compare_findings.ts";

const findings: fc.Arbitrary<ComparedFinding[]> = fc.array(
  fc.record({
    vulnerability: fc.constantFrom("CVE-1", "CVE-2", "CVE-3", "GHSA-x"),
    package: fc.constantFrom("a", "b", ""),
    severity: fc.constantFrom(...severities, "SOMETHING_NEW" as FindingSeverity),
  }),
  { maxLength: 20 },
);
const keyOf = ({ vulnerability, package: name }: ComparedFinding) => `${vulnerability}\n${name}`;
const keysOf = (list: ComparedFinding[]) => [...new Set(list.map(keyOf))].sort();

test("a finding comes or goes if only one image has the vulnerability in the package, whatever the version", () => {
  fc.assert(
    fc.property(findings, findings, (before, after) => {
      const [old, current] = [keysOf(before), keysOf(after)];
      const { came, went, same } = compareFindings(before, after);
      expect(keysOf(came)).toEqual(current.filter((key) => !old.includes(key)));
      expect(keysOf(went)).toEqual(old.filter((key) => !current.includes(key)));
      expect(same).toBe(current.filter((key) => old.includes(key)).length);
    }),
  );
});

test("the most severe findings come first, and each severity is counted", () => {
  fc.assert(
    fc.property(findings, (after) => {
      const { came } = compareFindings([], after);
      const known = came.filter(({ severity }) => severities.includes(severity));
      const ranks = known.map(({ severity }) => severities.indexOf(severity));
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      for (const [name, count] of countBySeverity(came))
        expect(count).toBe(came.filter(({ severity }) => severity.endsWith(name)).length);
    }),
  );
});
