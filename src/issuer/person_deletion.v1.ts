/** People delete their own identity. */
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Auth } from "../../schema/gen/platform/auth/auth_pb.js";
import { DeleteIdentityRequestSchema } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { DeleteRoleBindingRequestSchema } from "../../schema/gen/platform/iam/v2/role_bindings_pb.js";
import { identities } from "../../schema/tables/iam/identities.ts";
import { identityMetadata } from "../../schema/tables/iam/identity_metadata.ts";
import { roleBindings } from "../../schema/tables/iam/role_bindings.ts";
import { refreshTokens } from "../../schema/tables/issuer/refresh_tokens.ts";
import { sessions } from "../../schema/tables/issuer/sessions.ts";
import { signIns } from "../../schema/tables/issuer/sign_ins.ts";
import { isPresent } from "../../schema/tables/platform/deletions.ts";
import { permissionDenied, unauthenticated } from "../aip/errors.ts";
import { isAtOrAbove, parentOf } from "../aip/uid_path.ts";
import { readWithGrants } from "../auth/access.ts";
import { type Call, type Credential, callAtCaller } from "../auth/call.ts";
import { isServed } from "../auth/databases.ts";
import { isBearer } from "../auth/grant_rows.ts";
import { type Caller, isUnnarrowedLogin } from "../auth/grants.ts";
import { selectOwnedOrganizations } from "../auth/owners.ts";
import { commitIfChanged, keepOwner, type Statement } from "../outbox/commit.ts";
import { insertCompleteEvent } from "../outbox/outbox.ts";
import type { Handlers } from "../rpc/service.ts";
import { requireUid } from "../rpc/version1.ts";

const restPath = "/auth/v1/delete";

/** The rows that belong to a person. */
interface PersonReferences {
  /** Their role bindings. Pending ones remain: others created them, and they contain only a uid. */
  bindings: string[];
  /** Those of them that are not in a copy of an organization that moves, which has no events of its own. */
  served: string[];
  /** The identity providers that they came in through. */
  providers: string[];
  /** Whether they registered themselves, without a provider. */
  isRegistered: boolean;
}

/**
 * The Delete RPC. It deletes the same rows as DeleteIdentity of version 2, and the refresh tokens. The
 * records of first logins remain. They keep a default role that was removed from being bound again at the
 * next login.
 */
export const deletePerson: Handlers<typeof Auth>["delete"] = async ({ id }, anywhere) => {
  const call = callAtCaller(anywhere);
  requireUid("id", id);
  const { caller, rows } = await readWithGrants(call, undefined, selectPersonReferences(call, id));
  if (caller.identity !== id || parentOf(id) !== "") {
    throw permissionDenied("you can delete only yourself, and only if you are a person");
  }
  const others = await call.databases.othersThan(call.db);
  const elsewhere = await Promise.all(
    others.map(async (db) => {
      const there = { ...call, db };
      return { call: there, rows: await db.batch(selectPersonReferences(there, id)) };
    }),
  );
  // Where the person has a copy. The first database comes last, so that an interrupted deletion can be repeated.
  const copies = [...elsewhere.filter((copy) => copy.rows[0].length > 0), { call, rows }].map(
    ({ call: there, rows: [[person], bindings, providers, owned] }) => ({
      call: there,
      owned,
      bindings: bindings.map(({ uid }) => uid),
      served: bindings.flatMap(({ uid, isHere }) => (isHere === 1 ? [uid] : [])),
      providers: providers.map(({ uid }) => uid),
      isRegistered: person?.issuer != null,
    }),
  );
  refuseNarrowed(call.credential, {
    bindings: copies.flatMap(({ bindings }) => bindings),
    providers: copies.flatMap(({ providers }) => providers),
    isRegistered: copies.some(({ isRegistered }) => isRegistered),
  });
  const remove = async (validateOnly: boolean) => {
    for (const { call: there, owned, ...references } of copies) {
      const [removed, ...rest] = deletionStatements(there, caller, references, there === call);
      const statements = [removed, ...rest, ...keepOwner(there, owned)] as typeof rest;
      await commitIfChanged({ ...there, validateOnly }, statements as [Statement, ...Statement[]]);
    }
  };
  // If one database refuses, no other has deleted anything.
  if (copies.length > 1) await remove(true);
  await remove(false);
  return {};
};

const isOwn = and(eq(roleBindings.accepted, true), isPresent(roleBindings.parent));

/** The statements that read the rows of the person. They return nothing if the person is not the caller. */
function selectPersonReferences(call: Call, id: string) {
  const { db, credential } = call;
  if (!credential) throw unauthenticated("the call has no credential");
  const isSelf = and(eq(identities.uid, id), isBearer(credential));
  const self = db.select({ uid: identities.uid }).from(identities).where(isSelf);
  const isHere = sql<number>`${isServed(sql`${roleBindings.uid}`)}`.as("is_here");
  return [
    db.select({ issuer: identities.issuer }).from(identities).where(isSelf),
    db
      .select({ uid: roleBindings.uid, isHere })
      .from(roleBindings)
      .where(and(eq(roleBindings.identityUid, self), isOwn)),
    db
      .select({ uid: signIns.identityProviderUid })
      .from(signIns)
      .where(and(eq(signIns.identityUid, self), isPresent(signIns.identityProviderUid))),
    selectOwnedOrganizations(call, sql`${self}`),
  ] as const;
}

/**
 * The bearer of a token must not delete what the token does not reach. A login reaches the group of its
 * provider (docs/decisions/0005), and many people have nothing outside it.
 */
function refuseNarrowed(
  credential: Credential | undefined,
  references: Omit<PersonReferences, "served">,
): void {
  if (!credential?.scopes && !credential?.capabilities) return;
  const group = parentOf(credential.login?.identityProvider ?? "");
  const isUnnarrowed =
    isUnnarrowedLogin(credential) &&
    !credential.capabilities &&
    !references.isRegistered &&
    [...references.bindings, ...references.providers].every((uid) =>
      isAtOrAbove(group, parentOf(uid)),
    );
  if (isUnnarrowed) return;
  throw permissionDenied("the token was narrowed; use one that is not");
}

/** The statements. The first one deletes nothing if the rows have changed since they were read. */
function deletionStatements(
  call: Call,
  caller: Caller,
  { bindings, served, providers }: PersonReferences,
  isFirst: boolean,
): Parameters<typeof commitIfChanged>[1] {
  const { db } = call;
  const { identity: uid } = caller;
  const own = and(eq(roleBindings.identityUid, uid), isOwn);
  const hasBindings = hasExactValues(bindings, roleBindings.uid, own);
  const ofPerson = and(eq(signIns.identityUid, uid), isPresent(signIns.identityProviderUid));
  const hasSignIns = hasExactValues(providers, signIns.identityProviderUid, ofPerson);
  return [
    db.delete(identities).where(and(eq(identities.uid, uid), hasBindings, hasSignIns)),
    ...events(call, caller, served, isFirst),
    db.delete(roleBindings).where(own),
    db.delete(identityMetadata).where(eq(identityMetadata.uid, uid)),
    db.delete(refreshTokens).where(eq(refreshTokens.identityUid, uid)),
    db.delete(sessions).where(eq(sessions.identityUid, uid)),
  ];
}

/** Whether the rows of a condition are those that were read, by the values of a column. */
const hasExactValues = (read: string[], column: SQLiteColumn, isOwn: SQL | undefined) =>
  sql`(select count(*) = ${read.length} and coalesce(min(${column} in (
      select value from json_each(${JSON.stringify(read)}))), 1)
    from ${column.table} where ${isOwn})`;

/**
 * The person belongs to no organization, so their event is internal. The event of each binding belongs to its
 * group.
 */
const events = (call: Call, caller: Caller, bindings: string[], isFirst: boolean) => [
  ...(isFirst
    ? [
        insertCompleteEvent(call, {
          type: "api.iam.identity.deleted.v1",
          path: restPath,
          audience: "internal",
          group: "/",
          subject: caller.identity,
          body: { desc: DeleteIdentityRequestSchema, message: { uid: caller.identity } },
          actor: caller,
        }),
      ]
    : []),
  ...bindings.map((uid) =>
    insertCompleteEvent(call, {
      type: "api.iam.rolebindings.deleted.v1",
      path: restPath,
      audience: "customer",
      group: parentOf(uid),
      subject: uid,
      body: { desc: DeleteRoleBindingRequestSchema, message: { uid } },
      actor: caller,
    }),
  ),
];
