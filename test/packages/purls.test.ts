import { expect, test } from "vitest";
import { atVersion, inRange, osvEcosystem, readPurl, toPurl } from "../../src/packages/purls.ts";

test.each([
  ["pkg:pypi/box@1.0", ["library", "box", "1.0", "python", "noarch", "PyPI"]],
  ["pkg:npm/%40acme/skates", ["library", "@acme/skates", "", "javascript", "noarch", "npm"]],
  ["pkg:maven/org.acme/hammer@1", ["library", "org.acme:hammer", "1", "java", "noarch", "Maven"]],
  [
    "pkg:golang/example.com/a/b@v1.0.0",
    ["library", "example.com/a/b", "v1.0.0", "go-module", "noarch", "Go"],
  ],
  ["pkg:cargo/serde@1.0", ["library", "serde", "1.0", "cargo", "noarch", "crates.io"]],
  ["pkg:apk/wolfi/git@2?arch=armv7", ["apk", "git", "2", "apk", "armv7", "Wolfi"]],
  ["pkg:deb/debian/curl@7?arch=amd64", ["deb", "curl", "7", "deb", "amd64", "Debian"]],
  ["pkg:deb/debian/curl@7?distro=debian-12", ["deb", "curl", "7", "deb", "noarch", "Debian:12"]],
  ["pkg:apk/alpine/a?distro=alpine-3.20", ["apk", "a", "", "apk", "noarch", "Alpine:v3.20"]],
  ["pkg:deb/ubuntu/a?distro=ubuntu-22.04", ["deb", "a", "", "deb", "noarch", "Ubuntu:22.04:LTS"]],
  ["pkg:deb/ubuntu/a?distro=ubuntu-24.10", ["deb", "a", "", "deb", "noarch", "Ubuntu:24.10"]],
  ["pkg:deb/debian/a?distro=bookworm", ["deb", "a", "", "deb", "noarch", "Debian"]],
  [
    "pkg:oci/debian@sha256%3Aab?repository_url=docker.io/library/debian:12&arch=arm64",
    ["image", "debian", "sha256:ab", "oci", "arm64", undefined],
  ],
  [
    "pkg:oci/api?repository_url=https://registry.example/acme.example/team/api",
    ["image", "team/api", "", "oci", "noarch", undefined],
  ],
  ["pkg:oci/web?repository_url=registry.example", ["image", "web", "", "oci", "noarch", undefined]],
  ["pkg:constructor/x@1", ["library", "x", "1", "constructor", "noarch", undefined]],
])("the package URL %s is read", (text, expected) => {
  const read = readPurl(text);
  const { artifactType, name, version, componentType, architecture } = read ?? {};
  const ecosystem = read && osvEcosystem(read);
  expect([artifactType, name, version, componentType, architecture, ecosystem]).toEqual(expected);
});

test.each(["", "pypi/box", "pkg:", "pkg:pypi", "pkg:%%%/x", "pkg:maven/@1.3.4", "https://a.b/c"])(
  "%j is not a package URL",
  (text) => {
    expect(readPurl(text)).toBeUndefined();
  },
);

test.each([
  ["python", "box", "pkg:pypi/box"],
  ["javascript", "@acme/skates", "pkg:npm/%40acme/skates"],
  ["java", "org.acme:hammer", "pkg:maven/org.acme/hammer"],
  ["go-module", "example.com/a/b", "pkg:golang/example.com/a/b"],
  ["rubygems", "rails", "pkg:gem/rails"],
  ["debian:12", "curl", "pkg:deb/debian/curl?arch=amd64&distro=debian-12"],
  ["alpine:v3.20", "curl", "pkg:apk/alpine/curl?arch=amd64&distro=alpine-3.20"],
  ["ubuntu:22.04:lts", "curl", "pkg:deb/ubuntu/curl?arch=amd64&distro=ubuntu-22.04"],
  [
    "red hat:enterprise_linux:9::baseos",
    "curl",
    "pkg:rpm/redhat/curl?arch=amd64&distro=redhat-enterprise_linux%3A9%3A%3Abaseos",
  ],
  ["apk", "git", "pkg:apk/git?arch=amd64"],
  ["image", "team/web", "pkg:oci/web"],
  ["product", "Acme Linux", "pkg:generic/Acme%20Linux"],
  ["constructor", "x", "pkg:generic/x"],
  ["swift", "noslash", "pkg:generic/noslash"],
])("%s %s is %s", (type, name, expected) => {
  expect(toPurl({ type, name, architecture: "amd64" })).toBe(expected);
});

test("a package URL keeps everything except the version", () => {
  const text = "pkg:deb/debian/curl@7?arch=amd64";
  expect(atVersion(text, "8")).toBe("pkg:deb/debian/curl@8?arch=amd64");
  expect(atVersion(text, undefined)).toBe("pkg:deb/debian/curl?arch=amd64");
  const strict = "pkg:golang/example.com/a?arch=x#sub";
  expect(atVersion(strict, "v1 $&")).toBe("pkg:golang/example.com/a@v1%20%24%26?arch=x#sub");
});

test.each([
  ["pkg:pypi/Zope.Interface", "pkg:pypi/zope-interface"],
  ["pkg:pypi/zope__interface@1.0", "pkg:pypi/zope-interface@1.0"],
  ["pkg:github/ACME/Web@1", "pkg:github/acme/web@1"],
  ["pkg:npm/%40acme%2Fskates@1", "pkg:npm/%40acme/skates@1"],
  ["pkg:golang/github.com%2Facme%2Fweb", "pkg:golang/github.com/acme/web"],
  [
    "pkg:deb/debian/x@1?distro=debian-12&arch=amd64",
    "pkg:deb/debian/x@1?arch=amd64&distro=debian-12",
  ],
  ["PKG:deb/debian/x", undefined],
])("%s is the package URL %s", (text, expected) => {
  const read = readPurl(text);
  expect(read?.purl).toBe(expected);
  if (read) expect(readPurl(read.purl)).toEqual(read);
});

test("a range of versions replaces the version, and the version replaces the range", () => {
  const ranged = inRange("pkg:deb/debian/x@1?arch=amd64", "vers:deb/>=1|<2");
  expect(ranged).toBe("pkg:deb/debian/x?arch=amd64&vers=vers%3Adeb%2F%3E%3D1%7C%3C2");
  expect(readPurl(ranged)?.qualifiers.vers).toBe("vers:deb/>=1|<2");
  expect(atVersion(ranged, "3")).toBe("pkg:deb/debian/x@3?arch=amd64");
});
