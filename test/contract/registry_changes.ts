/** One real change by every RPC of the registry and of the imports that has an event. */
import { Buffer } from "node:buffer";
import { digestOf, make, randomName } from "../world/personas.ts";
import { type Change, named } from "./change.ts";
import { osvRecord, type Stock } from "./stock.ts";

const newRepo = ({ organization, token }: Stock) =>
  make(`/registry/v2/repos/${organization.uid}`, token, { name: randomName("repo") });

const manifestOf = (size: number) => ({
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  content: Buffer.from(JSON.stringify({ config: { size }, layers: [] })).toString("base64"),
});

const repoChanges: Record<string, Change> = {
  "ReposService/CreateRepo": {
    prepare: ({ organization }) => ({
      request: {
        parent: organization.uid,
        repo: { name: randomName("repo"), description: "d", catalogTier: "CATALOG_TIER_BASE" },
      },
    }),
    type: "api.platform.registry.repo.created.v1",
    source: "/registry/v2/repos",
    group: "parent",
    body: "answer",
    bodyType: "platform.registry.v2.Repo",
    conflict: async (stock) => ({
      parent: stock.organization.uid,
      repo: { name: (await newRepo(stock)).name as string },
    }),
  },
  "ReposService/UpdateRepo": {
    prepare: async (stock) => ({
      request: { repo: { uid: (await newRepo(stock)).uid, description: "changed" } },
    }),
    type: "api.platform.registry.repo.updated.v1",
    source: "/registry/v2/repos",
    group: "parent",
    body: "answer",
    bodyType: "platform.registry.v2.Repo",
    conflict: async (stock) => ({
      repo: { uid: stock.repo, name: (await newRepo(stock)).name as string },
    }),
  },
  "ReposService/DeleteRepo": {
    prepare: async (stock) => named((await newRepo(stock)).uid),
    type: "api.platform.registry.repo.deleted.v1",
    source: "/registry/v2/repos",
    group: "parent",
    body: "request",
    bodyType: "platform.registry.v2.DeleteRepoRequest",
  },
  "ReposService/UpdateRepoReadme": {
    prepare: async (stock) => ({
      request: { repoReadme: { uid: (await newRepo(stock)).uid, content: "# Read me" } },
    }),
    type: "api.platform.registry.repo.updated.v1",
    source: "/registry/v2/repos",
    group: "parent",
    body: "answer",
    bodyType: "platform.registry.v2.RepoReadme",
  },
};

const tagChanges: Record<string, Change> = {
  "TagsService/CreateTag": {
    prepare: ({ repo }) => ({
      request: { parent: repo, tag: { name: randomName("tag"), digest: digestOf("created") } },
    }),
    type: "api.platform.registry.tag.created.v1",
    source: "/registry/v2/tags",
    group: "root",
    body: "answer",
    bodyType: "platform.registry.v2.Tag",
  },
  "TagsService/DeleteTag": {
    async prepare({ repo, token }) {
      const tag = { name: randomName("tag"), digest: digestOf("doomed") };
      return named((await make(`/registry/v2/tags/${repo}`, token, tag)).uid);
    },
    type: "api.platform.registry.tag.deleted.v1",
    source: "/registry/v2/tags",
    group: "root",
    body: "request",
    bodyType: "platform.registry.v2.DeleteTagRequest",
  },
};

/** Changes by RPCs of our own, told in the manner of the contract's. */
const importChanges: Record<string, Change> = {
  "ManifestsService/CreateManifest": {
    prepare: ({ repo }) => ({
      request: { parent: repo, manifest: manifestOf(Math.floor(Math.random() * 1e9)) },
    }),
    type: "api.platform.registry.manifest.created.v1",
    source: "/registry/v2/manifests",
    group: "root",
    body: "answer",
    bodyType: "platform.registry.v2.Manifest",
    async idle({ repo, token }) {
      await make(`/registry/v2/manifests/${repo}`, token, manifestOf(7));
      return { parent: repo, manifest: manifestOf(7) };
    },
  },
  "TagMovesService/ImportTagMoves": {
    prepare: ({ organization }) => ({
      request: { parent: organization.uid, moves: [moveOf(randomName("imported"))] },
      subject: organization.uid,
    }),
    type: "api.platform.registry.tag_moves.imported.v1",
    source: "/registry/v2/tagMoves",
    group: "self",
    body: "answer",
    bodyType: "platform.registry.v2.ImportTagMovesResponse",
    async idle({ organization, token }) {
      const moves = [moveOf(randomName("imported"))];
      await make(`/registry/v2/tagMoves/${organization.uid}:import`, token, { moves });
      return { parent: organization.uid, moves };
    },
  },
  "AdvisoryPurgesService/PurgeAdvisories": {
    // A group of its own: the rest of the stock has to stay.
    async prepare({ organization, token }) {
      const name = randomName("purged");
      const { uid } = await make(`/iam/v2/groups/${organization.uid}`, token, { name });
      const records = [osvRecord(randomName("OSV"))];
      await make(`/vulnerabilities/v2/osvRecords/${uid}:import`, token, { records });
      return { request: { parent: uid, force: true }, subject: uid };
    },
    type: "api.vulnerabilities.advisories.purged.v1",
    source: "/vulnerabilities/v2/advisories",
    group: "self",
    body: "request",
    bodyType: "platform.vulnerabilities.v2.PurgeAdvisoriesRequest",
    besides: ["api.vulnerabilities.advisory.deleted.v1"],
    async idle({ organization, token }) {
      const name = randomName("empty");
      const { uid } = await make(`/iam/v2/groups/${organization.uid}`, token, { name });
      return { parent: uid, force: true };
    },
  },
  "OsvRecordsService/ImportOsvRecords": {
    prepare: ({ organization }) => ({
      request: { parent: organization.uid, records: [osvRecord(randomName("OSV"))] },
      subject: organization.uid,
    }),
    type: "api.vulnerabilities.osv_records.imported.v1",
    source: "/vulnerabilities/v2/osvRecords",
    group: "self",
    body: "answer",
    bodyType: "platform.vulnerabilities.v2.ImportOsvRecordsResponse",
    async idle({ organization, token }) {
      const records = [osvRecord(randomName("OSV"))];
      await make(`/vulnerabilities/v2/osvRecords/${organization.uid}:import`, token, { records });
      return { parent: organization.uid, records };
    },
  },
};

const moveOf = (repo: string) => ({
  updateTime: "2026-01-01T00:00:00.000Z",
  repo,
  tag: "latest",
  digest: digestOf("moved"),
});

export const registryChanges: Record<string, Change> = {
  ...repoChanges,
  ...tagChanges,
  ...importChanges,
};
