/** The filters of a List: as flags of the command line, and in its request. */
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { type CatalogResource, fieldsOf, valuesOf } from "../../resources/catalog.ts";
import {
  type Flag,
  flagsOf,
  type GivenFlags,
  givenOf,
  type JsonObject,
} from "../../resources/flags.ts";
import type { PlatformClient } from "../../resources/platform.ts";
import { requireGroup } from "../../resources/where.ts";

const paging = ["uidp", "pageSize", "pageToken", "orderBy", "skip"];

/** Flags whose field has the same name as another flag. */
const usual: Record<string, string> = { group: "on-group", uid: "of-uid" };

/** Flags of one List, by the word that other commands have for the same. */
const renamed: Record<string, Record<string, string>> = {
  delivery: { parent: "subscription" },
  endOfLifeTag: { repo: "repo-pattern" },
  event: { actorUid: "by", before: "until", subject: "about", types: "type" },
  recordedTagMove: {
    identityUid: "by",
    ...{ hasWarnings: "warnings", kinds: "kind", repo: "repo-pattern" },
  },
};

/** Returns the filters of a List as flags. */
export function listFlags(resource: CatalogResource): Flag[] {
  const input = resource.methods.list?.input ?? "";
  const isTerms = fieldsOf(input).some(({ name, isRequired }) => name === "group" && isRequired);
  // If the group is the only required field, its flag is the usual --group.
  const rename = { ...(isTerms ? {} : usual), ...renamed[resource.name] };
  return flagsOf(input, { skip: paging, rename });
}

/** Returns the given filters. A List ignores an empty filter, but a script that sends one has made a mistake. */
export function filtersOf(command: Command, flags: Flag[]): GivenFlags {
  const filters = givenOf(command, flags);
  for (const { name, path } of flags) {
    const value = filters.get(path.join("."));
    const isEmpty = value === "" || value === null || (Array.isArray(value) && value.length === 0);
    if (isEmpty)
      throw usageFailure(`--${name} is empty. To list without this filter, leave it out.`);
  }
  const end = filters.get("until") ?? filters.get("before");
  if (String(filters.get("since") ?? "") > String(end ?? "9"))
    throw usageFailure("--since must not be after --until.");
  return filters;
}

/** Returns the required fields of a List that have a useful default. Throws a USAGE Failure for the others. */
export async function required(
  platform: PlatformClient,
  resource: CatalogResource,
  filters: JsonObject,
): Promise<JsonObject> {
  const { methods } = resource;
  const json: JsonObject = {};
  for (const field of fieldsOf(methods.list?.input ?? "")) {
    if (!field.isRequired || field.name in filters) continue;
    if (field.kind === "enum")
      json[field.name] = valuesOf(field.type ?? "").map(({ name }) => name);
    else if (field.name === "group") json.group = await requireGroup(platform, undefined);
    else {
      const flag = listFlags(resource).find(({ path }) => path[0] === field.name);
      throw usageFailure(`Add --${flag?.name}: ${field.text}`);
    }
  }
  return json;
}
