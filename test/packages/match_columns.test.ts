/** The columns that match packages: the source that records name, and the place of its version. */
import { expect, test } from "vitest";
import { matchColumns, type SourcePackage } from "../../src/packages/match_columns.ts";
import { readPurl } from "../../src/packages/purls.ts";
import { versionSortKey } from "../../src/packages/version_order.ts";

function columns(
  purl: string,
  { version = "", source }: { version?: string; source?: SourcePackage } = {},
) {
  const read = readPurl(purl);
  if (!read) throw new Error(`${purl} is no package URL`);
  return matchColumns(read, version, source);
}

/** The key and the version of a package. Both stand for its columns. */
const expected = (matchKey: string, order: "deb" | "apk" | "rpm", version: string) => ({
  matchKey,
  matchOrder: order,
  matchSortKey: versionSortKey(order, version),
});

test.each([
  [
    "the source in a package URL",
    "deb/debian/libssl3@3.0.11-1?upstream=openssl",
    "deb/debian/openssl",
    "3.0.11-1",
  ],
  [
    "its version",
    "deb/debian/libgcc-s1@12.2.0-14?upstream=gcc-12%4012.2.0-13",
    "deb/debian/gcc-12",
    "12.2.0-13",
  ],
  ["an epoch in the version", "deb/debian/bc@1:2-1?upstream=bc%401:1-1", "deb/debian/bc", "1:1-1"],
  ["an epoch in a qualifier", "deb/debian/bc@2-1?epoch=1", "deb/debian/bc", "1:2-1"],
  ["no source", "deb/debian/openssl@3.0.11-1", "deb/debian/openssl", "3.0.11-1"],
  [
    "the origin of Alpine",
    "apk/alpine/libcrypto3@3.1.4-r5?upstream=openssl",
    "apk/alpine/openssl",
    "3.1.4-r5",
  ],
  [
    "the older qualifier",
    "apk/alpine/libcrypto3@3.1.4-r5?origin=openssl",
    "apk/alpine/openssl",
    "3.1.4-r5",
  ],
  [
    "a qualifier for the source",
    "deb/debian/libssl3@3.0.11-1?source=openssl",
    "deb/debian/openssl",
    "3.0.11-1",
  ],
  ["and its version", "deb/debian/bc@2-1?source=bcs&sourceversion=1-1", "deb/debian/bcs", "1-1"],
  [
    "a qualifier for the source of RPM",
    "rpm/suse/libcurl4@8-1?sourcerpm=curl-8-2.src.rpm",
    "rpm/suse/curl",
    "8-2",
  ],
  [
    "a source in capitals",
    "rpm/suse/MozillaFirefox-translations@1-1?upstream=MozillaFirefox-1-1.src.rpm",
    "rpm/suse/MozillaFirefox",
    "1-1",
  ],
  [
    "names of binaries",
    "rpm/redhat/openssl-libs@3.0.7-24.el9?upstream=openssl-3.0.7-24.el9.src.rpm",
    "rpm/redhat/openssl-libs",
    "3.0.7-24.el9",
  ],
  [
    "an epoch of RPM",
    "rpm/redhat/openssl@3.0.7-24.el9?epoch=1",
    "rpm/redhat/openssl",
    "1:3.0.7-24.el9",
  ],
  [
    "a source of RPM",
    "rpm/suse/libopenssl3@3.0.8-1?upstream=openssl-3-3.0.8-2.src.rpm",
    "rpm/suse/openssl-3",
    "3.0.8-2",
  ],
  [
    "a source of RPM with an epoch",
    "rpm/rocky/bind-libs@9.16-1?epoch=32&upstream=bind-9.16-1.src.rpm",
    "rpm/rocky-linux/bind",
    "32:9.16-1",
  ],
])("%s: %s is matched as %s", (_, purl, key, version) => {
  const [order = ""] = purl.split("/");
  expect(columns(`pkg:${purl}`)).toMatchObject(
    expected(`pkg:${key}`, order as "deb" | "apk" | "rpm", version),
  );
});

test.each([
  "redhat",
  "almalinux",
  "centos",
  "fedora",
  "amzn",
  "oraclelinux",
  "photon",
  "azurelinux",
])("the records of %s name binary packages, so the source does not count", (namespace) => {
  const purl = `pkg:rpm/${namespace}/openssl-libs@3-1?upstream=openssl-3-1.src.rpm`;
  expect(columns(purl).matchKey).toBe(`pkg:rpm/${namespace}/openssl-libs`);
});

test("the source that the SBOM names counts if the package URL names none", () => {
  const source = { name: "openssl", version: "3.0.11-2" };
  const openssl = "pkg:deb/debian/openssl";
  expect(columns("pkg:deb/debian/libssl3@3.0.11-1", { source })).toMatchObject(
    expected(openssl, "deb", "3.0.11-2"),
  );
  const other = "pkg:deb/debian/libssl3@3.0.11-1?upstream=other";
  expect(columns(other, { source }).matchKey).toBe("pkg:deb/debian/other");
  const without = { name: "openssl", version: "" };
  expect(columns("pkg:deb/debian/libssl3@3.0.11-1", { source: without })).toMatchObject(
    expected(openssl, "deb", "3.0.11-1"),
  );
  expect(columns("pkg:npm/lodash@1.0.0", { source }).matchKey).toBe("pkg:npm/lodash");
});

test.each([
  ["pkg:nuget/Newtonsoft.Json@13.0.1", "pkg:nuget/newtonsoft.json"],
  ["pkg:golang/github.com/Masterminds/goutils@v1.1.0", "pkg:golang/github.com/masterminds/goutils"],
  ["pkg:pypi/Flask_Login@1", "pkg:pypi/flask-login"],
  ["pkg:cran/A3@1.0.0", "pkg:cran/A3"],
  ["pkg:conan/bincrafters/openssl@3.0.3?channel=stable", "pkg:conan/bincrafters/openssl"],
  ["pkg:gem/Ascii85@1", "pkg:gem/Ascii85"],
])("%s has the key %s", (purl, key) => {
  expect(columns(purl).matchKey).toBe(key);
});

test("without an order or a version that it knows, the version itself is the key", () => {
  expect(columns("pkg:hackage/aeson@2.0.1")).toMatchObject({
    matchOrder: "",
    matchSortKey: "2.0.1",
  });
  expect(columns("pkg:pypi/pytz@2004d")).toMatchObject({ matchOrder: "", matchSortKey: "2004d" });
  expect(columns("pkg:npm/lodash", { version: "1.0.0" }).matchOrder).toBe("semver");
  expect(columns("pkg:npm/lodash")).toMatchObject({ matchOrder: "", matchSortKey: "" });
});

test("a version of more than 255 characters has no key", () => {
  const longest = `1.${"0".repeat(253)}`;
  expect(columns(`pkg:pypi/pytz@${longest}`).matchOrder).toBe("pypi");
  expect(columns(`pkg:pypi/pytz@${longest}0`)).toMatchObject({ matchOrder: "", matchSortKey: "" });
  const text = "x".repeat(255);
  expect(columns(`pkg:hackage/aeson@${text}`).matchSortKey).toBe(text);
  const words = "x".repeat(10_000);
  expect(columns(`pkg:hackage/aeson@${words}`)).toMatchObject({ matchOrder: "", matchSortKey: "" });
});
