import { beforeAll, describe, expect, test } from "vitest";
import { plantedDigest } from "../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";

const index = "application/vnd.oci.image.index.v1+json";
const single = "application/vnd.oci.image.manifest.v1+json";

let organization: Organization;
let repo: string;
let image: string;
let bare: string;
let attested: string;

async function put(mediaType: string, content: unknown): Promise<string> {
  const made = await createResource(`/registry/v2/manifests/${repo}`, organization.owner.token, {
    mediaType,
    content: btoa(JSON.stringify(content)),
  });
  return String(made.digest);
}

const ask = (digest: string, what: string, at = repo) =>
  callRest(`/registry/v2/repos/${at}/digests/${digest}/${what}`, {
    token: organization.owner.token,
  });

beforeAll(async () => {
  organization = await newOrganization();
  const { token } = organization.owner;
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "r" })).uid;
  const manifest = (size: number) => put(single, { config: { size }, layers: [{ size: 1000 }] });
  bare = await manifest(1);
  const entry = (digest: string, platform?: object) => ({ digest, platform });
  const attestation = entry(plantedDigest(9), { os: "unknown", architecture: "unknown" });
  image = await put(index, {
    manifests: [
      entry(await manifest(10), { os: "linux", architecture: "arm64" }),
      attestation,
      entry(await manifest(20), { os: "linux", architecture: "amd64" }),
      entry(await manifest(30), { os: "linux", architecture: "arm", variant: "v7" }),
      entry(plantedDigest(8), { os: "linux", architecture: "s390x" }),
    ],
  });
  attested = await put(index, { manifests: [attestation] });
});

describe("architectures", () => {
  test("are those of the index, in its order, with variants after a slash and without attestations", async () => {
    const { status, body } = await ask(image, "architectures");
    expect(status).toBe(200);
    expect(body).toEqual({ architectures: ["arm64", "amd64", "arm/v7", "s390x"] });
    expect((await ask(attested, "architectures")).body).toEqual({});
  });

  test("are rejected for a single manifest", async () => {
    const { status, body } = await ask(bare, "architectures");
    expect([status, body.code]).toEqual([400, 3]);
    expect(body.details[1].fieldViolations[0].field).toBe("digest");
  });
});

describe("size", () => {
  test.each([
    ["", { size: "1020", architecture: "amd64" }],
    ["?architecture=amd64", { size: "1020", architecture: "amd64" }],
    ["?architecture=arm64", { size: "1010", architecture: "arm64" }],
    ["?architecture=arm%2Fv7", { size: "1030", architecture: "arm/v7" }],
  ])(
    "the size of an index%s is that of the architecture, amd64 by default",
    async (query, size) => {
      expect((await ask(image, `size${query}`)).body).toEqual(size);
    },
  );

  test("of an architecture that is not in the index or not stored is NOT_FOUND", async () => {
    for (const [digest, architecture] of [
      [image, "riscv64"],
      [image, "s390x"],
      [image, "unknown"],
      [attested, "amd64"],
    ]) {
      const { status, body } = await ask(digest ?? "", `size?architecture=${architecture}`);
      expect([status, body.details[1].resourceType]).toEqual([
        404,
        "registry.platform.example/Image",
      ]);
    }
  });

  test("of a single manifest is its own", async () => {
    expect((await ask(bare, "size")).body.size).toBe("1001");
  });
});

test("a digest of no image is NOT_FOUND, and a text that is not a digest is rejected", async () => {
  const other = await createResource(
    `/registry/v2/repos/${organization.uid}`,
    organization.owner.token,
    {
      name: "other",
    },
  );
  for (const what of ["size", "architectures"]) {
    expect((await ask(plantedDigest(7), what)).status).toBe(404);
    expect((await ask(image, what, other.uid)).status).toBe(404);
    expect((await ask("latest", what)).body.details[1].fieldViolations[0].field).toBe("digest");
    expect((await ask(encodeURIComponent(image), what)).status).toBe(200);
  }
});
