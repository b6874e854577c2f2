/** A person accepts a role binding that someone in another organization has created for them. */

import {
  type RoleBinding,
  RoleBindingSchema,
} from "../../../schema/gen/platform/iam/v2/role_bindings_pb.js";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { rowColumns } from "../../../schema/tables/list_indexes.ts";
import { notFound, permissionDenied } from "../../aip/errors.ts";
import { isUnchanged } from "../../aip/stale.ts";
import { readWithGrants } from "../../auth/access.ts";
import type { Call, Credential } from "../../auth/call.ts";
import { isBearer } from "../../auth/grant_rows.ts";
import { isWithin } from "../../auth/grants.ts";
import { copyPerson, findOrFetch } from "../../auth/person_copies.ts";
import { commit, commitIfChanged, nextTime, onlyIf } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { acceptBindingStatement, selectBindingByUid, toAcceptedBinding } from "./pending.ts";

/**
 * Accepts the binding of that uid, which then takes effect, and returns it. A binding that is already
 * accepted is returned unchanged. Throws NOT_FOUND, with the same text as for a code, if the binding is not
 * the caller's.
 */
export async function acceptBinding(
  uid: string,
  call: Call,
  credential: Credential,
): Promise<RoleBinding> {
  const { caller, rows } = await readWithGrants(call, undefined, [
    selectBindingByUid(call.db, uid),
    call.db.select(rowColumns(identities)).from(identities).where(isBearer(credential)),
  ]);
  const [[row], people] = rows;
  const identity = await findOrFetch(call, caller.identity, people);
  if (!row || !identity || row.identityUid !== identity.uid) {
    throw notFound("iam/GroupInvite", "with that code");
  }
  refuseNarrowed(credential, row);
  await call.idempotency?.replay();
  if (row.accepted) return toAcceptedBinding(row, { identity });
  const updateTime = nextTime(call, row.updateTime);
  const message = toAcceptedBinding({ ...row, updateTime }, { identity });
  const [copy] = copyPerson(call, identity);
  // A call that only validates leaves no copy, so nothing here depends on it.
  const isCopied = copy !== undefined && !call.validateOnly;
  if (isCopied) await commit(call, [copy]);
  await commitIfChanged(call, [
    acceptBindingStatement(call.db, row, updateTime),
    ...(copy && !isCopied ? [copy] : []),
    onlyIf(call.db, isUnchanged(identities, identity)),
    insertEvent(call, caller, {
      subject: row.uid,
      group: row.group,
      body: { desc: RoleBindingSchema, message },
    }),
  ]);
  return message;
}

/**
 * A binding applies to every token of the identity. A token that is narrowed to capabilities can therefore
 * not accept one. A token that is narrowed to groups accepts bindings only within those groups, and every
 * login is such a token.
 */
export function refuseNarrowed(credential: Credential, { group }: { group: string }): void {
  if (!credential.capabilities && isWithin(credential, group)) return;
  throw permissionDenied(
    "the token was narrowed and cannot accept this invite; use one that reaches the group of the invite",
  );
}
