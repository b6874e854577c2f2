import { expect, test } from "vitest";
import { versionGap } from "../../../src/registry/tag_rules/versions.ts";

const none = "no tag with a version points to the image";
const otherForm = "the versions of the image and of the current one have different forms";
const lower = (next: string, current: string) =>
  `the version ${next} of the image is before the current one, ${current}`;

const rows: [before: string[], after: string[], gap: string | undefined][] = [
  // Equal and greater versions.
  [["1.2.3"], ["1.2.3"], undefined],
  [["1.2.9"], ["1.2.10"], undefined],
  [["1.9"], ["1.10.0"], undefined],
  [["1.2"], ["1.2.3"], undefined],
  [["1.2.3-rc1"], ["1.2.3-rc2"], undefined],
  [["1.2.3-rc2"], ["1.2.3"], undefined],
  // Lower ones.
  [["1.2.10"], ["1.2.9"], lower("1.2.9", "1.2.10")],
  [["1.10.0"], ["1.9"], lower("1.9", "1.10.0")],
  [["1.2.3"], ["1.2.3-rc2"], lower("1.2.3-rc2", "1.2.3")],
  [["1.2.3"], ["1.2"], lower("1.2", "1.2.3")],
  // The greatest version counts, in any order.
  [["1.1", "1.3", "1.2"], ["1.2"], lower("1.2", "1.3")],
  [["1.2"], ["1.1", "1.3", "1.2"], undefined],
  [["1.3", "1.1"], ["1.2", "1.0"], lower("1.2", "1.3")],
  // Of two names of one version, the first is named.
  [["1.2-rc1", "1.2-rc.1"], ["1.1"], lower("1.1", "1.2-rc1")],
  // Names without a version do not count.
  [["latest"], ["1.0"], undefined],
  [["latest", "1.1"], ["stable", "1.0"], lower("1.0", "1.1")],
  // An image without a version is refused, and any image comes after one without.
  [[], ["1.0"], undefined],
  [["1.0"], [], none],
  [["1.0"], ["latest"], none],
  [[], [], none],
  // Only names of the same form are compared.
  [["1.2.0"], ["1.3.0-slim"], otherForm],
  [["v1.2"], ["1.3"], otherForm],
  [["v1.2"], ["2024.1"], otherForm],
  [["1.2.3-slim"], ["1.4.0-slim"], undefined],
  [["1.2.0", "1.2.0-slim"], ["1.3.0-slim"], undefined],
  [["1.2.0-slim", "1.3.0"], ["1.2.0-slim", "1.2.0"], lower("1.2.0", "1.3.0")],
  [["1.3.0-slim", "1.2.0"], ["1.2.0-slim", "1.2.0"], lower("1.2.0-slim", "1.3.0-slim")],
];

test.for(rows)("from %j to %j: %s", ([before, after, gap]) => {
  expect(versionGap(before, after)).toBe(gap);
});
