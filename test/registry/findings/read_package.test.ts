/** Packages are matched by the source that records name. The readers of SBOMs hand it over in each format. */
import { describe, expect, test } from "vitest";
import { versionSortKey } from "../../../src/packages/version_order.ts";
import { readPackage } from "../../../src/registry/findings/read_package.ts";
import { readSbom } from "../../../src/registry/sboms/read_sbom.ts";

/** The packages of a document that have a package URL, as they are stored. */
function packagesOf(document: object) {
  const sbom = readSbom(new TextEncoder().encode(JSON.stringify(document)));
  return sbom.nodes.flatMap((node) =>
    node.kind === "package" && node.purl !== "" ? [readPackage(node, sbom.operatingSystem)] : [],
  );
}

const purl = "pkg:deb/debian/libssl3@3.0.11-1";

const cycloneDx = (...components: object[]) => ({
  ...{ bomFormat: "CycloneDX", specVersion: "1.6", components },
});
const system = (name: string, version: string) => ({ type: "operating-system", name, version });
const property = (name: string, value: unknown) => ({ name, value });

const spdx = (...packages: object[]) => ({
  spdxVersion: "SPDX-2.3",
  packages: packages.map((one, at) => ({ SPDXID: `SPDXRef-${at}`, name: "libssl3", ...one })),
});
const reference = (referenceLocator: string) => ({
  externalRefs: [{ referenceType: "purl", referenceLocator }],
});

const spdx3 = (...elements: object[]) => ({
  "@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld",
  "@graph": elements.map((one, at) => ({
    ...{ type: "software_Package", spdxId: `https://e.example/${at}`, name: "libssl3" },
    ...one,
  })),
});

const openssl = {
  matchKey: "pkg:deb/debian/openssl",
  release: "debian-12",
  matchOrder: "deb",
  matchSortKey: versionSortKey("deb", "3.0.11-2"),
};

test.each([
  [
    "CycloneDX with properties",
    cycloneDx(system("debian", "12.5"), {
      ...{ type: "library", name: "libssl3", purl },
      properties: [
        property("aquasecurity:trivy:PkgType", "debian"),
        property("aquasecurity:trivy:SrcName", "openssl"),
        property("aquasecurity:trivy:SrcVersion", "3.0.11"),
        property("aquasecurity:trivy:SrcRelease", "2"),
      ],
    }),
  ],
  [
    "SPDX 2.3 with words about the source",
    spdx(
      { name: "debian", versionInfo: "12.5", primaryPackagePurpose: "OPERATING-SYSTEM" },
      { ...reference(purl), sourceInfo: "built package from: openssl 3.0.11-2" },
    ),
  ],
  [
    "SPDX 3 with words about the source",
    spdx3(
      {
        ...{ name: "debian", software_packageVersion: "12.5" },
        software_primaryPurpose: "operatingSystem",
      },
      { software_packageUrl: purl, software_sourceInfo: "built package from: openssl 3.0.11-2" },
    ),
  ],
  [
    "a package URL with everything",
    spdx(reference(`${purl}?distro=debian-12&upstream=openssl%403.0.11-2`)),
  ],
])("%s: the package is matched by its source and release", (_, document) => {
  expect(packagesOf(document)).toMatchObject([
    { ...openssl, name: "libssl3", packageKey: "pkg:deb/debian/libssl3" },
  ]);
});

test("a source with an epoch, and one without a version", () => {
  const component = (...properties: object[]) =>
    cycloneDx({ type: "library", name: "libssl3", purl, properties });
  const name = property("aquasecurity:trivy:SrcName", "openssl");
  const keyOf = (document: object) => packagesOf(document)[0]?.matchSortKey;
  expect(
    keyOf(
      component(
        name,
        property("aquasecurity:trivy:SrcEpoch", "1"),
        property("aquasecurity:trivy:SrcVersion", "3.0"),
      ),
    ),
  ).toBe(versionSortKey("deb", "1:3.0"));
  expect(keyOf(component(name))).toBe(versionSortKey("deb", "3.0.11-1"));
});

describe("what another program wrote there", () => {
  test.each([
    ["properties without a list", { properties: { name: "aquasecurity:trivy:SrcName" } }],
    [
      "properties of another form",
      { properties: [1, null, property("x", 1), property("aquasecurity:trivy:SrcName", 1)] },
    ],
    ["no name", { properties: [property("aquasecurity:trivy:SrcVersion", "3.0")] }],
  ])("counts for nothing: %s", (_, more) => {
    const document = cycloneDx({ type: "library", name: "libssl3", purl, ...more });
    expect(packagesOf(document)).toMatchObject([
      { matchKey: "pkg:deb/debian/libssl3", release: "?" },
    ]);
  });

  test.each([
    ["other words", { sourceInfo: "acquired package info from DPKG DB" }],
    ["no words", { sourceInfo: 1 }],
    ["another purpose", { primaryPackagePurpose: 1 }],
  ])("counts for nothing: %s", (_, more) => {
    const document = spdx({ ...reference(purl), ...more });
    expect(packagesOf(document)).toMatchObject([
      { matchKey: "pkg:deb/debian/libssl3", release: "?" },
    ]);
  });
});

test("two operating systems leave the release open, and one that is named twice does not", () => {
  const component = { type: "library", name: "libssl3", purl };
  const releaseOf = (...systems: object[]) =>
    packagesOf(cycloneDx(...systems, component)).map(({ release }) => release);
  expect(releaseOf(system("debian", "12"), system("debian", "11"))).toEqual(["?"]);
  expect(releaseOf(system("debian", "12"), system("debian", "12"))).toEqual(["debian-12"]);
});

test("a package without a package URL has no columns to match", () => {
  const package_ = { name: "openssl", version: "3.0", purl: "" };
  const empty = { matchKey: "", release: "", matchOrder: "", matchSortKey: "" };
  expect(readPackage(package_)).toMatchObject(empty);
  expect(readPackage({ ...package_, purl: "openssl" })).toMatchObject(empty);
});

test.each(["pkg:cran/A3@1.0.0", "pkg:conan/bincrafters/openssl@3.0.3?channel=stable"])(
  "a package URL that is whole only with its version or qualifiers has a key: %s",
  (text) => {
    expect(readPackage({ name: "x", version: "", purl: text }).packageKey).toBe(
      text.replace(/@.*$/, ""),
    );
  },
);
