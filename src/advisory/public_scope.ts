import { and, eq } from "drizzle-orm";
import { groups } from "../../schema/tables/iam/groups.ts";
import type { Call } from "../auth/call.ts";
import type { Scope } from "../paging/scope.ts";

/**
 * What the public feeds show: everything below the verified organization of the public namespace.
 * Nothing, where there is none. A token changes nothing about it.
 */
export async function publicScopes({ db, config }: Call): Promise<Scope[]> {
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
