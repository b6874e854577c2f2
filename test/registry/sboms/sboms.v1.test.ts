import { beforeAll, describe, expect, test } from "vitest";
import { fakeDigest, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, costOf } from "../../world/platform.ts";
import { newRepoIn, putIndex, putManifest, putSbom } from "../images/stored_images.ts";
import { cycloneDxDocument, spdxDocument } from "./documents.ts";

let organization: Organization;
let repo: string;
beforeAll(async () => {
  organization = await newOrganization();
  repo = await newRepoIn(organization);
});

const get = (path: string, at = repo, token = organization.owner.token) =>
  callRest(`/registry/v1/repos/${at}/${path}`, { token });
const sbom = (digest: string, query = "", at = repo) => get(`digests/${digest}/sbom${query}`, at);
const raw = (digest: string, query = "", at = repo) => get(`digest/${digest}/rawsbom${query}`, at);

/** Stores the SPDX document under a name. */
const store = async (digest: string, name: string, at = repo) => {
  const made = await putSbom(organization, at, digest, { ...spdxDocument(), name });
  expect(made.status).toBe(200);
  return made.body;
};

const image = (architecture: string) =>
  putManifest(organization, repo, JSON.stringify({ architecture, os: "linux", config: {} }));

test("an SPDX document is returned completely, with its components as a graph", async () => {
  const digest = fakeDigest("100");
  const document = spdxDocument();
  const { body: stored } = await putSbom(organization, repo, digest, document);
  const { status, body, headers } = await sbom(digest);
  expect(status).toBe(200);
  const { rawSbom, graph, ...rest } = body;
  expect(rest).toEqual({
    id: stored.uid,
    lastSeen: stored.updateTime,
    tool: "scanner-1.14.0, merger-2",
    format: "SPDX",
    generatedAt: "2026-03-01T12:00:00.000Z",
    authors: "Scanner, Inc, Ada L. (ada@example.com)",
    source: "INGESTED",
    name: "registry.example/python",
    description: "Scanned after the build",
    digest,
  });
  expect(JSON.parse(Buffer.from(rawSbom, "base64").toString())).toEqual(
    JSON.parse(JSON.stringify(document)),
  );
  expect(graph.nodes[0]).toEqual({
    package: {
      id: "SPDXRef-Package-apk-libcrypto3",
      name: "libcrypto3",
      version: "3.3.2-r1",
      license: "Apache-2.0",
      description: "The package libcrypto3",
      purl: "pkg:apk/alpine/libcrypto3@3.3.2-r1?arch=x86_64&distro=alpine-3.20.3&upstream=openssl",
    },
  });
  expect(graph.nodes.at(-1)).toEqual({
    file: { id: "SPDXRef-File-etc-motd", name: "etc/motd", types: ["TEXT", "OTHER"] },
  });
  expect(graph.edges.map(({ type }: { type?: string }) => type)).toEqual([
    ...["DESCRIBES", "CONTAINS", "CONTAINS", "CONTAINS", "DEPENDS_ON", "CONTAINS"],
    ...[undefined, "GENERATED_FROM"],
  ]);
  expect(graph.edges[0]).toEqual({
    subjectId: "SPDXRef-DOCUMENT",
    predicateId: "SPDXRef-DocumentRoot-Image-python",
    type: "DESCRIBES",
  });
  expect(costOf({ headers }).roundTrips).toBe(1);
});

test("a CycloneDX document is returned completely", async () => {
  const digest = fakeDigest("101");
  await putSbom(organization, repo, digest, cycloneDxDocument());
  const { body } = await sbom(digest);
  expect(body).toMatchObject({
    tool: "scanner-0.58.1, cleaner, signer-3",
    format: "CycloneDX",
    generatedAt: "2026-03-01T12:00:00.000Z",
    authors: "Ada (ada@example.com), Bob, Example Works",
    source: "INGESTED",
    name: "registry.example/app:1",
    description: "An app",
    digest,
  });
  expect(body.graph.nodes).toHaveLength(6);
  expect(body.graph.edges).toHaveLength(6);
});

test("the raw document is returned unchanged", async () => {
  const digest = fakeDigest("102");
  const text = `\ufeff{\n  "spdxVersion" : "SPDX-2.3",  "name":"ä € 🐍"\n}\n`;
  expect((await putSbom(organization, repo, digest, text)).status).toBe(200);
  expect((await raw(digest)).body).toEqual({ rawSbom: text });
  expect(Buffer.from((await sbom(digest)).body.rawSbom, "base64").toString()).toBe(text);
});

describe("arch", () => {
  let index: string;
  let amd64: string;
  let arm64: string;
  beforeAll(async () => {
    [amd64, arm64] = await Promise.all([image("amd64"), image("arm64")]);
    index = await putIndex(organization, repo, [
      ["arm64", arm64],
      ["amd64", amd64],
      ["arm/v7", fakeDigest("110")],
      ["s390x", fakeDigest("111")],
    ]);
    await store(amd64, "of amd64");
    await store(arm64, "of arm64");
    await store(fakeDigest("110"), "of arm/v7");
  });

  test.each([
    ["?arch=amd64", "of amd64"],
    ["?arch=arm64", "of arm64"],
    ["?arch=arm%2Fv7", "of arm/v7"],
    ["", "of amd64"],
    ["?arch=s390x", undefined],
    ["?arch=riscv64", undefined],
  ])("the arch of an index%s selects its image, amd64 by default", async (query, name) => {
    const { status, body } = await sbom(index, query);
    expect([status, body.name]).toEqual([200, name]);
    const { body: text } = await raw(index, query);
    expect(text.rawSbom && JSON.parse(text.rawSbom).name).toBe(name);
  });

  test("of a single image is that of its configuration, and no other is returned", async () => {
    expect((await sbom(arm64, "?arch=arm64")).body.name).toBe("of arm64");
    expect((await sbom(arm64)).body.name).toBe("of arm64");
    expect((await sbom(arm64, "?arch=amd64")).body).toEqual({});
    // Of this one nothing but its SBOM is stored.
    expect((await sbom(fakeDigest("110"), "?arch=amd64")).body.name).toBe("of arm/v7");
  });

  test("is optional, and the SBOM of the index itself comes first", async () => {
    const own = await putIndex(organization, repo, [["amd64", amd64]]);
    await store(own, "of the index");
    expect((await sbom(own)).body.name).toBe("of the index");
    expect((await raw(own)).body.rawSbom).toContain("of the index");
    expect((await sbom(own, "?arch=amd64")).body.name).toBe("of amd64");
  });

  test("finds no image of another repository", async () => {
    const other = await newRepoIn(organization);
    expect((await sbom(index, "?arch=amd64", other)).body).toEqual({});
    await store(amd64, "of the other", other);
    expect((await sbom(amd64, "", other)).body.name).toBe("of the other");
    expect((await sbom(amd64)).body.name).toBe("of amd64");
  });
});

test("a reference must equal the digest", async () => {
  const digest = fakeDigest("120");
  await store(digest, "referenced");
  for (const reference of ["", digest, `registry.example/python@${digest}`]) {
    const { body } = await raw(digest, `?reference=${encodeURIComponent(reference)}`);
    expect(body.rawSbom).toContain("referenced");
  }
  for (const reference of ["latest", fakeDigest("121"), `${digest}x`]) {
    const { status, body } = await raw(digest, `?reference=${encodeURIComponent(reference)}`);
    expect([status, body.details[1].fieldViolations[0].field]).toEqual([400, "reference"]);
  }
});

test("an image, or a repository, without an SBOM is empty with success", async () => {
  const manifest = await putManifest(organization, repo);
  for (const digest of [fakeDigest("130"), manifest]) {
    for (const answer of [await sbom(digest), await raw(digest)]) {
      expect([answer.status, answer.body]).toEqual([200, {}]);
    }
  }
  const nowhere = `${organization.uid}/${"0".repeat(16)}`;
  expect(await sbom(fakeDigest("130"), "", nowhere)).toMatchObject({ status: 200, body: {} });
});

test("a request without an image is rejected with the names of version 1", async () => {
  for (const ask of [sbom, raw]) {
    const bad = async (answer: ReturnType<typeof sbom>) => {
      const { status, body } = await answer;
      return [status, body.details[1].fieldViolations[0].field];
    };
    expect(await bad(ask("latest"))).toEqual([400, "digest"]);
    expect(await bad(ask(fakeDigest("1"), `?arch=${"x".repeat(65)}`))).toEqual([400, "arch"]);
    expect(await bad(ask(fakeDigest("1"), "", "malformed"))).toEqual([400, "repo_id"]);
  }
});
