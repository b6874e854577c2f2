/** What a sign-in writes, in one batch. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { IdentitySchema } from "../../schema/gen/platform/iam/v2/identities_pb.js";
import { LoginSchema } from "../../schema/gen/platform/iam/v2/logins_pb.js";
import { RoleBindingSchema } from "../../schema/gen/platform/iam/v2/role_bindings_pb.js";
import { identities } from "../../schema/tables/identities.ts";
import { identityMetadata } from "../../schema/tables/identity_metadata.ts";
import { identityProviders } from "../../schema/tables/identity_providers.ts";
import { roleBindings } from "../../schema/tables/role_bindings.ts";
import { scimUsers } from "../../schema/tables/scim_users.ts";
import { signIns } from "../../schema/tables/sign_ins.ts";
import { isAsRead } from "../aip/stale.ts";
import { isAtOrAbove, newUid, parentOf } from "../aip/uid_path.ts";
import type { WriteContext } from "../auth/call.ts";
import {
  acceptStatement,
  isAllThatWaits,
  toAcceptedBinding,
  type Waiting,
} from "../iam/pending_bindings.ts";
import { nextTime, onlyIf } from "../outbox/commit.ts";
import {
  type CompleteEvent,
  insertCompleteEvent,
  insertCompleteEventIfChanged,
} from "../outbox/outbox.ts";
import type { Provider, StandingHere } from "./identity_provider.ts";
import { byClaimMatch, type displayNameOf, type Person } from "./person.ts";

type Statement = BatchItem<"sqlite">;

/** Who came in, and what there is to be written of it. */
export interface Entrance {
  provider: Provider;
  person: Person;
  /** The person's row as it was read; undefined where there was none. */
  known: typeof identities.$inferSelect | undefined;
  displayName: ReturnType<typeof displayNameOf>;
  /** Whether they never came in through this provider. */
  isNewHere: boolean;
  /** Bindings of theirs in the organization that are pending. */
  waiting: Waiting[];
  standing: StandingHere;
  /** The provisioned user that they are, where the provider provisions. */
  scimUser: { uid: string; identityUid: string | null; updateTime: number } | undefined;
  /** Groups of theirs that have role mappings. */
  groups: string[];
  actor: CompleteEvent["actor"];
}

/** The statements, in their order. All or none are written: what decided must be as it was read. */
export function writesOf(context: WriteContext, entrance: Entrance): [Statement, ...Statement[]] {
  return [
    guardOf(context, entrance),
    ...personWrites(context, entrance),
    ...nameWrites(context, entrance),
    ...waitingWrites(context, entrance),
    ...(entrance.isNewHere ? firstWrites(context, entrance) : []),
    ...scimWrites(context, entrance),
    ...sessionWrites(context, entrance),
  ];
}

/** A login accepts the bindings that were made for the person before. */
function waitingWrites(context: WriteContext, entrance: Entrance): Statement[] {
  const guest = { identity: entrance.person };
  return entrance.waiting.flatMap((row) => {
    const updateTime = nextTime(context, row.updateTime);
    const message = toAcceptedBinding({ ...row, updateTime }, guest);
    const accept = acceptStatement(context.db, row, updateTime);
    return [accept, bindingEvent(context, entrance, message)];
  });
}

/** The guard of the provider, the person, the provisioned user and what waits for the person. */
function guardOf(
  { db }: WriteContext,
  { provider, person, standing, known, scimUser, waiting }: Entrance,
) {
  const { uid } = provider;
  const areAsRead = and(
    isAsRead(identityProviders, { uid, updateTime: standing.updateTime }),
    known && isAsRead(identities, known),
    scimUser && isAsRead(scimUsers, scimUser),
    isAllThatWaits(person.uid, provider.group, waiting),
  );
  return onlyIf(db, areAsRead);
}

/** Of two first logins at once, one makes the person, and the other finds them. */
function personWrites(context: WriteContext, { person, known, actor }: Entrance): Statement[] {
  const { db, now } = context;
  if (!known) {
    const made = { ...person, relationshipType: byClaimMatch, lastSeenTime: now };
    return [db.insert(identities).values(made), personEvent(context, person, actor)];
  }
  const { uid, email, emailUnverified, updateTime } = person;
  const changes = { email, emailUnverified, updateTime, lastSeenTime: now };
  return [db.update(identities).set(changes).where(eq(identities.uid, uid))];
}

/** The event of a person who was not known before. It is internal: they belong to no organization. */
export function personEvent(
  context: WriteContext,
  { uid, name, email, emailUnverified, relationship }: Person,
  actor: CompleteEvent["actor"],
  path = "/oauth",
) {
  const time = timestampFromMs(context.now);
  const message: MessageInitShape<typeof IdentitySchema> = {
    ...{ uid, name, email, emailUnverified },
    ...{ createTime: time, updateTime: time, lastSeenTime: time },
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

/** The display name stands beside what the person told themselves, and is the provider's to change. */
export function nameWrites(
  { db, now }: WriteContext,
  { person, displayName }: Pick<Entrance, "person" | "displayName">,
): Statement[] {
  if (!displayName) return [];
  const metadata = sql`json_patch(${identityMetadata.metadata}, excluded.metadata)`;
  return [
    db
      .insert(identityMetadata)
      .values({ uid: person.uid, metadata: displayName, updateTime: now })
      .onConflictDoUpdate({
        target: identityMetadata.uid,
        set: { metadata, updateTime: sql`max(${now}, ${identityMetadata.updateTime} + 1)` },
        setWhere: sql`${metadata} <> ${identityMetadata.metadata}`,
      }),
  ];
}

const claimMatchOf = ({ issuer = "", subject = "" }: Record<string, string>) => ({
  iss: { case: "issuer" as const, value: issuer },
  sub: { case: "subject" as const, value: subject },
});

/** The default role is bound once: a binding that was taken away does not come back. */
function firstWrites(context: WriteContext, entrance: Entrance): Statement[] {
  const { db, now } = context;
  const { provider, person, standing } = entrance;
  const here = {
    identityProviderUid: provider.uid,
    identityUid: person.uid,
    createTime: now,
    lastTime: now,
  };
  const enter = db.insert(signIns).values(here);
  const role = standing.roleUid ?? "";
  const isShared = parentOf(role) === "" || isAtOrAbove(parentOf(role), provider.group);
  if (role === "" || !isShared) return [enter];
  const binding = {
    uid: newUid(provider.group),
    identityUid: person.uid,
    roleUid: role,
    createTime: now,
    updateTime: now,
  };
  const bind = db.insert(roleBindings).values(binding).onConflictDoNothing();
  const { name, description, email, relationship } = person;
  const { issuer = "", subject = "" } = (relationship?.value ?? {}) as Record<string, string>;
  const message = create(RoleBindingSchema, {
    uid: binding.uid,
    identity: { uid: person.uid, name, description, email, subject, issuer },
    group: {
      uid: provider.group,
      name: standing.groupName ?? "",
      description: standing.groupDescription ?? "",
    },
    role: {
      uid: role,
      name: standing.roleName ?? "",
      description: standing.roleDescription ?? "",
    },
    createTime: timestampFromMs(now),
    updateTime: timestampFromMs(now),
  });
  return [enter, bind, bindingEvent(context, entrance, message)];
}

/** The event of a binding that a sign-in makes, unless there was one. It stands right behind it. */
export const bindingEvent = (
  context: WriteContext,
  { actor }: Pick<Entrance, "actor">,
  message: MessageInitShape<typeof RoleBindingSchema> & { uid: string },
  path = "/oauth",
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

/** Ties the provisioned user to the person, for the next exchange to look whether it is active. */
function scimWrites({ db }: WriteContext, { scimUser, person }: Entrance): Statement[] {
  if (!scimUser || scimUser.identityUid === person.uid) return [];
  return [
    db.update(scimUsers).set({ identityUid: person.uid }).where(eq(scimUsers.uid, scimUser.uid)),
  ];
}

function sessionWrites(context: WriteContext, entrance: Entrance): Statement[] {
  const { db, now } = context;
  const { provider, person, groups, actor } = entrance;
  const seen = db
    .update(signIns)
    .set({ lastTime: now })
    .where(and(eq(signIns.identityProviderUid, provider.uid), eq(signIns.identityUid, person.uid)));
  if (groups.length === 0) return [seen];
  const message = {
    identityUid: person.uid,
    identityProviderUid: provider.uid,
    externalGroupIds: groups,
  };
  const event = insertCompleteEvent(context, {
    type: "api.iam.identity_providers.login.v1",
    path: "/oauth",
    audience: "customer",
    group: provider.group,
    subject: person.uid,
    extensions: { identityprovider: provider.uid },
    body: { desc: LoginSchema, message },
    actor,
  });
  return [seen, event];
}
