/** Finds the database of an image. */
import { namedUids } from "../auth/verified_names.ts";
import type { RegistryContext } from "./context.ts";
import type { ImageName } from "./repository.ts";

/**
 * From here on, the request reads and writes the database of the image's organization. If the organization does not
 * exist, that is the first database. With one database, this does nothing.
 */
export async function enterDatabaseOf(
  context: RegistryContext,
  { namespace }: ImageName,
): Promise<void> {
  const [uid = ""] = await namedUids(context.databases, [namespace]);
  context.db = context.databases.databaseOf(uid);
}
