/** Finds the parent of a new group: a group that the request names, or the root. */

import { and, eq, or, sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { Group } from "../../../schema/gen/platform/iam/v2/groups_pb.js";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { roleBindings } from "../../../schema/tables/iam/role_bindings.ts";
import { type RowOf, rowColumns } from "../../../schema/tables/list_indexes.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { invalidArgument, permissionDenied } from "../../aip/errors.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { missingCapabilities, readWithGrants, requireTerms } from "../../auth/access.ts";
import { type Call, type Credential, callAt } from "../../auth/call.ts";
import { inEach, isServed, isSpread } from "../../auth/databases.ts";
import { isBearer } from "../../auth/grant_rows.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { onlyIf } from "../../outbox/commit.ts";

type Row = RowOf<typeof groups>;

/** Groups in the caller's organizations, by name or by the last step of their uid. */
const selectGroupsByName = (call: Call, credential: Credential, named: string) =>
  call.db
    .select(rowColumns(groups))
    .from(identities)
    .innerJoin(
      roleBindings,
      and(
        eq(roleBindings.identityUid, identities.uid),
        eq(roleBindings.accepted, true),
        isPresent(roleBindings.parent),
      ),
    )
    .innerJoin(
      groups,
      and(
        eq(groups.ancestor0, sql`substr(${roleBindings.parent}, 1, 40)`),
        or(eq(groups.name, named), eq(groups.suid, named.slice(-16))),
      ),
    )
    .where(
      and(
        isBearer(credential),
        isSpread(call.databases) ? isServed(sql`${groups.uid}`) : undefined,
      ),
    );

/**
 * Finds the group that a CreateGroup names as its parent, by name or by the end of its uid. Throws
 * PERMISSION_DENIED if the caller may not create groups in any match, and INVALID_ARGUMENT if the caller may
 * in several. The call writes only if no other match has appeared since.
 */
export async function findParentByName(
  call: Call,
  named: string,
): Promise<{ caller: Caller; row: Row }> {
  const { credential } = call;
  if (!credential) throw missingCapabilities(call.capabilities, "");
  const { caller, rows } = await readWithGrants(call, undefined, [
    selectGroupsByName(call, credential, named),
  ]);
  await call.idempotency?.replay(({ uid }: Group) => requireMayCreate(call, caller, parentOf(uid)));
  const others = await call.databases.othersThan(call.db);
  const elsewhere = await inEach({ all: others }, async (db) =>
    selectGroupsByName({ ...call, db }, credential, named),
  );
  const matchesByLocation = [rows[0], ...elsewhere];
  const fitting = matchesByLocation
    .flat()
    .filter(({ uid, name }) => name === named || uid.endsWith(`/${named}`));
  const matchesByUid = new Map(fitting.map((row) => [row.uid, row]));
  const [row, another] = [...matchesByUid.values()].filter((match) =>
    holds(caller, call.capabilities, match.uid),
  );
  if (!row) throw missingCapabilities(call.capabilities, "");
  if (another)
    throw invalidArgument("parent", "parent matches several groups; send the uid of the parent");
  await requireTerms(callAt(call, row.uid), row.uid);
  const { db } = call;
  const now = selectGroupsByName(call, credential, named).as("now");
  // The call writes the database that has the group, and counts only the matches there.
  const here = matchesByLocation.find((matches) => matches.includes(row)) ?? [];
  const isSame = sql`(select count(*) from ${now}) = ${here.length}`;
  call.guards.set("groups of that name", () => onlyIf(db, isSame));
  return { caller, row };
}

/** Throws PERMISSION_DENIED unless the caller may create groups in the group, and the errors of {@link requireTerms}. */
async function requireMayCreate(call: Call, caller: Caller, group: string): Promise<void> {
  if (!holds(caller, call.capabilities, group)) throw missingCapabilities(call.capabilities, "");
  await requireTerms(callAt(call, group), group);
}

/**
 * Checks that the caller may create an organization. The caller must be a person, whose reach no group
 * limits, and the token must not be narrowed. Reads the rows of the statements in the same round trip. The
 * call writes only while the person still exists. Throws PERMISSION_DENIED.
 */
export async function authorizeFounding<const S extends readonly BatchItem<"sqlite">[]>(
  call: Call,
  statements: S,
): Promise<{ caller: Caller; rows: BatchResponse<S> }> {
  const { caller, rows } = await readWithGrants(call, undefined, statements);
  const narrowed = call.credential?.capabilities;
  if (narrowed && !call.capabilities.every((capability) => narrowed.includes(capability))) {
    throw missingCapabilities(call.capabilities, "");
  }
  if (parentOf(caller.identity) !== "" || call.credential?.scopes) {
    throw permissionDenied(
      "an identity of a group cannot create an organization, and neither can a token that is limited to scopes",
    );
  }
  const isThere = sql`exists (select 1 from ${identities}
    where ${eq(identities.uid, caller.identity)})`;
  call.guards.set("founder", () => onlyIf(call.db, isThere));
  return { caller, rows };
}
