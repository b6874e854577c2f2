/** An organization with rows at every depth, many of them with equal names and times. */
import { randomBytes } from "node:crypto";
import { newOrganization, type Organization, roleUid } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";

/** The resources that the listing tests read. */
export interface ListingTree {
  organization: Organization;
  /** The uids of groups by name: a, a/b, a/b/c, a/b/c/d, e and e/f, below the organization. */
  groups: Record<"a" | "b" | "c" | "d" | "e" | "f", string>;
  /** The uids of the repositories with tags: in the organization, a/b, a/b/c, a/b/c/d and e. */
  repos: string[];
  identities: string[];
}

const step = () => randomBytes(8).toString("hex");
const base = Date.UTC(2026, 0, 1);
const times = [1000, 2000, 2000, 3000, 2000];
const names = ["alpha", "beta", "gamma"];

/** The names of tags in each repository, by class. */
export const tagNames = {
  plain: ["1", "latest", "latest-dev", "3.12-r", "v20260101"],
  referrer: ["sha256-aa.sig", "sha256-bb-r7"],
  date: ["latest-20260102", "1-r3-20260102"],
  epoch: ["3.12.1-r0", "latest-20260102-r12"],
};

/** Writes rows with SQL. All rows have the same columns. */
export async function insertRows(table: string, rows: Record<string, unknown>[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = columns.map((column) => `value ->> '${column}'`).join(", ");
  await sql(
    `insert into ${table} (${columns.join(", ")}) select ${values} from json_each(?)`,
    JSON.stringify(rows),
  );
}

let turn = 0;

/** The columns of every resource. Times repeat, and their order is the reverse of the names. */
function row(parent: string) {
  turn += 1;
  return {
    uid: `${parent}/${step()}`,
    create_time: base + (times[turn % times.length] ?? 0),
    update_time: base + (times[(turn * 3 + 1) % times.length] ?? 0),
  };
}

async function plantGroups(organization: Organization): Promise<ListingTree["groups"]> {
  const made = (parent: string, name: string) => ({ ...row(parent), name });
  const a = made(organization.uid, "alpha");
  const b = made(a.uid, "alpha");
  const c = made(b.uid, "beta");
  const d = made(c.uid, "alpha");
  const e = made(organization.uid, "beta");
  const f = made(e.uid, "alpha");
  for (const group of [a, b, c, d, e, f]) await insertRows("groups", [group]);
  return { a: a.uid, b: b.uid, c: c.uid, d: d.uid, e: e.uid, f: f.uid };
}

/** Creates the tree. The API never creates equal times, so those are written with SQL. */
export async function makeListingTree(): Promise<ListingTree> {
  const organization = await newOrganization("tree");
  const groups = await plantGroups(organization);
  const places = [organization.uid, ...Object.values(groups)];
  const named = (parent: string, place: number) =>
    names.slice(0, 2 + (place % 2)).map((name) => ({ ...row(parent), name }));
  const repos = places.flatMap(named);
  const identities = places.flatMap(named);
  await insertRows("repos", repos);
  await insertRows(
    "identities",
    identities.map((one) => ({ ...one, last_seen_time: 1 })),
  );
  await insertRows(
    "roles",
    places.flatMap(named).map((one) => ({ ...one, capabilities: "[103]" })),
  );
  const roles = await Promise.all(["viewer", "advisories.viewer"].map(roleUid));
  await insertRows(
    "role_bindings",
    places.flatMap((parent, index) =>
      roles.flatMap((role_uid) =>
        [index, index + 1].map((at) => ({
          ...row(parent),
          identity_uid: identities[at % 2]?.uid,
          role_uid,
        })),
      ),
    ),
  );
  const tagged = [organization.uid, groups.b, groups.c, groups.d, groups.e].flatMap((group) =>
    repos.filter((repo) => repo.uid.slice(0, -17) === group).slice(0, 1),
  );
  await insertRows(
    "tags",
    tagged.flatMap(({ uid }, index) =>
      Object.values(tagNames)
        .flat()
        .map((name) => ({ ...row(uid), name, digest: plantedDigest(index % 2) })),
    ),
  );
  return {
    organization,
    groups,
    repos: tagged.map(({ uid }) => uid),
    identities: identities.map(({ uid }) => uid),
  };
}

/** The two digests of the planted tags. */
export const plantedDigest = (index: number) => `sha256:${String(index).repeat(64)}`;

/** SQL for the rows below a uid, without the uid itself. */
export const belowUidSql = (column: string, uid: string) =>
  `(${column} > '${uid}/' and ${column} < '${uid}0')`;

/** All pages of one List. */
export interface WalkedPages {
  uids: string[];
  totals: string[];
  skipped: number[];
  sizes: number[];
}

/** Reads a List page by page. `between` runs after every page. Throws if a response is not a page. */
export async function walkPages(
  path: string,
  plural: string,
  query: Record<string, string> | [string, string][],
  token: string,
  between: (page: number) => Promise<void> = async () => {},
): Promise<WalkedPages> {
  const walked: WalkedPages = { uids: [], totals: [], skipped: [], sizes: [] };
  let pageToken = "";
  for (let page = 1; page < 100; page += 1) {
    const search = new URLSearchParams(query);
    if (pageToken) search.set("page_token", pageToken);
    const { status, body } = await callRest(`${path}?${search}`, { token });
    if (status !== 200) throw new Error(`${path}?${search}: ${status} ${JSON.stringify(body)}`);
    const uids = ((body[plural] ?? []) as { uid: string }[]).map((one) => one.uid);
    walked.uids.push(...uids);
    walked.sizes.push(uids.length);
    walked.totals.push(body.totalCount);
    walked.skipped.push(body.skipped);
    if (!body.nextPageToken) return walked;
    pageToken = body.nextPageToken;
    await between(page);
  }
  throw new Error(`${path} has no end`);
}
