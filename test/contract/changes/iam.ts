/** One real change for every RPC of IAM that has an event. */
import { createResource, randomName, roleUid } from "../../world/personas.ts";
import type { Fixtures } from "../fixtures.ts";
import { deleteOf, type OwnChange } from "./change.ts";

const iam = (resource: string) => `/iam/v2/${resource}`;

const newBot = async ({ organization, token }: Fixtures) =>
  (await createResource(iam(`identities/${organization.uid}`), token, { name: randomName("bot") }))
    .uid;
const newRole = ({ organization, token }: Fixtures) =>
  createResource(iam(`roles/${organization.uid}`), token, {
    name: randomName("role"),
    capabilities: ["CAP_REPO_LIST"],
  });

async function newBinding(fixtures: Fixtures) {
  const binding = { identityUid: await newBot(fixtures), roleUid: await roleUid("viewer") };
  const { uid } = await createResource(
    iam(`roleBindings/${fixtures.organization.uid}`),
    fixtures.token,
    binding,
  );
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
    async conflict(fixtures) {
      const { name } = await newRole(fixtures);
      const role = { name: name as string, capabilities: ["CAP_REPO_LIST"] };
      return { parent: fixtures.organization.uid, role };
    },
  },
  "RolesService/UpdateRole": {
    prepare: async (fixtures) => ({
      request: { role: { uid: (await newRole(fixtures)).uid, capabilities: ["CAP_TAG_LIST"] } },
    }),
    conflict: async (fixtures) => ({
      role: { uid: fixtures.role, name: (await newRole(fixtures)).name as string },
    }),
  },
  "RolesService/DeleteRole": {
    prepare: async (fixtures) => deleteOf((await newRole(fixtures)).uid),
    async conflict(fixtures) {
      const { uid } = await newRole(fixtures);
      const binding = { identityUid: fixtures.identity, roleUid: uid };
      await createResource(
        iam(`roleBindings/${fixtures.organization.uid}`),
        fixtures.token,
        binding,
      );
      return { uid };
    },
  },
};

const bindingChanges: Record<string, OwnChange> = {
  "RoleBindingsService/CreateRoleBinding": {
    prepare: async (fixtures) => ({
      request: {
        parent: fixtures.organization.uid,
        roleBinding: { identityUid: await newBot(fixtures), roleUid: await roleUid("viewer") },
      },
    }),
    async conflict(fixtures) {
      const { uid: _, ...roleBinding } = await newBinding(fixtures);
      return { parent: fixtures.organization.uid, roleBinding };
    },
  },
  "RoleBindingsService/BatchCreateRoleBindings": {
    prepare: async (fixtures) => ({
      request: {
        parent: fixtures.organization.uid,
        roleUid: await roleUid("viewer"),
        requests: [
          { roleBinding: { identityUid: await newBot(fixtures) } },
          { roleBinding: { identityUid: await newBot(fixtures) } },
        ],
      },
      subject: fixtures.organization.uid,
    }),
    group: "self",
    async conflict(fixtures) {
      const { identityUid, roleUid } = await newBinding(fixtures);
      const requests = [
        { roleBinding: { identityUid: await newBot(fixtures) } },
        { roleBinding: { identityUid } },
      ];
      return { parent: fixtures.organization.uid, roleUid, requests };
    },
  },
  "RoleBindingsService/UpdateRoleBinding": {
    prepare: async (fixtures) => ({
      request: {
        roleBinding: { uid: (await newBinding(fixtures)).uid, roleUid: await roleUid("editor") },
      },
    }),
    async conflict(fixtures) {
      const [one, other] = [await newBinding(fixtures), await newBinding(fixtures)];
      return { roleBinding: { uid: one.uid, identityUid: other.identityUid } };
    },
  },
  "RoleBindingsService/DeleteRoleBinding": {
    prepare: async (fixtures) => deleteOf((await newBinding(fixtures)).uid),
    idle: ({ organization }) => ({ uid: `${organization.uid}/${"0".repeat(16)}` }),
  },
};

export const iamChanges: Record<string, OwnChange> = {
  ...groupChanges,
  ...identityChanges,
  ...roleChanges,
  ...bindingChanges,
};
