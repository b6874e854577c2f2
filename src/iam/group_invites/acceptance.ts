/** The caller joins a group with the code of an invite. */

import { and } from "drizzle-orm";
import type { AcceptGroupInviteRequest } from "../../../schema/gen/platform/iam/v2/group_invites_pb.js";
import {
  type RoleBinding,
  RoleBindingSchema,
} from "../../../schema/gen/platform/iam/v2/role_bindings_pb.js";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { rowColumns } from "../../../schema/tables/list_indexes.ts";
import { unauthenticated } from "../../aip/errors.ts";
import { isUnchanged, StaleError } from "../../aip/stale.ts";
import { isUid } from "../../aip/uid_path.ts";
import { type CallAnywhere, callAt, callAtCaller } from "../../auth/call.ts";
import { verifiedEmail } from "../../auth/email.ts";
import { isBearer } from "../../auth/grant_rows.ts";
import { toCaller } from "../../auth/grants.ts";
import { grantsOf, readGrantRows } from "../../auth/grants_across.ts";
import { copyPerson, findOrFetch } from "../../auth/person_copies.ts";
import { identityUse } from "../../auth/use.ts";
import { commit, onlyIf, type Statement } from "../../outbox/commit.ts";
import { insertEventIfChanged } from "../../outbox/outbox.ts";
import { createdMessage } from "../../resource/create.ts";
import { acceptBinding, refuseNarrowed } from "../role_bindings/acceptance.ts";
import {
  acceptanceStatements,
  acceptedBinding,
  atInvite,
  isInviteUnchanged,
  requireInvite,
  selectInvite,
  toInviteKey,
} from "./invites.ts";

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
  const read = await readGrantRows(call, credential, scope, [
    selectInvite(call.db, key),
    call.db.select(rowColumns(identities)).from(identities).where(isBearer(credential, scope)),
  ]);
  const [invites, people] = read.rows;
  const caller = toCaller(grantsOf(read.grants), credential, scope);
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
  const statements = [guard, use, deletePending, insertBinding, event, deleteInvite, selectBinding];
  const all: Statement[] = [...copyPerson(call, identity), ...statements];
  const answers = await commit(call, all as [Statement, ...Statement[]]);
  if (call.validateOnly) return createdMessage(call, binding);
  // A cast, because a batch of guards and statements does not know which statement has which rows.
  return acceptedBinding(invite, guest, answers.at(-1) as never);
}
