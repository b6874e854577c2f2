/** The caller joins a group with the code of an invite. */

import { and } from "drizzle-orm";
import type { AcceptGroupInviteRequest } from "../../../schema/gen/platform/iam/v2/group_invites_pb.js";
import {
  type RoleBinding,
  RoleBindingSchema,
} from "../../../schema/gen/platform/iam/v2/role_bindings_pb.js";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { rowColumns } from "../../../schema/tables/list_indexes.ts";
import { notFound, unauthenticated } from "../../aip/errors.ts";
import { isUnchanged, StaleError } from "../../aip/stale.ts";
import { isUid } from "../../aip/uid_path.ts";
import {
  type Call,
  type CallAnywhere,
  type Credential,
  callAt,
  callAtCaller,
} from "../../auth/call.ts";
import { verifiedEmail } from "../../auth/email.ts";
import { isBearer } from "../../auth/grant_rows.ts";
import { type Caller, toCaller } from "../../auth/grants.ts";
import { grantsOf, readGrantRows } from "../../auth/grants_across.ts";
import { copyPerson, findOrFetch } from "../../auth/person_copies.ts";
import { identityUse } from "../../auth/use.ts";
import { commit, commitForResults, onlyIf, type Statement } from "../../outbox/commit.ts";
import { insertEventIfChanged } from "../../outbox/outbox.ts";
import { createdMessage } from "../../resource/create.ts";
import { acceptBinding, refuseNarrowed } from "../role_bindings/acceptance.ts";
import {
  acceptanceStatements,
  acceptedBinding,
  atInvite,
  type Invite,
  type Invitee,
  isInviteUnchanged,
  requireInvite,
  selectAcceptedBinding,
  selectInvite,
  toInviteKey,
} from "./invites.ts";

/** Accepts the invite with an idempotency key. The answer has to be known before the write, so it is read before. */
async function acceptOnce(
  call: Call,
  invite: Invite,
  guest: Invitee,
  { write, binding }: { write: Statement[]; binding: RoleBinding },
): Promise<RoleBinding> {
  const [bound] = await selectAcceptedBinding(call.db, invite, guest);
  const expected = bound ?? { uid: binding.uid, updateTime: call.now };
  const all: Statement[] = [...write, onlyIf(call.db, isUnchanged(roleBindings, expected))];
  await commit(call, all as [Statement, ...Statement[]]);
  return bound ? acceptedBinding(invite, guest, [bound]) : binding;
}

/** Throws the error of an unknown code unless the caller still has the role of an invite that they accepted. */
function requireJoined(credential: Credential, { grants }: Caller, { group }: RoleBinding): void {
  const uid = group?.uid ?? "";
  if (!grants.some((grant) => grant.group === uid))
    throw notFound("iam/GroupInvite", "with that code");
  refuseNarrowed(credential, { group: uid });
}

/** Binds the role of the invite to the caller. The proto lists the errors. */
export async function acceptGroupInvite(
  { code }: AcceptGroupInviteRequest,
  anywhere: CallAnywhere,
): Promise<RoleBinding> {
  const { credential } = anywhere;
  if (!credential) throw unauthenticated("the call has no credential");
  if (isUid(code)) return acceptBinding(code, callAt(anywhere, code), credential);
  const key = await toInviteKey(code);
  const call = await atInvite(callAtCaller(anywhere), key);
  // A token of another issuer can match several identities. Take the one in the invite's organization.
  const [named] = "uid" in credential.bearer ? [] : await selectInvite(call.db, key);
  const scope = named && { everywhere: named.group };
  const reads = [
    selectInvite(call.db, key),
    call.db.select(rowColumns(identities)).from(identities).where(isBearer(credential, scope)),
  ] as const;
  const lookup = call.idempotency?.lookup(call.db) ?? [];
  // Casts, because the rows of the lookup are not those of this function.
  const both = [...reads, ...lookup] as unknown as typeof reads;
  const read = await readGrantRows(call, credential, scope, both);
  const [invites, people] = read.rows;
  call.idempotency?.takeRows((read.rows as readonly unknown[][])[reads.length]);
  const caller = toCaller(grantsOf(read.grants), credential, scope);
  await call.idempotency?.replay((answer: RoleBinding) =>
    requireJoined(credential, caller, answer),
  );
  const identity = await findOrFetch(call, caller.identity, people);
  if (!identity) throw new StaleError();
  const guest = { identity, email: verifiedEmail(credential) };
  const invite = requireInvite(call, invites, guest);
  refuseNarrowed(credential, invite);
  const { deletePending, insertBinding, deleteInvite, selectBinding, binding } =
    acceptanceStatements(call, invite, guest);
  const event = insertEventIfChanged(call, caller, {
    subject: binding.uid,
    group: invite.group,
    body: { desc: RoleBindingSchema, message: binding },
  });
  // If the identity now accepts other tokens, their bearers would have the role.
  const guard = onlyIf(call.db, and(isInviteUnchanged(invite), isUnchanged(identities, identity)));
  const use = identityUse(call.db, [identity.uid], call.now);
  const statements = [guard, use, deletePending, insertBinding, event, deleteInvite];
  const write: Statement[] = [...copyPerson(call, identity), ...statements];
  if (call.idempotency) return acceptOnce(call, invite, guest, { write, binding });
  const all: Statement[] = [...write, selectBinding];
  const answers = await commitForResults(call, all as [Statement, ...Statement[]]);
  if (call.validateOnly) return createdMessage(call, binding);
  // A cast, because a batch of guards and statements does not know which statement has which rows.
  return acceptedBinding(invite, guest, answers.at(-1) as never);
}
