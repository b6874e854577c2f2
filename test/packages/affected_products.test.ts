/** The ranges of products in CSAF documents, against the packages that are in them. */
import { describe, expect, test } from "vitest";
import {
  type AffectedProduct,
  affectedRangesOfProduct,
} from "../../src/packages/affected_ranges.ts";
import { verdict } from "./verdict.ts";

describe("a product of CSAF", () => {
  const product = (purl: string, more: Partial<AffectedProduct> = {}): AffectedProduct => ({
    ...{ purl, version: "", range: "", platform: "", list: "known_affected" },
    ...more,
  });

  test.each([
    ["its version", product("pkg:npm/x@1.0.0"), "pkg:npm/x@1.0.0", "pkg:npm/x@1.0.1"],
    [
      "a version apart",
      product("pkg:npm/x", { version: "1.0.0" }),
      "pkg:npm/x@1.0.0",
      "pkg:npm/x@1.0.1",
    ],
    [
      "a range",
      product("pkg:npm/x", { range: "vers:npm/>=1.0.0|<2.0.0" }),
      "pkg:npm/x@1.5.0",
      "pkg:npm/x@2.0.0",
    ],
    [
      "a range in the package URL",
      product("pkg:npm/x?vers=vers:npm/<2.0.0"),
      "pkg:npm/x@1.5.0",
      "pkg:npm/x@2.0.0",
    ],
    [
      "several ranges",
      product("pkg:npm/x", { range: "vers:npm/<1.0.0|>=2.0.0|<=2.5.0" }),
      "pkg:npm/x@2.5.0",
      "pkg:npm/x@1.5.0",
    ],
    [
      "a version left out",
      product("pkg:npm/x", { range: "vers:npm/>1.0.0|!=1.5.0" }),
      "pkg:npm/x@1.5.1",
      "pkg:npm/x@1.5.0",
    ],
    [
      "single versions",
      product("pkg:npm/x", { range: "vers:npm/1.0.0|3.0.0" }),
      "pkg:npm/x@3.0.0",
      "pkg:npm/x@2.0.0",
    ],
    ["all versions", product("pkg:npm/x"), "pkg:npm/x@9.0.0", "pkg:npm/y@9.0.0"],
    [
      "the first affected",
      product("pkg:npm/x@1.0.0", { list: "first_affected" }),
      "pkg:npm/x@1.0.0",
      "pkg:npm/x@2.0.0",
    ],
    [
      "the last affected",
      product("pkg:npm/x@1.0.0", { list: "last_affected" }),
      "pkg:npm/x@1.0.0",
      "pkg:npm/x@0.9.0",
    ],
    [
      "before a fix of a distribution",
      product("pkg:rpm/redhat/x@2-1.el9?arch=x86_64", {
        list: "fixed",
        platform: "cpe:/o:redhat:enterprise_linux:9::baseos",
      }),
      "pkg:rpm/redhat/x@1-1.el9?distro=rhel-9.4",
      "pkg:rpm/redhat/x@2-1.el9?distro=rhel-9.4",
    ],
    [
      "the release of the package URL",
      product("pkg:deb/debian/x@2?distro=debian-12", {
        list: "first_fixed",
        platform: "cpe:/o:debian:debian_linux:11",
      }),
      "pkg:deb/debian/x@1?distro=debian-12",
      "pkg:deb/debian/x@1?distro=debian-11",
    ],
  ])("is affected in %s", (_, of, inside, outside) => {
    const ranges = affectedRangesOfProduct(of);
    expect(verdict(ranges, inside)).toBe("AFFECTED");
    expect(verdict(ranges, outside)).toBeUndefined();
  });

  test.each([
    ["not affected", product("pkg:npm/x@1.0.0", { list: "known_not_affected" })],
    ["under investigation", product("pkg:npm/x@1.0.0", { list: "under_investigation" })],
    ["recommended", product("pkg:deb/debian/x@1?distro=debian-12", { list: "recommended" })],
    ["a fixed library", product("pkg:npm/x@1.0.0", { list: "fixed" })],
    ["a fix without a version", product("pkg:deb/debian/x?distro=debian-12", { list: "fixed" })],
    ["an image", product("pkg:oci/x@sha256:00", {})],
    ["no package URL", product("cpe:/a:x:y", {})],
  ])("that is %s has no ranges", (_, of) => {
    expect(affectedRangesOfProduct(of)).toEqual([]);
  });

  test("with a range in words is unknown", () => {
    const ranges = affectedRangesOfProduct(product("pkg:npm/x", { range: "before 2.0" }));
    expect(verdict(ranges, "pkg:npm/x@1.0.0")).toBe("UNKNOWN");
  });

  test("of an unknown release is unknown in all of them", () => {
    const ranges = affectedRangesOfProduct(product("pkg:rpm/redhat/x@2-1", { list: "fixed" }));
    expect(verdict(ranges, "pkg:rpm/redhat/x@1-1?distro=rhel-9.4")).toBe("UNKNOWN");
  });
});
