/** The arguments of `platformctl access`: a capability, a resource and an identity. */
import { Failure, refusedFailure, usageFailure } from "../failure.ts";
import { capabilityValues } from "../resources/capabilities.ts";
import { findUid, isUid, requireResourceNamed } from "../resources/names.ts";
import { openPlatform, type PlatformClient } from "../resources/platform.ts";
import { searchPlaceIn } from "../resources/where.ts";

/** Returns the name of a capability in the API, from `repo.list` or `CAP_REPO_LIST`. */
export function capabilityOf(text: string): string {
  const values = capabilityValues();
  const capability = values.find(({ name, word }) => text === word || text === name);
  if (capability) return capability.name;
  const near = values.filter(({ word }) => word.startsWith(`${text.split(".")[0]}.`));
  const hint = near.length > 0 ? ` It can be: ${near.map(({ word }) => word).join(", ")}.` : "";
  throw usageFailure(`There is no capability ${JSON.stringify(text)}.${hint}`);
}

/** Returns the uid of a group, a repository or a tag by its name. Throws a Failure unless there is one. */
export async function resourceUid(
  platform: PlatformClient,
  text: string,
  group?: string,
): Promise<string> {
  if (isUid(text)) return text;
  const scope = await searchPlaceIn(platform, group);
  const kinds = text.includes(":") ? ["tag"] : ["group", "repo"];
  const matches = await Promise.all(
    kinds.map((kind) =>
      uidIfFound(platform, kind, text, { ...scope, allowsOtherPlaces: kind === "group" }),
    ),
  );
  const uids = matches.filter((uid) => uid !== undefined);
  const [uid] = uids;
  if (uid !== undefined && uids.length === 1) return uid;
  if (uids.length > 1) {
    const lines = uids.map((uid) => `  ${uid}`).join("\n");
    const what = `A group and a repository are named ${JSON.stringify(text)}. Use one of these uids:`;
    throw refusedFailure("AMBIGUOUS", `${what}\n${lines}`);
  }
  const what = kinds.join(" or ").replace("repo", "repository");
  throw refusedFailure(
    "NOT_FOUND",
    `There is no ${what} ${JSON.stringify(text)} that you can see.`,
  );
}

async function uidIfFound(
  platform: PlatformClient,
  kind: string,
  text: string,
  scope: Parameters<typeof findUid>[3],
): Promise<string | undefined> {
  try {
    return await findUid(platform, requireResourceNamed(kind), text, scope);
  } catch (error) {
    if (error instanceof Failure && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

/** Returns the uid of an identity by its name or address, or of the caller for `me`. */
export async function identityUid(
  platform: PlatformClient,
  text: string,
  group?: string,
): Promise<string> {
  const scope = await searchPlaceIn(platform, group);
  return findUid(platform, requireResourceNamed("identity"), text, scope);
}

/**
 * Returns the uid of the identity that a login or a token is for. A name needs an earlier login, because only the
 * platform knows it.
 */
export async function uidOfIdentity(text: string | undefined): Promise<string | undefined> {
  if (text === undefined || isUid(text)) return text;
  return findUid(await openPlatform(), requireResourceNamed("identity"), text);
}
