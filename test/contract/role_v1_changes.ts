/** One real change by every RPC of version 1 about roles, their bindings, invites and terms. */
import { make, randomName, roleUid } from "../world/personas.ts";
import { namedV1, type OwnChange } from "./change.ts";
import type { Stock } from "./stock.ts";

const iam = (resource: string) => `/iam/v1/${resource}`;

const newBot = async ({ organization, token }: Stock): Promise<string> =>
  (await make(`/iam/v2/identities/${organization.uid}`, token, { name: randomName("bot") })).uid;

async function newRole({ organization, token }: Stock) {
  const role = { name: randomName("role"), capabilities: ["repo.list"] };
  return { ...role, id: (await make(iam(`roles/${organization.uid}`), token, role)).id as string };
}

async function newBinding(stock: Stock) {
  const binding = { identity: await newBot(stock), role: await roleUid("viewer") };
  const path = iam(`rolebindings/${stock.organization.uid}`);
  return { ...binding, id: (await make(path, stock.token, binding)).id as string };
}

async function newInvite({ organization, token }: Stock): Promise<string> {
  const invite = { role: await roleUid("viewer"), ttl: "3600s" };
  return (await make(iam(`group_invites/${organization.uid}`), token, invite)).id as string;
}

const roleChanges: Record<string, OwnChange> = {
  "iam.Roles/Create": {
    prepare: ({ organization }) => ({
      request: {
        parentId: organization.uid,
        role: { name: randomName("role"), capabilities: ["tag.list", "repo.list"] },
      },
    }),
    async conflict(stock) {
      const { name, capabilities } = await newRole(stock);
      return { parentId: stock.organization.uid, role: { name, capabilities } };
    },
  },
  "iam.Roles/Update": {
    prepare: async (stock) => ({ request: { ...(await newRole(stock)), description: "changed" } }),
    conflict: async (stock) => ({ ...(await newRole(stock)), id: stock.role }),
  },
  "iam.Roles/Delete": {
    prepare: async (stock) => namedV1((await newRole(stock)).id),
    async conflict(stock) {
      const { id } = await newRole(stock);
      const binding = { identity: stock.identity, role: id };
      await make(iam(`rolebindings/${stock.organization.uid}`), stock.token, binding);
      return { id };
    },
  },
};

const bindingChanges: Record<string, OwnChange> = {
  "iam.RoleBindings/Create": {
    prepare: async (stock) => ({
      request: {
        parent: stock.organization.uid,
        roleBinding: { identity: await newBot(stock), role: await roleUid("viewer") },
      },
    }),
    async conflict(stock) {
      const { identity, role } = await newBinding(stock);
      return { parent: stock.organization.uid, roleBinding: { identity, role } };
    },
  },
  "iam.RoleBindings/CreateBatch": {
    async prepare(stock) {
      const role = await roleUid("viewer");
      const [one, two] = [await newBot(stock), await newBot(stock)];
      const roleBindings = [one, two].map((identity) => ({ identity, role }));
      return { request: { parent: stock.organization.uid, roleBindings } };
    },
    subjectOf: ({ roleBindings }) => roleBindings.map(({ id }: { id: string }) => id).join(),
    async conflict(stock) {
      const { identity, role } = await newBinding(stock);
      const roleBindings = [
        { identity: await newBot(stock), role },
        { identity, role },
      ];
      return { parent: stock.organization.uid, roleBindings };
    },
  },
  "iam.RoleBindings/Update": {
    prepare: async (stock) => ({
      request: { ...(await newBinding(stock)), role: await roleUid("editor") },
    }),
    async conflict(stock) {
      const [one, other] = [await newBinding(stock), await newBinding(stock)];
      return { ...other, id: one.id };
    },
  },
  "iam.RoleBindings/Delete": {
    prepare: async (stock) => namedV1((await newBinding(stock)).id),
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
    prepare: async (stock) => namedV1(await newInvite(stock)),
  },
};

const termsChanges: Record<string, OwnChange> = {
  "iam.Terms/AcceptTerms": {
    async prepare({ organization, token }) {
      const group = { name: randomName("group") };
      const { uid } = await make(`/iam/v2/groups/${organization.uid}`, token, group);
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
