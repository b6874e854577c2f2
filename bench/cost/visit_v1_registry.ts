/** Version 1 of the registry, of advisories, of libraries and of the feeds. */
import { createHash } from "node:crypto";
import type { Caller } from "./caller.ts";
import { estate, firstStep, libraries } from "./estate.ts";
import { pageSize } from "./lists.ts";
import { type Image, largeRepo } from "./visit_registry.ts";

const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** One of the fifty groups, with a two-hundredth of the rows, and its repo. */
const [area] = estate.areas;
const areaRepo = `${area}/${firstStep}`;

const whole = { name: "a group with a two-hundredth", kind: "whole" } as const;
const paged = { name: "first page", kind: "list", pageSize } as const;

async function visitRepos(on: Caller): Promise<void> {
  const of = "registry.Registry";
  const repo = { name: "made of version 1".replaceAll(" ", "-") };
  const { body } = await on.write(`${of}/CreateRepo`, { parentId: estate.root, repo });
  const { id } = body;
  await on.write(`${of}/UpdateRepo`, { id, name: "renamed-of-version-1" });
  await on.get(`${of}/GetRepoCountBySource`, { id });
  const tag = { name: "made", digest: digestOf("made") };
  const made = await on.write(`${of}/CreateTag`, { repoId: id, tag });
  const update = { id: made.body.id, name: "made", digest: digestOf("moved") };
  await on.write(`${of}/UpdateTag`, update, "moves it");
  await on.measure(
    `${of}/ListTagHistory`,
    { name: "two records", kind: "whole" },
    {
      parentId: made.body.id,
    },
  );
  await on.write(`${of}/DeleteTag`, { id: made.body.id });
  await on.write(`${of}/DeleteRepo`, { id });
  await on.get(`${of}/GetRepoTagsSummary`, { repoId: largeRepo });
  await on.get(`${of}/GetManifestDigestCount`, { parentId: largeRepo });
  const uidp = { descendantsOf: estate.root };
  await on.measure(`${of}/ListEolTags`, paged, { uidp, pageSize });
  await on.measure(
    `${of}/ListManifestMetadata`,
    { ...whole, name: "a repo with a two-hundredth" },
    {
      repoId: areaRepo,
    },
  );
}

async function visitImages(on: Caller, { index, manifest }: Image): Promise<void> {
  const of = "registry.Registry";
  const ofIndex = { repoId: largeRepo, digest: index };
  const ofManifest = { repoId: largeRepo, digest: manifest };
  for (const rpc of ["GetArchs", "GetImageConfig", "GetSize", "GetVulnReport"]) {
    await on.get(`${of}/${rpc}`, ofIndex);
  }
  for (const rpc of ["GetRawSbom", "GetSbom"]) await on.get(`${of}/${rpc}`, ofManifest);
  const reports = "registry.Vulnerabilities";
  const anywhere = { name: "", kind: "open get" } as const;
  await on.measure(`${reports}/GetRawVulnReport`, anywhere, { digest: manifest });
  await on.measure(
    `${reports}/ListVulnReports`,
    { name: "one image", kind: "open whole" },
    {
      digest: manifest,
    },
  );
  const tag = {
    repo: "images",
    tag: "made",
    from: "2026-01-01T00:00:00Z",
    to: "2026-02-01T00:00:00Z",
  };
  for (const rpc of ["ListVulnCountReports", "ListCumulativeVulnCountReports"]) {
    await on.measure(`${reports}/${rpc}`, { name: "one tag, a month", kind: "open whole" }, tag);
  }
}

async function visitAdvisories(on: Caller): Promise<void> {
  const of = "vulnerabilities.v1.Advisories";
  const advisory = { artifactName: "sample", artifactType: "apk", advisoryId: "ADV-MADE" };
  const made = await on.write(`${of}/Create`, { parentId: estate.root, advisory });
  const { id } = made.body;
  await on.write(`${of}/Update`, { ...advisory, id, artifactName: "changed" });
  const advisoryEvent = { fixed: { fixedVersion: "1.0" } };
  const event = await on.write(`${of}/CreateAdvisoryEvent`, { parentId: id, advisoryEvent });
  const approved = { ...advisoryEvent, id: event.body.id, status: "APPROVED" };
  await on.write(`${of}/UpdateAdvisoryEvent`, approved);
  await on.measure(
    `${of}/ListAdvisoryEvents`,
    { name: "one event", kind: "whole" },
    { parentId: id },
  );
  await on.write(`${of}/Delete`, { id });
  await on.measure(`${of}/List`, paged, { uidp: { descendantsOf: estate.root }, pageSize });
}

async function visitFeeds(on: Caller): Promise<void> {
  const of = "advisory.SecurityAdvisory";
  const one = { name: "one, by its id", kind: "open whole", token: "" } as const;
  await on.measure(`${of}/ListDocuments`, one, { id: "origin-7" });
  const first = { ...paged, kind: "open list", token: "" } as const;
  await on.measure(`${of}/ListVulnerabilityMetadata`, first, { pageSize });
  await on.measure(
    `${of}/ListResolvedVulnsReports`,
    { name: "one image, one day", kind: "open whole" },
    {
      imageRefs: [{ repo: "images" }],
      ...{ from: "2026-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z" },
    },
  );
  const ecosystems = ["PYTHON"];
  const everywhere = { ...paged, kind: "open list" } as const;
  await on.measure("libraries.Artifacts/List", everywhere, { ecosystems, pageSize });
  const count = { name: "", kind: "open get" } as const;
  await on.measure("libraries.Artifacts/GetArtifactCount", count, { ecosystems });
  const versions = { name: "a library with a two-hundredth", kind: "open whole" } as const;
  await on.measure("libraries.Artifacts/ListVersions", versions, { id: libraries.ofArea });
}

/** Everything of version 1 but identity, access and events. */
export async function visitRegistryV1(on: Caller, image: Image): Promise<void> {
  await visitRepos(on);
  await visitImages(on, image);
  await visitAdvisories(on);
  await visitFeeds(on);
}
