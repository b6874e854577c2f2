/** The names of people. They belong to no group, so no list of identities has them, and their roles say who they are. */
import { decodeJwt } from "jose/jwt/decode";
import { Failure } from "../failure.ts";
import { requireMethod, resourceNamed } from "./catalog.ts";
import type { JsonObject } from "./flags.ts";
import type { PlatformClient } from "./platform.ts";

/** The most role bindings that are read to find people. */
const maxBindings = 2_000;

function listOf(name: string) {
  const resource = resourceNamed(name);
  if (!resource) throw new Error(`no resource ${name}`);
  return requireMethod(resource, "list");
}

/** Whether a uid is that of a person. */
export const isPerson = (uid: string): boolean => /^[0-9a-f]{40}$/.test(uid);

/** The one name of an identity: the address of a person, the name of a workload, or the uid. */
export const identityLabel = ({ uid, name, email }: JsonObject): string =>
  String(email || name || uid || "");

/** Returns the uid of the caller. */
export async function ownUid({ account }: PlatformClient): Promise<string> {
  const { token } = await account.token({ audience: account.audience });
  return decodeJwt(token).sub ?? "";
}

/** Returns rows with the uid, name and email of everyone who has a role below a group. None if the caller may not list them. */
export async function readHolders(
  platform: PlatformClient,
  below: string | undefined,
): Promise<JsonObject[]> {
  const { rpc } = listOf("roleBinding");
  const scope = below === undefined ? {} : { uidp: { descendantsOf: below } };
  const bindings = await platform.rows(rpc, scope, maxBindings).catch((error: unknown) => {
    if (error instanceof Failure && error.code === "PERMISSION_DENIED") return [];
    throw error;
  });
  const holders = bindings.map(({ identity }) => (identity ?? {}) as JsonObject);
  return [...new Map(holders.map((holder) => [holder.uid, holder])).values()];
}

/** Returns the people with this address or name who have a role in the organization of a group. */
export async function findPeople(
  platform: PlatformClient,
  text: string,
  below: string | undefined,
): Promise<JsonObject[]> {
  // An organization has the first 40 digits of every uid below it.
  const holders = await readHolders(platform, below?.slice(0, 40));
  const people = holders.filter(({ uid }) => isPerson(String(uid)));
  const byAddress = people.filter(({ email }) => email && email === text);
  return byAddress.length > 0 ? byAddress : people.filter(({ name }) => name === text);
}

/** Returns the labels of identities by uid, as far as the caller may see them. */
export async function readIdentityLabels(
  platform: PlatformClient,
  uids: string[],
  organizations: string[],
): Promise<Map<string, string>> {
  const labels = new Map<string, string>();
  const add = (rows: JsonObject[]) => {
    for (const row of rows)
      if (row.name || row.email) labels.set(String(row.uid), identityLabel(row));
  };
  const ids = [...new Set(uids)].filter((uid) => uid !== "").slice(0, 1000);
  const workloads = ids.filter((uid) => !isPerson(uid));
  if (workloads.length > 0) {
    const { rpc } = listOf("identity");
    add(await platform.rows(rpc, { uidp: { ids: workloads } }, 1000).catch(() => []));
  }
  if (workloads.length < ids.length)
    for (const organization of new Set(organizations))
      add(await readHolders(platform, organization));
  return labels;
}
