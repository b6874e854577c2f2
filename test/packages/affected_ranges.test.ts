/** The ranges of OSV records, against the packages that are in them. */
import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AffectedRange, affectedRanges } from "../../src/packages/affected_ranges.ts";
import { range, record, verdict, verdictOf } from "./verdict.ts";

const versions = (text: string) => text.split(" ").filter(Boolean);

describe("a version is affected between the events of a range", () => {
  test.each([
    ["introduced=0 fixed=1.2", "0.1 1.1.9 1.2rc1", "1.2 2"],
    ["introduced=1.0 fixed=1.2 introduced=2.0 fixed=2.1", "1.0 1.1 2.0", "0.9 1.2 1.9 2.1 3"],
    ["fixed=2.1 introduced=2.0 fixed=1.2 introduced=1.0", "1.0 1.1 2.0", "0.9 1.2 1.9 2.1 3"],
    ["introduced=0 last_affected=1.2", "1.1 1.2 1.2.0", "1.2.1 1.2.post1 2"],
    ["introduced=1.2 last_affected=1.2", "1.2", "1.1 1.2.1"],
    ["introduced=1.0", "1.0 99", "0.9"],
    ["introduced=0", "0.1 99 2004d", ""],
    ["introduced=0 limit=2.0", "0.1 1.9", "2.0 3"],
    ["introduced=0 limit=1.0 limit=2.0", "1.9", "2.0"],
    ["introduced=0 limit=*", "99", ""],
    ["introduced=0 limit=1.0 limit=*", "99", ""],
    ["introduced=0 limit=0", "", "0.1 99"],
    ["introduced=3.0 limit=2.0", "", "1 2.5 3.0"],
    ["introduced=1.0 fixed=1.5 limit=1.2", "1.1", "1.2 1.3 1.5"],
    ["introduced=0 fixed=1.0 fixed=1.1", "0.9", "1.0 1.1 2"],
    ["introduced=0 fixed=1.0 fixed=1.1 introduced=2.0", "0.9 2.0 3", "1.0 1.1 1.5"],
    ["introduced=0 introduced=0.5 fixed=1.0", "0.1 0.6", "1.0"],
    ["introduced=0 fixed=1.0 introduced=1.0 fixed=2.0", "0.9 1.0 1.9", "2.0"],
  ])("%s contains %s, and not %s", (events, inside, outside) => {
    const ranges = affectedRanges(record("PyPI", "flask", { ranges: [range(events)] }));
    for (const version of versions(inside))
      expect([version, verdict(ranges, `pkg:pypi/flask@${version}`)]).toEqual([
        version,
        "AFFECTED",
      ]);
    for (const version of versions(outside))
      expect([version, verdict(ranges, `pkg:pypi/flask@${version}`)]).toEqual([version, undefined]);
  });

  test.each([
    "introduced=0 fixed=0",
    "introduced=2.0 fixed=1.0",
    "fixed=1.0 introduced=2.0",
    "introduced=2.0 fixed=2.0",
    "introduced=2.0 last_affected=1.0",
    "fixed=1.0",
    "limit=1.0",
  ])("events that contradict each other affect nothing: %s", (events) => {
    expect(affectedRanges(record("PyPI", "flask", { ranges: [range(events)] }))).toEqual([]);
  });

  test.each([
    "introduced=2.0 fixed=3.0 introduced=4.0 fixed=3.5",
    "introduced=2.0 fixed=3.0 introduced=4.0 fixed=4.0",
    "introduced=2.0 fixed=1.0 fixed=3.0 introduced=4.0",
    "fixed=1.0 introduced=2.0 fixed=3.0 fixed=3.5 introduced=4.0",
  ])("an end that contradicts a beginning leaves other intervals: %s", (events) => {
    const ranges = affectedRanges(record("PyPI", "flask", { ranges: [range(events)] }));
    expect(verdict(ranges, "pkg:pypi/flask@2.5")).toBe("AFFECTED");
    expect(verdict(ranges, "pkg:pypi/flask@5")).toBeUndefined();
  });

  test("an interval names the version that fixes it, and no other", () => {
    const events =
      "introduced=0 fixed=1.2.0 introduced=2.0 last_affected=2.5 introduced=3.0 limit=9";
    const ranges = affectedRanges(record("PyPI", "flask", { ranges: [range(events)] }));
    expect(ranges.map(({ fixed }) => fixed)).toEqual(["1.2.0", "", ""]);
  });

  test("one member with both events is two events", () => {
    const ranges = affectedRanges(
      record("PyPI", "flask", {
        ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0", fixed: "1.0" }] }],
      }),
    );
    expect(verdict(ranges, "pkg:pypi/flask@0.9")).toBe("AFFECTED");
    expect(verdict(ranges, "pkg:pypi/flask@1.0")).toBeUndefined();
  });

  test("ranges of commits are left out", () => {
    const git = range("introduced=0 fixed=deadbeef", "GIT");
    expect(affectedRanges(record("PyPI", "flask", { ranges: [git] }))).toEqual([]);
  });
});

test("intervals contain what the rule of the OSV schema says", () => {
  const kinds = fc.constantFrom("introduced", "fixed", "last_affected");
  const event = fc.tuple(kinds, fc.integer({ min: 1, max: 12 }));
  const property = fc.property(
    fc.uniqueArray(event, { minLength: 1, maxLength: 6, selector: ([, at]) => at }),
    fc.integer({ min: 0, max: 13 }),
    (events, at) => {
      const sorted = [...events].sort(([, a], [, b]) => a - b);
      // Ends that end nothing have tests of their own.
      fc.pre(
        sorted.every(([kind], i) => kind === "introduced" || sorted[i - 1]?.[0] === "introduced"),
      );
      let isAffected = false;
      for (const [kind, version] of sorted) {
        if (kind === "introduced" && at >= version) isAffected = true;
        if (kind === "fixed" && at >= version) isAffected = false;
        if (kind === "last_affected" && at > version) isAffected = false;
      }
      const text = events.map(([kind, version]) => `${kind}=${version}`).join(" ");
      const ranges = affectedRanges(record("npm", "x", { ranges: [range(text, "SEMVER")] }));
      expect(verdict(ranges, `pkg:npm/x@${at}.0.0`)).toBe(isAffected ? "AFFECTED" : undefined);
    },
  );
  fc.assert(property, { numRuns: 3000 });
});

describe("listed versions", () => {
  test("are affected one by one, unless a range contains them", () => {
    const ranges = affectedRanges(
      record("PyPI", "flask", {
        ranges: [range("introduced=0 fixed=1.0")],
        versions: ["0.9", "1.5", "1.5.0"],
      }),
    );
    expect(ranges).toHaveLength(2);
    expect(verdict(ranges, "pkg:pypi/flask@1.5")).toBe("AFFECTED");
    expect(verdict(ranges, "pkg:pypi/flask@1.5.1")).toBeUndefined();
    expect(verdict(ranges, "pkg:pypi/flask@1.4")).toBeUndefined();
  });

  test("add nothing to a range of all versions", () => {
    const all = { ranges: [range("introduced=0")], versions: ["1.0", "2004d"] };
    expect(affectedRanges(record("PyPI", "flask", all))).toEqual([
      { packageKey: "pkg:pypi/flask", release: "", order: "*", from: "", below: "", fixed: "" },
    ]);
  });

  test("are compared as texts if the order does not know them", () => {
    const ranges = affectedRanges(record("PyPI", "pytz", { versions: ["2004d", "2005a"] }));
    expect(verdict(ranges, "pkg:pypi/pytz@2004d")).toBe("AFFECTED");
    expect(verdict(ranges, "pkg:pypi/pytz@2004e")).toBeUndefined();
    expect(verdict(ranges, "pkg:pypi/pytz@2005")).toBeUndefined();
    const ofHackage = affectedRanges(record("Hackage", "aeson", { versions: ["2.0"] }));
    expect(verdict(ofHackage, "pkg:hackage/aeson@2.0")).toBe("AFFECTED");
    expect(verdict(ofHackage, "pkg:hackage/aeson@2.1")).toBeUndefined();
  });

  test("beyond a thousand are a range that cannot be read", () => {
    const list = (length: number) => Array.from({ length }, (_, at) => `${at}.0.0`);
    expect(affectedRanges(record("npm", "x", { versions: list(1_000) }))).toHaveLength(1_000);
    const ranges = affectedRanges(record("npm", "x", { versions: list(1_001) }));
    expect(ranges).toMatchObject([{ order: "?" }]);
    expect(verdict(ranges, "pkg:npm/x@5000.0.0")).toBe("UNKNOWN");
  });
});

test("a record of more than 5,000 ranges is unreadable for each of its packages", () => {
  const entries = Array.from({ length: 51 }, (_, at) => ({
    package: { ecosystem: "npm", name: `x${at % 3}` },
    versions: Array.from({ length: 100 }, (_one, minor) => `${at}.${minor}.0`),
  }));
  expect(affectedRanges({ affected: entries.slice(1) })).toHaveLength(5_000);
  expect(affectedRanges({ affected: entries })).toMatchObject(
    ["x0", "x1", "x2"].map((name) => ({ packageKey: `pkg:npm/${name}`, order: "?" })),
  );
});

describe("what cannot be decided is unknown", () => {
  test.each([
    ["a bound that the order does not know", "PyPI", "introduced=0 fixed=2004d", "pkg:pypi/x@1"],
    ["another kind of event", "PyPI", "introduced=0 until=2", "pkg:pypi/x@1"],
    ["an ecosystem without an order", "Hackage", "introduced=0 fixed=2", "pkg:hackage/x@1"],
    ["a version that the order does not know", "PyPI", "introduced=0 fixed=2", "pkg:pypi/x@2004d"],
    ["a package without a version", "PyPI", "introduced=0 fixed=2", "pkg:pypi/x"],
    [
      "a version that is too long",
      "PyPI",
      "introduced=0 fixed=2",
      `pkg:pypi/x@1.${"0".repeat(10_000)}`,
    ],
    ["a package of an unknown release", "Debian:12", "introduced=0 fixed=2", "pkg:deb/debian/x@1"],
    [
      "a record of an unknown release",
      "Debian",
      "introduced=0 fixed=2",
      "pkg:deb/debian/x@1?distro=debian-12",
    ],
    ["both", "Debian", "introduced=0 fixed=2", "pkg:deb/debian/x@1"],
    ["all versions of an unknown release", "Debian:12", "introduced=0", "pkg:deb/debian/x@1"],
  ])("%s", (_, ecosystem, events, purl) => {
    const ranges = affectedRanges(record(ecosystem, "x", { ranges: [range(events)] }));
    expect(verdict(ranges, purl)).toBe("UNKNOWN");
  });

  test("a version outside of the range is not, whatever its release", () => {
    const ranges = affectedRanges(
      record("Debian:12", "x", { ranges: [range("introduced=0 fixed=2")] }),
    );
    expect(verdict(ranges, "pkg:deb/debian/x@2")).toBeUndefined();
  });

  test("a package without a version may be one of the listed versions", () => {
    expect(verdict(affectedRanges(record("PyPI", "x", { versions: ["1.0"] })), "pkg:pypi/x")).toBe(
      "UNKNOWN",
    );
    expect(
      verdict(affectedRanges(record("PyPI", "x", { versions: ["2004d"] })), "pkg:pypi/x"),
    ).toBe("UNKNOWN");
  });

  test("a bound of 10,000 characters makes the range unreadable", () => {
    const events = `introduced=0 fixed=1.${"0".repeat(10_000)}`;
    expect(affectedRanges(record("PyPI", "x", { ranges: [range(events)] }))).toMatchObject([
      { order: "?" },
    ]);
  });

  test("more than 2,000 events make the range unreadable", () => {
    const events = Array.from({ length: 2_001 }, (_, at) => `introduced=${at + 1}`).join(" ");
    expect(affectedRanges(record("PyPI", "x", { ranges: [range(events)] }))).toMatchObject([
      { order: "?" },
    ]);
  });
});

describe("packages are never matched across", () => {
  const debian = affectedRanges(
    record("Debian:12", "openssl", { ranges: [range("introduced=0 fixed=3.0.11-1")] }),
  );

  test.each([
    ["pkg:deb/debian/openssl@3.0.1-1?distro=debian-12", "AFFECTED"],
    ["pkg:deb/debian/libssl3@3.0.1-1?distro=debian-12.5&upstream=openssl", "AFFECTED"],
    ["pkg:deb/debian/openssl@3.0.11-1?distro=debian-12", undefined],
    ["pkg:deb/debian/openssl@3.0.1-1?distro=debian-11", undefined],
    ["pkg:deb/ubuntu/openssl@3.0.1-1?distro=ubuntu-22.04", undefined],
    ["pkg:deb/debian/openssl@3.0.1-1?distro=ubuntu-22.04", "UNKNOWN"],
    ["pkg:npm/openssl@3.0.1?distro=debian-12", undefined],
    ["pkg:rpm/debian/openssl@3.0.1-1?distro=debian-12", undefined],
    ["pkg:deb/debian/curl@3.0.1-1?distro=debian-12", undefined],
  ])("%s: %s", (purl, expected) => {
    expect(verdict(debian, purl)).toBe(expected);
  });

  test("a package without a package URL matches nothing", () => {
    const none = { matchKey: "", release: "", matchOrder: "", matchSortKey: "" };
    const range_: AffectedRange = {
      packageKey: "",
      release: "",
      order: "*",
      from: "",
      below: "",
      fixed: "",
    };
    expect(verdictOf(range_, none)).toBeUndefined();
  });
});

describe("a record", () => {
  test.each([
    ["npm", "@babel/core", "pkg:npm/%40babel/core@1.0.0"],
    ["PyPI", "Flask_Login", "pkg:pypi/flask-login@1"],
    ["Maven", "org.apache:log4j", "pkg:maven/org.apache/log4j@1"],
    ["Maven:https://maven.google.com", "org.apache:log4j", "pkg:maven/org.apache/log4j@1"],
    ["Go", "github.com/Masterminds/goutils", "pkg:golang/github.com/Masterminds/goutils@v1.1.0"],
    ["Go", "stdlib", "pkg:golang/stdlib@1.22.2"],
    ["crates.io", "time", "pkg:cargo/time@0.1.0"],
    ["RubyGems", "rails", "pkg:gem/rails@7.0"],
    ["NuGet", "Newtonsoft.Json", "pkg:nuget/newtonsoft.json@13.0.1"],
    ["Packagist", "symfony/http-kernel", "pkg:composer/symfony/http-kernel@1"],
    ["Hex", "phoenix", "pkg:hex/phoenix@1.0.0"],
    ["Pub", "http", "pkg:pub/http@1.0.0"],
    [
      "SwiftURL",
      "https://github.com/apple/swift-nio.git",
      "pkg:swift/github.com/apple/swift-nio@1.0.0",
    ],
    ["CRAN", "readxl", "pkg:cran/readxl@1.0"],
    [
      "Alpine:v3.20",
      "openssl",
      "pkg:apk/alpine/libcrypto3@1-r0?distro=alpine-3.20.3&upstream=openssl",
    ],
    ["Wolfi", "openssl", "pkg:apk/wolfi/libcrypto3@1-r0?upstream=openssl"],
    [
      "Ubuntu:22.04:LTS",
      "openssl",
      "pkg:deb/ubuntu/libssl3@1?distro=ubuntu-22.04&upstream=openssl",
    ],
    ["AlmaLinux:9", "openssl", "pkg:rpm/almalinux/openssl@1?distro=almalinux-9.3"],
    ["Rocky Linux:9", "openssl", "pkg:rpm/rocky/openssl@1?distro=rocky-9.3"],
    [
      "Red Hat:enterprise_linux:9::appstream",
      "openssl",
      "pkg:rpm/redhat/openssl@1?distro=rhel-9.4",
    ],
    [
      "SUSE:Linux Enterprise Server 15 SP5",
      "openssl-3",
      "pkg:rpm/sles/libopenssl3@1-1?distro=sles-15.5&upstream=openssl-3-1-1.src.rpm",
    ],
    ["openSUSE:Leap 15.6", "curl", "pkg:rpm/opensuse/curl@1?distro=opensuse-leap-15.6"],
  ])("of %s about %s matches %s", (ecosystem, name, purl) => {
    const ranges = affectedRanges(record(ecosystem, name, { ranges: [range("introduced=0")] }));
    expect(verdict(ranges, purl)).toBe("AFFECTED");
  });

  test("of an ecosystem without package URLs matches by the one that it names, or nothing", () => {
    const entry = { ranges: [range("introduced=0")] };
    expect(affectedRanges(record("OSS-Fuzz", "openssl", entry))).toEqual([]);
    const named = (purl: string) => ({
      affected: [{ package: { ecosystem: "Elsewhere", name: "x", purl }, ...entry }],
    });
    expect(verdict(affectedRanges(named("pkg:npm/x")), "pkg:npm/x@1.0.0")).toBe("AFFECTED");
    const inSystem = affectedRanges(named("pkg:apk/elsewhere/x"));
    expect(verdict(inSystem, "pkg:apk/elsewhere/x@1-r0?distro=elsewhere-2023")).toBe("AFFECTED");
    expect(verdict(inSystem, "pkg:apk/alpine/x@1-r0?distro=alpine-3.20")).toBeUndefined();
  });

  test("names several packages, and each range once", () => {
    const entry = {
      ranges: [range("introduced=0 fixed=1.0.0"), range("introduced=0 fixed=1.0.0")],
    };
    const of = (name: string) => ({ package: { ecosystem: "npm", name }, ...entry });
    const ranges = affectedRanges({ affected: [of("a"), of("b"), of("a")] });
    expect(ranges.map(({ packageKey }) => packageKey)).toEqual(["pkg:npm/a", "pkg:npm/b"]);
  });

  test("that is withdrawn has no ranges", () => {
    const entry = { ranges: [range("introduced=0")] };
    const withdrawn = { ...record("npm", "x", entry), withdrawn: "2026-01-01T00:00:00Z" };
    expect(affectedRanges(withdrawn)).toEqual([]);
    expect(affectedRanges({ ...withdrawn, withdrawn: null })).toHaveLength(1);
  });

  test.each<[string, JsonObject]>([
    ["no list", { affected: "all" }],
    ["no package", { affected: [{ ranges: [] }, null, 1, []] }],
    [
      "a package of another form",
      { affected: [{ package: [] }, { package: { ecosystem: 1, name: 2 } }] },
    ],
    ["no name", record("npm", "", { ranges: [range("introduced=0")] })],
    ["ranges of another form", record("npm", "x", { ranges: { type: "SEMVER" }, versions: "all" })],
    ["versions of another form", record("npm", "x", { versions: [1, null, ""] })],
    ["no events", record("npm", "x", { ranges: [{ type: "SEMVER" }] })],
  ])("with %s has no ranges", (_, broken) => {
    expect(affectedRanges(broken)).toEqual([]);
  });

  test("with a version that is no text is unknown", () => {
    const ranges = affectedRanges(
      record("npm", "x", { ranges: [{ events: [{ introduced: 0 }] }] }),
    );
    expect(ranges).toMatchObject([{ order: "?" }]);
  });
});
