/** The statements that a login writes in one batch. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import {
  IdentityMetadataSchema,
  IdentitySchema,
} from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { LoginSchema } from "../../schema/gen/platform/iam/v2/logins_pb.js";
import { RoleBindingSchema } from "../../schema/gen/platform/iam/v2/role_bindings_pb.js";
import { identities } from "../../schema/tables/iam/identities.ts";
import { identityMetadata } from "../../schema/tables/iam/identity_metadata.ts";
import { identityProviders } from "../../schema/tables/iam/identity_providers.ts";
import { roleBindings } from "../../schema/tables/iam/role_bindings.ts";
import { scimUsers } from "../../schema/tables/iam/scim_users.ts";
import { signIns } from "../../schema/tables/issuer/sign_ins.ts";
import type { RowOf } from "../../schema/tables/list_indexes.ts";
import { isUnchanged } from "../aip/stale.ts";
import { isAtOrAbove, newUid, parentOf } from "../aip/uid_path.ts";
import type { Call, WriteContext } from "../auth/call.ts";
import { identityUse } from "../auth/use.ts";
import {
  acceptBindingStatement,
  areAllPending,
  type PendingBinding,
  toAcceptedBinding,
} from "../iam/role_bindings/pending.ts";
import { nextTime, onlyIf } from "../outbox/commit.ts";
import {
  type CompleteEvent,
  insertCompleteEvent,
  insertCompleteEventIfChanged,
} from "../outbox/outbox.ts";
import type { LoginProvider, ProviderState } from "./identity_provider.ts";
import { claimMatchType, type Person, type toDisplayName } from "./person.ts";

type Statement = BatchItem<"sqlite">;

/** The person who logged in, and the data to write. */
export interface SignInContext {
  provider: LoginProvider;
  person: Person;
  /** The row of the person as it was read. Undefined if there was none. */
  existing: RowOf<typeof identities> | undefined;
  displayName: ReturnType<typeof toDisplayName>;
  /** Whether this is their first login through this provider. */
  isFirstSignIn: boolean;
  /** Their pending bindings in the organization. */
  pendingBindings: PendingBinding[];
  providerState: ProviderState;
  /** Their provisioned user, if the provider provisions. */
  scimUser: { uid: string; identityUid: string | null; updateTime: number } | undefined;
  /** Their groups that have role mappings. */
  groups: string[];
  actor: CompleteEvent["actor"];
  /** The path where the person logs in. */
  path: string;
  /** Whether the provider is not in the first database, which has the person. */
  isPersonElsewhere: boolean;
}

/** The part of a login that its events show. */
type EventContext = Pick<SignInContext, "actor" | "path">;

/**
 * The statements in their order. All or none are written, and only if the relevant data is as it was read.
 */
export function signInStatements(
  context: WriteContext,
  signInContext: SignInContext,
): [Statement, ...Statement[]] {
  return [
    guardStatement(context, signInContext),
    ...personStatements(context, signInContext),
    ...(signInContext.isPersonElsewhere ? [] : displayNameStatements(context, signInContext)),
    ...pendingBindingStatements(context, signInContext),
    ...(signInContext.isFirstSignIn ? firstSignInStatements(context, signInContext) : []),
    ...scimUserStatements(context, signInContext),
    ...sessionStatements(context, signInContext),
  ];
}

/**
 * Writes the person of a login into the first database, and the display name that only it has. If this is interrupted,
 * the next login does it.
 */
export async function writePersonFirst(
  { databases: { first }, ...context }: WriteContext & Pick<Call, "databases">,
  signInContext: SignInContext,
): Promise<void> {
  const { person } = signInContext;
  const { email, emailUnverified } = person;
  const seen = { lastSeenTime: context.now, lastUsedTime: context.now };
  const row = { ...person, relationshipType: claimMatchType, ...seen };
  await first.batch([
    first
      .insert(identities)
      .values(row)
      .onConflictDoUpdate({ target: identities.uid, set: { email, emailUnverified, ...seen } }),
    ...displayNameStatements({ ...context, db: first }, signInContext),
  ]);
}

/** A login accepts the bindings that others created for the person before. */
function pendingBindingStatements(
  context: WriteContext,
  signInContext: SignInContext,
): Statement[] {
  const invitee = { identity: signInContext.person };
  return signInContext.pendingBindings.flatMap((row) => {
    const updateTime = nextTime(context, row.updateTime);
    const message = toAcceptedBinding({ ...row, updateTime }, invitee);
    const accept = acceptBindingStatement(context.db, row, updateTime);
    return [accept, insertBindingEvent(context, signInContext, message)];
  });
}

/** The guard for the provider, the person, the provisioned user and the pending bindings. */
function guardStatement(
  { db }: WriteContext,
  { provider, person, providerState, existing, scimUser, pendingBindings }: SignInContext,
) {
  const { uid } = provider;
  const areAllUnchanged = and(
    isUnchanged(identityProviders, { uid, updateTime: providerState.updateTime }),
    existing && isUnchanged(identities, existing),
    scimUser && isUnchanged(scimUsers, scimUser),
    areAllPending(person.uid, provider.group, pendingBindings),
  );
  return onlyIf(db, areAllUnchanged);
}

/** Of two simultaneous first logins, one creates the person, and the other runs again and finds them. */
function personStatements(context: WriteContext, signInContext: SignInContext): Statement[] {
  const { person, existing } = signInContext;
  const { db, now } = context;
  if (!existing) {
    const times = { lastSeenTime: now, lastUsedTime: now };
    const newPerson = { ...person, relationshipType: claimMatchType, ...times };
    return [
      db.insert(identities).values(newPerson),
      insertPersonEvent(context, person, signInContext),
    ];
  }
  const { uid, email, emailUnverified, updateTime } = person;
  const changes = { email, emailUnverified, updateTime, lastSeenTime: now };
  return [
    db.update(identities).set(changes).where(eq(identities.uid, uid)),
    identityUse(db, [uid], now),
  ];
}

/** The event of a new person. It is internal, because the person belongs to no organization. */
export function insertPersonEvent(
  context: WriteContext,
  { uid, name, email, emailUnverified, relationship }: Person,
  { actor, path }: EventContext,
) {
  const time = timestampFromMs(context.now);
  const message: MessageInitShape<typeof IdentitySchema> = {
    uid,
    name,
    email,
    emailUnverified,
    createTime: time,
    updateTime: time,
    lastSeenTime: time,
    relationship: {
      case: "claimMatch",
      value: claimMatchOf((relationship?.value ?? {}) as Record<string, string>),
    },
  };
  return insertCompleteEvent(context, {
    type: "api.iam.identity.created.v1",
    path,
    audience: "internal",
    group: "/",
    subject: uid,
    body: { desc: IdentitySchema, message },
    actor,
  });
}

/**
 * The display name is stored next to the data that people enter about themselves, and only the provider can
 * change it.
 */
export function displayNameStatements(
  context: WriteContext,
  {
    person,
    displayName,
    actor,
    path,
  }: Pick<SignInContext, "person" | "displayName"> & EventContext,
): Statement[] {
  const { db, now } = context;
  if (!displayName) return [];
  const { uid } = person;
  const metadata = sql`json_patch(${identityMetadata.metadata}, excluded.metadata)`;
  const store = db
    .insert(identityMetadata)
    .values({ uid, metadata: displayName, updateTime: now })
    .onConflictDoUpdate({
      target: identityMetadata.uid,
      set: { metadata, updateTime: sql`max(${now}, ${identityMetadata.updateTime} + 1)` },
      setWhere: sql`${metadata} <> ${identityMetadata.metadata}`,
    });
  const event = insertCompleteEventIfChanged(context, {
    type: "api.iam.identity.metadata.updated.v1",
    path,
    audience: "internal",
    group: "",
    subject: uid,
    body: {
      desc: IdentityMetadataSchema,
      message: { uid, ...displayName },
      only: ["uid", "name", "givenName", "familyName"],
    },
    actor,
  });
  return [store, event];
}

const claimMatchOf = ({ issuer = "", subject = "" }: Record<string, string>) => ({
  iss: { case: "issuer" as const, value: issuer },
  sub: { case: "subject" as const, value: subject },
});

/** The default role is bound once. A binding that was removed does not come back. */
function firstSignInStatements(context: WriteContext, signInContext: SignInContext): Statement[] {
  const { db, now } = context;
  const { provider, person, providerState } = signInContext;
  const signInRow = {
    identityProviderUid: provider.uid,
    identityUid: person.uid,
    createTime: now,
    lastTime: now,
  };
  const insertSignIn = db.insert(signIns).values(signInRow);
  const role = providerState.roleUid ?? "";
  const isShared = parentOf(role) === "" || isAtOrAbove(parentOf(role), provider.group);
  if (role === "" || !isShared) return [insertSignIn];
  const binding = {
    uid: newUid(provider.group),
    identityUid: person.uid,
    roleUid: role,
    createTime: now,
    updateTime: now,
  };
  const bind = db.insert(roleBindings).values(binding).onConflictDoNothing();
  const { roleName, roleDescription, groupName, groupDescription } = providerState;
  const names = { roleName, roleDescription, groupName, groupDescription };
  const message = toAcceptedBinding(
    { ...binding, ...names, group: provider.group },
    { identity: person },
  );
  return [insertSignIn, bind, insertBindingEvent(context, signInContext, message)];
}

/**
 * The event of a binding that a login creates, unless it already existed. It comes directly after the
 * binding.
 */
export const insertBindingEvent = (
  context: WriteContext,
  { actor, path }: EventContext,
  message: MessageInitShape<typeof RoleBindingSchema> & { uid: string },
) =>
  insertCompleteEventIfChanged(context, {
    type: "api.iam.rolebindings.created.v1",
    path,
    audience: "customer",
    group: parentOf(message.uid),
    subject: message.uid,
    body: { desc: RoleBindingSchema, message },
    actor,
  });

/**
 * Connects the provisioned user to the person, so that the next exchange can check whether the user is
 * active.
 */
function scimUserStatements(
  { db }: WriteContext,
  { scimUser, person }: SignInContext,
): Statement[] {
  if (!scimUser || scimUser.identityUid === person.uid) return [];
  return [
    db.update(scimUsers).set({ identityUid: person.uid }).where(eq(scimUsers.uid, scimUser.uid)),
  ];
}

/** Whether the last login of the person through the provider was at that time. 0 stands for no login. */
export const isLastSignIn = (
  { provider, person }: Pick<SignInContext, "provider" | "person">,
  time: number,
) =>
  sql`coalesce((select ${signIns.lastTime} from ${signIns} where ${isOf(provider, person)}), 0) = ${time}`;

const isOf = (provider: { uid: string }, person: { uid: string }) =>
  and(eq(signIns.identityProviderUid, provider.uid), eq(signIns.identityUid, person.uid));

function sessionStatements(context: WriteContext, signInContext: SignInContext): Statement[] {
  const { db, now } = context;
  const { provider, person, isFirstSignIn, groups, actor, path } = signInContext;
  const updateSignIn = db
    .update(signIns)
    // Two logins of a person never have the same time, or the second answer to a question about an invite would count.
    .set({ lastTime: isFirstSignIn ? now : sql`max(${now}, ${signIns.lastTime} + 1)` })
    .where(isOf(provider, person));
  const message = {
    identityUid: person.uid,
    identityProviderUid: provider.uid,
    externalGroupIds: groups,
  };
  const event = insertCompleteEvent(context, {
    type: "api.iam.identity_providers.login.v1",
    path,
    audience: "customer",
    group: provider.group,
    subject: person.uid,
    extensions: { identityprovider: provider.uid },
    body: { desc: LoginSchema, message },
    actor,
  });
  return [updateSignIn, event];
}
