/** ListPackages returns the packages in SBOMs, by name and range of versions. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { newRepoIn, putIndex, putSbom } from "../images/stored_images.ts";

let organization: Organization;
let token: string;
let repo: string;
const image = fakeDigest("image");

const part = (purl: string, more: object = {}) => ({ type: "library", name: "x", purl, ...more });
const bom = (components: object[]) => ({ bomFormat: "CycloneDX", specVersion: "1.6", components });

const log4j = "pkg:maven/org.apache.logging.log4j/log4j-core";
const components = [
  part(`${log4j}@2.14.1`, { name: "log4j-core", licenses: [{ license: { id: "Apache-2.0" } }] }),
  part("pkg:maven/org.apache.logging.log4j/log4j-api@2.14.1"),
  part("pkg:npm/%40angular/core@12.0.0-rc.1"),
  part("pkg:pypi/typing-extensions@4.9.0"),
  part("pkg:pypi/zope.interface@6.1"),
  part("pkg:golang/github.com/pkg/errors@v0.9.1"),
  part("pkg:deb/debian/openssl@3.0.11-1~deb12u1?arch=amd64"),
  part("pkg:rpm/redhat/openssl@3.0.7-24.el9?arch=x86_64&epoch=1"),
  part("pkg:apk/alpine/openssl@3.1.4-r5?arch=x86_64"),
  part("pkg:hackage/openssl@3.2.0"),
  part("pkg:npm/openssl@weird"),
  { type: "library", name: "own-tool", version: "7" },
  part("pkg:oci/app@sha256%3Aabc"),
];

beforeAll(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  repo = await newRepoIn(organization);
  await putSbom(organization, repo, image, bom(components));
  await putSbom(
    organization,
    repo,
    fakeDigest("fixed"),
    bom([part(`${log4j}@2.17.1`), part(`${log4j}@2.17.0`), part(`${log4j}@2.17.0`)]),
  );
  const index = await putIndex(organization, repo, [["amd64", image]]);
  await createResource(`/registry/v2/tags/${repo}`, token, { name: "1.0", digest: index });
});

const ask = (query: Record<string, string>) =>
  callRest(`/registry/v2/packages?${new URLSearchParams(query)}`, { token });

interface Found {
  name: string;
  version: string;
  type?: string;
  versionUnordered?: boolean;
}

async function found(query: Record<string, string>): Promise<Found[]> {
  const { status, body } = await ask({ "uidp.descendants_of": organization.uid, ...query });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.packages ?? [];
}

const versionsOf = (rows: Found[]) =>
  rows
    .map(
      ({ type, version, versionUnordered }) => `${type} ${version}${versionUnordered ? " ?" : ""}`,
    )
    .sort();

test("a package names the repository, the image, its tags, its version and its license", async () => {
  const [{ name }] = (await sql<{ name: string }>(
    "select name from repos where uid = ?",
    repo,
  )) as [{ name: string }];
  expect(await found({ purl: `${log4j}@2.14.1` })).toEqual([
    {
      uid: expect.stringMatching(new RegExp(`^${repo}/[0-9a-f]{16}$`)),
      repoUid: repo,
      repoName: name,
      digest: image,
      tags: ["1.0"],
      name: "log4j-core",
      namespace: "org.apache.logging.log4j",
      version: "2.14.1",
      purl: `${log4j}@2.14.1`,
      type: "maven",
      license: "Apache-2.0",
      versionUnordered: false,
      sbomTime: expect.any(String),
      sbomUid: expect.stringContaining(repo),
    },
  ]);
});

test("every package is listed once, without the image itself", async () => {
  expect(await found({})).toHaveLength(12 + 2);
  expect(await found({ name: "own-tool" })).toMatchObject([{ version: "7" }]);
});

test.each([
  ["log4j-core", ["maven 2.14.1", "maven 2.17.0", "maven 2.17.1"]],
  ["org.apache.logging.log4j:log4j-core", ["maven 2.14.1", "maven 2.17.0", "maven 2.17.1"]],
  ["org.example:log4j-core", []],
  ["@angular/core", ["npm 12.0.0-rc.1"]],
  ["core", ["npm 12.0.0-rc.1"]],
  ["github.com/pkg/errors", ["golang v0.9.1"]],
  ["Typing_Extensions", ["pypi 4.9.0"]],
  ["zope-interface", ["pypi 6.1"]],
  ["ZOPE.Interface", ["pypi 6.1"]],
  ["Log4j-core", []],
  ["log4j", []],
])("the name %s", async (name, versions) => {
  expect(versionsOf(await found({ name }))).toEqual(versions);
});

describe("a range of versions", () => {
  const unordered = ["hackage 3.2.0 ?", "npm weird ?"];
  test.each([
    [{ name: "log4j-core", below: "2.17" }, ["maven 2.14.1"]],
    [{ name: "log4j-core", below: "2.17.1" }, ["maven 2.14.1", "maven 2.17.0"]],
    [{ name: "log4j-core", from: "2.17.0" }, ["maven 2.17.0", "maven 2.17.1"]],
    [{ name: "log4j-core", from: "2.15", below: "2.17.1" }, ["maven 2.17.0"]],
    [{ purl: log4j, below: "2.15" }, ["maven 2.14.1"]],
    [{ purl: `${log4j}@<2.15` }, ["maven 2.14.1"]],
    [{ purl: `${log4j}@<=2.17.0` }, ["maven 2.14.1", "maven 2.17.0"]],
    [{ purl: `${log4j}@> 2.14.1, < 2.17.1` }, ["maven 2.17.0"]],
    [{ purl: `${log4j}@>2.17.0` }, ["maven 2.17.1"]],
    [{ purl: `${log4j}@2.17.0` }, ["maven 2.17.0"]],
    [{ purl: `${log4j}@== 2.17.0` }, ["maven 2.17.0"]],
    [{ purl: `${log4j}@>=2 !=2.17.0` }, ["maven 2.14.1", "maven 2.17.1"]],
    [{ purl: `${log4j}@vers:maven/<2.15|>=2.17.1|<3` }, ["maven 2.14.1", "maven 2.17.1"]],
    [{ purl: `${log4j}@vers:maven/*` }, ["maven 2.14.1", "maven 2.17.0", "maven 2.17.1"]],
    [{ purl: "pkg:npm/openssl@<1" }, ["npm weird ?"]],
    [{ purl: "pkg:deb/debian/openssl@<=3.0.11-1~deb12u1" }, ["deb 3.0.11-1~deb12u1"]],
    [{ purl: "pkg:deb/debian/openssl@>3.0.11-1~deb12u1" }, []],
    [{ purl: "pkg:rpm/redhat/openssl@<1:3.0.8" }, ["rpm 3.0.7-24.el9"]],
    [{ name: "core", below: "12.0.0" }, ["npm 12.0.0-rc.1"]],
    [{ name: "core", from: "12.0.0" }, []],
    [{ name: "errors", from: "0.9.1", below: "1" }, ["golang v0.9.1"]],
    [{ purl: "pkg:deb/debian/openssl", below: "3.0.11-1" }, ["deb 3.0.11-1~deb12u1"]],
    [{ purl: "pkg:deb/debian/openssl", from: "3.0.11-1" }, []],
    [{ purl: "pkg:rpm/redhat/openssl", from: "9.9" }, ["rpm 3.0.7-24.el9"]],
    [{ purl: "pkg:rpm/redhat/openssl", below: "1:3.0.8" }, ["rpm 3.0.7-24.el9"]],
    [{ purl: "pkg:apk/alpine/openssl", below: "3.1.4-r6" }, ["apk 3.1.4-r5"]],
    [{ purl: "pkg:hackage/openssl", below: "1.0" }, ["hackage 3.2.0 ?"]],
    [{ name: "openssl", below: "3.1" }, ["deb 3.0.11-1~deb12u1", ...unordered]],
    [{ name: "openssl", from: "3.1" }, ["apk 3.1.4-r5", ...unordered, "rpm 3.0.7-24.el9"]],
    // Only Debian and RPM have epochs, and Maven has no such package.
    [{ name: "openssl", below: "1:1" }, ["apk 3.1.4-r5 ?", "deb 3.0.11-1~deb12u1", ...unordered]],
  ])("%j", async (query, versions) => {
    expect(versionsOf(await found(query as Record<string, string>))).toEqual(versions);
  });

  test.each([
    [{ below: "2" }, "below"],
    [{ from: "2" }, "from"],
    [{ purl: log4j.replace("maven", "npm"), below: "2.x" }, "below"],
    [{ purl: "pkg:deb/debian/openssl", from: "abc", below: "2" }, "from"],
    [{ purl: "log4j" }, "purl"],
    [{ purl: `${log4j}@<2`, below: "2" }, "purl"],
    [{ purl: `${log4j}@~2` }, "purl"],
    [{ purl: `${log4j}@<1 >=2` }, "purl"],
    [{ purl: `${log4j}@=1 =2` }, "purl"],
    [{ purl: `${log4j}@<` }, "purl"],
    [{ purl: `${log4j}@vers:npm/<2` }, "purl"],
    [{ purl: "pkg:hackage/openssl@<2" }, "purl"],
    [{ purl: `${log4j}@${Array.from({ length: 21 }, (_, at) => `!=1.${at}`).join(" ")}` }, "purl"],
    [{ purl: "pkg:deb/debian/openssl?vers=vers:deb/<2" }, "purl"],
  ])("%j is refused for %s", async (query, field) => {
    const { status, body } = await ask(query as unknown as Record<string, string>);
    expect(status).toBe(400);
    expect(body.details[1].fieldViolations[0].field).toBe(field);
  });
});

test("the packages of one image of a repository, page by page and with a name", async () => {
  const ofImage = { "uidp.children_of": repo, digest: fakeDigest("fixed") };
  const first = (await ask({ ...ofImage, page_size: "1" })).body;
  const rest = (await ask({ ...ofImage, page_size: "1", page_token: first.nextPageToken })).body;
  expect(rest.nextPageToken).toBeUndefined();
  const all = [...first.packages, ...rest.packages];
  expect(all.map(({ version }) => version).sort()).toEqual(["2.17.0", "2.17.1"]);
  const ofFirst = await ask({ ...ofImage, digest: image, name: "log4j-core" });
  expect(versionsOf(ofFirst.body.packages)).toEqual(["maven 2.14.1"]);
  const { status, body } = await ask({ digest: image });
  expect([status, body.details[1].fieldViolations[0].field]).toEqual([400, "digest"]);
});

describe("a package URL finds packages that have each of its parts", () => {
  let own: string;
  beforeAll(async () => {
    own = await newRepoIn(organization);
    const curl = (rest: string) => part(`pkg:deb/debian/curl@${rest}`);
    const parts = [
      ...[
        curl("8?distro=debian-12&arch=amd64"),
        curl("8?arch=arm64&distro=debian-12.5"),
        curl("9"),
      ],
      ...[part("pkg:golang/example.com/mod@v1.0.0#sub/dir"), part("pkg:pypi/Typing_Extensions@4")],
      part("pkg:npm/%40angular%2Fcore@12"),
    ];
    await putSbom(organization, own, fakeDigest("parts"), bom(parts));
  });

  test.each([
    ["pkg:deb/debian/curl", ["deb 8", "deb 8", "deb 9"]],
    ["pkg:deb/debian/curl@8", ["deb 8", "deb 8"]],
    ["pkg:deb/debian/curl?distro=debian-12", ["deb 8"]],
    ["pkg:deb/debian/curl@8?distro=debian-12&arch=amd64", ["deb 8"]],
    ["pkg:deb/debian/curl@8?arch=amd64&distro=debian-12", ["deb 8"]],
    ["pkg:deb/debian/curl?arch=amd64&distro=debian-12.5", []],
    ["pkg:deb/debian/curl@9?arch=amd64", []],
    ["pkg:deb/debian/curl?rch=amd64", []],
    ["pkg:golang/example.com/mod", ["golang v1.0.0"]],
    ["pkg:golang/example.com/mod#sub/dir", ["golang v1.0.0"]],
    ["pkg:golang/example.com/mod#dir", []],
    ["pkg:pypi/typing.extensions", ["pypi 4"]],
    ["pkg:npm/%40angular/core", ["npm 12"]],
    ["pkg:npm/@angular%2fcore@12", ["npm 12"]],
  ])("%s", async (purl, expected) => {
    const { status, body } = await ask({ "uidp.children_of": own, purl });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(versionsOf(body.packages ?? [])).toEqual(expected);
  });
});

test("tagged_only leaves out images without a tag", async () => {
  expect(versionsOf(await found({ name: "log4j-core", tagged_only: "true" }))).toEqual([
    "maven 2.14.1",
  ]);
});

test("another SBOM of an image replaces its packages, and deleting the repository deletes them", async () => {
  const other = await newRepoIn(organization);
  const packages = async () => (await ask({ "uidp.children_of": other })).body.packages ?? [];
  await putSbom(
    organization,
    other,
    image,
    bom([part("pkg:npm/a@1.0.0"), part("pkg:npm/b@1.0.0")]),
  );
  const before = await packages();
  await putSbom(
    organization,
    other,
    image,
    bom([part("pkg:npm/b@1.0.0"), part("pkg:npm/c@1.0.0")]),
  );
  const after = await packages();
  expect(after.map(({ name }: Found) => name).sort()).toEqual(["b", "c"]);
  const uidOf = (rows: (Found & { uid: string })[]) => rows.find(({ name }) => name === "b")?.uid;
  expect(uidOf(after)).toBe(uidOf(before));
  await callRest(`/registry/v2/repos/${other}`, { token, method: "DELETE" });
  for (const table of ["sbom_packages", "indexed_sboms"]) {
    const range = [`${other}/`, `${other}0`];
    expect(await sql(`select uid from ${table} where uid > ? and uid < ?`, ...range)).toEqual([]);
  }
});
