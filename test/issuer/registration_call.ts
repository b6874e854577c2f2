/** Registrations for tests, and their results. */
import { createResource, type Organization, roleUid } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";

/** Calls `POST /auth/v1/register` with a token. */
export const callRegister = (token: string | undefined, body: Record<string, string> = {}) =>
  callRest("/auth/v1/register", { token, body });

/** An invite to the group as a viewer for one person, unless `change` overrides it. */
export async function newInviteCode(
  { uid, owner }: Organization,
  change: Record<string, unknown> = {},
) {
  const body = { roleUid: await roleUid("viewer"), ttl: "3600s", singleUse: true, ...change };
  const invite = await createResource(`/iam/v2/groupInvites/${uid}`, owner.token, body);
  return { uid: invite.uid, code: invite.code as string };
}

/** The stored data of an identity, and the events of its actions in order. */
export const rowsOfIdentity = async (uid: string) => ({
  identities: await sql("select * from identities where uid = ?", uid),
  metadata: await sql("select * from identity_metadata where uid = ?", uid),
  bindings: await sql<{ uid: string; role_uid: string }>(
    "select uid, role_uid from role_bindings where identity_uid = ?",
    uid,
  ),
  events: await sql<{ type: string; data: string; group_uid: string; audience: string }>(
    "select * from events where json_extract(data, '$.actor.subject') = ? order by rowid",
    uid,
  ),
});
