/** One real change by every RPC of version 1 about roles, their bindings, invites and terms. */
import { make, randomName, roleUid } from "../world/personas.ts";
import { type Change, namedV1 } from "./change.ts";
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

const roleChanges: Record<string, Change> = {
  "iam.Roles/Create": {
    prepare: ({ organization }) => ({
      request: {
        parentId: organization.uid,
        role: { name: randomName("role"), capabilities: ["tag.list", "repo.list"] },
      },
    }),
    type: "api.iam.roles.created.v1",
    source: iam("roles"),
    group: "parent",
    body: "answer",
    bodyType: "platform.iam.Role",
    async conflict(stock) {
      const { name, capabilities } = await newRole(stock);
      return { parentId: stock.organization.uid, role: { name, capabilities } };
    },
  },
  "iam.Roles/Update": {
    prepare: async (stock) => ({ request: { ...(await newRole(stock)), description: "changed" } }),
    type: "api.iam.roles.updated.v1",
    source: iam("roles"),
    group: "parent",
    body: "answer",
    bodyType: "platform.iam.Role",
    conflict: async (stock) => ({ ...(await newRole(stock)), id: stock.role }),
  },
  "iam.Roles/Delete": {
    prepare: async (stock) => namedV1((await newRole(stock)).id),
    type: "api.iam.roles.deleted.v1",
    source: iam("roles"),
    group: "parent",
    body: "request",
    bodyType: "platform.iam.DeleteRoleRequest",
    async conflict(stock) {
      const { id } = await newRole(stock);
      const binding = { identity: stock.identity, role: id };
      await make(iam(`rolebindings/${stock.organization.uid}`), stock.token, binding);
      return { id };
    },
  },
};

const bindingChanges: Record<string, Change> = {
  "iam.RoleBindings/Create": {
    prepare: async (stock) => ({
      request: {
        parent: stock.organization.uid,
        roleBinding: { identity: await newBot(stock), role: await roleUid("viewer") },
      },
    }),
    type: "api.iam.rolebindings.created.v1",
    source: iam("rolebindings"),
    group: "parent",
    body: "answer",
    bodyType: "platform.iam.RoleBinding",
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
    type: "api.iam.rolebindings.created.batch.v1",
    source: iam("rolebindings/batch"),
    group: "parent",
    body: "answer",
    bodyType: "platform.iam.RoleBindingBatch",
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
    type: "api.iam.rolebindings.updated.v1",
    source: iam("rolebindings"),
    group: "parent",
    body: "answer",
    bodyType: "platform.iam.RoleBinding",
    async conflict(stock) {
      const [one, other] = [await newBinding(stock), await newBinding(stock)];
      return { ...other, id: one.id };
    },
  },
  "iam.RoleBindings/Delete": {
    prepare: async (stock) => namedV1((await newBinding(stock)).id),
    type: "api.iam.rolebindings.deleted.v1",
    source: iam("rolebindings"),
    group: "parent",
    body: "request",
    bodyType: "platform.iam.DeleteRoleBindingRequest",
    idle: ({ organization }) => ({ id: `${organization.uid}/${"0".repeat(16)}` }),
  },
};

const inviteChanges: Record<string, Change> = {
  "iam.GroupInvites/Create": {
    prepare: async ({ organization }) => ({
      request: {
        group: organization.uid,
        role: await roleUid("viewer"),
        ttl: "3600s",
        email: "ann@b.example",
      },
    }),
    type: "api.iam.group_invite.created.v1",
    source: iam("group_invites"),
    group: "parent",
    body: ({ answer: { id, expiration } }) => ({ id, expiration }),
    bodyType: "platform.iam.GroupInvite",
  },
  "iam.GroupInvites/Delete": {
    prepare: async (stock) => namedV1(await newInvite(stock)),
    type: "api.iam.group_invite.deleted.v1",
    source: iam("group_invites"),
    group: "parent",
    body: "request",
    bodyType: "platform.iam.DeleteGroupInviteRequest",
  },
};

const termsChanges: Record<string, Change> = {
  "iam.Terms/AcceptTerms": {
    async prepare({ organization, token }) {
      const group = { name: randomName("group") };
      const { uid } = await make(`/iam/v2/groups/${organization.uid}`, token, group);
      return { request: { group: uid, documentIds: ["sfdpa.v1"] }, subject: uid };
    },
    type: "api.iam.terms.accepted.v1",
    source: iam("terms"),
    group: "self",
    body: "answer",
    bodyType: "platform.iam.AcceptTermsResponse",
  },
};

export const roleV1Changes: Record<string, Change> = {
  ...roleChanges,
  ...bindingChanges,
  ...inviteChanges,
  ...termsChanges,
};
