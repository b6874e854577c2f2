/** The data of the organization in the races: repositories with images, and data about software. */
import { createHash } from "node:crypto";
import { sbomContent } from "../contract/requests.ts";
import { smallestAdvisory, smallestEvent } from "../contract/v1_requests.ts";
import { grypeReport, matchOf, packedReport } from "../registry/vuln_reports/grype_reports.ts";
import { fakeDigest } from "../world/personas.ts";
import { csafDocument, openVexDocument } from "../world/vex_documents.ts";
import type { Maker } from "./maker.ts";
import type { RaceTree } from "./people.ts";

export interface RegistryFixtures {
  /** A repository with images, and one that others can copy. */
  repo: string;
  source: string;
  /** A tag that has moved once, and another tag. */
  tag: string;
  otherTag: string;
  /** The manifest of an image without its configuration, and its digest, to which the tag has pointed. */
  manifest: string;
  manifestDigest: string;
  /** A hold of the repository. */
  imageHold: string;
  /** A repository whose tag expires, and plans of such repositories: of each state that a call can change. */
  expiring: string;
  readyPlan: string;
  waitingPlan: string;
  donePlan: string;
}

export interface VulnerabilityFixtures {
  /** The uids of advisories from an OSV record, OpenVEX, CSAF and a person, and the uid of an event. */
  osvAdvisory: string;
  vexAdvisory: string;
  vexId: string;
  handAdvisory: string;
  handEvent: string;
}

const { stringify } = JSON;
const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64");

const config = stringify({
  architecture: "amd64",
  os: "linux",
  rootfs: { type: "layers", diff_ids: [] },
});

/** The manifest of an image, with its configuration if requested. */
export function manifestOf({ withConfig = false } = {}) {
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const hash = createHash("sha256").update(config).digest("hex");
  const descriptor = {
    mediaType: "application/vnd.oci.image.config.v1+json",
    ...{ size: config.length, digest: `sha256:${hash}` },
  };
  const content = base64(stringify({ mediaType, config: descriptor, layers: [] }));
  return { mediaType, content, ...(withConfig ? { config: base64(config) } : {}) };
}

export const sbomNamed = (name: string) => ({
  digest: fakeDigest("one"),
  content: sbomContent(name),
});

export const vulnReportOf = (id: string) => ({
  digest: fakeDigest("one"),
  content: packedReport(grypeReport([matchOf(id, "High")])),
});

/** A move of a tag to an image, a few seconds after the start of 2026. */
export const moveOf = (repo: string, tag: string, image: string, seconds: number) => ({
  updateTime: new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString(),
  ...{ repo, tag, digest: fakeDigest(image) },
});

/** Repositories with a tag `old` that expires. All but the first have a plan. */
async function makePlans({ make, stage }: Maker, organization: string, owner: string) {
  const newRepo = async (name: string, conditions: object = {}) => {
    const { uid } = await make(`/registry/v2/repos/${organization}`, owner, { name });
    await make(`/registry/v2/tagMoves/${organization}:import`, owner, {
      moves: [moveOf(name, "old", "old", 0)],
    });
    const expire = { unmovedDays: 30, ...conditions };
    const rule = { name: "builds", includeTags: ["old"], expire };
    await make(`/registry/v2/tagRules/${uid}`, owner, rule);
    return uid;
  };
  const newPlan = async (name: string, conditions: object = {}) => {
    const repo = await newRepo(name, conditions);
    const { uid } = await make(`/registry/v2/expiryPlans/${repo}`, owner, {});
    // All pulls are known by then, so that it can be carried out.
    await stage.sql(
      "update expiry_plans set create_time = create_time - 60000, pulls_known_time = 1 where uid = ?",
      uid,
    );
    return uid;
  };
  const donePlan = await newPlan("done");
  await make(`/registry/v2/expiryPlans/${donePlan}:carryOut`, owner, {});
  return {
    ...{ expiring: await newRepo("expiring"), readyPlan: await newPlan("ready"), donePlan },
    waitingPlan: await newPlan("waiting", { approval: true }),
  };
}

export async function makeRegistryFixtures(
  maker: Maker,
  { organization, owner }: RaceTree,
): Promise<RegistryFixtures> {
  const { make } = maker;
  const newRepo = async (name: string) =>
    (await make(`/registry/v2/repos/${organization}`, owner, { name })).uid;
  const [repo, source] = [await newRepo("repo"), await newRepo("source")];
  const stored = await make(`/registry/v2/manifests/${repo}`, owner, manifestOf());
  const manifestDigest = String(stored.digest);
  await make(`/registry/v2/tagMoves/${organization}:import`, owner, {
    moves: [
      moveOf("repo", "latest", "zero", 0),
      { ...moveOf("repo", "latest", "stored", 5), digest: manifestDigest },
      moveOf("repo", "latest", "one", 20),
    ],
  });
  const tags = `/registry/v2/tags/${repo}`;
  const { uid: tag } = await make(tags, owner, { name: "latest", digest: fakeDigest("one") });
  const { uid: otherTag } = await make(tags, owner, { name: "other", digest: fakeDigest("one") });
  const digests = [fakeDigest("one")];
  const hold = await make(`/registry/v2/imageHolds/${repo}`, owner, { name: "held", digests });
  await make(`/registry/v2/sboms/${repo}`, owner, sbomNamed("first"));
  await make(`/registry/v2/vulnReports/${repo}`, owner, vulnReportOf("CVE-2026-1"));
  return {
    ...{ repo, source, tag, otherTag, manifest: stored.uid, manifestDigest, imageHold: hold.uid },
    ...(await makePlans(maker, organization, owner)),
  };
}

/** An OSV record about a package, which one of its versions fixes. */
export const osvOf = (id: string, modified: string, name = "sample", fixed = "1.2") => ({
  ...{ id, modified, summary: `Of ${modified}` },
  aliases: [`CVE-${id}`],
  affected: [
    {
      package: { ecosystem: "PyPI", name },
      versions: ["1.0", "1.1"],
      ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed }] }],
    },
  ],
});

/** A document about one product, with the day of 2026 when it was written, and its status. */
export function vexOf(vulnerability: string, day: number, status: "affected" | "fixed") {
  const document = openVexDocument(vulnerability);
  const [statement] = document.statements;
  const { justification: _, ...rest } = statement ?? {};
  const further = status === "affected" ? { action_statement: "Update it." } : {};
  const timestamp = `2026-01-0${day}T00:00:00Z`;
  return { ...document, timestamp, statements: [{ ...rest, status, ...further }] };
}

/** The same statement in CSAF. */
export function csafOf(vulnerability: string, day: number) {
  const { document, ...rest } = csafDocument(vulnerability);
  const date = `2026-01-0${day}T00:00:00Z`;
  const { tracking } = document;
  const [revision] = tracking.revision_history;
  const dates = {
    ...{ initial_release_date: date, current_release_date: date },
    revision_history: [{ ...revision, date }],
  };
  return { ...rest, document: { ...document, tracking: { ...tracking, ...dates } } };
}

export async function makeVulnerabilityFixtures(
  { make, stage }: Maker,
  { organization, owner }: RaceTree,
): Promise<VulnerabilityFixtures> {
  const load = (collection: string, body: object) =>
    make(`/vulnerabilities/v2/${collection}/${organization}:import`, owner, body);
  await load("osvRecords", { records: [osvOf("OSV-1", "2026-01-01T00:00:00Z")] });
  await load("openVexDocuments", { documents: [openVexDocument("CVE-2026-1001")] });
  const advisory = {
    ...smallestAdvisory,
    ...{ advisoryId: "HAND-1", artifactName: "solo", aliases: ["CVE-2026-3"] },
  };
  const body = { parentId: organization, advisory };
  const { id: handAdvisory } = await make("/vulnerabilities/v1/advisories", owner, body);
  const path = `/vulnerabilities/v1/advisories/${handAdvisory}/events`;
  const { id: handEvent } = await make(path, owner, { advisoryEvent: smallestEvent });
  const rows = await stage.sql<{ uid: string; advisory_id: string }>(
    "select uid, advisory_id from advisories",
  );
  const named = (prefix: string) => rows.find((row) => row.advisory_id.startsWith(prefix));
  const vex = named("CVE-2026-1001");
  return {
    ...{ osvAdvisory: named("OSV-1")?.uid ?? "", handAdvisory, handEvent },
    ...{ vexAdvisory: vex?.uid ?? "", vexId: vex?.advisory_id ?? "" },
  };
}
