/** Resources with chosen names, for the tests of lists by the beginning of a name. */
import { randomBytes } from "node:crypto";
import { foldCase } from "../../src/paging/order.ts";
import { createResource, newOrganization } from "../world/personas.ts";
import { insertRows } from "./tree.ts";

/** The resources whose Lists have `name_prefix`. */
export const searchable = [
  { path: "/registry/v2/repos", plural: "repos" },
  { path: "/registry/v2/tags", plural: "tags" },
  { path: "/iam/v2/groups", plural: "groups" },
  { path: "/iam/v2/roles", plural: "roles" },
  { path: "/iam/v2/identities", plural: "identities" },
] as const;

/** A row, or a resource in a response. */
export interface Named {
  uid: string;
  name: string;
}

/** An organization with a team in it, and a repository in each of the two. All fields but the token are uids. */
export interface Places {
  uid: string;
  token: string;
  team: string;
  repo: string;
  inner: string;
}

/** Creates the places. Their names are `team` and `image`. */
export async function newPlaces(): Promise<Places> {
  const { uid, owner } = await newOrganization();
  const { token } = owner;
  const team = (await createResource(`/iam/v2/groups/${uid}`, token, { name: "team" })).uid;
  const repo = (await createResource(`/registry/v2/repos/${uid}`, token, { name: "image" })).uid;
  const inner = (await createResource(`/registry/v2/repos/${team}`, token, { name: "image" })).uid;
  return { uid, token, team, repo, inner };
}

/** The columns that a table requires besides those of every resource and the name. */
const required: Record<string, Record<string, unknown>> = {
  tags: { digest: "sha256:0" },
  roles: { capabilities: "[103]" },
  identities: { last_seen_time: 1 },
};

/** Writes a row for each name with SQL, because the API refuses unusual names. */
export async function plantNames(
  table: string,
  parent: string,
  names: Iterable<string>,
): Promise<Named[]> {
  const rows = [...new Set(names)].map((name) => ({
    ...{ uid: `${parent}/${randomBytes(8).toString("hex")}`, name },
  }));
  const times = { create_time: 1, update_time: 1 };
  await insertRows(
    table,
    rows.map((row) => ({ ...row, ...times, ...required[table] })),
  );
  return rows;
}

/** Compares two texts like SQLite, by their bytes. */
export const compareBytes = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

/**
 * The uids that a List must return: a plain loop over all rows. Those with the same name are in the order of the last
 * step of their uids.
 */
export function expectedUids(rows: Named[], prefix: string, isDescending: boolean): string[] {
  const tie = ({ uid }: Named) => (uid.length > 40 ? uid.slice(-16) : uid);
  const found = rows.filter(({ name }) => foldCase(name).startsWith(foldCase(prefix)));
  const sorted = found.toSorted(
    (a, b) => compareBytes(foldCase(a.name), foldCase(b.name)) || compareBytes(tie(a), tie(b)),
  );
  return (isDescending ? sorted.toReversed() : sorted).map(({ uid }) => uid);
}

/** The query for tags of all classes. */
export const everyTag = {
  include_referrers: "true",
  include_dates: "true",
  include_epochs: "true",
};
