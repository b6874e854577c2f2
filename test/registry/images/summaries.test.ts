/** Summaries of many images at once. */
import { drizzle } from "drizzle-orm/d1";
import { beforeAll, describe, expect, test } from "vitest";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { ImageSummariesService } from "../../../schema/gen/platform/registry/images/v2/image_summaries_pb.js";
import { selectImages } from "../../../src/registry/images/summaries.ts";
import { newContractCaller } from "../../contract/fixtures.ts";
import { plantedDigest } from "../../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, clientOf, sql } from "../../world/platform.ts";
import { grypeReport, matchOf, packedReport } from "../vuln_reports/grype_reports.ts";
import { indexType, manifestType, newRepoIn, putIndex, putManifest } from "./stored_images.ts";

let organization: Organization;
let repo: string;
let amd64: string;
let arm64: string;
let image: string;
const config = (architecture: string) => JSON.stringify({ os: "linux", architecture });

beforeAll(async () => {
  organization = await newOrganization();
  repo = await newRepoIn(organization);
  amd64 = await putManifest(organization, repo, config("amd64"));
  arm64 = await putManifest(organization, repo, config("arm64"));
  image = await putIndex(organization, repo, [
    ["arm64/v8", arm64],
    ["amd64", amd64],
    ["s390x", plantedDigest(8)],
  ]);
});

const ask = (digests: string[], { token = organization.owner.token, at = repo } = {}) => {
  const query = digests.map((one) => `digests=${one}`).join("&");
  return callRest(`/registry/v2/imageSummaries/${at}:batchGet?${query}`, { token });
};

const report = (digest: string, scanned: string, severities: string[]) =>
  createResource(`/registry/v2/vulnReports/${repo}`, organization.owner.token, {
    digest,
    content: packedReport(
      grypeReport(
        severities.map((severity, index) => matchOf(`CVE-2026-${1000 + index}`, severity)),
        { scanned },
      ),
    ),
  });

const amd64Platform = () => ({ os: "linux", architecture: "amd64", digest: amd64, size: "15" });

describe("a summary", () => {
  test("of an index has its platforms in its order, with the sizes that are stored", async () => {
    const { status, body } = await ask([image]);
    expect(status).toBe(200);
    expect(body.imageSummaries).toEqual([
      {
        digest: image,
        mediaType: indexType,
        platforms: [
          { os: "linux", architecture: "arm64", digest: arm64, size: "15" },
          amd64Platform(),
          { architecture: "s390x", digest: plantedDigest(8), size: "0" },
        ],
      },
    ]);
  });

  test("of a single manifest has its one platform", async () => {
    expect((await ask([amd64])).body.imageSummaries).toEqual([
      { digest: amd64, mediaType: manifestType, platforms: [amd64Platform()] },
    ]);
  });

  test("of a digest that is not stored has only the digest", async () => {
    const unknown = plantedDigest(7);
    expect((await ask([unknown])).body.imageSummaries).toEqual([{ digest: unknown }]);
  });

  test("comes for each digest of the request, in its order, also twice", async () => {
    const asked = [arm64, plantedDigest(7), image, arm64];
    const { body } = await ask(asked);
    expect(body.imageSummaries.map(({ digest }: { digest: string }) => digest)).toEqual(asked);
    const client = clientOf(ImageSummariesService, organization.owner.token);
    const found = await client.batchGetImageSummaries({ repoUid: repo, digests: asked });
    expect(found.imageSummaries.map(({ digest }) => digest)).toEqual(asked);
  });

  test("lists at most 50 platforms", async () => {
    const entries = Array.from({ length: 51 }, (_, at): [string, string] => [`a${at}`, amd64]);
    const large = await putIndex(organization, repo, entries);
    const [{ platforms }] = (await ask([large])).body.imageSummaries;
    expect(platforms).toHaveLength(50);
  });

  test("reads no more platforms of an index than it lists", async () => {
    const entries = Array.from({ length: 60 }, (_, at): [string, string] => [`b${at}`, amd64]);
    const large = await putIndex(organization, repo, entries);
    const db = drizzle({} as never);
    const { sql: text, params } = selectImages({ db }, repo, [large]).toSQL();
    const [row] = await sql(text, ...params);
    const read = JSON.parse(String(row?.first_entries)) as { architecture: string }[];
    expect(read.map(({ architecture }) => architecture)).toEqual(
      entries.slice(0, 50).map(([name]) => name),
    );
  });
});

describe("the counts", () => {
  const countsOf = async (digest: string) => (await ask([digest])).body.imageSummaries[0].findings;

  test("are those of the newest scan, by severity, each vulnerability once", async () => {
    const digest = await putManifest(organization, repo);
    await report(digest, "2026-05-01T00:00:00Z", ["Critical"]);
    const newest = await report(digest, "2026-05-02T00:00:00Z", [
      ...["Critical", "High", "High", "Medium", "Low", "Low", "Low", "Negligible", "Unknown"],
    ]);
    await report(digest, "2026-04-01T00:00:00Z", ["Low"]);
    expect(await countsOf(digest)).toEqual({
      ...{ reportUid: newest.uid, digest, scanTime: "2026-05-02T00:00:00.000Z" },
      ...{ critical: 1, high: 2, medium: 1, low: 3, negligible: 1, unknown: 1 },
    });
  });

  test("of an index without a report are those of its amd64 manifest", async () => {
    const { uid } = await report(amd64, "2026-05-01T00:00:00Z", ["High"]);
    const ofAmd64 = { reportUid: uid, digest: amd64, scanTime: "2026-05-01T00:00:00.000Z" };
    expect(await countsOf(image)).toMatchObject({ ...ofAmd64, critical: 0, high: 1, unknown: 0 });
  });

  test("are left out without vuln_report.list, and platforms are not", async () => {
    await report(amd64, "2026-05-03T00:00:00Z", ["High"]);
    const puller = [Capability.CAP_REPO_LIST, Capability.CAP_MANIFEST_METADATA_LIST];
    const someone = await newContractCaller(organization.uid, puller);
    const [summary] = (await ask([amd64], { token: someone.token })).body.imageSummaries;
    expect(summary).toEqual({
      ...{ digest: amd64, mediaType: manifestType, platforms: [amd64Platform()] },
    });
  });
});

describe("the call", () => {
  test("says nothing about the images of other repositories", async () => {
    const other = await newRepoIn(organization);
    expect((await ask([image], { at: other })).body.imageSummaries).toEqual([{ digest: image }]);
  });

  test("refuses no digest, more than 100, and a text that is none", async () => {
    const many = Array.from({ length: 101 }, (_, at) => `sha256:${String(at).padStart(64, "0")}`);
    for (const digests of [[], many, ["latest"]]) {
      const { status, body } = await ask(digests);
      expect([status, body.details[1].fieldViolations[0].field]).toEqual([
        400,
        expect.stringMatching(/^digests/),
      ]);
    }
    expect((await ask(many.slice(0, 100))).status).toBe(200);
  });
});
