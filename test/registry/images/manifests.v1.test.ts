import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { Registry } from "../../../schema/gen/platform/registry/registry_pb.js";
import { fakeDigest, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, clientOf, costOf, sql } from "../../world/platform.ts";
import { cycloneDxDocument, spdxDocument } from "../sboms/documents.ts";
import { newRepoIn, putIndex, putManifest, putSbom } from "./stored_images.ts";

let organization: Organization;
let repo: string;
beforeAll(async () => {
  organization = await newOrganization();
  repo = await newRepoIn(organization);
});

const list = (at: string, token = organization.owner.token) =>
  callRest(`/registry/v1/repos/${at}/manifestmetdata`, { token });
const count = (at: string, token = organization.owner.token) =>
  callRest(`/registry/v1/digestcount/${at}`, { token });

describe("the packages of images", () => {
  const spdx = fakeDigest("spdx");
  const cyclone = fakeDigest("cyclone");
  let index: string;
  let own: string;
  beforeAll(async () => {
    await putSbom(organization, repo, spdx, spdxDocument());
    await putSbom(organization, repo, cyclone, cycloneDxDocument());
    index = await putIndex(organization, repo, [
      ["arm64", cyclone],
      ["amd64", spdx],
    ]);
    own = await putIndex(organization, repo, [["amd64", spdx]]);
    await putSbom(organization, repo, own, { spdxVersion: "SPDX-2.3" });
  });

  /** The digests in the response to a filter that REST cannot express. */
  const digests = async (...items: object[]) => {
    const client = clientOf(Registry, organization.owner.token);
    const answer = await client.listManifestMetadata({ repoId: repo, items: items as never });
    return answer.items.map(({ digest }) => digest);
  };
  const image = (digest: string) => ({ filter: { case: "imageDigest", value: digest } });
  const inIndex = (digest: string, arch = "") => ({
    filter: { case: "indexFilter", value: { digest, arch } },
  });

  test("packages of images have origin, license, build time and end of support", async () => {
    const { status, body, headers } = await list(repo);
    expect(status).toBe(200);
    expect(costOf({ headers }).roundTrips).toBe(1);
    const purl = (name: string, rest = "") =>
      `pkg:apk/alpine/${name}?arch=x86_64&distro=alpine-3.20.3${rest}`;
    const found = body.items.find(({ digest }: { digest: string }) => digest === spdx);
    expect(found).toEqual({
      digest: spdx,
      pkgMetadata: [
        {
          purl: purl("libcrypto3@3.3.2-r1", "&upstream=openssl"),
          originPurl: purl("openssl@3.3.2-r1"),
          eolDate: "2027-01-01T00:00:00.000Z",
          buildTimestamp: "2026-01-02T03:04:05.000Z",
          license: "Apache-2.0",
        },
        {
          purl: purl("musl@1.2.5-r0"),
          originPurl: purl("musl@1.2.5-r0"),
          license: "MIT OR BSD-2-Clause",
        },
        {
          purl: purl("busybox-binsh@1.36.1-r29", "&upstream=busybox@1.36.1-r28"),
          originPurl: purl("busybox@1.36.1-r28"),
        },
      ],
    });
  });

  test("are those of all images with an SBOM if the request names none, by digest", async () => {
    const { body } = await list(repo);
    const all = [spdx, cyclone, own].sort();
    expect(body.items.map(({ digest }: { digest: string }) => digest)).toEqual(all);
    expect(await digests()).toEqual(all);
  });

  test("are those of the named images, without duplicates", async () => {
    expect(await digests(image(cyclone))).toEqual([cyclone]);
    expect(await digests(image(own))).toEqual([own]);
    expect(await digests(image(index))).toEqual([]);
    expect(await digests(inIndex(index, "arm64"))).toEqual([cyclone]);
    expect(await digests(inIndex(index))).toEqual([spdx]);
    expect(await digests(inIndex(own))).toEqual([own]);
    expect(await digests(inIndex(own, "amd64"))).toEqual([spdx]);
    expect(await digests(inIndex(index, "s390x"), image(fakeDigest("nothing")))).toEqual([]);
    expect(await digests(inIndex(index, "arm64"), image(cyclone), image(spdx))).toEqual(
      [cyclone, spdx].sort(),
    );
  });

  test("are rejected for a filter without an image, with its position", async () => {
    const refused = async (...items: object[]) => {
      const answer = await callRest("/platform.registry.Registry/ListManifestMetadata", {
        token: organization.owner.token,
        body: { repoId: repo, items },
        headers: { "content-type": "application/json" },
      });
      expect(answer.status).toBe(400);
      return /Invalid argument: ([^:]+):/.exec(answer.body.message)?.[1];
    };
    const good = { imageDigest: spdx };
    expect(await refused(good, {})).toBe("items[1].filter");
    expect(await refused({ imageDigest: "latest" })).toBe("items[0].image_digest");
    expect(await refused({ indexFilter: {} })).toBe("items[0].index_filter.digest");
    const arch = "x".repeat(65);
    expect(await refused(good, { indexFilter: { digest: spdx, arch } })).toBe(
      "items[1].index_filter.arch",
    );
    expect(await refused(...Array.from({ length: 1001 }, () => good))).toBe("items");
  });

  test("above the size of a response are rejected, and named images still work", async () => {
    const large = await newRepoIn(organization);
    const { body } = await putSbom(organization, large, spdx, spdxDocument());
    await putSbom(organization, large, cyclone, cycloneDxDocument());
    await sql("update sboms set packages_length = 16777216 where uid = ?", body.uid);
    const { status, body: error } = await list(large);
    expect([status, error.code]).toEqual([429, 8]);
    const client = clientOf(Registry, organization.owner.token);
    const items = [image(cyclone)] as never;
    const named = await client.listManifestMetadata({ repoId: large, items });
    expect(named.items).toHaveLength(1);
  });

  test("are measured in the size of the response, also after another SBOM replaces the first", async () => {
    const measured = await newRepoIn(organization);
    for (const document of [spdxDocument(), cycloneDxDocument()]) {
      const { body } = await putSbom(organization, measured, spdx, document);
      const select = "select packages_length, packages from sboms where uid = ?";
      const [row] = await sql<{ packages_length: number; packages: string }>(select, body.uid);
      const unpacked = gunzipSync(Buffer.from(row?.packages ?? "", "base64")).toString();
      expect(row?.packages_length).toBe(unpacked.length);
      expect(row?.packages_length).toBeGreaterThan(100);
    }
  });
});

describe("the count of manifests", () => {
  test("is that of the repository, or of all repositories below a group", async () => {
    const own = await newOrganization();
    const [one, other] = await Promise.all([newRepoIn(own), newRepoIn(own)]);
    const manifest = await putManifest(own, one);
    await putIndex(own, one, [["amd64", manifest]]);
    await putManifest(own, other);
    const at = async (uid: string) => (await count(uid, own.owner.token)).body;
    expect(await at(one)).toEqual({ count: "2" });
    expect(await at(other)).toEqual({ count: "1" });
    expect(await at(own.uid)).toEqual({ count: "3" });
    await callRest(`/registry/v2/repos/${one}`, { method: "DELETE", token: own.owner.token });
    expect(await at(own.uid)).toEqual({ count: "1" });
  });

  test("is a stored total: the call does not count rows", async () => {
    const { body: before } = await count(organization.uid);
    await sql(
      `insert into manifests (uid, create_time, update_time, digest, media_type, entries, size)
       with recursive n(value) as (select 1 union all select value + 1 from n where value < 3000)
       select ? || '/' || printf('%016x', value), 1, 1, 'sha256:' || value, '', '[]', 0 from n`,
      repo,
    );
    const answer = await count(organization.uid);
    expect(Number(answer.body.count)).toBe(Number(before.count) + 3000);
    expect(costOf(answer)).toMatchObject({ roundTrips: 1 });
    expect(costOf(answer).rowsRead).toBeLessThan(50);
  });
});
