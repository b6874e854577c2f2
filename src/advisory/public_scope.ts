import { and, eq } from "drizzle-orm";
import { groups } from "../../schema/tables/iam/groups.ts";
import type { Call } from "../auth/call.ts";

/** Everything below an organization. */
export type PublicScope = { at: "below"; uid: string };

/**
 * The scope of the public feeds: everything below the verified organization of the public namespace. It is
 * empty if there is no such organization. A token does not change it.
 */
export async function publicScopes({ db, config }: Call): Promise<PublicScope[]> {
  const found = await db
    .select({ uid: groups.uid })
    .from(groups)
    .where(
      and(
        eq(groups.parent, ""),
        eq(groups.verified, true),
        eq(groups.name, config.publicNamespace),
      ),
    );
  return found.map(({ uid }) => ({ at: "below", uid }));
}
