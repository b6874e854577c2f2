/**
 * Users of an identity provider as its provisioning client keeps them (RFC 7644 section 3). Whoever
 * is no longer active loses the refresh tokens of the provider in the same batch.
 */
import { and, eq, inArray, isNull } from "drizzle-orm";
import { refreshTokens } from "../../../schema/tables/refresh_tokens.ts";
import { scimUsers } from "../../../schema/tables/scim_users.ts";
import { isAsRead, retryStale } from "../../aip/stale.ts";
import { newUid, parentOf } from "../../aip/uid_path.ts";
import { selectOwned } from "../../auth/owners.ts";
import { commit, keepOwner, nextTime, onlyIf } from "../../outbox/commit.ts";
import { userSchema } from "./attributes.ts";
import { admit, selectCredential } from "./credential.ts";
import { ScimError } from "./errors.ts";
import { answer, readBody, type ScimCall } from "./exchange.ts";
import { patched } from "./patch.ts";
import { project, readWanted, type Wanted } from "./projection.ts";
import {
  locationOf,
  type Row,
  toColumns,
  toResource,
  toValues,
  versionOf,
} from "./user_resource.ts";
import { toUserValues, type UserValues } from "./values.ts";
import { checkQuery } from "./well_formed.ts";

/** The attributes that the query asks for. Read before anything is written. Throws 400 invalidValue. */
function wantedOf({ url }: ScimCall): Wanted {
  checkQuery(url);
  return readWanted((name) => url.searchParams.get(name));
}

/** The answer that shows one user. */
function shown(call: ScimCall, row: Row, wanted: Wanted, status = 200): Response {
  return answer(project(toResource(call, row), wanted), status, {
    location: locationOf(call, row),
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
function admitted(call: ScimCall, [credential]: Parameters<typeof admit>[0][], [row]: Row[]): Row {
  admit(credential, call.digest, call.now);
  if (!row) throw new ScimError(404, `there is no user ${call.id}`);
  return row;
}

/** Reads in one round trip a user who is to change, and whether the organization has an owner. */
async function findToChange(call: ScimCall) {
  const [credentials, users, owned] = await call.db.batch([
    ...selectUser(call),
    selectOwned(call, parentOf(call.provider)),
  ]);
  return { row: admitted(call, credentials, users), owned };
}

/** Whether a header lists the user's version, or any. */
const names = (header: string, row: Row) =>
  header.split(",").some((tag) => tag.trim() === "*" || tag.trim() === versionOf(row));

/** Throws 412 unless the user is as the client last read it, where it tells (RFC 7644 section 3.14). */
function checkVersion({ request }: ScimCall, row: Row): void {
  const header = request.headers.get("if-match");
  if (header !== null && !names(header, row)) {
    throw new ScimError(412, "the user is not of that version any more");
  }
}

const taken = (): never => {
  throw new ScimError(409, "there is a user of that userName or externalId", "uniqueness");
};

export async function getUser(call: ScimCall): Promise<Response> {
  const row = admitted(call, ...(await call.db.batch(selectUser(call))));
  if (names(call.request.headers.get("if-none-match") ?? "", row)) {
    return new Response(null, { status: 304, headers: { etag: versionOf(row) } });
  }
  return shown(call, row, wantedOf(call));
}

export function createUser(call: ScimCall): Promise<Response> {
  // The body can be read once, the change be tried again.
  let values: UserValues | undefined;
  return retryStale(async () => {
    const [credential] = await selectCredential(call.db, call.provider);
    admit(credential, call.digest, call.now);
    const wanted = wantedOf(call);
    values ??= toUserValues(await readBody(call), userSchema);
    const times = { createTime: call.now, updateTime: call.now };
    const row = { uid: newUid(call.provider), ...toColumns(values), ...times };
    await commit(call, [call.db.insert(scimUsers).values(row)], taken);
    return shown(call, row as Row, wanted, 201);
  });
}

/** PUT: the values take the place of those there are, but `active` stays where none is given. */
export async function replaceUser(call: ScimCall): Promise<Response> {
  let body: unknown;
  return rewrite(call, async (row) => {
    body ??= await readBody(call);
    return toUserValues(body, userSchema, toValues(row));
  });
}

export async function patchUser(call: ScimCall): Promise<Response> {
  let body: unknown;
  return rewrite(call, async (row) => {
    body ??= await readBody(call);
    return patched(toValues(row), body);
  });
}

/** The statement that revokes the refresh tokens of whoever signed in as the user. */
const revokeTokens = (call: ScimCall, { uid }: Row) =>
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

/** Reads, changes and writes a user; starts over when somebody else changed it in between. */
const rewrite = (call: ScimCall, change: (row: Row) => Promise<UserValues>) =>
  retryStale(async () => {
    const { row, owned } = await findToChange(call);
    checkVersion(call, row);
    const wanted = wantedOf(call);
    const columns = toColumns(await change(row), row);
    const { userNameKey: _, ...after } = columns;
    const before = { userName: row.userName, externalId: row.externalId, active: row.active };
    if (JSON.stringify(after) === JSON.stringify({ ...before, attributes: row.attributes })) {
      return shown(call, row, wanted);
    }
    const updateTime = nextTime(call, row.updateTime);
    const isOther = columns.externalId !== row.externalId;
    const isOut = isOther || !columns.active;
    // Who signed in as the user of another externalId is not this user.
    const forget = call.db
      .update(scimUsers)
      .set({ identityUid: null })
      .where(eq(scimUsers.uid, row.uid));
    await commit(
      call,
      [
        onlyIf(call.db, isAsRead(scimUsers, row)),
        call.db
          .update(scimUsers)
          .set({ ...columns, updateTime })
          .where(eq(scimUsers.uid, row.uid)),
        ...(isOut ? [revokeTokens(call, row)] : []),
        ...(isOther ? [forget] : []),
        ...(isOut ? keepOwner(call, owned) : []),
      ],
      taken,
    );
    return shown(call, { ...row, ...columns, updateTime }, wanted);
  });

export const deleteUser = (call: ScimCall) =>
  retryStale(async () => {
    const { row, owned } = await findToChange(call);
    checkVersion(call, row);
    await commit(call, [
      onlyIf(call.db, isAsRead(scimUsers, row)),
      // Before the user goes, by whom the tokens are found.
      revokeTokens(call, row),
      call.db.delete(scimUsers).where(eq(scimUsers.uid, row.uid)),
      ...keepOwner(call, owned),
    ]);
    return new Response(null, { status: 204 });
  });
