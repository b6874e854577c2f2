/**
 * Comparisons that the projects of libraries publish with their own programs. RubyGems: test_gem_version.rb of
 * ruby/rubygems at c13f3d00 (MIT), without those of its caches. NuGet: VersionComparerTests.cs, NuGetVersionTest.cs and
 * SemVer201SpecTests.cs of NuGet/NuGet.Client at 6382bf18 (Apache-2.0), those that compare and those that refuse. Go:
 * semver_test.go of golang.org/x/mod v0.43.0 (BSD-3-Clause). Pub: version_test.dart of dart-lang/pub_semver at 01c67f9b
 * (BSD-3-Clause). Composer: ComparatorTest.php at 18afe1ec and VersionParserTest.php at 00a55782 of composer/semver (MIT),
 * without branches, and version_compare.phpt of php/php-src (PHP-3.01), without 1.0.0 > 1.0, which Composer pads.
 */
import { describe, expect, test } from "vitest";
import { type VersionOrder, versionSortKey } from "../../src/packages/version_order.ts";

const published: Partial<Record<VersionOrder, string>> = {
  gem: `1.0 = 1.0.0, 1.0 > 1.0.a, 1.8.2 > 0.0.0, 1.8.2 > 1.8.2.a, 1.8.2.b > 1.8.2.a, 1.8.2.a < 1.8.2,
    1.8.2.a10 > 1.8.2.a9, 0.beta.1 = 0.0.beta.1, 0.0.beta < 0.0.beta.1, 0.0.beta < 0.beta.1, 5.a < 5.0.0.rc2,
    5.x > 5.0.0.rc2, 1.9.3 = 1.9.3, 1.9.3 > 1.9.2.99, 1.9.3 < 1.9.3.1, 1.2 = 1.2, 1.2 < 1.3, 1.2.b1 = 1.2.b.1,
    1.2 = 1.2.0, 1.2.pre.1 = 1.2.0.pre.1.0, 1.0.0-alpha < 1.0.0-alpha.1, 1.0.0-alpha.1 < 1.0.0-beta.2,
    1.0.0-beta.2 < 1.0.0-beta.11, 1.0.0-beta.11 < 1.0.0-rc.1, 1.0.0-rc1 < 1.0.0, 1.0.0-1 < 1,
    1.0.0.beta.1 = 1.0.0-beta.1, 1.0.0.rc.1 = 1.0.0-rc.1, 1.2.3.beta = 1.2.3-beta, 1.0.0.pre.1 = 1.0.0-1,
    1.0.0.1 > 1.0.0-1, 1.0.0.beta.1 = 1.0.0.pre.beta.1, 1.0.0 > 0.0.1.20220404083012, 0.7.0 > 0.6.63000,
    18.0.1 < 18.0.2, 9.8.8 > 9.8.7, 1 = 1.0.0, 1.a.1 = 1.0.0.a.1.0, 1.freeze.test < 1, 1-a < 1, 1.A < 1,
    22.1.50.0.d < 22.1.50`,
  nuget: `1.0.0 = 1.0.0, 1.0.0-BETA = 1.0.0-beta, 1.0.0-BETA+AA = 1.0.0-beta+aa,
    1.0.0-BETA.X.y.5.77.0+AA = 1.0.0-beta.x.y.5.77.0+aa, 0.0.0 < 1.0.0, 1.1.0 > 1.0.0, 1.0.1 > 1.0.0,
    1.0.0-BETA < 1.0.0-beta2, 1.0.0+AA > 1.0.0-beta+aa, 1.0.0-BETA+AA = 1.0.0-beta, 1.999.9999 < 2.1.1,
    1.0.0-beta+AA < 1.0.0+aa, 1.0.0-BETA < 1.0.0-beta.1+AA, 1.0.0-BETA.X.y.5.77.0+AA < 1.0.0-beta.x.y.5.79.0+aa,
    1.0.0-BETA.X.y.5.79.0+AA < 1.0.0-beta.x.y.5.790.0+abc, 1.0 < 1.0.1, 1.23 < 1.231, 1.4.5.6 < 1.45.6,
    1.4.5.6 < 1.4.5.60, 1.01 < 1.10, 1.01-alpha < 1.10-beta, 1.01.0-RC-1 < 1.10.0-rc-2, 1.01-RC-1 < 1.01,
    1.01 < 1.2-preview, 1.0 = 1.0.0.0, 1.23.01 = 1.23.1, 1.45.6 = 1.45.6.0, 1.45.6-Alpha = 1.45.6-Alpha,
    1.6.2-BeTa = 1.6.02-beta, 1.022 = 1.22.0.0, 23.2.3 = 23.2.3.0, 1.3.42.10133 = 1.3.42.10133, 1.2.3 < 1.2.4,
    1.2.3 < 2.0.0, 9.9.9 < 10.1.1, 1.2.3-alpha < 1.2.3, 1.2.3-2 < 1.2.3-3, 1.2.3-1.9 < 1.2.3-1.50,
    1.2.3-2A < 1.2.3-3A, 1.2.3-1.50A < 1.2.3-1.9A, 1.2.3-999999 < 1.2.3-Z, 1.2.3-A.999999 < 1.2.3-A.56-2,
    1.2.3-a < 1.2.3-a.2, 1.2.3-a.2.3.4 < 1.2.3-a.2.3.4.5, 1.2.3-a = 1.2.3-A, 1.2.3-A-b2-C = 1.2.3-a-B2-c`,
  semver: `v1 = v1.0.0, v1.0 = v1.0.0, v1.2 = v1.2.0, v1.2.3-pre+meta = v1.2.3-pre, v1.2.3+meta = v1.2.3,
    v1.2.3+meta-pre = v1.2.3, v1.2.3+meta-pre.sha.256a = v1.2.3, v1 = v1, v2 > v1`,
  composer: `1.25.0 > 1.24.0, 1.25.0 = 1.25.0, 1.25.0 < 1.26.0, 1.0.0 < 1.2-dev, 1.25.0-beta2.1 < 1.25.0-b.3,
    1.25.0-b2.1 < 1.25.0beta.3, 1.25.0-b-2.1 < 1.25.0-rc, 1.25.0-beta2.1 = 1.25.0-b.2.1, 1.25.0beta2.1 = 1.25.0-b2.1,
    1.0.0 = 1.0.0.0, 1.0.0RC1dev = 1.0.0.0-RC1-dev, 1.0.0-rC15-dev = 1.0.0.0-RC15-dev,
    1.0.0.RC.15-dev = 1.0.0.0-RC15-dev, 1.0.0-rc1 = 1.0.0.0-RC1, 1.0.0.pl3-dev = 1.0.0.0-patch3-dev,
    1.0-dev = 1.0.0.0-dev, 0 = 0.0.0.0, 10.4.13-beta = 10.4.13.0-beta, 10.4.13beta2 = 10.4.13.0-beta2,
    10.4.13beta.2 = 10.4.13.0-beta2, 10.4.13-b = 10.4.13.0-beta, 10.4.13-b5 = 10.4.13.0-beta5, v1.0.0 = 1.0.0.0,
    2010.01 = 2010.01.0.0, 2010.01.02 = 2010.01.02.0, 2010.1.555 = 2010.1.555.0, 2010.10.200 = 2010.10.200.0,
    v20100102 = 20100102, 2010-01-02 = 2010.01.02, 2010-01-02.5 = 2010.01.02.5, 20100102-203040 = 20100102.203040,
    20100102203040-10 = 20100102203040.10, 20100102-203040-p1 = 20100102.203040-patch1,
    1.0.0-beta.5+foo = 1.0.0.0-beta5, 1.0.0+foo = 1.0.0.0, 1.0.0-alpha.3.1+foo = 1.0.0.0-alpha3.1,
    1.0.0-alpha2.1+foo = 1.0.0.0-alpha2.1, 1.0.0-alpha-2.1-3+foo = 1.0.0.0-alpha2.1-3, 1 < 2, 10 > 2, 1.0 < 1.1,
    1.2 > 1.0.1, 1.0RC1 = 1.0rc1`,
  pub: `01.2.3 = 1.2.3, 1.02.3 = 1.2.3, 1.2.03 = 1.2.3, 1.2.3-01 = 1.2.3-1, 1.2.3+01 = 1.2.3+1, 1.2.3+build > 1.2.3`,
};

const comparisons = Object.entries(published).flatMap(([order, text]) =>
  text
    .split(/,\s+/)
    .map((one) => [order, ...one.split(" ")] as [VersionOrder, string, string, string]),
);

describe("versions of libraries compare as the project's own program compares them", () => {
  test.each(comparisons)("%s: %s %s %s", (order, first, sign, second) => {
    const keys = [first, second].map((version) => versionSortKey(order, version));
    expect(keys).not.toContain(undefined);
    const [one = "", other = ""] = keys;
    expect(one < other ? "<" : one > other ? ">" : "=").toBe(sign);
  });
});

/** Each list ascends, so that every version comes before all that follow. */
const ascending: [VersionOrder, string][] = [
  [
    "semver",
    `v1.0.0-alpha v1.0.0-alpha.1 v1.0.0-alpha.beta v1.0.0-beta v1.0.0-beta.2 v1.0.0-beta.11 v1.0.0-rc.1 v1.0.0
    v1.2.0 v1.2.3-456 v1.2.3-456.789 v1.2.3-456-789 v1.2.3-456a v1.2.3-pre v1.2.3-pre.1 v1.2.3-zzz v1.2.3`,
  ],
  ["composer", "1.0-dev 1.0a1 1.0b1 1.0RC1 1.0 1.0pl1"],
  [
    "pub",
    `1.0.0-alpha 1.0.0-alpha.1 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0-rc.1+build.1 1.0.0 1.0.0+0.3.7 1.3.7+build
    1.3.7+build.2.b8f12d7 1.3.7+build.11.e0f985a 2.0.0 2.1.0 2.2.0 2.11.0 2.11.1`,
  ],
];

describe("versions of libraries come in the order of the project's own list", () => {
  test.each(ascending)("%s: %s", (order, text) => {
    const keys = text.split(/\s+/).map((version) => versionSortKey(order, version));
    expect(keys).not.toContain(undefined);
    expect(keys).toEqual([...keys].sort((one = "", other = "") => (one < other ? -1 : 1)));
    expect(new Set(keys).size).toBe(keys.length);
  });
});

test.each<[VersionOrder, string[]]>([
  [
    "gem",
    [
      "junk",
      "1.0\n2.0",
      "1..2",
      "1.2 3.4",
      "2.3422222.222.222222222.22222.ads0as.dasd0.ddd2222.2.qd3e.",
    ],
  ],
  [
    "nuget",
    [
      ...[
        "1beta",
        "$version$",
        "1.2Av^c",
        "1.2..",
        "1.2.3.4.5",
        "1.2.3.Beta",
        "So.is.this",
        "1.34.2Alpha",
      ],
      ...[
        "1.2.3.4This version is full of awesomeness!!",
        "1.34.2Release Candidate",
        "1.4.7-",
        "1.4.7-*",
        "1.4.7+*",
      ],
      ...[
        "1.4.7-AA.01^",
        "1.4.7-AA.0A^",
        "1.4.7-A^A",
        "1.4.7+AA.01^",
        "1.2. 3",
        "1. 2.3",
        "X.2.3",
        "1.2.Z",
      ],
      ...[
        "-1.2.3",
        "1.-2.3",
        "1.2.-3",
        "0.1.2-Alpha..2",
        "0.1.2-Alpha.",
        "0.1.2-.AA",
        "0.1.2-",
        "0.1.2-alp=ha",
      ],
      ...[
        "0.1.2-alp\u2510jj",
        "0.1.2-a&444",
        "0.1.2-a.&.444",
        "0.1.2+\u00c4\u00c4",
        "0.1.2+2+A",
        "0.1.2+02A.",
      ],
      ...["0.1.2+02..A", "0.1.2+"],
    ],
  ],
  [
    "semver",
    [
      ...[
        "bad",
        "v1-alpha.beta.gamma",
        "v1-pre",
        "v1+meta",
        "v1-pre+meta",
        "v1.2-pre",
        "v1.2+meta",
        "v1.2-pre+meta",
      ],
    ],
  ],
  ["composer", ["", "a", "1.0.0-meh", "1.0.0.0.0", "feature-foo", "1.0.0+foo bar", "dev-foo"]],
  ["pub", ["1.2.3.4", "-2.3.4", "1.3-pre", "1.3+build", "1.3+bu?!3ild"]],
])("%s: a text that the project refuses has no place", (order, texts) => {
  const accepted = texts.filter((text) => versionSortKey(order, text) !== undefined);
  expect(accepted).toEqual([]);
});
