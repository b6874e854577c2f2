/** Data that people have entered about themselves, and the lookup of a person's identity. */
import { create, toJson } from "@bufbuild/protobuf";
import { and, eq, ne, sql } from "drizzle-orm";
import {
  type IdentityMetadata,
  IdentityMetadataSchema,
  type LookupIdentityRequest,
  type UpdateIdentityMetadataRequest,
} from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import { identities } from "../../../schema/tables/iam/identities.ts";
import { identityMetadata } from "../../../schema/tables/iam/identity_metadata.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { invalidArgument, permissionDenied, unauthenticated } from "../../aip/errors.ts";
import { isUnchangedMessage } from "../../aip/field_mask.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { isUnchanged } from "../../aip/stale.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { messageFromStored } from "../../aip/well_formed.ts";
import { readWithGrants } from "../../auth/access.ts";
import { type Call, type CallAnywhere, type Credential, callAtCaller } from "../../auth/call.ts";
import { rowsOfEach } from "../../auth/databases.ts";
import { isBearer } from "../../auth/grant_rows.ts";
import { isUnnarrowedLogin } from "../../auth/grants.ts";
import { issuerRefusal } from "../../auth/outgoing/destination.ts";
import { personUid } from "../../auth/person.ts";
import { canonicalIssuer } from "../../auth/token.ts";
import { commitIfChanged, onlyIf } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { maskedUpdate } from "../../resource/update.ts";

/**
 * The uid of the person with this issuer and subject, whether or not their identity exists yet. Throws
 * INVALID_ARGUMENT for `issuer`.
 */
export async function lookUpPersonUid(request: LookupIdentityRequest, call: Call): Promise<string> {
  const issuer = canonicalIssuer(request.issuer);
  const refusal = issuerRefusal(call.config, issuer);
  if (refusal !== undefined) throw invalidArgument("issuer", `issuer ${refusal}`);
  const { subject } = request;
  const registered = call.db
    .select({ uid: identities.uid })
    .from(identities)
    .where(
      and(
        eq(identities.issuer, issuer),
        eq(identities.subject, subject),
        // The plus sign keeps the planner on the index of (issuer, subject).
        sql`+${identities.parent} = ''`,
      ),
    )
    .limit(1);
  const { rows } = await readWithGrants(call, undefined, [registered]);
  return rows[0][0]?.uid ?? personUid(issuer, subject);
}

/** Whether the person came in, or has a role, outside the group of the login's provider. */
function isKnownElsewhere({ credential }: Call) {
  const group = parentOf(credential?.login?.identityProvider ?? "");
  const isBelow = (column: string) =>
    sql`substr("own".${sql.raw(column)} || '/', 1, ${group.length + 1}) = ${`${group}/`}`;
  return sql<number>`(${identities.issuer} is not null
    or exists (select 1 from "role_bindings" as "own" where "own"."identity_uid" = ${identities.uid}
      and "own"."accepted" = 1 and ${isPresent(sql`"own"."parent"`)} and not ${isBelow('"parent"')})
    or exists (select 1 from "sign_ins" as "own" where "own"."identity_uid" = ${identities.uid}
      and ${isPresent(sql`"own"."identity_provider_uid"`)} and not ${isBelow('"identity_provider_uid"')}))`;
}

/** With several databases, whether a copy of the person in another one has more than the login reaches. */
async function isElsewhereInOthers(call: Call): Promise<boolean> {
  const { db, databases, credential } = call;
  const copies = await rowsOfEach({ all: await databases.othersThan(db) }, (other) =>
    other
      .select({ isElsewhere: isKnownElsewhere(call).as("is_elsewhere") })
      .from(identities)
      .where(credential && isBearer(credential)),
  );
  return copies.some(({ isElsewhere }) => isElsewhere === 1);
}

type Own = Awaited<ReturnType<typeof selectOwnMetadata>>[number];

/** The company is a column of the identity. The other data is in a row of its own. */
const selectOwnMetadata = (call: Call) =>
  call.db
    .select({
      uid: identities.uid,
      company: identities.company,
      updateTime: identities.updateTime,
      metadata: identityMetadata.metadata,
      storedTime: sql<number | null>`${identityMetadata.updateTime}`.as("stored_time"),
      isElsewhere: isKnownElsewhere(call).as("is_elsewhere"),
    })
    .from(identities)
    .leftJoin(identityMetadata, eq(identityMetadata.uid, identities.uid))
    .where(call.credential && isBearer(call.credential));

const metadata = {
  schema: IdentityMetadataSchema,
  toMessage: ({ uid, company, metadata: stored }: Pick<Own, "uid" | "company" | "metadata">) =>
    Object.assign(messageFromStored(IdentityMetadataSchema, stored ?? {}), { uid, company }),
};

/** Changes the metadata of the caller's identity. The first change creates its row. */
export async function updateIdentityMetadata(
  {
    identityMetadata: input = create(IdentityMetadataSchema),
    updateMask,
  }: UpdateIdentityMetadataRequest,
  anywhere: CallAnywhere,
): Promise<IdentityMetadata> {
  const call = callAtCaller(anywhere);
  const { caller, rows } = await readWithGrants(call, undefined, [selectOwnMetadata(call)]);
  const row = rows[0].find(({ uid }) => uid === caller.identity);
  if (!row) throw unauthenticated("the identity of the token no longer exists");
  refuseNarrowed(call.credential, row.isElsewhere === 1 || (await isElsewhereInOthers(call)));
  const own = { ...row, updateTime: row.storedTime ?? 0 };
  const update = maskedUpdate(call, metadata, own, input, updateMask);
  const { before, after: next, updateTime } = update;
  // These fields are for a marketing tool, which the platform does not have. They are not stored and not
  // returned.
  next.hubspotUtk = "";
  if (isUnchangedMessage(IdentityMetadataSchema, before, next)) return before;
  const event = insertEvent(call, caller, {
    subject: row.uid,
    group: "",
    body: { desc: IdentityMetadataSchema, message: next },
  });
  await commitIfChanged(call, [
    storeMetadata(call, next, own.updateTime, updateTime),
    // The company is a column of the identity, so a later change of it must not be overwritten.
    onlyIf(call.db, isUnchanged(identities, row)),
    event,
    setCompany(call, next),
  ]);
  return next;
}

/**
 * The metadata of an identity applies everywhere, so a token with less reach cannot change it. A login
 * reaches the group of its provider (docs/decisions/0005), and many people have nothing outside it.
 */
function refuseNarrowed(credential: Credential | undefined, isKnownElsewhere: boolean): void {
  if (!credential?.scopes && !credential?.capabilities) return;
  if (isUnnarrowedLogin(credential) && !credential.capabilities && !isKnownElsewhere) return;
  throw permissionDenied("the token was narrowed; use one that is not");
}

/** Writes the metadata of an existing identity, unless it changed since `readWithGrants`. */
function storeMetadata(call: Call, message: IdentityMetadata, read: number, time: number) {
  const {
    uid: _,
    company: __,
    ...kept
  } = toJson(IdentityMetadataSchema, message) as Record<string, unknown>;
  const row = { uid: sql`${identities.uid}`, metadata: kept, updateTime: time };
  const source = sql`from ${identities} where ${identities.uid} = ${message.uid}`;
  return insertFrom(call.db, identityMetadata, row, source).onConflictDoUpdate({
    target: identityMetadata.uid,
    set: { metadata: sql`excluded.metadata`, updateTime: sql`excluded.update_time` },
    setWhere: eq(identityMetadata.updateTime, read),
  });
}

/** Writes the company into the identity if it is different. */
const setCompany = (call: Call, { uid, company }: IdentityMetadata) =>
  call.db
    .update(identities)
    .set({ company, updateTime: sql`max(${call.now}, ${identities.updateTime} + 1)` })
    .where(and(eq(identities.uid, uid), ne(identities.company, company)));
