/** Measures reads and writes of the registry and of vulnerabilities in version 2, except for Lists (lists.ts). */
import { createHash } from "node:crypto";
import { samplePublicKey } from "../../test/world/sample_key.ts";
import { csafDocument, openVexDocument } from "../../test/world/vex_documents.ts";
import type { MeasuringCaller } from "./caller.ts";
import { fixtures, holderIn } from "./fixtures.ts";
import { pageSize } from "./lists.ts";

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** The repository that contains two fifths of the tags and images. */
export const largeRepo = holderIn(fixtures.root);

const manifestType = "application/vnd.oci.image.manifest.v1+json";
const indexType = "application/vnd.oci.image.index.v1+json";
const configuration = JSON.stringify({ architecture: "amd64", os: "linux", config: { User: "u" } });

/** The digests of an image that the run stores with all of its data. */
export interface StoredImage {
  index: string;
  manifest: string;
}

async function measureRepos(caller: MeasuringCaller): Promise<void> {
  const of = "registry.v2.ReposService";
  const repo = { name: "made" };
  const { body } = await caller.write(`${of}/CreateRepo`, { parent: fixtures.root, repo });
  const { uid } = body;
  await caller.get(`${of}/GetRepo`, { uid });
  await caller.write(`${of}/UpdateRepo`, { repo: { uid, description: "Another one" } });
  await caller.write(`${of}/UpdateRepoReadme`, { repoReadme: { uid, content: "# Read me" } });
  await caller.get(`${of}/GetRepoReadme`, { uid });
  const rendered = { repoUid: uid, content: "# Read me" };
  await caller.get("registry.readmes.v2.ReadmesService/RenderReadme", rendered);
  await caller.write(`${of}/DeleteRepo`, { uid });
}

async function measureTags(caller: MeasuringCaller): Promise<void> {
  const of = "registry.v2.TagsService";
  const parent = largeRepo;
  const create = (digest: string, name: string) =>
    caller.write(
      `${of}/CreateTag`,
      { parent, tag: { name: "made", digest: digestOf(digest) } },
      name,
    );
  const { body } = await create("one", "a new one");
  await create("two", "moves it");
  await caller.get(`${of}/GetTag`, { uid: body.uid });
  await caller.write(`${of}/DeleteTag`, { uid: body.uid });
  const moves = [0, 1].map((index) => ({
    repo: "imported",
    tag: "latest",
    digest: digestOf(String(index)),
    updateTime: `2026-01-0${index + 1}T00:00:00Z`,
  }));
  const name = "two moves of a new repo";
  const request = { parent: fixtures.root, moves };
  await caller.measure(
    "registry.v2.TagMovesService/ImportTagMoves",
    { name, kind: "import" },
    request,
  );
}

async function measureTagRules(caller: MeasuringCaller): Promise<void> {
  const of = "registry.v2.TagRulesService";
  const parent = largeRepo;
  const keep = { requirement: { sbom: true } };
  const tagRule = { name: "made", includeTags: ["kept-*"], keep };
  const { body } = await caller.write(`${of}/CreateTagRule`, { parent, tagRule });
  const { uid } = body;
  await caller.get(`${of}/GetTagRule`, { uid });
  await caller.write(`${of}/UpdateTagRule`, { tagRule: { uid, description: "Another one" } });
  const ofRoot = { kind: "list", pageSize, name: "of the root" } as const;
  const uidp = { descendantsOf: fixtures.root };
  await caller.measure(`${of}/ListTagRules`, ofRoot, { uidp, pageSize });
  const change = { repoUid: parent, tag: "kept-1", moveTo: digestOf("one") };
  // A rule with a requirement takes one more round trip, as many as a write may.
  await caller.measure(`${of}/CheckTag`, { kind: "write", name: "with a requirement" }, change);
  const page = { kind: "preview", pageSize, name: "of a repository" } as const;
  await caller.measure(`${of}/PreviewTagRule`, page, { parent, tagRule, pageSize });
  await caller.write(`${of}/DeleteTagRule`, { uid });
}

async function measureTrustPolicies(caller: MeasuringCaller): Promise<void> {
  const of = "registry.v2.TrustPoliciesService";
  const trustPolicy = { name: "made", publicKeys: [samplePublicKey] };
  const { body } = await caller.write(`${of}/CreateTrustPolicy`, {
    parent: largeRepo,
    trustPolicy,
  });
  const { uid } = body;
  await caller.get(`${of}/GetTrustPolicy`, { uid });
  await caller.write(`${of}/UpdateTrustPolicy`, { trustPolicy: { uid, description: "Another" } });
  const ofRoot = { kind: "list", pageSize, name: "of the root" } as const;
  const uidp = { descendantsOf: fixtures.root };
  await caller.measure(`${of}/ListTrustPolicies`, ofRoot, { uidp, pageSize });
  await caller.write(`${of}/DeleteTrustPolicy`, { uid });
}

async function measureImageHolds(caller: MeasuringCaller): Promise<void> {
  const of = "registry.v2.ImageHoldsService";
  const digests = [digestOf("one")];
  const { body } = await caller.write(`${of}/CreateImageHold`, {
    parent: largeRepo,
    imageHold: { name: "made", digests },
  });
  const { uid } = body;
  await caller.get(`${of}/GetImageHold`, { uid });
  await caller.write(`${of}/UpdateImageHold`, { imageHold: { uid, name: "changed" } });
  const ofRoot = { kind: "list", pageSize, name: "of the root" } as const;
  const uidp = { descendantsOf: fixtures.root };
  await caller.measure(`${of}/ListImageHolds`, ofRoot, { uidp, pageSize });
  await caller.write(`${of}/DeleteImageHold`, { uid });
}

/** Moves a tag to another image and back again. */
async function measureRollback(caller: MeasuringCaller, first: string, second: string) {
  const of = "registry.v2.TagsService";
  const move = (digest: string, name: string) =>
    caller.write(`${of}/CreateTag`, { parent: largeRepo, tag: { name: "back", digest } }, name);
  const { body } = await move(first, "of an image");
  await move(second, "moves it to another image");
  await caller.write(`${of}/RollbackTag`, { uid: body.uid, digest: first });
}

async function measureImages(caller: MeasuringCaller): Promise<StoredImage> {
  const service = "registry.v2.ManifestsService";
  const of = `${service}/CreateManifest`;
  const parent = largeRepo;
  const config = { size: 5, digest: digestOf(configuration) };
  const manifest = await caller.write(of, {
    parent,
    manifest: {
      mediaType: manifestType,
      content: base64({ config, layers: [{ size: 10 }] }),
      config: Buffer.from(configuration).toString("base64"),
    },
  });
  const digest = String(manifest.body.digest);
  const platform = { os: "linux", architecture: "amd64" };
  const content = base64({ mediaType: indexType, manifests: [{ digest, platform }] });
  const index = await caller.write(
    of,
    { parent, manifest: { mediaType: indexType, content } },
    "index",
  );
  const another = base64({ config, layers: [{ size: 11 }] });
  const other = await caller.write(of, {
    parent,
    manifest: { mediaType: manifestType, content: another },
  });
  await caller.get(`${service}/GetManifest`, { uid: other.body.uid });
  await measureRollback(caller, digest, String(other.body.digest));
  const page = { kind: "list", pageSize, name: "newest first" } as const;
  await caller.measure(`${service}/ListManifests`, page, { repoUid: parent, pageSize });
  const usages = "registry.v2.UsagesService";
  await caller.get(`${usages}/GetUsage`, { uid: fixtures.root });
  await measureQuotas(caller, fixtures.root);
  const largest = { kind: "list", pageSize, name: "largest first" } as const;
  await caller.measure(`${usages}/ListRepoUsages`, largest, { group: fixtures.root, pageSize });
  await measureQuestions(caller, parent);
  await caller.write(`${service}/DeleteManifest`, { uid: other.body.uid });
  const image = { index: String(index.body.digest), manifest: digest };
  const asked = { repoUid: parent, digest: image.index };
  await caller.get("registry.v2.ImagesService/GetArchitectures", asked);
  const batch = { repoUid: parent, digests: [image.index, image.manifest] };
  await caller.get("registry.images.v2.ImageSummariesService/BatchGetImageSummaries", batch);
  await caller.get("registry.v2.ImagesService/GetSize", asked);
  const creationInfo = { created: "2026-01-01T00:00:00Z", creators: ["Tool: sample-1.0"] };
  const document = {
    spdxVersion: "SPDX-2.3",
    SPDXID: "SPDXRef-DOCUMENT",
    name: "made",
    creationInfo,
  };
  const sbom = { digest, content: base64(document) };
  const sboms = "registry.v2.SbomsService";
  const stored = await caller.write(`${sboms}/CreateSbom`, { parent, sbom });
  await caller.get(`${sboms}/GetSbom`, { uid: stored.body.uid });
  const descriptor = { name: "grype", version: "0.92.0", timestamp: "2026-05-01T00:00:00Z" };
  const vulnReport = { digest, content: base64({ matches: [], descriptor }) };
  const reports = "registry.v2.VulnReportsService";
  const report = await caller.write(`${reports}/CreateVulnReport`, { parent, vulnReport });
  await caller.get(`${reports}/GetVulnReport`, { uid: report.body.uid });
  return image;
}

/** Measures the Lists that answer a question about a scope or a repository. */
async function measureQuestions(caller: MeasuringCaller, repoUid: string): Promise<void> {
  const uidp = { descendantsOf: fixtures.root };
  const ofRoot = { kind: "list", pageSize, name: "of the root" } as const;
  const service = "registry.findings.v2";
  await caller.measure(`${service}.FindingsService/ListFindings`, ofRoot, { uidp, pageSize });
  await caller.measure(`${service}.PackagesService/ListPackages`, ofRoot, { uidp, pageSize });
  const history = "registry.history.v2.TagHistoryService";
  await caller.measure(`${history}/ListTagMoves`, ofRoot, { uidp, pageSize });
  const lifecycle = "registry.lifecycle.v2.EndOfLifeTagsService";
  await caller.measure(`${lifecycle}/ListEndOfLifeTags`, ofRoot, { uidp, pageSize });
  const past = { kind: "list", pageSize, name: "of a repository" } as const;
  const time = new Date().toISOString();
  await caller.measure(`${history}/ListPastTags`, past, { repoUid, at: time, pageSize });
  const access = { resourceUid: repoUid, capability: "CAP_REPO_LIST", pageSize };
  await caller.measure("iam.access.v2.AccessService/ListAccess", past, access);
}

const osvRecord = {
  id: "OSV-2026-1",
  modified: "2026-01-01T00:00:00Z",
  aliases: ["CVE-2026-1003"],
  affected: [{ package: { ecosystem: "PyPI", name: "sample" }, versions: ["1.0"] }],
};

async function measureAdvisories(caller: MeasuringCaller): Promise<void> {
  const of = "vulnerabilities.v2";
  const parent = fixtures.group;
  const write = (rpc: string, records: Record<string, unknown>) =>
    caller.measure(`${of}.${rpc}`, { name: "one record", kind: "import" }, { parent, ...records });
  await write("OsvRecordsService/ImportOsvRecords", { records: [osvRecord] });
  await write("OpenVexDocumentsService/ImportOpenVexDocuments", {
    documents: [openVexDocument("CVE-2026-1001")],
  });
  await write("CsafDocumentsService/ImportCsafDocuments", {
    documents: [csafDocument("CVE-2026-1002")],
  });
  const listed = await caller.ask(`${of}.AdvisoriesService/ListAdvisories`, {
    uidp: { childrenOf: parent },
    advisoryIds: ["OSV-2026-1", "CVE-2026-1003"],
  });
  const [advisory] = (listed.body?.advisories ?? []) as { uid: string }[];
  const uid = advisory?.uid;
  await caller.get(`${of}.AdvisoriesService/GetAdvisory`, { uid });
  await caller.get(`${of}.AdvisoryExportsService/ExportAdvisory`, { uid, format: "osv" });
  await caller.get(`${of}.MatchingsService/GetMatching`, { uid: parent });
  await measurePurge(caller);
}

/** Purges a group of its own, because the fixtures of the other cases must stay. */
async function measurePurge(caller: MeasuringCaller): Promise<void> {
  const of = "vulnerabilities.v2";
  const group = { name: "purged" };
  const made = await caller.ask("iam.v2.GroupsService/CreateGroup", {
    parent: fixtures.root,
    group,
  });
  const parent = made.body?.uid;
  await caller.ask(`${of}.OsvRecordsService/ImportOsvRecords`, { parent, records: [osvRecord] });
  const purge = { parent, force: true };
  await caller.write(`${of}.AdvisoryPurgesService/PurgeAdvisories`, purge, "of one record");
}

async function measureFeeds(caller: MeasuringCaller): Promise<void> {
  await caller.measure(
    "advisory.v2.SecurityAdvisoryService/ListResolvedVulnsReports",
    { name: "one image, one day", kind: "open list", pageSize: 50 },
    {
      imageRefs: [{ repo: "images" }],
      startTime: "2026-01-01T00:00:00Z",
      endTime: "2026-01-01T00:00:00Z",
    },
  );
  const ecosystems = ["ECOSYSTEM_PYTHON"];
  const count = "libraries.v2.ArtifactsService/GetArtifactCount";
  await caller.measure(count, { name: "", kind: "open get" }, { ecosystems });
}

/** Measures everything except identity and access. Returns the image that version 1 is called for. */
export async function measureRegistry(caller: MeasuringCaller): Promise<StoredImage> {
  await measureRepos(caller);
  await measureTags(caller);
  await measureTagRules(caller);
  await measureTrustPolicies(caller);
  await measureImageHolds(caller);
  await measureAdvisories(caller);
  await measureFeeds(caller);
  return measureImages(caller);
}

/** Measures the quotas of an organization whose caller is the operator too. */
async function measureQuotas(caller: MeasuringCaller, parent: string): Promise<void> {
  const service = "iam.quotas.v2.QuotasService";
  const change = { parent, kind: "QUOTA_KIND_ROLES", limit: "400000" };
  await caller.get(`${service}/ListQuotas`, { parent });
  await caller.get(`${service}/ListDefaultQuotas`, { parent });
  await caller.write(`${service}/UpdateQuota`, change);
  await caller.write(`${service}/UpdateDefaultQuota`, change);
}
