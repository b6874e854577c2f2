/** One real change by every RPC of IAM that has an event. */
import { make, randomName, roleUid } from "../world/personas.ts";
import { named, type OwnChange } from "./change.ts";
import type { Stock } from "./stock.ts";

const iam = (resource: string) => `/iam/v2/${resource}`;

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

const groupChanges: Record<string, OwnChange> = {
  "GroupsService/CreateGroup": {
    prepare: ({ organization }) => ({
      request: { parent: organization.uid, group: { name: randomName("group"), description: "d" } },
    }),
    group: "self",
  },
  "GroupsService/UpdateGroup": {
    group: "self",
  },
  "GroupsService/DeleteGroup": {
    conflict: ({ organization }) => ({ uid: organization.uid }),
  },
};

const identityChanges: Record<string, OwnChange> = {
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
  },
};

const roleChanges: Record<string, OwnChange> = {
  "RolesService/CreateRole": {
    prepare: ({ organization }) => ({
      request: {
        parent: organization.uid,
        role: { name: randomName("role"), capabilities: ["CAP_TAG_LIST", "CAP_REPO_LIST"] },
      },
    }),
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
    conflict: async (stock) => ({
      role: { uid: stock.role, name: (await newRole(stock)).name as string },
    }),
  },
  "RolesService/DeleteRole": {
    prepare: async (stock) => named((await newRole(stock)).uid),
    async conflict(stock) {
      const { uid } = await newRole(stock);
      const binding = { identityUid: stock.identity, roleUid: uid };
      await make(iam(`roleBindings/${stock.organization.uid}`), stock.token, binding);
      return { uid };
    },
  },
};

const bindingChanges: Record<string, OwnChange> = {
  "RoleBindingsService/CreateRoleBinding": {
    prepare: async (stock) => ({
      request: {
        parent: stock.organization.uid,
        roleBinding: { identityUid: await newBot(stock), roleUid: await roleUid("viewer") },
      },
    }),
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
    group: "self",
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
    async conflict(stock) {
      const [one, other] = [await newBinding(stock), await newBinding(stock)];
      return { roleBinding: { uid: one.uid, identityUid: other.identityUid } };
    },
  },
  "RoleBindingsService/DeleteRoleBinding": {
    prepare: async (stock) => named((await newBinding(stock)).uid),
    idle: ({ organization }) => ({ uid: `${organization.uid}/${"0".repeat(16)}` }),
  },
};

export const iamChanges: Record<string, OwnChange> = {
  ...groupChanges,
  ...identityChanges,
  ...roleChanges,
  ...bindingChanges,
};
