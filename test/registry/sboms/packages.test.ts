import { PackageURL } from "packageurl-js";
import { expect, test } from "vitest";
import { originOf, packagesOf } from "../../../src/registry/sboms/packages.ts";
import { readSbom } from "../../../src/registry/sboms/read_sbom.ts";
import { cycloneDxDocument, spdxDocument } from "./documents.ts";

test.each([
  [
    "pkg:apk/alpine/libcrypto3@3.3.2-r1?arch=x86_64&upstream=openssl",
    "pkg:apk/alpine/openssl@3.3.2-r1?arch=x86_64",
  ],
  ["pkg:apk/alpine/a-sub@1-r1?upstream=a@1-r0", "pkg:apk/alpine/a@1-r0"],
  ["pkg:apk/wolfi/libssl3@3.3-r0?origin=openssl", "pkg:apk/wolfi/openssl@3.3-r0"],
  [
    "pkg:rpm/redhat/bash-doc@5.1.8-9.el9?upstream=bash-5.1.8-9.el9.src.rpm",
    "pkg:rpm/redhat/bash@5.1.8-9.el9",
  ],
  [
    "pkg:rpm/redhat/perl-lib@1-2?upstream=perl-5.32-1.nosrc.rpm&arch=x86_64",
    "pkg:rpm/redhat/perl@5.32-1?arch=x86_64",
  ],
])("the origin of %s is %s", (purl, origin) => {
  expect(originOf(purl, PackageURL)).toBe(origin);
});

test.each([
  "pkg:apk/alpine/openssl@3.3.2-r1?upstream=openssl",
  "pkg:deb/debian/libc6@2.36?arch=amd64",
  "pkg:npm/%40babel/core@7.26.0",
  "no purl",
  "",
])("%j is its own origin", (purl) => {
  expect(originOf(purl, PackageURL)).toBe(purl);
});

const packages = async (document: object) =>
  (await packagesOf(readSbom(new TextEncoder().encode(JSON.stringify(document))))).map(
    ({ purl }) => purl,
  );

test("packages are the components with a package URL, without duplicates and without images", async () => {
  const document = spdxDocument();
  const [first] = document.packages;
  const twin = { ...first, SPDXID: "SPDXRef-twin" };
  const bare = { SPDXID: "SPDXRef-bare", name: "bare" };
  const all = await packages({ ...document, packages: [...document.packages, twin, bare] });
  expect(all.map((purl) => /alpine\/([^@]+)@/.exec(String(purl))?.[1])).toEqual([
    "libcrypto3",
    "musl",
    "busybox-binsh",
  ]);
  expect(await packages(cycloneDxDocument())).toEqual([
    "pkg:npm/%40babel/core@7.26.0",
    "pkg:rpm/redhat/bash-doc@5.1.8-9.el9?arch=x86_64&upstream=bash-5.1.8-9.el9.src.rpm",
  ]);
});
