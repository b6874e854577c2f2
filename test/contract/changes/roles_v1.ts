/** One real change for every RPC of version 1 about roles, role bindings, invites and terms. */
import { createResource, randomName, roleUid } from "../../world/personas.ts";
import type { Fixtures } from "../fixtures.ts";
import { deleteOfV1, type OwnChange } from "./change.ts";

const iam = (resource: string) => `/iam/v1/${resource}`;

const newBot = async ({ organization, token }: Fixtures): Promise<string> =>
  (
    await createResource(`/iam/v2/identities/${organization.uid}`, token, {
      name: randomName("bot"),
    })
  ).uid;

async function newRole({ organization, token }: Fixtures) {
  const role = { name: randomName("role"), capabilities: ["repo.list"] };
  return {
    ...role,
    id: (await createResource(iam(`roles/${organization.uid}`), token, role)).id as string,
  };
}

async function newBinding(fixtures: Fixtures) {
  const binding = { identity: await newBot(fixtures), role: await roleUid("viewer") };
  const path = iam(`rolebindings/${fixtures.organization.uid}`);
  return { ...binding, id: (await createResource(path, fixtures.token, binding)).id as string };
}

async function newInvite({ organization, token }: Fixtures): Promise<string> {
  const invite = { role: await roleUid("viewer"), ttl: "3600s" };
  return (await createResource(iam(`group_invites/${organization.uid}`), token, invite))
    .id as string;
}

const roleChanges: Record<string, OwnChange> = {
  "iam.Roles/Create": {
    prepare: ({ organization }) => ({
      request: {
        parentId: organization.uid,
        role: { name: randomName("role"), capabilities: ["tag.list", "repo.list"] },
      },
    }),
    async conflict(fixtures) {
      const { name, capabilities } = await newRole(fixtures);
      return { parentId: fixtures.organization.uid, role: { name, capabilities } };
    },
  },
  "iam.Roles/Update": {
    prepare: async (fixtures) => ({
      request: { ...(await newRole(fixtures)), description: "changed" },
    }),
    conflict: async (fixtures) => ({ ...(await newRole(fixtures)), id: fixtures.role }),
  },
  "iam.Roles/Delete": {
    prepare: async (fixtures) => deleteOfV1((await newRole(fixtures)).id),
    async conflict(fixtures) {
      const { id } = await newRole(fixtures);
      const binding = { identity: fixtures.identity, role: id };
      await createResource(
        iam(`rolebindings/${fixtures.organization.uid}`),
        fixtures.token,
        binding,
      );
      return { id };
    },
  },
};

const bindingChanges: Record<string, OwnChange> = {
  "iam.RoleBindings/Create": {
    prepare: async (fixtures) => ({
      request: {
        parent: fixtures.organization.uid,
        roleBinding: { identity: await newBot(fixtures), role: await roleUid("viewer") },
      },
    }),
    async conflict(fixtures) {
      const { identity, role } = await newBinding(fixtures);
      return { parent: fixtures.organization.uid, roleBinding: { identity, role } };
    },
  },
  "iam.RoleBindings/CreateBatch": {
    async prepare(fixtures) {
      const role = await roleUid("viewer");
      const [one, two] = [await newBot(fixtures), await newBot(fixtures)];
      const roleBindings = [one, two].map((identity) => ({ identity, role }));
      return { request: { parent: fixtures.organization.uid, roleBindings } };
    },
    subjectOf: ({ roleBindings }) => roleBindings.map(({ id }: { id: string }) => id).join(),
    async conflict(fixtures) {
      const { identity, role } = await newBinding(fixtures);
      const roleBindings = [
        { identity: await newBot(fixtures), role },
        { identity, role },
      ];
      return { parent: fixtures.organization.uid, roleBindings };
    },
  },
  "iam.RoleBindings/Update": {
    prepare: async (fixtures) => ({
      request: { ...(await newBinding(fixtures)), role: await roleUid("editor") },
    }),
    async conflict(fixtures) {
      const [one, other] = [await newBinding(fixtures), await newBinding(fixtures)];
      return { ...other, id: one.id };
    },
  },
  "iam.RoleBindings/Delete": {
    prepare: async (fixtures) => deleteOfV1((await newBinding(fixtures)).id),
    idle: ({ organization }) => ({ id: `${organization.uid}/${"0".repeat(16)}` }),
  },
};

const inviteChanges: Record<string, OwnChange> = {
  "iam.GroupInvites/Create": {
    prepare: async ({ organization }) => ({
      request: {
        group: organization.uid,
        role: await roleUid("viewer"),
        ttl: "3600s",
        email: "ann@b.example",
      },
    }),
    body: ({ answer: { id, expiration } }) => ({ id, expiration }),
  },
  "iam.GroupInvites/Delete": {
    prepare: async (fixtures) => deleteOfV1(await newInvite(fixtures)),
  },
};

const termsChanges: Record<string, OwnChange> = {
  "iam.Terms/AcceptTerms": {
    async prepare({ organization, token }) {
      const group = { name: randomName("group") };
      const { uid } = await createResource(`/iam/v2/groups/${organization.uid}`, token, group);
      return { request: { group: uid, documentIds: ["sfdpa.v1"] }, subject: uid };
    },
    group: "self",
  },
};

export const roleV1Changes: Record<string, OwnChange> = {
  ...roleChanges,
  ...bindingChanges,
  ...inviteChanges,
  ...termsChanges,
};
