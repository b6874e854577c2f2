/**
 * Users of an identity provider, as its provisioning client manages them (RFC 7644 section 3). A person who
 * is no longer active loses the refresh tokens of the provider in the same batch.
 */
import { and, eq, inArray, isNull } from "drizzle-orm";
import { scimGroupMembers, scimGroups } from "../../../schema/tables/iam/scim_groups.ts";
import { scimUsers } from "../../../schema/tables/iam/scim_users.ts";
import { refreshTokens } from "../../../schema/tables/issuer/refresh_tokens.ts";
import { isUnchanged, retryStale } from "../../aip/stale.ts";
import { newUid, parentOf } from "../../aip/uid_path.ts";
import { selectIfOwned } from "../../auth/owners.ts";
import { commit, keepOwner, nextTime, onlyIf } from "../../outbox/commit.ts";
import { userKind } from "./attributes.ts";
import { requireCredential, selectCredential } from "./credential.ts";
import { ScimError } from "./errors.ts";
import { readScimBody, type ScimCall, scimResponse } from "./exchange.ts";
import { laterThan } from "./group_rows.ts";
import { applyPatch, withPaths } from "./patch.ts";
import { type Projection, project, readProjection } from "./projection.ts";
import { changedAttributes, insertUserEvent } from "./user_events.ts";
import {
  type ScimUserRow,
  toResource,
  toScimUserColumns,
  toValues,
  userLocation,
} from "./user_resource.ts";
import { toResourceValues, type UserValues } from "./values.ts";
import { checkVersion, listsVersion, versionOf } from "./versions.ts";
import { checkQuery } from "./well_formed.ts";

/**
 * The attributes that the query requests. They are read before anything is written. Throws 400 invalidValue.
 */
function projectionOf({ url }: ScimCall): Projection {
  checkQuery(url);
  return readProjection((name) => url.searchParams.get(name));
}

/** The response with one user. */
function userResponse(
  call: ScimCall,
  row: ScimUserRow,
  projection: Projection,
  status = 200,
): Response {
  return scimResponse(project(toResource(call, row), projection), status, {
    location: userLocation(call, row),
    etag: versionOf(row),
  });
}

/** The statements that read the credential and a user. */
const selectUser = ({ db, provider, id }: ScimCall) =>
  [
    selectCredential(db, provider),
    db
      .select()
      .from(scimUsers)
      .where(eq(scimUsers.uid, `${provider}/${id}`)),
  ] as const;

/** The user that these statements found. Throws 401, 403 and 404. */
function requireUser(
  call: ScimCall,
  [credential]: Parameters<typeof requireCredential>[0][],
  [row]: ScimUserRow[],
): ScimUserRow {
  requireCredential(credential, call);
  if (!row) throw new ScimError(404, `there is no user ${call.id}`);
  return row;
}

/** Reads in one round trip a user to change, and whether the organization has an owner. */
async function findToChange(call: ScimCall) {
  const [credentials, users, owned] = await call.db.batch([
    ...selectUser(call),
    selectIfOwned(call, parentOf(call.provider)),
  ]);
  return { row: requireUser(call, credentials, users), owned };
}

const refuseDuplicate = (): never => {
  throw new ScimError(409, "a user with that userName or externalId exists already", "uniqueness");
};

export async function getUser(call: ScimCall): Promise<Response> {
  const row = requireUser(call, ...(await call.db.batch(selectUser(call))));
  if (listsVersion(call.request.headers.get("if-none-match") ?? "", row)) {
    return new Response(null, { status: 304, headers: { etag: versionOf(row) } });
  }
  return userResponse(call, row, projectionOf(call));
}

export function createUser(call: ScimCall): Promise<Response> {
  // The body can be read only once, but the change can run several times.
  let values: UserValues | undefined;
  return retryStale(async () => {
    const [credential] = await selectCredential(call.db, call.provider);
    requireCredential(credential, call);
    const projection = projectionOf(call);
    values ??= await readUser(call);
    const times = { createTime: call.now, updateTime: call.now };
    const row = { uid: newUid(call.provider), ...toScimUserColumns(values), ...times };
    const made = row as ScimUserRow;
    const insert = call.db.insert(scimUsers).values(row);
    await commit(
      call,
      [insert, insertUserEvent(call, "api.iam.scim_user.created.v1", made)],
      refuseDuplicate,
    );
    return userResponse(call, made, projection, 201);
  });
}

async function readUser(call: ScimCall): Promise<UserValues> {
  const body = await readScimBody(call);
  return withPaths(toResourceValues(body, userKind), body);
}

/** PUT: the values replace the current ones, but `active` keeps its value if none is given. */
export async function replaceUser(call: ScimCall): Promise<Response> {
  let body: unknown;
  return updateUser(call, async () => {
    body ??= await readScimBody(call);
    return withPaths(toResourceValues(body, userKind), body);
  });
}

export async function patchUser(call: ScimCall): Promise<Response> {
  let body: unknown;
  return updateUser(call, async (row) => {
    body ??= await readScimBody(call);
    return applyPatch(toValues(row), body);
  });
}

/** The statement that revokes the refresh tokens of everyone who logged in as the user. */
const revokeTokens = (call: ScimCall, { uid }: ScimUserRow) =>
  call.db
    .update(refreshTokens)
    .set({ revokeTime: call.now })
    .where(
      and(
        inArray(
          refreshTokens.identityUid,
          call.db
            .select({ uid: scimUsers.identityUid })
            .from(scimUsers)
            .where(eq(scimUsers.uid, uid)),
        ),
        eq(refreshTokens.identityProviderUid, call.provider),
        isNull(refreshTokens.revokeTime),
      ),
    );

/** Reads, changes and writes a user. Starts again if another call changed the user in between. */
const updateUser = (call: ScimCall, change: (row: ScimUserRow) => Promise<UserValues>) =>
  retryStale(async () => {
    const { row, owned } = await findToChange(call);
    checkVersion(call.request.headers, row, "user");
    const projection = projectionOf(call);
    const columns = toScimUserColumns(await change(row), row);
    const { userNameKey: _, ...after } = columns;
    const before = { userName: row.userName, externalId: row.externalId, active: row.active };
    if (JSON.stringify(after) === JSON.stringify({ ...before, attributes: row.attributes })) {
      return userResponse(call, row, projection);
    }
    const updateTime = nextTime(call, row.updateTime);
    const isOther = columns.externalId !== row.externalId;
    const isOut = isOther || !columns.active;
    const isUser = eq(scimUsers.uid, row.uid);
    const next = { ...row, ...columns, updateTime };
    const shown = isOther ? { ...next, identityUid: null } : next;
    await commit(
      call,
      [
        onlyIf(call.db, isUnchanged(scimUsers, row)),
        call.db
          .update(scimUsers)
          .set({ ...columns, updateTime })
          .where(isUser),
        insertUserEvent(call, "api.iam.scim_user.updated.v1", shown, changedAttributes(row, next)),
        ...(isOut ? [revokeTokens(call, row)] : []),
        // A person who logged in as the user with another externalId is not this user.
        ...(isOther ? [call.db.update(scimUsers).set({ identityUid: null }).where(isUser)] : []),
        ...(isOut ? keepOwner(call, owned) : []),
      ],
      refuseDuplicate,
    );
    return userResponse(call, next, projection);
  });

/** The statements that take a user out of all groups. */
function leaveGroups({ db, now }: ScimCall, { uid }: ScimUserRow) {
  const memberships = eq(scimGroupMembers.userUid, uid);
  const left = db
    .select({ uid: scimGroupMembers.groupUid })
    .from(scimGroupMembers)
    .where(memberships);
  return [
    db
      .update(scimGroups)
      .set({ updateTime: laterThan(now) })
      .where(inArray(scimGroups.uid, left)),
    db.delete(scimGroupMembers).where(memberships),
  ];
}

export const deleteUser = (call: ScimCall) =>
  retryStale(async () => {
    const { row, owned } = await findToChange(call);
    checkVersion(call.request.headers, row, "user");
    await commit(call, [
      onlyIf(call.db, isUnchanged(scimUsers, row)),
      // Before the user is deleted, because the user leads to the tokens.
      revokeTokens(call, row),
      ...leaveGroups(call, row),
      call.db.delete(scimUsers).where(eq(scimUsers.uid, row.uid)),
      insertUserEvent(call, "api.iam.scim_user.deleted.v1", row),
      ...keepOwner(call, owned),
    ]);
    return new Response(null, { status: 204 });
  });
