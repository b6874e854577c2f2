/** One real change by every RPC that has an event, and the event it makes (contract: v2 event table). */
import { Buffer } from "node:buffer";
import type { JsonObject } from "@bufbuild/protobuf";
import { digestOf, make, randomName, roleUid } from "../world/personas.ts";
import { osvRecord, type Stock } from "./stock.ts";

/** A request, and what of it cannot be read off the answer. */
interface Prepared {
  request: JsonObject;
  subject?: string;
}

/** A change and its event. */
export interface Change {
  /** Makes a request that succeeds and changes something in the stock. */
  prepare(stock: Stock): Promise<Prepared> | Prepared;
  /** Event type without `dev.<vendor>.`. */
  type: string;
  /** Path of `ce-source`. */
  source: string;
  /** `ce-subject`: the answer's uid unless `prepare` tells it. The group extension, from that. */
  group: "parent" | "self" | "root";
  /** What the event's body is, and its message's name. */
  body: "answer" | "request";
  bodyType: string;
  /** A request that passes its rules and is refused for what stands in the stock. */
  conflict?(stock: Stock): Promise<JsonObject> | JsonObject;
  /** A request that succeeds and changes nothing. */
  idle?(stock: Stock): Promise<JsonObject> | JsonObject;
}

const iam = (resource: string) => `/iam/v2/${resource}`;

const newGroup = async ({ organization, token }: Stock) =>
  (await make(iam(`groups/${organization.uid}`), token, { name: randomName("group") })).uid;
const newRepo = ({ organization, token }: Stock) =>
  make(`/registry/v2/repos/${organization.uid}`, token, { name: randomName("repo") });
const newBot = async ({ organization, token }: Stock) =>
  (await make(iam(`identities/${organization.uid}`), token, { name: randomName("bot") })).uid;
const newRole = ({ organization, token }: Stock) =>
  make(iam(`roles/${organization.uid}`), token, {
    name: randomName("role"),
    capabilities: ["CAP_REPO_LIST"],
  });

async function newBinding(stock: Stock) {
  const binding = { identityUid: await newBot(stock), roleUid: await roleUid("viewer") };
  const { uid } = await make(iam(`roleBindings/${stock.organization.uid}`), stock.token, binding);
  return { uid, ...binding };
}

const manifestOf = (size: number) => ({
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  content: Buffer.from(JSON.stringify({ config: { size }, layers: [] })).toString("base64"),
});

/** Subject of a delete: the uid that was asked for. */
const named = (uid: string): Prepared => ({ request: { uid }, subject: uid });

const groupChanges: Record<string, Change> = {
  "GroupsService/CreateGroup": {
    prepare: ({ organization }) => ({
      request: { parent: organization.uid, group: { name: randomName("group"), description: "d" } },
    }),
    type: "api.iam.group.created.v1",
    source: "/iam/v2/groups",
    group: "self",
    body: "answer",
    bodyType: "platform.iam.v2.Group",
    async conflict(stock) {
      const name = randomName("twin");
      await make(iam(`groups/${stock.organization.uid}`), stock.token, { name });
      return { parent: stock.organization.uid, group: { name } };
    },
  },
  "GroupsService/UpdateGroup": {
    prepare: async (stock) => ({
      request: { group: { uid: await newGroup(stock), description: "changed" } },
    }),
    type: "api.iam.group.updated.v1",
    source: "/iam/v2/groups",
    group: "self",
    body: "answer",
    bodyType: "platform.iam.v2.Group",
    async conflict(stock) {
      const name = randomName("twin");
      await make(iam(`groups/${stock.organization.uid}`), stock.token, { name });
      return { group: { uid: stock.group, name } };
    },
  },
  "GroupsService/DeleteGroup": {
    prepare: async (stock) => named(await newGroup(stock)),
    type: "api.iam.group.deleted.v1",
    source: "/iam/v2/groups",
    group: "parent",
    body: "request",
    bodyType: "platform.iam.v2.DeleteGroupRequest",
    conflict: ({ organization }) => ({ uid: organization.uid }),
  },
};

const identityChanges: Record<string, Change> = {
  "IdentitiesService/CreateIdentity": {
    prepare: ({ organization }) => ({
      request: {
        parent: organization.uid,
        identity: {
          name: randomName("bot"),
          claimMatch: { issuer: "https://issuer.example", subject: randomName("subject") },
        },
      },
    }),
    type: "api.iam.identity.created.v1",
    source: "/iam/v2/identities",
    group: "parent",
    body: "answer",
    bodyType: "platform.iam.v2.Identity",
  },
  "IdentitiesService/UpdateIdentity": {
    prepare: async (stock) => ({
      request: { identity: { uid: await newBot(stock), description: "changed" } },
    }),
    type: "api.iam.identity.updated.v1",
    source: "/iam/v2/identities",
    group: "parent",
    body: "answer",
    bodyType: "platform.iam.v2.Identity",
  },
  "IdentitiesService/DeleteIdentity": {
    prepare: async (stock) => named(await newBot(stock)),
    type: "api.iam.identity.deleted.v1",
    source: "/iam/v2/identities",
    group: "parent",
    body: "request",
    bodyType: "platform.iam.v2.DeleteIdentityRequest",
  },
};

const roleChanges: Record<string, Change> = {
  "RolesService/CreateRole": {
    prepare: ({ organization }) => ({
      request: {
        parent: organization.uid,
        role: { name: randomName("role"), capabilities: ["CAP_TAG_LIST", "CAP_REPO_LIST"] },
      },
    }),
    type: "api.iam.roles.created.v1",
    source: "/iam/v2/roles",
    group: "parent",
    body: "answer",
    bodyType: "platform.iam.v2.Role",
    async conflict(stock) {
      const { name } = await newRole(stock);
      const role = { name: name as string, capabilities: ["CAP_REPO_LIST"] };
      return { parent: stock.organization.uid, role };
    },
  },
  "RolesService/UpdateRole": {
    prepare: async (stock) => ({
      request: { role: { uid: (await newRole(stock)).uid, capabilities: ["CAP_TAG_LIST"] } },
    }),
    type: "api.iam.roles.updated.v1",
    source: "/iam/v2/roles",
    group: "parent",
    body: "answer",
    bodyType: "platform.iam.v2.Role",
    conflict: async (stock) => ({
      role: { uid: stock.role, name: (await newRole(stock)).name as string },
    }),
  },
  "RolesService/DeleteRole": {
    prepare: async (stock) => named((await newRole(stock)).uid),
    type: "api.iam.roles.deleted.v1",
    source: "/iam/v2/roles",
    group: "parent",
    body: "request",
    bodyType: "platform.iam.v2.DeleteRoleRequest",
    async conflict(stock) {
      const { uid } = await newRole(stock);
      const binding = { identityUid: stock.identity, roleUid: uid };
      await make(iam(`roleBindings/${stock.organization.uid}`), stock.token, binding);
      return { uid };
    },
  },
};

const bindingChanges: Record<string, Change> = {
  "RoleBindingsService/CreateRoleBinding": {
    prepare: async (stock) => ({
      request: {
        parent: stock.organization.uid,
        roleBinding: { identityUid: await newBot(stock), roleUid: await roleUid("viewer") },
      },
    }),
    type: "api.iam.rolebindings.created.v1",
    source: "/iam/v2/roleBindings",
    group: "parent",
    body: "answer",
    bodyType: "platform.iam.v2.RoleBinding",
    async conflict(stock) {
      const { uid: _, ...roleBinding } = await newBinding(stock);
      return { parent: stock.organization.uid, roleBinding };
    },
  },
  "RoleBindingsService/BatchCreateRoleBindings": {
    prepare: async (stock) => ({
      request: {
        parent: stock.organization.uid,
        roleUid: await roleUid("viewer"),
        requests: [
          { roleBinding: { identityUid: await newBot(stock) } },
          { roleBinding: { identityUid: await newBot(stock) } },
        ],
      },
      subject: stock.organization.uid,
    }),
    type: "api.iam.rolebindings.created.batch.v1",
    source: "/iam/v2/roleBindings:batchCreate",
    group: "self",
    body: "answer",
    bodyType: "platform.iam.v2.BatchCreateRoleBindingsResponse",
    async conflict(stock) {
      const { identityUid, roleUid } = await newBinding(stock);
      const requests = [
        { roleBinding: { identityUid: await newBot(stock) } },
        { roleBinding: { identityUid } },
      ];
      return { parent: stock.organization.uid, roleUid, requests };
    },
  },
  "RoleBindingsService/UpdateRoleBinding": {
    prepare: async (stock) => ({
      request: {
        roleBinding: { uid: (await newBinding(stock)).uid, roleUid: await roleUid("editor") },
      },
    }),
    type: "api.iam.rolebindings.updated.v1",
    source: "/iam/v2/roleBindings",
    group: "parent",
    body: "answer",
    bodyType: "platform.iam.v2.RoleBinding",
    async conflict(stock) {
      const [one, other] = [await newBinding(stock), await newBinding(stock)];
      return { roleBinding: { uid: one.uid, identityUid: other.identityUid } };
    },
  },
  "RoleBindingsService/DeleteRoleBinding": {
    prepare: async (stock) => named((await newBinding(stock)).uid),
    type: "api.iam.rolebindings.deleted.v1",
    source: "/iam/v2/roleBindings",
    group: "parent",
    body: "request",
    bodyType: "platform.iam.v2.DeleteRoleBindingRequest",
    idle: ({ organization }) => ({ uid: `${organization.uid}/${"0".repeat(16)}` }),
  },
};

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

/** By the RPC's name. */
export const changes: Record<string, Change> = {
  ...groupChanges,
  ...identityChanges,
  ...roleChanges,
  ...bindingChanges,
  ...repoChanges,
  ...tagChanges,
  ...importChanges,
};
