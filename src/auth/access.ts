/** May the caller do this, asked in the same D1 round trip as the rows it is about. */
import { and, eq } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { CapabilitySchema } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { capabilityName } from "../../schema/options.ts";
import { identities, NEVER_USED } from "../../schema/tables/iam/identities.ts";
import { permissionDenied, unauthenticated } from "../aip/errors.ts";
import type { Call } from "./call.ts";
import { type GrantRow, type GrantScope, guardGrants, selectGrants } from "./grant_rows.ts";
import { type Caller, holds, toCaller } from "./grants.ts";
import { demandedDocuments, requireAcceptedDocuments, selectAcceptedDocuments } from "./terms.ts";

type Statement = BatchItem<"sqlite">;

/** Dotted name of a capability number, `repo.list`. */
export function capabilityLabel(capability: number): string {
  const value = CapabilitySchema.values.find((one) => one.number === capability);
  return (value && capabilityName(value)) || String(capability);
}

/**
 * The refusal of a call whose capabilities are not held. It names what was needed and nothing of
 * the resource, so that it reads the same whether the resource exists or not.
 */
export function missingCapabilities(capabilities: readonly number[]) {
  const names = capabilities.map(capabilityLabel).join(", ");
  return permissionDenied(`this needs ${names} on the resource or on a group above it`);
}

/** Reads the grants that decide about the scope (`found`), and the statements' rows, in one round trip. */
export async function readWithGrants<const S extends readonly Statement[]>(
  call: Call,
  scope: GrantScope,
  statements: S,
): Promise<{ caller: Caller; rows: BatchResponse<S>; found: GrantRow[] }> {
  if (!call.credential) throw unauthenticated("the call carries no credential");
  const grants = selectGrants(call.db, call.credential, scope);
  const [found, ...rows] = await call.db.batch([grants, ...statements]);
  const caller = toCaller(found, call.credential, scope);
  await recordFirstUse(call, caller, found);
  // A cast, as for the compiler the rest of a batch of unknown length has no types of its own.
  return { caller, rows: rows as unknown as BatchResponse<S>, found };
}

/**
 * Once in the life of an identity, notes that its own tokens are used: from then on nobody else's identity of
 * the same issuer and subject takes its place ({@link settled}).
 */
async function recordFirstUse({ db, credential, now }: Call, caller: Caller, found: GrantRow[]) {
  if (!credential || "uid" in credential.bearer || !caller.identity.includes("/")) return;
  const row = found.find(({ identity }) => identity === caller.identity);
  if (row?.firstUsedTime !== NEVER_USED || caller.grants.length === 0) return;
  const { issuer, subject } = credential.bearer;
  // Still of that issuer and subject, or it was another's token that used it.
  const isUnused = and(
    eq(identities.uid, caller.identity),
    eq(identities.issuer, issuer),
    eq(identities.subject, subject),
    eq(identities.firstUsedTime, NEVER_USED),
  );
  try {
    await db.update(identities).set({ firstUsedTime: now }).where(isUnused);
  } catch {
    // The call may be a read, which a full database still serves. The next one notes it.
  }
}

/**
 * As {@link readWithGrants}, and throws PERMISSION_DENIED unless the caller holds the RPC's capabilities at
 * `scope` or above, then FAILED_PRECONDITION where documents demanded there were not accepted. One
 * round trip. The call then writes only while the caller still has those grants. With `everywhere` the
 * caller has its grants elsewhere too, for a handler that asks what it may do at another place.
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
  const { caller, rows, found } = await readWithGrants(call, about, all);
  if (!holds(caller, call.capabilities, scope)) throw missingCapabilities(call.capabilities);
  requireAcceptedDocuments(demanded, (rows[statements.length] ?? []) as { id: string }[]);
  const { db, credential } = call;
  if (credential) {
    call.guards.set(`grants at ${scope}`, () => guardGrants(db, credential, about, found));
  }
  // A cast, as `slice` forgets which statement stands where.
  return { caller, rows: rows.slice(0, statements.length) as unknown as BatchResponse<S> };
}

/**
 * For a handler that has authorized the caller by other means than {@link authorizeAndRead}: throws
 * FAILED_PRECONDITION where documents demanded at the uid were not accepted. A round trip of its
 * own, if any are demanded.
 */
export async function requireTerms(call: Call, uid: string): Promise<void> {
  const demanded = demandedDocuments(call);
  if (demanded.length > 0)
    requireAcceptedDocuments(demanded, await selectAcceptedDocuments(call, uid, demanded));
}
