/**
 * Comparisons that the projects publish with their own programs. RPM: all of tests/rpmvercmp.at of
 * rpm-software-management/rpm at 0920d333, without those that repeat one the other way round, and those
 * with a caret of rpm 4.18. Alpine: those of
 * test/version.data of alpinelinux/apk-tools at 50ab589e that have a suffix, a letter, a revision or a zero in front,
 * once for each form. Debian: all of scripts/t/Dpkg_Version.t of guillemj/dpkg at 061c572f, once each, and the
 * versions of lib/dpkg/t/t-version.c at 0d609e2c. SemVer: all of
 * test/fixtures/comparisons.js of npm/node-semver at 4dd65430. PEP 440: tests/test_version.py of pypa/packaging at
 * 0345ccd3, the sorted list and the forms that are normalized. Maven: ComparableVersionTest.java of apache/maven at
 * 08b4701a, without versions that are compared in another case only.
 */
import { describe, expect, test } from "vitest";
import { type VersionOrder, versionSortKey } from "../../src/packages/version_order.ts";

const published: Partial<Record<VersionOrder, string>> = {
  deb: `1.0-1 < 2.0-2, 2.2~rc-4 < 2.2-1, 1.0000-1 = 1.0-1, 1 = 0:1, 0 = 0:0-0, 2:2.5 > 1:7.5, 1:0foo > 0foo,
    0:0foo = 0foo, 0foo = 0foo, 0foo- = 0foo, 0foo- = 0foo-0, 0foo > 0fo, 0foo- < 0foo+,
    0foo~1 < 0foo, 0foo~foo+Bar < 0foo~foo+bar, 0foo~~ < 0foo~, 1~ < 1,
    12345+that-really-is-some-ver-0 < 12345+that-really-is-some-ver-10, 0foo-0 < 0foo-01, 0foo.bar > 0foobar,
    0foo.bar > 0foo1bar, 0foo.bar > 0foo0bar, 0foo1bar-1 < 0foobar-1, 0foo2.0 > 0foo2, 0foo2.0.0 < 0foo2.10.0,
    0foo2.0 < 0foo2.0.0, 0foo2.0 < 0foo2.10, 0foo2.1 < 0foo2.10, 1.09 = 1.9, 1.0.8+nmu1 > 1.0.8, 3.11 > 3.10+nmu1,
    0.9j-20080306-4 > 0.9i-20070324-2, 1.2.0~b7-1 > 1.2.0~b6-1, 1.011-1 > 1.06-2, 0.0.9+dfsg1-1 > 0.0.8+dfsg1-3,
    4.6.99+svn6582-1 > 4.6.99+svn6496-1, 53 > 52, 0.9.9~pre122-1 > 0.9.9~pre111-1, 0:0- = 0, 0:00-0 = 0:0-00, 1:2-3 = 1:2-3, 0:0-0 < 1:0-0, 0:0.0-0.0 = 0.0-0.0,
    0:0-1 < 0:0-2, 0:1-1 < 0:2-1, 0:0-0-0 > 0:0-0, 0:0:0-0 > 0:0-0, 0:09azAZ.-+~:-0 = 0:9azAZ.-+~:-0,
    2:2.3.2-2+lenny2 > 2:2.3.2-2, 1:3.8.1-1 > 3.8.GA-1, 1.0.1+gpl-1 > 1.0.1-2, 1a < 1000a`,
  semver: `0.0.0 > 0.0.0-foo, 0.0.1 > 0.0.0, 1.0.0 > 0.9.9, 0.10.0 > 0.9.0, 0.99.0 > 0.10.0, 2.0.0 > 1.2.3,
    v0.0.0 > 0.0.0-foo, v0.0.1 > 0.0.0, v1.0.0 > 0.9.9, v0.10.0 > 0.9.0, v0.99.0 > 0.10.0, v2.0.0 > 1.2.3,
    0.0.0 > v0.0.0-foo, 0.0.1 > v0.0.0, 1.0.0 > v0.9.9, 0.10.0 > v0.9.0, 0.99.0 > v0.10.0, 2.0.0 > v1.2.3,
    1.2.3 > 1.2.3-asdf, 1.2.3 > 1.2.3-4, 1.2.3 > 1.2.3-4-foo, 1.2.3-5-foo > 1.2.3-5, 1.2.3-5 > 1.2.3-4,
    1.2.3-5-foo > 1.2.3-5-Foo, 3.0.0 > 2.7.2+asdf, 1.2.3-a.10 > 1.2.3-a.5, 1.2.3-a.b > 1.2.3-a.5,
    1.2.3-a.b > 1.2.3-a, 1.2.3-a.b.c.10.d.5 > 1.2.3-a.b.c.5.d.100, 1.2.3-r2 > 1.2.3-r100, 1.2.3-r100 > 1.2.3-R2`,
  rpm: `1.0 = 1.0, 1.0 < 2.0, 2.0.1 = 2.0.1, 2.0 < 2.0.1, 2.0.1a = 2.0.1a, 2.0.1a > 2.0.1, 5.5p1 = 5.5p1,
    5.5p1 < 5.5p2, 5.5p10 = 5.5p10, 5.5p1 < 5.5p10, 10xyz < 10.1xyz, xyz10 = xyz10, xyz10 < xyz10.1,
    xyz.4 = xyz.4, xyz.4 < 8, xyz.4 < 2, 5.5p2 < 5.6p1, 5.6p1 < 6.5p1, 6.0.rc1 > 6.0, 10b2 > 10a1, 10a2 < 10b2,
    1.0aa = 1.0aa, 1.0a < 1.0aa, 10.0001 = 10.0001, 10.0001 = 10.1, 10.0001 < 10.0039, 4.999.9 < 5.0,
    20101121 = 20101121, 20101121 < 20101122, 2_0 = 2_0, 2.0 = 2_0, a = a, a+ = a+, a+ = a_, +a = +a, +a = _a,
    1.0~rc1 = 1.0~rc1, 1.0~rc1 < 1.0, 1.0~rc1 < 1.0~rc2, 1.0~rc1~git123 = 1.0~rc1~git123,
    1.0~rc1~git123 < 1.0~rc1, 1.0^ = 1.0^, 1.0^ > 1.0, 1.0^git1 = 1.0^git1, 1.0^git1 > 1.0, 1.0^git1 < 1.0^git2,
    1.0^git1 < 1.01, 1.0^20160101 = 1.0^20160101, 1.0^20160101 < 1.0.1, 1.0^20160101^git1 = 1.0^20160101^git1,
    1.0^20160102 > 1.0^20160101^git1, 1.0~rc1^git1 = 1.0~rc1^git1, 1.0~rc1^git1 > 1.0~rc1,
    1.0^git1~pre = 1.0^git1~pre, 1.0^git1 > 1.0^git1~pre`,
  apk: `2.34 > 0.1.0_alpha, 0.1.0_alpha = 0.1.0_alpha, 0.1.0_alpha < 0.1.3_alpha, 0.1.0_alpha2 > 0.1.0_alpha,
    0.1.0_alpha < 2.2.39-r1, 1.0.4-r3 < 1.0.4-r4, 1.0.4-r4 < 1.6, 0.7-r1 < 1.0.0, 1.1 > 1.1_alpha1, 1.2 < 1.3_alpha,
    1.3_alpha < 1.3_alpha2, 1.3_alpha8 > 0.6.0, 0.8_beta1 < 0.8_beta2, 0.8_beta4 < 4.8-r1, 3.10.18-r1 > 2.3.0b-r1,
    2.3.0b-r1 < 2.3.0b-r2, 0.12 < 0.13_beta1, 3.1_p16 < 3.1_p17, 3.1_p17 > 1.06-r6, 1.06-r6 < 006, 006 > 1.0.0,
    1.2.2-r1 > 1.2.2, 0.2.0-r1 = 0.2.0-r1, 3.9.8-r5 > 2.01.01_alpha10, 2.01.01_alpha10 > 0.94, 1.39 > 1.00_beta2,
    1.00_beta2 > 0.9.2, 1.02 < 1.03-r1, 0.5.2.7 < 4.2.52_p2-r1, 4.2.52_p2-r1 < 4.2.52_p4-r2, 1.02.07 < 1.02.10-r1,
    2.18.3-r10 > 1.05-r18, 1.05-r18 < 1.05-r19, 2.5.1-r8 < 2.5.1a-r1, 1.3.5-r10 > 1.3.5-r8, 20040401 > 2.0.0_rc3-r1,
    3.0.0-r2 < 021109-r3, 021109-r3 < 20060512, 0.9.16-r1 < 3.9_pre20060124, 3.9_pre20060124 > 0.01, 0.01 < 0.06,
    1.1.7 < 6b-r7, 0.10.0 < 0.10.1_rc1, 0.10.1_rc1 > 0.9.11, 2.0.2 > 1.1a, 1.1a < 1.3a, 1.3a > 1.0.2,
    0.15.1b-r2 > 0.15.1b, 2.1_pre20 < 2.1_pre26, 2.10.1 > 02.08.01b, 02.08.01b < 4.77, 5.1 > 2.02.06,
    2.02.06 < 2.02.10, 2.02-r1 > 1.5.0-r1, 8.1.2.20040524-r1 < 8.1.2.20050715-r1, 1.6d > 1.2.07.8,
    1.2.12.04 < 1.2.12.05, 1.07-r1 < 1.07.5, 1.07.5 > 1.07, 1.07 < 1.19, 0.1_pre20060810 < 0.1_pre20060817,
    3.3.17 > 0.59s-r11, 0.20070118 < 0.20070207_rc1, 0.20070207_rc1 < 1.0, 2.3.30-r2 < 3.7_p1, 4.3_p2-r1 < 4.3_p2-r5,
    4.3_p2-r5 < 4.4_p1-r6, 4.5_p1-r1 > 4.5_p1, 4.5_p1 > 0.9.8c-r1, 0.9.8c-r1 < 0.9.8d, 2.2.3-r2 < 013, 013 < 014-r1,
    0.1.23 < 5b-r9, 3.2.7 > 0.3.1_rc8, 1.2.2 < 2.04, 5.7-r3 > 5.1_p4, 1.7 < 1.7b, 1.7b < 1.8.4-r3, 1.8.5 < 1.8.5_p2,
    0.98 < 1.00, 1.00 < 4.1.4-r1, 2.9.11_pre20051101-r2 < 2.9.11_pre20051101-r3,
    2.9.11_pre20051101-r3 > 2.9.11_pre20051101, 2.9.11_pre20051101 < 2.9.11_pre20061021-r1,
    1.3.2-r3 < 1.6.8_p12-r1, 1.6.8_p12-r1 > 1.6.8_p9-r2, 0.40-r1 < 2.25b-r5, 1.0.5 < 1.4_p12-r2, 087-r1 < 103,
    103 < 104-r11, 104-r11 > 104-r9, 5.52-r1 > 1.2.5_rc2, 2.12r-r4 < 2.12r-r5, 1.3-r0 < 1.3.1-r0, 1.3_pre1-r1 < 1.3.2,
    1.0_p10-r0 > 1.0_p9-r0, 0.1.0_alpha_pre2 < 0.1.0_alpha, 1.0.0_pre20191002222144-r0 < 1.0.0_pre20210530193627-r0`,
};

const comparisons = Object.entries(published).flatMap(([order, text]) =>
  text
    .split(/,\s+/)
    .map((one) => [order, ...one.split(" ")] as [VersionOrder, string, string, string]),
);

describe("versions compare as the project's own program compares them", () => {
  test.each(comparisons)("%s: %s %s %s", (order, first, sign, second) => {
    const keys = [first, second].map((version) => versionSortKey(order, version));
    expect(keys).not.toContain(undefined);
    const [one = "", other = ""] = keys;
    expect(one < other ? "<" : one > other ? ">" : "=").toBe(sign);
  });
});

/** Each list ascends, so that every version comes before all that follow. */
const ascending: [VersionOrder, string][] = [
  ...["", "1!"].map((epoch): [VersionOrder, string] => [
    "pypi",
    `1.0.dev0 1.0.dev456 1.0.dev456+local 1.0a0 1.0a0.post0.dev0 1.0a0.post0 1.0a1.dev1 1.0a1.dev1+local 1.0a1
    1.0a1+local 1.0b0 1.0b1.dev456 1.0b2 1.0b2.post345.dev456 1.0b2.post345 1.0b2-346 1.0rc0 1.0rc1.dev1 1.0c1
    1.0rc2 1.0 1.0.post0.dev0 1.0.post0 1.0.post456.dev34 1.0.post456 1.0.post456+local 1.0.1.dev1 1.0.1a1 1.0.1
    1.0.1+local 1.0.1.post1 1.1.dev1 1.2+a 1.2+abc 1.2+abcdef 1.2+def 1.2+0 1.2+1 1.2+1.abc 1.2+1.1 1.2+1.1.0 1.2+2
    1.2+123 1.2+123456 1.2.r32+123456 1.2.rev33+123456`.replace(/(^|\s+)(?=\d)/g, `$1${epoch}`),
  ]),
  ["pypi", "1.2.rev33+123456 1!1.0.dev0"],
  [
    "maven",
    `1-alpha2snapshot 1-alpha2 1-alpha-123 1-beta-2 1-beta123 1-m2 1-m11 1-rc 1-cr2 1-rc123 1-SNAPSHOT 1 1-sp 1-sp2
    1-sp123 1-abc 1-def 1-pom-1 1-1-snapshot 1-1 1-2 1-123`,
  ],
  [
    "maven",
    `2.0 2.0.a 2-1 2.0.2 2.0.123 2.1.0 2.1-a 2.1b 2.1-c 2.1-1 2.1.0.1 2.2 2.123 11.a2 11.a11 11.b2 11.b11 11.m2
    11.m11 11 11.a 11b 11c 11m`,
  ],
  ...[
    ...[
      "1 1.5 2 2.5",
      "1.0.0 1.0.1 1.1 1.2.0",
      "1.0-alpha-1-SNAPSHOT 1.0-alpha-1 1.0-alpha-2 1.0-beta-1",
    ],
    ...[
      "1.0-beta-1 1.0-SNAPSHOT 1.0 1.0-1 1.0-2",
      "2.0-1 2.0.1 2.0.1-klm 2.0.1-lmn 2.0.1-xyz 2.0.1-123",
    ],
    ...[
      "0.2 0.7 1.0.7 2",
      "6.1.0rc3 6.1.0 6.1H.5-beta",
      "1-0.alpha 1-0.beta 1",
      "aardvark zebra \u03b6\u03ad\u03b2\u03c1\u03b1",
    ],
    "20190126.230843 1234567890.12345 123456789012345.1H.5-beta 12345678901234567890.1H.5-beta",
    ...["c 7", "J 7", "\u00e9 1", "\u{1d7e4} 1", "\u0668 1 9", "1.0.final-redhat 1.0-sp1-redhat"],
    ...["1.0.final-redhat 1.0-sp-1-redhat", "1.0.final-redhat 1.0-sp.1-redhat"],
    ...["abc", "alpha", "a", "beta", "b", "def", "milestone", "m", "RC"].map(
      (word) => `1.0.0.${word}1 1.0.0-${word}2`,
    ),
  ].map((list): [VersionOrder, string] => ["maven", list]),
];

describe("versions come in the order of the project's own list", () => {
  test.each(ascending)("%s: %s", (order, text) => {
    const keys = text.split(/\s+/).map((version) => versionSortKey(order, version));
    expect(keys).not.toContain(undefined);
    expect(keys).toEqual([...keys].sort((one = "", other = "") => (one < other ? -1 : 1)));
    expect(new Set(keys).size).toBe(keys.length);
  });
});

const words = (from: string, ...ends: string[]) => ends.map((end) => `${from}${end}`).join(" ");

/** The versions of each list are one. */
const equal: [VersionOrder, string][] = [
  ...[
    "1.0dev0 1.0dev 1.0.dev 1.0-dev 1.0DEV 1.0.DEV 1.0-DEV",
    "1.0.dev1 1.0dev1 1.0-dev1 1.0DEV1 1.0.DEV1 1.0-DEV1",
    words(
      "1.0",
      "a0",
      "a",
      ".a",
      "-a",
      "alpha",
      ".alpha",
      "-alpha",
      "A",
      ".A",
      "-A",
      "ALPHA",
      ".ALPHA",
      "-ALPHA",
    ),
    words("1.0", "a1", ".a1", "-a1", ".alpha1", "-alpha1", ".A1", "-A1", ".ALPHA1", "-ALPHA1"),
    words(
      "1.0",
      "b0",
      "b",
      ".b",
      "-b",
      "beta",
      ".beta",
      "-beta",
      "B",
      ".B",
      "-B",
      "BETA",
      ".BETA",
      "-BETA",
    ),
    words("1.0", "b1", ".b1", "-b1", ".beta1", "-beta1", ".B1", "-B1", ".BETA1", "-BETA1"),
    words("1.0", "rc0", "c", ".c", "-c", "rc", ".rc", "-rc", "C", ".C", "-C", "RC", ".RC", "-RC"),
    words("1.0", "rc1", ".c1", "-c1", ".rc1", "-rc1", ".C1", "-C1", ".RC1", "-RC1", "c1"),
    words(
      "1.0",
      ".post0",
      "post",
      ".post",
      "-post",
      "POST",
      ".POST",
      "r",
      "rev",
      "-POST",
      ".post000",
    ),
    words("1.0", ".post1", "post1", "-post1", "POST1", ".POST1", ".r1", ".rev1", "-POST1"),
    ...[
      "1.0.post5 1.0-5 1.0-r5 1.0-rev5",
      "1.0+abc 1.0+AbC",
      "1.1 1.01",
      "1.0a5 1.0a05",
      "1.0b7 1.0b07",
    ],
    ...[
      "1.0rc56 1.0c056",
      "1.0rc9 1.0rc09",
      "1.1.dev9000 1.1.dev09000",
      "1.2 00!1.2 0!1.2",
      "100!0.0 0100!0.0",
    ],
    "1.0 v1.0",
  ].map((list): [VersionOrder, string] => ["pypi", list]),
  ...[
    ...["1 1.0 1.0.0 1-0 1.0-0 1ga 1release 1final 1Ga 1GA 1RELEASE 1RELeaSE 1Final 1FinaL 1FINAL"],
    ...[
      "1a 1-a 1.0-a 1.0.0-a 1.0a 1.0.0a 1A",
      "1x 1-x 1.0-x 1.0.0-x 1.0x 1.0.0x 1X",
      "1cr 1rc 1Cr 1Rc 1cR 1rC",
    ],
    ...[
      "1a1 1-alpha-1",
      "1b2 1-beta-2",
      "1m3 1-milestone-3 1Milestone3 1MILESTONE3",
      "1b 1B",
      "1m 1M",
    ],
    ...["1.0.0-alpha1 1.0.0-ALPHA1", "1.a 1.A", "1.\u00e9 1.\u00c9"],
    "1-abcdefghijklmnopqrstuvwxyz 1-ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    ...["1", "0"].map((digit) =>
      Array.from({ length: 19 }, (_, at) => digit.padStart(at + 1, "0")).join(" "),
    ),
    ...["abc", "alpha", "a", "beta", "b", "def", "milestone", "m", "RC"].map(
      (word) => `2-${word} 2.0.${word} 2.0.0.${word}`,
    ),
  ].map((list): [VersionOrder, string] => ["maven", list]),
];

describe("these versions are one", () => {
  test.each(equal)("%s: %s", (order, text) => {
    const keys = text.split(" ").map((version) => versionSortKey(order, version));
    expect(keys).not.toContain(undefined);
    expect(new Set(keys).size).toBe(1);
  });
});

const noVersions = [
  ...[
    "french toast",
    "1.0+a+",
    "1.0++",
    "1.0+_foobar",
    "1.0+foo&asd",
    "1.0+1+1",
    "1. 0",
    "1 .0",
    "1. 0a1",
    "1 .0a1",
  ],
  ...[
    "1.0 a1",
    "1.0a 1",
    "\u0660\u0661\u0662.\u0663\u0664\u0665",
    ".",
    "..",
    "1..0",
    "1.0.",
    ".1.0",
    "1..2.3",
    "1.0+\u0130",
  ],
];

test.each(noVersions)("PEP 440: %s is not a version", (version) => {
  expect(versionSortKey("pypi", version)).toBeUndefined();
});

// Some programs compare any two texts. Here a text that is not a version has no place, so its findings stay.
test.each<[VersionOrder, string]>([
  ...["+_", "_+", "+", "_"].map((text): [VersionOrder, string] => ["rpm", text]),
  ...[
    ...[
      "-0.6.5",
      "10a:5.2",
      "5.2@3-2",
      "foo5.2",
      "0:foo5.2",
      "",
      "  ",
      "0:",
      "0:0 0-1",
      "-1:0-1",
      "a:0-0",
      "A:0-0",
    ],
    ...["999999999999999999999999:0-1", "-0", "0:-0", "0:abc3-0", "0:0-0:0"],
    ...[..."!#@$%&/|\\<>()[]{};,_=*^'"].flatMap((sign) => [`0:0${sign}-0`, `0:0-${sign}`]),
  ].map((text): [VersionOrder, string] => ["deb", text]),
  ["apk", "23_foo"],
  ["apk", "1.0bc"],
])("%s: %s, which a project also compares, is not a version", (order, version) => {
  expect(versionSortKey(order, version)).toBeUndefined();
});
