/** The places of rows: the groups or the repositories that they are in, by name. */
import type { CatalogResource } from "./catalog.ts";
import { isAlsoInRepo } from "./catalog.ts";
import type { JsonObject } from "./flags.ts";
import { parentOf, readNames, uidPath } from "./names.ts";
import type { PlatformClient } from "./platform.ts";

/** Returns the paths of the places of rows by uid. Undefined if a table does not need them. */
export type PlacesReader = (rows: JsonObject[]) => Promise<Map<string, string> | undefined>;

/** Returns a reader of the places of rows. It reads them again only if the rows are others than before. */
export function placesReader(
  platform: PlatformClient,
  resource: CatalogResource,
  { isAnywhere = false } = {},
): PlacesReader {
  let known: { key: string; places: Map<string, string> | undefined } | undefined;
  return async (rows) => {
    const key = rows.map(({ uid }) => uid).join();
    if (known?.key !== key)
      known = { key, places: await placesOf(platform, resource, rows, isAnywhere) };
    return known.places;
  };
}

/** Resources that are imported. They are not created in a group, but each row belongs to one. */
const imported = ["advisory", "artifact"];

/**
 * Returns the paths of the groups or repositories of the rows, if there are several or if the list could have several. A resource that can be in both is
 * known only with its place.
 */
async function placesOf(
  platform: PlatformClient,
  resource: CatalogResource,
  rows: JsonObject[],
  isAnywhere: boolean,
): Promise<Map<string, string> | undefined> {
  const { name, parent } = resource;
  const uids = [...new Set(rows.map(({ uid }) => parentOf(String(uid)) ?? ""))];
  const isInGroup = parent === "group" || imported.includes(name);
  const isPlaced = (isInGroup && name !== "roleBinding") || parent === "repo";
  if (!isPlaced || uids.length < (isAnywhere || isAlsoInRepo(resource) ? 1 : 2)) return undefined;
  const names = await readNames(platform, uids.flatMap(uidPath));
  return new Map(
    uids.map((uid) => [
      uid,
      uidPath(uid)
        .map((uid) => names.get(uid) ?? "…")
        .join("/"),
    ]),
  );
}
