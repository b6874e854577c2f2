import { and, eq } from "drizzle-orm";
import { groups } from "../../schema/tables/iam/groups.ts";
import { type Call, type CallAnywhere, callAt, callAtCaller } from "../auth/call.ts";
import { isSpread } from "../auth/databases.ts";
import { verifiedInEach } from "../auth/verified_names.ts";

/** Everything below an organization. */
export type PublicScope = { at: "below"; uid: string };

/**
 * The scope of the public feeds: everything below the verified organization of the public namespace. It is
 * empty if there is no such organization. A token does not change it.
 */
export async function publicScopes({ databases, config }: CallAnywhere): Promise<PublicScope[]> {
  const organizations = isSpread(databases)
    ? await verifiedInEach(databases, [config.publicNamespace])
    : await databases.first
        .select({ uid: groups.uid })
        .from(groups)
        .where(
          and(
            eq(groups.parent, ""),
            eq(groups.verified, true),
            eq(groups.name, config.publicNamespace),
          ),
        );
  return organizations.map(({ uid }) => ({ at: "below", uid }));
}

/** The call in the database of the public namespace. */
export const atPublic = (call: CallAnywhere, scope: PublicScope | undefined): Call =>
  scope ? callAt(call, scope.uid) : callAtCaller(call);
