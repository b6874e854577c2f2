/** Images with layers, SBOMs, scan reports and advisories, for tests of the console. */
import { pushBlob, putManifest as put, type Target } from "../distribution/client.ts";
import { registryToken } from "../distribution/stored_images.ts";
import { putSbom, sha256Of } from "../registry/images/stored_images.ts";
import { grypeReport, packedReport } from "../registry/vuln_reports/grype_reports.ts";
import { createResource, type Organization, randomName } from "../world/personas.ts";
import { callRest } from "../world/platform.ts";

const types = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  index: "application/vnd.oci.image.index.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
};

/** A repository of the registry, and the token of the owner for it. */
export interface PushedRepo extends Target {
  uid: string;
  organization: Organization;
}

export async function newPushedRepo(
  organization: Organization,
  name = randomName("app"),
): Promise<PushedRepo> {
  const { uid, owner } = organization;
  const made = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name });
  const token = await registryToken(owner.uid);
  return { organization, uid: made.uid, name: `${uid}/${name}`, token };
}

const descriptor = (text: string, mediaType: string, more: object = {}) => ({
  ...{ mediaType, digest: sha256Of(text), size: Buffer.byteLength(text) },
  ...more,
});

async function putDocument(
  repo: PushedRepo,
  document: object,
  mediaType: string,
  reference?: string,
): Promise<{ digest: string; text: string }> {
  const text = JSON.stringify(document);
  const digest = sha256Of(text);
  const answer = await put(repo, reference ?? digest, text, mediaType);
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  return { digest, text };
}

/** The parts of an image that a test chooses. */
interface ImageParts {
  tag?: string;
  architecture?: string;
  /** The `config` of the configuration. */
  settings?: object;
  /** Lines of the build, each with a layer. */
  lines?: string[];
}

/** Pushes an image with one layer for each line of its build. */
export async function pushImage(repo: PushedRepo, parts: ImageParts = {}) {
  const { tag, architecture = "amd64", settings = {}, lines = ["COPY . /app"] } = parts;
  const layers = lines.map((_, at) => `layer ${at} of ${architecture}`);
  const config = JSON.stringify({
    ...{ architecture, os: "linux", created: "2026-01-02T03:04:05Z", config: settings },
    rootfs: { type: "layers", diff_ids: layers.map((text) => sha256Of(text)) },
    history: [
      ...lines.map((line) => ({ created: "2026-01-02T03:04:05Z", created_by: line })),
      { created_by: "ENV A=b", empty_layer: true },
    ],
  });
  for (const text of [...layers, config]) await pushBlob(repo, text);
  const manifest = {
    ...{ schemaVersion: 2, mediaType: types.manifest },
    config: descriptor(config, types.config),
    layers: layers.map((text) => descriptor(text, types.layer)),
  };
  return putDocument(repo, manifest, types.manifest, tag);
}

/** Pushes an index of images by architecture. */
export function pushIndex(
  repo: PushedRepo,
  images: Record<string, { digest: string; text: string }>,
  tag: string,
) {
  const manifests = Object.entries(images).map(([architecture, { text }]) =>
    descriptor(text, types.manifest, { platform: { os: "linux", architecture } }),
  );
  const index = { schemaVersion: 2, mediaType: types.index, manifests };
  return putDocument(repo, index, types.index, tag);
}

/** Attaches an artifact to an image, as tools do with signatures. */
export async function attach(
  repo: PushedRepo,
  image: { text: string },
  artifactType: string,
  annotations: Record<string, string> = {},
) {
  await pushBlob(repo, "{}");
  const empty = descriptor("{}", "application/vnd.oci.empty.v1+json");
  const manifest = {
    ...{ schemaVersion: 2, mediaType: types.manifest, artifactType, annotations },
    ...{ config: empty, layers: [empty], subject: descriptor(image.text, types.manifest) },
  };
  return putDocument(repo, manifest, types.manifest);
}

/** Stores an SBOM with these components (CycloneDX). */
export async function storeSbom(repo: PushedRepo, digest: string, components: object[]) {
  const document = { bomFormat: "CycloneDX", specVersion: "1.6", components };
  const answer = await putSbom(repo.organization, repo.uid, digest, document);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

/** Stores a scan report with these matches (`matchOf`). */
export const storeReport = (repo: PushedRepo, digest: string, matches: object[]) =>
  createResource(`/registry/v2/vulnReports/${repo.uid}`, repo.organization.owner.token, {
    digest,
    content: packedReport(grypeReport(matches)),
  });

/** Imports OSV records into the organization. */
export async function importOsv({ uid, owner }: Organization, records: object[]) {
  const path = `/vulnerabilities/v2/osvRecords/${uid}:import`;
  const { status, body } = await callRest(path, { token: owner.token, body: { records } });
  if (status !== 200) throw new Error(JSON.stringify(body));
}
