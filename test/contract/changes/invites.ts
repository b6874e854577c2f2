/** One real change for every RPC about invites, and for those of IAM that are about their caller. */
import { createResource, newUser, randomName, roleUid } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import type { Fixtures } from "../fixtures.ts";
import { type ChangeContext, deleteOf, type OwnChange } from "./change.ts";

async function newInvite({ organization, token }: Fixtures) {
  const invite = { roleUid: await roleUid("viewer"), ttl: "3600s", singleUse: true };
  return createResource(`/iam/v2/groupInvites/${organization.uid}`, token, invite);
}

const redacted = ({ answer: { uid, expirationTime } }: ChangeContext) => ({ uid, expirationTime });

/** An address that connects the caller to the fixtures' organization. */
async function addressIn({ organization }: Fixtures) {
  const domain = `${randomName("corp")}.example`;
  await sql("update groups set name = ?, verified = 1 where uid = ?", domain, organization.uid);
  const email = `ann@${domain}`;
  const act = { iss: "https://trusted.example", sub: "ann", aud: "x" };
  return { email, email_verified: true, act };
}

const accessRequested = {
  group: "self",
  body: ({ actor, name, request: { groupUid, groupId }, claims: { email } }) => ({
    groupUid: groupUid ?? groupId ?? null,
    identityUid: actor,
    email: email ?? null,
    name,
  }),
  bodyType: "platform.iam.v2.GroupAccessRequest",
  personal: true,
} satisfies OwnChange;

export const inviteChanges: Record<string, OwnChange> = {
  "GroupInvitesService/CreateGroupInvite": {
    prepare: async ({ organization }) => ({
      request: {
        parent: organization.uid,
        groupInvite: { roleUid: await roleUid("viewer"), ttl: "3600s", email: "ann@b.example" },
      },
    }),
    body: redacted,
  },
  "GroupInvitesService/UpdateGroupInvite": {
    prepare: async (fixtures) => ({
      request: { groupInvite: { uid: (await newInvite(fixtures)).uid, email: "ann@b.example" } },
    }),
    body: redacted,
  },
  "GroupInvitesService/DeleteGroupInvite": {
    prepare: async (fixtures) => deleteOf((await newInvite(fixtures)).uid),
  },
  "GroupInvitesService/AcceptGroupInvite": {
    prepare: async (fixtures) => ({
      request: { code: (await newInvite(fixtures)).code as string },
    }),
    personal: true,
  },
  "GroupsService/RequestGroupAccess": {
    prepare: async (fixtures) => ({
      request: { groupUid: fixtures.organization.uid },
      claims: await addressIn(fixtures),
      subject: fixtures.organization.uid,
    }),
    ...accessRequested,
  },
  "iam.Groups/RequestGroupAccess": {
    prepare: async (fixtures) => ({
      request: { groupId: fixtures.organization.uid },
      claims: await addressIn(fixtures),
      subject: fixtures.organization.uid,
    }),
    ...{ type: "api.iam.group.access_requested.v1", source: "/iam/v2/groups" },
    ...accessRequested,
  },
  "iam.GroupInvites/CreateWithGroup": {
    async prepare() {
      const [person, group] = [await newUser(), randomName("founded")];
      const rows = () => sql("select uid from groups where name = ?", group);
      return { request: { group, ttl: "3600s" }, as: { ...person, name: "" }, rows };
    },
    ...{ type: "api.iam.group_invite.created.v1", source: "/iam/v1/group_invites" },
    alsoEmits: ["api.iam.group.created.v1"],
    body: ({ answer: { id, expiration } }) => ({ id, expiration }),
    personal: true,
  },
  "IdentitiesService/UpdateIdentityMetadata": {
    prepare: () => ({ request: { identityMetadata: { company: "c", hubspotUtk: "cookie" } } }),
    group: "none",
    personal: true,
  },
};
