/** One real change by every RPC of IAM that has an event. */
import { make, randomName, roleUid } from "../world/personas.ts";
import { type Change, named } from "./change.ts";
import type { Stock } from "./stock.ts";

const iam = (resource: string) => `/iam/v2/${resource}`;

const newGroup = async ({ organization, token }: Stock) =>
  (await make(iam(`groups/${organization.uid}`), token, { name: randomName("group") })).uid;
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

export const iamChanges: Record<string, Change> = {
  ...groupChanges,
  ...identityChanges,
  ...roleChanges,
  ...bindingChanges,
};
