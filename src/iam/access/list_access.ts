/**
 * Lists who has a capability on a resource. The sources follow each other: the role bindings of each place on the path,
 * and then the role mappings of the organization. The first place is the repository or the nearest group. One statement
 * reads a page across them, because SQLite stops at the limit.
 */
import { inArray, type SQL, sql } from "drizzle-orm";
import {
  AccessState,
  type ListAccessRequest,
} from "../../../schema/gen/platform/iam/access/v2/access_pb.js";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { roles } from "../../../schema/tables/iam/roles.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { parentOf, rootOf } from "../../aip/uid_path.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import { isNotBlocked } from "../../auth/blocked_groups.ts";
import type { Call, Database } from "../../auth/call.ts";
import { possiblePlaces } from "../../auth/grant_rows.ts";
import { holds, toCaller } from "../../auth/grants.ts";
import { scimGroupOfMapping } from "../../auth/scim_groups.ts";
import { defaultPageSize, openCursor, tokenAfter } from "../../paging/page.ts";
import { digestOf } from "../../paging/page_token.ts";
import { bindingEntry, mappingEntry, nearestOf, toGrantRow } from "./entries.ts";
import { tokenOf } from "./evidence.ts";

/** The name of the last source in a page token. The others are the uids of groups. */
const mappingSource = "mappings";

/** Only people log in, and the uid of a person has one step. */
const isPerson = sql`length("role_bindings"."identity_uid") = 40`;

/** The role bindings of one group. Each reads its identity and the logins of its person. */
const bindingsOf = (group: string, after: string, size: number) => sql`select * from (
  select ${group} as "source", "role_bindings"."uid" as "uid", "role_bindings"."identity_uid" as "identity",
    "identities"."name" as "identityName", null as "externalGroup", null as "scimGroup", "role_bindings"."parent" as "group",
    "role_bindings"."accepted" as "accepted",
    iif(${isPerson}, coalesce(${isNotBlocked(sql`("role_bindings"."identity_uid")`)}, 1), 1) as "isOpen",
    "role_bindings"."role_uid" as "role"
  from "role_bindings"
    left join "identities" on "identities"."uid" = "role_bindings"."identity_uid"
  where "role_bindings"."parent" = ${group} and "role_bindings"."uid" > ${after}
    and ${isPresent(sql`"role_bindings"."parent"`)}
  order by "role_bindings"."uid" limit ${size})`;

/** The SCIM group of the identity provider that a role mapping means. */
const scimGroup = scimGroupOfMapping({
  provider: sql`"external_group_role_mappings"."parent"`,
  group: sql`"external_group_role_mappings"."external_group_id"`,
});

/** The role mappings of an organization. The API creates them only for whole organizations. */
const mappingsOf = (
  organization: string,
  path: string[],
  after: string,
  size: number,
) => sql`select * from (
  select ${mappingSource} as "source", "external_group_role_mappings"."uid" as "uid", null as "identity",
    null as "identityName", "external_group_role_mappings"."external_group_id" as "externalGroup",
    ${scimGroup} as "scimGroup", "external_group_role_mappings"."scope" as "group", 1 as "accepted", 1 as "isOpen",
    "external_group_role_mappings"."role_uid" as "role"
  from "external_group_role_mappings"
  where "external_group_role_mappings"."uid" > ${after}
    and "external_group_role_mappings"."uid" < ${`${organization}0`}
    and "external_group_role_mappings"."scope" in ${path}
    and ${isPresent(sql`"external_group_role_mappings"."parent"`)}
  order by "external_group_role_mappings"."uid" limit ${size})`;

interface Position {
  source: string;
  uid: string;
}

/** D1 allows at most five terms in a compound select, and a path has up to five groups and a repository. */
const maxTerms = 4;

/** The first rows of selects that follow each other. SQLite does not read the ones after the limit. */
const oneAfterAnother = (parts: SQL[], size: number): SQL =>
  sql`select * from (${sql.join(parts, sql` union all `)} limit ${size})`;

/** The rows of a page, for a FROM clause: one more than it has. */
function pageOf(resource: string, after: Position, size: number) {
  const organization = rootOf(resource);
  const path = possiblePlaces(resource);
  const order = [...path, mappingSource];
  const sources = order.slice(Math.max(0, order.indexOf(after.source)));
  const parts = sources.map((source): SQL => {
    const start = source === after.source ? after.uid : `${organization}/`;
    return source === mappingSource
      ? mappingsOf(organization, path, start, size + 1)
      : bindingsOf(source, start, size + 1);
  });
  const halves = [parts.slice(0, maxTerms), parts.slice(maxTerms)].filter(
    (half) => half.length > 0,
  );
  const joined = halves.map((half) => oneAfterAnother(half, size + 1));
  return sql`(${oneAfterAnother(joined, size + 1)}) as "held"`;
}

const column = <T>(name: string) => sql<T>`"held".${sql.identifier(name)}`.as(name);

const pageColumns = {
  source: column<string>("source"),
  uid: column<string>("uid"),
  identity: column<string | null>("identity"),
  identityName: column<string | null>("identityName"),
  externalGroup: column<string | null>("externalGroup"),
  scimGroup: column<string | null>("scimGroup"),
  group: column<string>("group"),
  accepted: column<number>("accepted"),
  isOpen: column<number>("isOpen"),
  role: column<string>("role"),
};

const selectHeld = (db: Database, page: SQL) =>
  db
    .select({ ...pageColumns, roleName: roles.name, capabilities: roles.capabilities })
    .from(page)
    .leftJoin(roles, sql`${roles.uid} = "held"."role"`);

/** A row of either source. A role mapping has no identity. */
type SourceRow = Awaited<ReturnType<typeof selectHeld>>[number];

/** Reads a page, together with the groups on the path. */
async function readPage(call: Call, resource: string, path: string[], page: SQL) {
  const { db } = call;
  const nearby = db.select({ uid: groups.uid }).from(groups).where(inArray(groups.uid, path));
  const { caller, rows } = await authorizeAndRead(call, resource, [nearby, selectHeld(db, page)]);
  return { caller, here: rows[0], heldRows: rows[1] };
}

/** Stands for everyone who logs in through an identity provider. */
const anyPerson = "0".repeat(40);

/** A row as a message, if its role has the capability. */
function toEntry(row: SourceRow, capability: number, resource: string, nearest: string) {
  const { capabilities } = row;
  if (!capabilities?.includes(capability)) return [];
  const identity = row.identity ?? anyPerson;
  const granted = { ...row, identity, capabilities, accepted: row.accepted === 1 };
  const isMapping = row.identity === null;
  const entry = isMapping
    ? mappingEntry({ ...granted, externalGroup: row.externalGroup ?? "" }, nearest)
    : bindingEntry(granted, resource, nearest);
  // A login has no access outside the group of its identity provider.
  const limits = isMapping ? { scopes: [parentOf(parentOf(row.uid))] } : {};
  const caller = toCaller([toGrantRow(granted)], { ...tokenOf(identity), ...limits }, resource);
  const isHeld = holds(caller, capabilities, resource);
  if (entry.state === AccessState.EFFECTIVE && !isHeld) entry.state = AccessState.OUT_OF_REACH;
  return [entry];
}

/**
 * The handler of ListAccess. It takes one round trip. The page is read before the access of the caller is known. A
 * caller who can list the role bindings of a group can list those of all groups below it, whose rows come first. The
 * page therefore begins with the rows that the caller may see, and the others are dropped.
 */
export async function listAccess(request: ListAccessRequest, call: Call) {
  const { resourceUid: resource, capability, effectiveOnly, pageToken } = request;
  const size = request.pageSize || defaultPageSize;
  const digest = await digestOf(call, request, "source");
  const cursor = await openCursor(call, pageToken, digest);
  const after = { source: String(cursor?.after[0] ?? ""), uid: cursor?.after[1] ?? "" };
  const path = possiblePlaces(resource);
  const held = pageOf(resource, after, size);
  const { caller, here, heldRows } = await readPage(call, resource, path, held);
  const seen = path.filter((group) => holds(caller, call.capabilities, group));
  const organization = rootOf(resource);
  const visible = heldRows.filter(({ source }) =>
    seen.includes(source === mappingSource ? organization : source),
  );
  const nearest = nearestOf(here) ?? "";
  const page = visible.slice(0, size);
  const last = visible.length > size ? page.at(-1) : undefined;
  const entries = page.flatMap((row) => toEntry(row, capability, resource, nearest));
  return {
    accessEntries: entries.filter(({ state }) => !effectiveOnly || state === AccessState.EFFECTIVE),
    nextPageToken: await tokenAfter(call, digest, last && [last.source, last.uid]),
    hiddenGroupUids: path.filter((group) => !seen.includes(group)),
  };
}
