/** Measures version 1 of the registry, of advisories, of libraries and of the feeds. */
import { createHash } from "node:crypto";
import type { MeasuringCaller } from "./caller.ts";
import { fixtures, holderIn, libraries } from "./fixtures.ts";
import { pageSize } from "./lists.ts";
import { largeRepo, type StoredImage } from "./measure_registry.ts";

const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** One of the fifty groups, with one two-hundredth of the rows, and its repository. */
const [area] = fixtures.areas;
const areaRepo = holderIn(area);

const unpagedCase = { name: "a group with 1/200 of the rows", kind: "whole" } as const;
const pagedCase = { name: "first page", kind: "list", pageSize } as const;

async function measureRepos(caller: MeasuringCaller): Promise<void> {
  const of = "registry.Registry";
  const repo = { name: "made of version 1".replaceAll(" ", "-") };
  const { body } = await caller.write(`${of}/CreateRepo`, { parentId: fixtures.root, repo });
  const { id } = body;
  await caller.write(`${of}/UpdateRepo`, { id, name: "renamed-of-version-1" });
  await caller.get(`${of}/GetRepoCountBySource`, { id });
  const tag = { name: "made", digest: digestOf("made") };
  const made = await caller.write(`${of}/CreateTag`, { repoId: id, tag });
  const update = { id: made.body.id, name: "made", digest: digestOf("moved") };
  await caller.write(`${of}/UpdateTag`, update, "moves it");
  await caller.measure(
    `${of}/ListTagHistory`,
    { name: "two records", kind: "whole" },
    {
      parentId: made.body.id,
    },
  );
  await caller.write(`${of}/DeleteTag`, { id: made.body.id });
  await caller.write(`${of}/DeleteRepo`, { id });
  await caller.get(`${of}/GetRepoTagsSummary`, { repoId: largeRepo });
  await caller.get(`${of}/GetManifestDigestCount`, { parentId: largeRepo });
  const uidp = { descendantsOf: fixtures.root };
  await caller.measure(`${of}/ListEolTags`, pagedCase, { uidp, pageSize });
  await caller.measure(
    `${of}/ListManifestMetadata`,
    { ...unpagedCase, name: "a repository with 1/200 of the rows" },
    {
      repoId: areaRepo,
    },
  );
}

async function measureImages(
  caller: MeasuringCaller,
  { index, manifest }: StoredImage,
): Promise<void> {
  const of = "registry.Registry";
  const ofIndex = { repoId: largeRepo, digest: index };
  const ofManifest = { repoId: largeRepo, digest: manifest };
  for (const rpc of ["GetArchs", "GetImageConfig", "GetSize", "GetVulnReport"]) {
    await caller.get(`${of}/${rpc}`, ofIndex);
  }
  for (const rpc of ["GetRawSbom", "GetSbom"]) await caller.get(`${of}/${rpc}`, ofManifest);
  const reports = "registry.Vulnerabilities";
  const anywhere = { name: "", kind: "open get" } as const;
  await caller.measure(`${reports}/GetRawVulnReport`, anywhere, { digest: manifest });
  await caller.measure(
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
    await caller.measure(
      `${reports}/${rpc}`,
      { name: "one tag, a month", kind: "open whole" },
      tag,
    );
  }
}

async function measureAdvisories(caller: MeasuringCaller): Promise<void> {
  const of = "vulnerabilities.v1.Advisories";
  const advisory = { artifactName: "sample", artifactType: "apk", advisoryId: "ADV-MADE" };
  const made = await caller.write(`${of}/Create`, { parentId: fixtures.root, advisory });
  const { id } = made.body;
  await caller.write(`${of}/Update`, { ...advisory, id, artifactName: "changed" });
  const advisoryEvent = { fixed: { fixedVersion: "1.0" } };
  const event = await caller.write(`${of}/CreateAdvisoryEvent`, { parentId: id, advisoryEvent });
  const approved = { ...advisoryEvent, id: event.body.id, status: "APPROVED" };
  await caller.write(`${of}/UpdateAdvisoryEvent`, approved);
  await caller.measure(
    `${of}/ListAdvisoryEvents`,
    { name: "one event", kind: "whole" },
    { parentId: id },
  );
  await caller.write(`${of}/Delete`, { id });
  await caller.measure(`${of}/List`, pagedCase, {
    uidp: { descendantsOf: fixtures.root },
    pageSize,
  });
}

async function measureFeeds(caller: MeasuringCaller): Promise<void> {
  const of = "advisory.SecurityAdvisory";
  const single = { name: "one, by its id", kind: "open whole", token: "" } as const;
  await caller.measure(`${of}/ListDocuments`, single, { id: "origin-7" });
  const first = { ...pagedCase, kind: "open list", token: "" } as const;
  await caller.measure(`${of}/ListVulnerabilityMetadata`, first, { pageSize });
  await caller.measure(
    `${of}/ListResolvedVulnsReports`,
    { name: "one image, one day", kind: "open whole" },
    {
      imageRefs: [{ repo: "images" }],
      from: "2026-01-01T00:00:00Z",
      to: "2026-01-01T00:00:00Z",
    },
  );
  const ecosystems = ["PYTHON"];
  const everywhere = { ...pagedCase, kind: "open list" } as const;
  await caller.measure("libraries.Artifacts/List", everywhere, { ecosystems, pageSize });
  const count = { name: "", kind: "open get" } as const;
  await caller.measure("libraries.Artifacts/GetArtifactCount", count, { ecosystems });
  const versions = { name: "a library with 1/200 of the rows", kind: "open whole" } as const;
  await caller.measure("libraries.Artifacts/ListVersions", versions, { id: libraries.ofArea });
}

/** Measures everything of version 1 except identity, access and events. */
export async function measureRegistryV1(
  caller: MeasuringCaller,
  image: StoredImage,
): Promise<void> {
  await measureRepos(caller);
  await measureImages(caller, image);
  await measureAdvisories(caller);
  await measureFeeds(caller);
}
