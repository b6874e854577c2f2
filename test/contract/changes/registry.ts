/** One real change for every RPC of the registry and of the imports that has an event. */
import { Buffer } from "node:buffer";
import { createResource, fakeDigest, randomName } from "../../world/personas.ts";
import { type Fixtures, osvRecord } from "../fixtures.ts";
import { deleteOf, type OwnChange } from "./change.ts";

const newRepo = ({ organization, token }: Fixtures) =>
  createResource(`/registry/v2/repos/${organization.uid}`, token, { name: randomName("repo") });

const manifestOf = (size: number) => ({
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  content: Buffer.from(JSON.stringify({ config: { size }, layers: [] })).toString("base64"),
});

/** A tag that has moved, and the digest to which it pointed before. */
async function newMovedTag(repo: string, token: string) {
  const name = randomName("tag");
  const manifest = manifestOf(Math.floor(Math.random() * 1e9));
  const before = await createResource(`/registry/v2/manifests/${repo}`, token, manifest);
  const digest = String(before.digest);
  const path = `/registry/v2/tags/${repo}`;
  await createResource(path, token, { name, digest });
  const { uid } = await createResource(path, token, { name, digest: fakeDigest("moved") });
  return { uid, digest };
}

const repoChanges: Record<string, OwnChange> = {
  "ReposService/CreateRepo": {
    prepare: ({ organization }) => ({
      request: {
        parent: organization.uid,
        repo: { name: randomName("repo"), description: "d", catalogTier: "CATALOG_TIER_BASE" },
      },
    }),
  },
  "ReposService/UpdateRepoReadme": {
    prepare: async (fixtures) => ({
      request: { repoReadme: { uid: (await newRepo(fixtures)).uid, content: "# Read me" } },
    }),
  },
};

const tagChanges: Record<string, OwnChange> = {
  "TagsService/CreateTag": {
    prepare: ({ repo }) => ({
      request: { parent: repo, tag: { name: randomName("tag"), digest: fakeDigest("created") } },
    }),
    group: "root",
  },
  "TagsService/RollbackTag": {
    async prepare({ repo, token }) {
      const { uid, digest } = await newMovedTag(repo, token);
      return { request: { uid, digest } };
    },
    group: "root",
    async idle({ repo, token }) {
      const { uid, digest } = await newMovedTag(repo, token);
      await createResource(`/registry/v2/tags/${uid}:rollback`, token, { digest });
      return { uid, digest };
    },
  },
  "TagsService/DeleteTag": {
    async prepare({ repo, token }) {
      const tag = { name: randomName("tag"), digest: fakeDigest("doomed") };
      return deleteOf((await createResource(`/registry/v2/tags/${repo}`, token, tag)).uid);
    },
    group: "root",
  },
};

const newHold = () => ({ name: randomName("hold"), digests: [fakeDigest("held")] });

const makeHold = ({ repo, token }: Fixtures) =>
  createResource(`/registry/v2/imageHolds/${repo}`, token, newHold());

const holdChanges: Record<string, OwnChange> = {
  "ImageHoldsService/CreateImageHold": {
    prepare: ({ repo }) => ({ request: { parent: repo, imageHold: newHold() } }),
    group: "grandparent",
    async conflict(fixtures) {
      const { name } = await makeHold(fixtures);
      return { parent: fixtures.repo, imageHold: { ...newHold(), name: String(name) } };
    },
  },
  "ImageHoldsService/UpdateImageHold": {
    async prepare(fixtures) {
      const { uid } = await makeHold(fixtures);
      return { request: { imageHold: { uid, digests: [fakeDigest("changed")] } } };
    },
    group: "grandparent",
    async conflict(fixtures) {
      const [one, other] = [await makeHold(fixtures), await makeHold(fixtures)];
      return { imageHold: { uid: one.uid, name: String(other.name) } };
    },
  },
  "ImageHoldsService/DeleteImageHold": {
    prepare: async (fixtures) => deleteOf((await makeHold(fixtures)).uid),
    group: "grandparent",
  },
};

/** Changes by our own RPCs, in the form of the contract's. */
const importChanges: Record<string, OwnChange> = {
  "ManifestsService/DeleteManifest": {
    async prepare({ repo, token }) {
      const manifest = manifestOf(Math.floor(Math.random() * 1e9));
      return deleteOf(
        (await createResource(`/registry/v2/manifests/${repo}`, token, manifest)).uid,
      );
    },
    group: "root",
  },
  "ManifestsService/CreateManifest": {
    prepare: ({ repo }) => ({
      request: { parent: repo, manifest: manifestOf(Math.floor(Math.random() * 1e9)) },
    }),
    group: "root",
    async idle({ repo, token }) {
      await createResource(`/registry/v2/manifests/${repo}`, token, manifestOf(7));
      return { parent: repo, manifest: manifestOf(7) };
    },
  },
  "TagMovesService/ImportTagMoves": {
    prepare: ({ organization }) => ({
      request: { parent: organization.uid, moves: [moveOf(randomName("imported"))] },
      subject: organization.uid,
    }),
    group: "self",
    alsoEmits: [
      "api.platform.registry.repo.created.v1",
      "api.platform.registry.tag.moved.batch.v1",
    ],
    async idle({ organization, token }) {
      const moves = [moveOf(randomName("imported"))];
      await createResource(`/registry/v2/tagMoves/${organization.uid}:import`, token, { moves });
      return { parent: organization.uid, moves };
    },
  },
  "AdvisoryPurgesService/PurgeAdvisories": {
    // A group of its own: the rest of the fixtures have to stay.
    async prepare({ organization, token }) {
      const name = randomName("purged");
      const { uid } = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name });
      const records = [osvRecord(randomName("OSV"))];
      await createResource(`/vulnerabilities/v2/osvRecords/${uid}:import`, token, { records });
      return { request: { parent: uid, force: true }, subject: uid };
    },
    group: "self",
    body: "request",
    bodyType: "platform.vulnerabilities.v2.PurgeAdvisoriesRequest",
    alsoEmits: ["api.vulnerabilities.advisory.deleted.v1"],
    async idle({ organization, token }) {
      const name = randomName("empty");
      const { uid } = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name });
      return { parent: uid, force: true };
    },
  },
  "OsvRecordsService/ImportOsvRecords": {
    prepare: ({ organization }) => ({
      request: { parent: organization.uid, records: [osvRecord(randomName("OSV"))] },
      subject: organization.uid,
    }),
    group: "self",
    alsoEmits: ["api.vulnerabilities.advisory.imported.batch.v1"],
    async idle({ organization, token }) {
      const records = [osvRecord(randomName("OSV"))];
      await createResource(`/vulnerabilities/v2/osvRecords/${organization.uid}:import`, token, {
        records,
      });
      return { parent: organization.uid, records };
    },
  },
};

const moveOf = (repo: string) => ({
  updateTime: "2026-01-01T00:00:00.000Z",
  repo,
  tag: "latest",
  digest: fakeDigest("moved"),
});

export const registryChanges: Record<string, OwnChange> = {
  ...repoChanges,
  ...tagChanges,
  ...holdChanges,
  ...importChanges,
};
