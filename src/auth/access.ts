/** Checks what the caller may do, in the same D1 round trip as the rows that the call is about. */
import { and, eq } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { CapabilitySchema } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { capabilityName } from "../../schema/options.ts";
import { identities, NEVER_USED } from "../../schema/tables/iam/identities.ts";
import { unauthenticated } from "../aip/errors.ts";
import { accessDenied } from "./access_decision.ts";
import type { Call } from "./call.ts";
import type { GrantScope } from "./grant_rows.ts";
import { type Caller, holds, toCaller } from "./grants.ts";
import { type FoundGrants, grantsOf, guardFoundGrants, readGrantRows } from "./grants_across.ts";
import { demandedDocuments, requireAcceptedDocuments, selectAcceptedDocuments } from "./terms.ts";
import { recordUse } from "./use.ts";

type Statement = BatchItem<"sqlite">;

/** The dotted name of a capability number, such as `repo.list`. */
export function capabilityLabel(capability: number): string {
  const value = CapabilitySchema.values.find((entry) => entry.number === capability);
  return (value && capabilityName(value)) || String(capability);
}

/**
 * The error for a caller without the required capabilities. It names the capabilities and says nothing about
 * the resource, so it is the same whether or not the resource exists. `resource` is the uid in the call, which
 * its decision id contains. It is empty if the call names none.
 */
export function missingCapabilities(capabilities: readonly number[], resource: string) {
  const names = capabilities.map(capabilityLabel).join(", ");
  const kind = capabilities.length === 1 ? "capability" : "capabilities";
  const text = `you need the ${kind} ${names} on the resource or on a group above it`;
  return accessDenied(text, { capabilities, resource });
}

/**
 * Reads the grants that decide about the scope, and the rows of the statements, in one round trip. Records
 * the use of the caller's identity, and of the role bindings that give the RPC's capabilities anywhere in the
 * scope.
 */
export async function readWithGrants<const S extends readonly Statement[]>(
  call: Call,
  scope: GrantScope,
  statements: S,
): Promise<{ caller: Caller; rows: BatchResponse<S> }> {
  const { caller, rows, grants } = await readGrants(call, scope, statements);
  const { capabilities } = call;
  const isAccepted =
    typeof scope === "string"
      ? holds(caller, capabilities, scope)
      : capabilities.length === 0 ||
        caller.grants.some(({ group }) => holds(caller, capabilities, group));
  const acceptedScope = typeof scope === "string" ? { scope } : {};
  // An RPC without capabilities decides by itself, and its refusal is not a use.
  const when = capabilities.length === 0 ? "succeeded" : "over";
  if (isAccepted) recordUse(call, caller, grants, { capabilities, ...acceptedScope }, when);
  // A handler can accept a call for another reason, such as the creation of an organization.
  else recordUse(call, caller, grants, { capabilities: [] }, "succeeded");
  return { caller, rows };
}

async function readGrants<const S extends readonly Statement[]>(
  call: Call,
  scope: GrantScope,
  statements: S,
): Promise<{ caller: Caller; rows: BatchResponse<S>; grants: FoundGrants[] }> {
  if (!call.credential) throw unauthenticated("the call has no credential");
  const { credential, idempotency } = call;
  const all = [...statements, ...(idempotency?.lookup(call.db) ?? [])] as Statement[];
  const { grants, rows } = await readGrantRows(call, credential, scope, all);
  idempotency?.takeRows(rows[statements.length] as unknown[] | undefined);
  const caller = toCaller(grantsOf(grants), credential, scope);
  await recordFirstUse(call, caller, grants);
  // A cast, because `slice` loses the types of the statements.
  const own = rows.slice(0, statements.length) as unknown as BatchResponse<S>;
  return { caller, rows: own, grants };
}

/**
 * Records once for each identity that its own tokens are used. From then on no other identity with the same
 * issuer and subject can take its place ({@link chooseCandidate}).
 */
async function recordFirstUse(call: Call, caller: Caller, grants: FoundGrants[]) {
  const { credential, now, validateOnly } = call;
  if (validateOnly) return;
  if (!credential || "uid" in credential.bearer || !caller.identity.includes("/")) return;
  const rowIn = ({ rows }: FoundGrants) =>
    rows.find(({ identity }) => identity === caller.identity);
  const location = grants.find(rowIn);
  if (!location || rowIn(location)?.firstUsedTime !== NEVER_USED || caller.grants.length === 0)
    return;
  const { issuer, subject } = credential.bearer;
  // The identity may have changed its issuer and subject, or another identity's token may have made the call.
  const isUnused = and(
    eq(identities.uid, caller.identity),
    eq(identities.issuer, issuer),
    eq(identities.subject, subject),
    eq(identities.firstUsedTime, NEVER_USED),
  );
  try {
    await location.db.update(identities).set({ firstUsedTime: now }).where(isUnused);
  } catch {
    // The call can be a read, which a full database still serves. The next call records the use.
  }
}

/**
 * Like {@link readWithGrants}. Throws PERMISSION_DENIED unless the caller has the RPC's capabilities at
 * `scope` or above it. Throws FAILED_PRECONDITION if required documents are not accepted there. It takes one
 * round trip. Ends a call that was answered before. The call writes only while the caller still has those grants. With `everywhere` the call
 * also has the caller's grants elsewhere, for a handler that checks access in a second place.
 */
export async function authorizeAndRead<const S extends readonly Statement[]>(
  call: Call,
  scope: string,
  statements: S,
  { everywhere = false } = {},
): Promise<{ caller: Caller; rows: BatchResponse<S> }> {
  const demanded = demandedDocuments(call);
  const terms = demanded.length > 0 ? [selectAcceptedDocuments(call, scope, demanded)] : [];
  const all = [...statements, ...terms] as Statement[];
  const about = everywhere ? { everywhere: scope } : scope;
  const { caller, rows, grants } = await readGrants(call, about, all);
  if (!holds(caller, call.capabilities, scope)) throw missingCapabilities(call.capabilities, scope);
  requireAcceptedDocuments(demanded, (rows[statements.length] ?? []) as { id: string }[]);
  recordUse(call, caller, grants, { capabilities: call.capabilities, scope });
  await call.idempotency?.replay();
  const { credential } = call;
  if (credential) {
    call.guards.set(`grants at ${scope}`, () => guardFoundGrants(call, credential, about, grants));
  }
  // A cast, because `slice` loses the types of the statements.
  return { caller, rows: rows.slice(0, statements.length) as unknown as BatchResponse<S> };
}

/**
 * Checks the documents for a handler that has authorized the caller in another way than {@link
 * authorizeAndRead}. Throws FAILED_PRECONDITION if required documents are not accepted at the uid. If
 * documents are required, it takes a round trip of its own.
 */
export async function requireTerms(call: Call, uid: string): Promise<void> {
  const demanded = demandedDocuments(call);
  if (demanded.length > 0)
    requireAcceptedDocuments(demanded, await selectAcceptedDocuments(call, uid, demanded));
}
