/**
 * Groups of an identity provider, as its provisioning client manages them (RFC 7644 section 3). The role mappings of a
 * group apply to its members from the next call on (src/auth/scim_groups.ts).
 */
import { and, eq, sql } from "drizzle-orm";
import { counts } from "../../../schema/tables/counts.ts";
import { scimGroupMembers, scimGroups } from "../../../schema/tables/iam/scim_groups.ts";
import { isUnchanged, retryStale } from "../../aip/stale.ts";
import { newUid } from "../../aip/uid_path.ts";
import { commit, commitForResults, nextTime, onlyIf, type Statement } from "../../outbox/commit.ts";
import { groupKind } from "./attributes.ts";
import { requireCredential, selectCredential } from "./credential.ts";
import { badRequest, ScimError } from "./errors.ts";
import { readScimBody, type ScimCall, scimResponse } from "./exchange.ts";
import { isStillDifference, memberStatements, readDifference } from "./group_difference.ts";
import { changedGroupAttributes, insertGroupEvent, type MemberDifference } from "./group_events.ts";
import { type GroupChange, readGroup, readGroupPatch } from "./group_patch.ts";
import {
  groupColumns,
  groupLocation,
  laterThan,
  type ScimGroupRow,
  selectMembers,
  toGroupColumns,
  toGroupResource,
} from "./group_rows.ts";
import { scimLimits } from "./limits.ts";
import { type Projection, project, readProjection, shows } from "./projection.ts";
import { checkVersion, listsVersion, versionOf } from "./versions.ts";
import { checkQuery } from "./well_formed.ts";

/** The attributes that the query requests. They are read before anything is written. Throws 400 invalidValue. */
function projectionOf({ url }: ScimCall): Projection {
  checkQuery(url);
  return readProjection((name) => url.searchParams.get(name), groupKind);
}

/** The response with one group. Its members are read only if it shows them. */
async function groupResponse(
  call: ScimCall,
  row: ScimGroupRow,
  projection: Projection,
  status = 200,
): Promise<Response> {
  const members = shows(projection, "members") ? await selectMembers(call.db, row.uid) : [];
  const resource = toGroupResource(
    call,
    row,
    members.map(({ id }) => id),
  );
  return scimResponse(project(resource, projection), status, headersOf(call, row));
}

const headersOf = (call: ScimCall, row: ScimGroupRow) => ({
  location: groupLocation(call, row),
  etag: versionOf(row),
});

/** Reads the credential and a group in one round trip. Throws 401, 403 and 404. */
async function findGroup(call: ScimCall): Promise<ScimGroupRow> {
  const { db, provider, id } = call;
  const [[credential], [row]] = await db.batch([
    selectCredential(db, provider),
    db
      .select(groupColumns)
      .from(scimGroups)
      .where(eq(scimGroups.uid, `${provider}/${id}`)),
  ]);
  requireCredential(credential, call);
  if (!row) throw new ScimError(404, `there is no group ${id}`);
  return row;
}

const refuseDuplicate = (): never => {
  const text = "a group with that displayName or externalId exists already";
  throw new ScimError(409, text, "uniqueness");
};

export async function getGroup(call: ScimCall): Promise<Response> {
  const row = await findGroup(call);
  if (listsVersion(call.request.headers.get("if-none-match") ?? "", row)) {
    return new Response(null, { status: 304, headers: { etag: versionOf(row) } });
  }
  return groupResponse(call, row, projectionOf(call));
}

/** The condition that the provider can have one more group. */
const hasRoom = ({ provider }: ScimCall) =>
  sql`coalesce((select sum(${counts.children}) from ${counts}
    where ${counts.ancestor} = ${provider} and ${counts.kind} = 'scim_groups'), 0) < ${scimLimits.groups}`;

export function createGroup(call: ScimCall): Promise<Response> {
  const { db, now, provider } = call;
  // The body can be read only once, but the change can run several times.
  let change: GroupChange | undefined;
  return retryStale(async () => {
    const [[credential], [state]] = await db.batch([
      selectCredential(db, provider),
      db.select({ hasRoom: sql<number>`${hasRoom(call)}`.as("has_room") }).from(sql`(select 1)`),
    ]);
    requireCredential(credential, call);
    const projection = projectionOf(call);
    change ??= readGroup(await readScimBody(call));
    const columns = toGroupColumns(change.values);
    if (!state?.hasRoom) {
      const text = `an identity provider can have at most ${scimLimits.groups} groups`;
      throw badRequest("tooMany", text);
    }
    const row = { uid: newUid(provider), ...columns, createTime: now, updateTime: now };
    const difference = await readDifference(call, row.uid, change.members);
    await commit(
      call,
      [
        onlyIf(db, hasRoom(call)),
        db.insert(scimGroups).values(row),
        ...memberStatements(call, row.uid, difference),
        insertGroupEvent(call, "api.iam.scim_group.created.v1", row, difference),
      ],
      refuseDuplicate,
    );
    return groupResponse(call, row, projection, 201);
  });
}

/** PUT: the values and the members replace the current ones. */
export async function replaceGroup(call: ScimCall): Promise<Response> {
  let change: GroupChange | undefined;
  const row = await updateGroup(call, async () => {
    change ??= readGroup(await readScimBody(call));
    return change;
  });
  return groupResponse(call, row, projectionOf(call));
}

/**
 * PATCH. The response has the group only if the client asks for some of its attributes, because a group can be large
 * (RFC 7644 section 3.5.2).
 */
export async function patchGroup(call: ScimCall): Promise<Response> {
  let body: unknown;
  const row = await updateGroup(call, async (before) => {
    body ??= await readScimBody(call);
    return readGroupPatch(before, body);
  });
  const { searchParams } = call.url;
  if (searchParams.has("attributes") || searchParams.has("excludedAttributes")) {
    return groupResponse(call, row, projectionOf(call));
  }
  return new Response(null, { status: 204, headers: headersOf(call, row) });
}

/** The condition that a group is there, and has the names that were read. */
const hasNames = ({ uid, displayName, externalId }: ScimGroupRow) =>
  sql`exists (select 1 from ${scimGroups} where ${scimGroups.uid} = ${uid}
    and ${scimGroups.displayName} = ${displayName} and ${scimGroups.externalId} is ${externalId})`;

/** Reads, changes and writes a group. Starts again if another call changed the same things in between. */
const updateGroup = (call: ScimCall, change: (row: ScimGroupRow) => Promise<GroupChange>) =>
  retryStale(async () => {
    const row = await findGroup(call);
    checkVersion(call.request.headers, row, "group");
    projectionOf(call);
    const { values, members } = await change(row);
    const columns = toGroupColumns(values);
    const difference = await readDifference(call, row.uid, members);
    const changed = changedGroupAttributes(row, columns, difference);
    if (changed.length === 0) return row;
    const next = { ...row, ...columns, updateTime: nextTime(call, row.updateTime) };
    // Other calls can change other members at the same time, so the batch finds the version. The event shows the names.
    const isRenamed = changed.some((name) => name !== "members");
    const isAlone = isRenamed || members.isWhole || call.request.headers.has("if-match");
    const isAsRead = isAlone ? isUnchanged(scimGroups, row) : hasNames(row);
    const update = call.db
      .update(scimGroups)
      .set({ ...(isRenamed ? columns : {}), updateTime: laterThan(call.now) })
      .where(eq(scimGroups.uid, row.uid))
      .returning({ updateTime: scimGroups.updateTime });
    const statements: [Statement, ...Statement[]] = [
      onlyIf(call.db, and(isAsRead, isStillDifference(call, row.uid, difference))),
      update,
      ...memberStatements(call, row.uid, difference),
      insertGroupEvent(call, "api.iam.scim_group.updated.v1", next, difference, changed),
    ];
    const [, written] = await commitForResults(call, statements, refuseDuplicate);
    const [{ updateTime } = next] = written as { updateTime: number }[];
    return { ...next, updateTime };
  });

export const deleteGroup = (call: ScimCall) =>
  retryStale(async () => {
    const row = await findGroup(call);
    checkVersion(call.request.headers, row, "group");
    const members = await selectMembers(call.db, row.uid);
    const difference: MemberDifference = { added: [], removed: members.map(({ id }) => id) };
    await commit(call, [
      onlyIf(call.db, isUnchanged(scimGroups, row)),
      call.db.delete(scimGroupMembers).where(eq(scimGroupMembers.groupUid, row.uid)),
      call.db.delete(scimGroups).where(eq(scimGroups.uid, row.uid)),
      insertGroupEvent(call, "api.iam.scim_group.deleted.v1", row, difference),
    ]);
    return new Response(null, { status: 204 });
  });
