/** The bearer token of a provisioning client: issued, replaced and revoked; SCIM on and off. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { DurationSchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, gte, type SQL, sql } from "drizzle-orm";
import {
  GenerateScimTokenResponseSchema,
  type IdentityProvidersService,
  RegenerateScimTokenResponseSchema,
  RevokeScimTokenResponseSchema,
  SetScimEnabledResponseSchema,
} from "../../schema/gen/platform/iam/v2/identity_providers_pb.js";
import { identityProviders } from "../../schema/tables/identity_providers.ts";
import { roleBindings } from "../../schema/tables/role_bindings.ts";
import { OWNER_ROLE } from "../../schema/tables/roles.ts";
import { aborted, failedPrecondition, invalidArgument, notFound } from "../aip/errors.ts";
import { parentOf, rootOf } from "../aip/uid_path.ts";
import type { Call, EventDraft } from "../auth/call.ts";
import type { Caller } from "../auth/grants.ts";
import { selectOwned } from "../auth/owners.ts";
import { commitIfChanged, keepOwner, nextTime } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { find } from "../resource/find.ts";
import type { Handlers } from "../rpc/service.ts";
import { etagOf, identityProvider } from "./identity_provider_message.ts";
import type { Row } from "./identity_provider_rules.ts";
import { expiryOf, isLive, issue, msOf, retire } from "./scim_token_life.ts";

/** Owners bound directly, who could still get in when provisioning goes wrong (contract). */
const ownersNeeded = 2;

/**
 * Reads the provider and, for whom it matters, whether enough people own the organization themselves, and whether
 * it has an owner who can come in.
 */
async function findProvider(call: Call, uid: string, organization = "") {
  const { caller, row, also } = await find(call, identityProvider, uid, {
    also: [countOwners(call, uid), selectOwned(call, organization)],
  });
  const [[owners], owned] = also;
  return { caller, row, owners: owners?.number ?? 0, owned };
}

/** How many, up to as many as are needed: an owner has one binding to the role at a group, never two. */
function countOwners(call: Call, uid: string) {
  const owners = call.db
    .select({ uid: roleBindings.uid })
    .from(roleBindings)
    .where(
      and(
        eq(roleBindings.parent, rootOf(uid)),
        eq(roleBindings.roleUid, OWNER_ROLE),
        eq(roleBindings.accepted, true),
      ),
    )
    .limit(ownersNeeded);
  return call.db.select({ number: sql<number>`count(*)`.as("number") }).from(owners.as("owners"));
}

/** Throws unless the etag is that of the provider's SCIM configuration. */
function checkEtag(row: Row, etag: string): void {
  if (etagOf(row.scimVersion) !== etag) {
    throw aborted("etag is not the current one: read the identity provider and decide again");
  }
}

function requireEtag(etag: string): void {
  if (etag === "") throw invalidArgument("etag", "etag is required");
}

const noToken = (uid: string) => notFound("iam/ScimToken", uid);

/** Writes the change if the SCIM configuration is still as it was read; throws Stale otherwise. */
const write = (
  call: Call,
  caller: Caller,
  row: Row,
  changes: Partial<Row>,
  body: EventDraft["body"],
  { guard, also = [] }: { guard?: SQL | undefined; also?: ReturnType<typeof keepOwner> } = {},
) =>
  commitIfChanged(call, [
    call.db
      .update(identityProviders)
      .set({
        ...changes,
        scimVersion: row.scimVersion + 1,
        // Of the row as it is: its other fields may have changed since it was read.
        updateTime: sql`max(${nextTime(call, row.updateTime)}, ${identityProviders.updateTime} + 1)`,
      })
      .where(
        and(
          eq(identityProviders.uid, row.uid),
          eq(identityProviders.scimVersion, row.scimVersion),
          guard,
        ),
      ),
    insertEvent(call, caller, {
      subject: row.uid,
      group: parentOf(row.uid),
      ...(body ? { body } : {}),
    }),
    ...also,
  ]);

type ScimMethod =
  | "generateScimToken"
  | "regenerateScimToken"
  | "revokeScimToken"
  | "setScimEnabled";

/** Handlers of IdentityProvidersService that are about SCIM. */
export const scimTokenHandlers: Pick<Handlers<typeof IdentityProvidersService>, ScimMethod> = {
  async generateScimToken(request, call) {
    const { caller, row } = await findProvider(call, request.identityProviderUid);
    const expires = expiryOf(call, request);
    if (row.scimVersion !== 0) {
      throw failedPrecondition(
        "SCIM_TOKEN_EXISTS",
        "a SCIM token was issued before: regenerate it",
        row.uid,
      );
    }
    const { token, columns, told } = await issue(call, row, expires);
    await write(call, caller, row, columns, {
      desc: GenerateScimTokenResponseSchema,
      message: create(GenerateScimTokenResponseSchema, told),
    });
    return { ...told, token };
  },

  async regenerateScimToken(request, call) {
    const { caller, row } = await findProvider(call, request.identityProviderUid);
    requireEtag(request.etag);
    const expires = expiryOf(call, request);
    if (row.scimVersion === 0) throw noToken(row.uid);
    checkEtag(row, request.etag);
    const overlap = request.overlap ?? create(DurationSchema, { seconds: 3600n });
    const { token, columns, told } = await issue(call, row, expires);
    const retired = retire(call, row, msOf(overlap), expires);
    const whole: MessageInitShape<typeof RegenerateScimTokenResponseSchema> = {
      ...told,
      requestedOverlap: overlap,
      ...(retired.until === undefined
        ? {}
        : { previousTokenExpireTime: timestampFromMs(retired.until) }),
    };
    await write(
      call,
      caller,
      row,
      { ...columns, ...retired.columns },
      {
        desc: RegenerateScimTokenResponseSchema,
        message: create(RegenerateScimTokenResponseSchema, whole),
      },
    );
    return { ...whole, token };
  },

  /** A token revoked already is no error; the answer tells when that was. */
  async revokeScimToken(request, call) {
    const { caller, row } = await findProvider(call, request.identityProviderUid);
    if (row.scimVersion === 0) throw noToken(row.uid);
    const isRevoked = row.scimTokenRevokeTime !== null;
    const message = create(RevokeScimTokenResponseSchema, {
      identityProviderUid: row.uid,
      etag: etagOf(isRevoked ? row.scimVersion : row.scimVersion + 1),
      enabled: row.scimEnabled,
      revokeTime: timestampFromMs(row.scimTokenRevokeTime ?? call.now),
    });
    if (isRevoked) return message;
    const changes = {
      scimTokenDigest: "",
      scimTokenRevokeTime: call.now,
      scimPreviousTokenDigest: "",
      scimPreviousTokenExpireTime: null,
    };
    await write(call, caller, row, changes, { desc: RevokeScimTokenResponseSchema, message });
    return message;
  },

  async setScimEnabled(request, call) {
    const uid = request.identityProviderUid;
    const { caller, row, owners, owned } = await findProvider(call, uid, parentOf(uid));
    requireEtag(request.etag);
    checkEtag(row, request.etag);
    const { enabled } = request;
    const isSame = row.scimEnabled === enabled;
    const message = create(SetScimEnabledResponseSchema, {
      identityProviderUid: row.uid,
      enabled,
      etag: etagOf(isSame ? row.scimVersion : row.scimVersion + 1),
    });
    if (isSame) return message;
    if (enabled && owners < ownersNeeded) {
      throw failedPrecondition(
        "OWNERS",
        `the organization needs ${ownersNeeded} owners of its own before provisioning decides who gets in`,
        rootOf(row.uid),
      );
    }
    const enough = enabled ? gte(sql`(${countOwners(call, row.uid)})`, ownersNeeded) : undefined;
    const body = { desc: SetScimEnabledResponseSchema, message };
    // Without a token that works nobody can provision the owners who come in by this provider.
    const also = enabled && !isLive(row, call.now) ? keepOwner(call, owned) : [];
    await write(call, caller, row, { scimEnabled: enabled }, body, { guard: enough, also });
    return message;
  },
};
